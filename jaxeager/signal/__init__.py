"""paddle.signal: the short-time Fourier transform. (The functions are in ops/stft.py.)"""

from jaxeager.ops.frames import frame, overlap_add
from jaxeager.ops.stft import istft, stft

__all__ = ["frame", "istft", "overlap_add", "stft"]
