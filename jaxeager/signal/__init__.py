"""paddle.signal: the short-time Fourier transform. (The functions are in ops/signal.py.)"""

from jaxeager.ops.frames import frame, overlap_add
from jaxeager.ops.signal import istft, stft

__all__ = ["frame", "istft", "overlap_add", "stft"]
