"""A function on Tensors as a program of JAX: the tensors it reads, computes and changes."""
