"""jax.Arrays: made from any value, on one device or several, and from random keys."""
