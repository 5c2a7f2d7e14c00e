"""Checks that raise where XLA continues silently: for indices, domains and device failures."""
