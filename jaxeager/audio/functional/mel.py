"""The mel scale, and the matrix that sums the frequencies of a transform into its bands.

Slaney's scale is linear up to 1000 Hz and logarithmic above; HTK's is one formula.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

import jaxeager as paddle
from jaxeager.core import dtypes
from jaxeager.errors import InvalidArgumentError
from jaxeager.kernels.size_limit import check_size
from jaxeager.ops.creation.creation import from_numpy

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

HZ_PER_MEL = 200.0 / 3  # of the linear part
KNEE_HZ, KNEE_MEL = 1000.0, 15.0
LOG_STEP = math.log(6.4) / 27.0


def hz_to_mel(freq: float | Tensor, htk: bool = False) -> Any:
    """Convert a frequency to mel.

    Args:
        freq: frequency in Hz: a number, or a floating Tensor of any shape.
        htk: whether to use HTK's scale instead of Slaney's.

    Returns:
        float, or a differentiable Tensor of the same shape.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.audio.functional.hz_to_mel(200.0)
        3.0
    """
    if not isinstance(freq, paddle.Tensor):
        return _plain(_hz_to_mel(np.asarray(freq, np.float64), htk), freq)
    if htk:
        return paddle.log10(1.0 + freq / 700.0) * 2595.0
    above = KNEE_MEL + paddle.log(freq.clip(min=KNEE_HZ) / KNEE_HZ) / LOG_STEP
    return paddle.where(freq > KNEE_HZ, above, freq / HZ_PER_MEL)


def mel_to_hz(mel: float | Tensor, htk: bool = False) -> Any:
    """Convert a frequency in mel to Hz; the inverse of ``hz_to_mel``.

    Args:
        mel: frequency in mel: a number, or a floating Tensor of any shape.
        htk: whether to use HTK's scale instead of Slaney's.

    Returns:
        float, or a differentiable Tensor of the same shape.

    Example:
        >>> import jaxeager as paddle
        >>> round(paddle.audio.functional.mel_to_hz(3.0), 6)
        200.0
    """
    if not isinstance(mel, paddle.Tensor):
        return _plain(_mel_to_hz(np.asarray(mel, np.float64), htk), mel)
    if htk:
        return 700.0 * (paddle.exp(mel * (math.log(10.0) / 2595.0)) - 1.0)
    above = KNEE_HZ * paddle.exp(LOG_STEP * (mel.clip(min=KNEE_MEL) - KNEE_MEL))
    return paddle.where(mel > KNEE_MEL, above, mel * HZ_PER_MEL)


def _plain(value: np.ndarray, given):
    return value if isinstance(given, np.ndarray) else float(value)


def _hz_to_mel(freq: np.ndarray, htk: bool) -> np.ndarray:
    if htk:
        return 2595.0 * np.log10(1.0 + freq / 700.0)
    above = KNEE_MEL + np.log(np.maximum(freq, KNEE_HZ) / KNEE_HZ) / LOG_STEP
    return np.where(freq > KNEE_HZ, above, freq / HZ_PER_MEL)


def _mel_to_hz(mel: np.ndarray, htk: bool) -> np.ndarray:
    if htk:
        return 700.0 * (10.0 ** (mel / 2595.0) - 1.0)
    above = KNEE_HZ * np.exp(LOG_STEP * (np.maximum(mel, KNEE_MEL) - KNEE_MEL))
    return np.where(mel > KNEE_MEL, above, mel * HZ_PER_MEL)


def _mel_frequencies(n_mels: int, f_min: float, f_max: float, htk: bool) -> np.ndarray:
    check_size("mel_frequencies", (n_mels,), np.float64)
    low, high = (_hz_to_mel(np.asarray(f, np.float64), htk) for f in (f_min, f_max))
    return _mel_to_hz(np.linspace(low, high, n_mels), htk)


def mel_frequencies(
    n_mels: int = 64,
    f_min: float = 0.0,
    f_max: float = 11025.0,
    htk: bool = False,
    dtype: str = "float32",
) -> Tensor:
    """Return frequencies in Hz that are evenly spaced in mel, from ``f_min`` to ``f_max``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.audio.functional.mel_frequencies(3, 0.0, 400.0).round(2).tolist()
        [0.0, 200.0, 400.0]
    """
    return from_numpy(_mel_frequencies(n_mels, f_min, f_max, htk).astype(dtypes.to_numpy(dtype)))


def fft_frequencies(sr: int, n_fft: int, dtype: str = "float32") -> Tensor:
    """Return the frequencies of the one-sided transform of ``n_fft`` samples, in Hz.

    Args:
        sr: samples per second.
        n_fft: size of a frame.
        dtype: element type.

    Returns:
        Tensor of shape [n_fft // 2 + 1].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.audio.functional.fft_frequencies(8000, 4).tolist()
        [0.0, 2000.0, 4000.0]
    """
    check_size("fft_frequencies", (n_fft // 2 + 1,), np.float64)
    values = np.linspace(0, float(sr) / 2, n_fft // 2 + 1)
    return from_numpy(values.astype(dtypes.to_numpy(dtype)))


def compute_fbank_matrix(
    sr: int,
    n_fft: int,
    n_mels: int = 64,
    f_min: float = 0.0,
    f_max: float | None = None,
    htk: bool = False,
    norm: str | float = "slaney",
    dtype: str = "float32",
) -> Tensor:
    """Return the matrix that sums frequencies into mel bands, each a triangle.

    Args:
        sr: samples per second.
        n_fft: size of a frame.
        n_mels: number of bands.
        f_min: start of the first band, in Hz.
        f_max: end of the last band, in Hz; ``sr / 2`` by default.
        htk: whether to use HTK's scale instead of Slaney's.
        norm: "slaney" makes the bands' areas equal; a number p makes their p-norms 1; anything
            else leaves heights of 1.
        dtype: element type.

    Returns:
        Tensor of shape [n_mels, n_fft // 2 + 1].

    Raises:
        InvalidArgumentError: if there are no bands, or no frequencies between the ends.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.audio.functional.compute_fbank_matrix(8000, 16, n_mels=3).shape
        paddle.Size([3, 9])
    """
    f_max = float(sr) / 2 if f_max is None else f_max
    if n_mels < 1 or f_min >= f_max:
        raise InvalidArgumentError(
            "There must be at least one band, and f_min below f_max, but received "
            f"n_mels={n_mels}, f_min={f_min} and f_max={f_max}."
        )
    check_size("compute_fbank_matrix", (n_mels + 2, n_fft // 2 + 1), np.float64)
    edges = _mel_frequencies(n_mels + 2, f_min, f_max, htk)
    widths = np.diff(edges)
    ramps = edges[:, None] - np.linspace(0, float(sr) / 2, n_fft // 2 + 1)
    rising, falling = -ramps[:-2] / widths[:-1, None], ramps[2:] / widths[1:, None]
    weights = np.maximum(0.0, np.minimum(rising, falling))
    if norm == "slaney":
        weights *= (2.0 / (edges[2:] - edges[:-2]))[:, None]
    elif isinstance(norm, (int, float)):
        lengths = np.linalg.norm(weights, ord=norm, axis=-1, keepdims=True)
        weights /= np.maximum(lengths, 1e-12)
    return from_numpy(weights.astype(dtypes.to_numpy(dtype)))
