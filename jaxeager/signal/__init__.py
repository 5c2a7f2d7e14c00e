"""paddle.signal: the short-time Fourier transform. (The functions are in ops/signal/stft.py.)"""

from jaxeager.ops.signal.frames import frame, overlap_add
from jaxeager.ops.signal.stft import istft, stft

__all__ = ["frame", "istft", "overlap_add", "stft"]
