"""New tensors of given values."""
