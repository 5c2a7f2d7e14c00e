"""Whole graphs (``full_graph=True``): captured programs, and when one serves a call."""
