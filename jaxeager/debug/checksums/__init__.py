"""Checksums of the tensors a program computes: the file, and where two such files diverge."""

from jaxeager.debug.checksums.checksums import flush

__all__ = ["flush"]
