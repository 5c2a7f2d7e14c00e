"""Reports on training: norms, zeros, NaNs and updates of each layer, step by step."""
