"""Lazy mode: kernels that are called are recorded, and run together when a value is asked for."""
