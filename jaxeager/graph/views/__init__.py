"""Tensors that share memory: which, where in it each is, and the effect of a write."""
