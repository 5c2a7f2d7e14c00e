"""Compiled kernels: jitted, kept in memory and on disk, reported, and recorded (lazy)."""
