"""Stacks of ops, nodes and writes, and the errors that show them."""
