"""New tensors of random values, and draws that overwrite one."""
