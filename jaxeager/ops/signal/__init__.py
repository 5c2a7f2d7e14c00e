"""Signal processing ops: Fourier transforms, frames, windows."""
