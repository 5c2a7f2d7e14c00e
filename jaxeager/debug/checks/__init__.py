"""Checks that raise where XLA goes on in silence: of indices and domains, and of the device."""
