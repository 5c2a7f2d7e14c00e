"""Whole graphs (``full_graph=True``): captured programs, and the calls that each one fits."""
