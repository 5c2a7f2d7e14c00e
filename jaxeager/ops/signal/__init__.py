"""Signals: Fourier transforms, frames, windows."""
