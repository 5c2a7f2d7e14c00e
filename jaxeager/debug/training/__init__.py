"""How training goes: norms, zeros, NaNs and updates of each layer, step by step."""
