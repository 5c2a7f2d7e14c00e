"""Two models beside each other: the first layer that gives something else."""
