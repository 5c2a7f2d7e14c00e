"""Processes: how they find one another, and keep gradients and parameters equal."""
