"""Checksums of what a program computes: the file of them, and where two such files part."""

from jaxeager.debug.checksums.checksums import flush

__all__ = ["flush"]
