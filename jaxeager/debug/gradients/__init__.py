"""Tools for gradients: one node at a time, one sum at a time, one rule at a time."""
