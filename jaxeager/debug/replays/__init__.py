"""Tools that run a step again: from the same state, sample by sample, or a step of the past."""
