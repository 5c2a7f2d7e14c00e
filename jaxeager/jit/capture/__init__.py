"""A function on Tensors as a program of JAX: what it reads, computes and changes."""
