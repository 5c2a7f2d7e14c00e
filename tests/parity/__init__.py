"""Parity: the same small program run under real Paddle and under jaxeager, results compared.

`programs/` holds the programs, one file per family. `worker.py` runs them under real Paddle in a
separate process (Paddle and JAX in one process clash), `harness.py` drives it, `compare.py` finds
the differences.
"""
