"""``jit.save`` and ``jit.load``: programs, weights and signatures in files."""
