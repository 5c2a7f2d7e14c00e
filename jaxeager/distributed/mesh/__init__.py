"""Tensors, models and optimizers on a mesh of devices, on JAX's sharding."""
