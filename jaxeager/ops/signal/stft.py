"""The short-time Fourier transform and its inverse: frames, a window, a transform per frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax.numpy as jnp

from jaxeager.core import dtypes
from jaxeager.errors import RefusedArgumentError
from jaxeager.kernels.size_limit import check_size
from jaxeager.ops.call.dispatch import raw, wrap
from jaxeager.ops.register import composite
from jaxeager.ops.shape.manipulation import squeeze, transpose, unsqueeze
from jaxeager.ops.shape.padding import pad, pad3d
from jaxeager.ops.signal.fft import fft_c2c, fft_c2r, fft_r2c
from jaxeager.ops.signal.frames import frame, overlap_add

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def _needs(condition: bool, message: str) -> None:
    if not condition:
        raise RefusedArgumentError(message)


def _is_complex(x) -> bool:
    return jnp.iscomplexobj(raw(x))


def _window_of(window, win_length: int, n_fft: int, dtype):
    """Return a window of ``n_fft`` elements: ones if None, zeros at both ends of a short one.

    Raises:
        InvalidArgumentError: when it is not a vector of ``win_length`` elements.
    """
    _needs(
        0 < win_length <= n_fft, f"win_length should be in (0, n_fft({n_fft})], got {win_length}."
    )
    if window is None:
        check_size("The window", (win_length,), dtype)
        window = wrap(jnp.ones(win_length, dtype))
    _needs(
        window.shape == [win_length],
        f"The window must be a vector of win_length({win_length}) elements, but its shape is "
        f"{list(window.shape)}.",
    )
    low = (n_fft - win_length) // 2
    high = n_fft - win_length - low
    return pad(window, [low, high]) if high else window


def _with_borders(x, size: int, mode: str):
    """Return signals with ``size`` more elements at both ends."""
    _needs(mode in ("constant", "reflect"), f"pad_mode must be constant or reflect, got {mode!r}.")
    x = unsqueeze(unsqueeze(x, -1), [1, 2])
    x = pad3d(x, [size, size, 0, 0, 0, 0], mode, 0.0, "NDHWC")
    return squeeze(squeeze(x, [1, 2]), -1)


@composite(public=None)
def stft(
    x: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    name: str | None = None,
) -> Tensor:
    """Return the Fourier transform of each of the overlapping frames of a signal.

    Paddle has no kernel for a complex window and a real signal; here the frames are then complex.

    Args:
        x: signal of shape [n] or [batch, n], real or complex.
        n_fft: size of a frame.
        hop_length: distance between two frames, ``n_fft // 4`` by default.
        win_length: size of the window, ``n_fft`` by default; a shorter one is padded with zeros.
        window: tensor of shape [win_length], ones by default.
        center: whether frame t is centered at ``t * hop_length`` (then half a frame is added to
            both ends of the signal), instead of beginning there.
        pad_mode: the padding to add: "reflect" or "constant", which is 0.
        normalized: whether each transform is divided by the root of ``n_fft``.
        onesided: whether negative frequencies are omitted; by default if signal and window are
            real.
        name: accepted for compatibility.

    Returns:
        Complex tensor of shape [..., n_fft // 2 + 1, frames], or [..., n_fft, frames] if not
        onesided.

    Raises:
        InvalidArgumentError: for sizes that do not fit the signal or each other, or ``onesided``
            with a complex signal or window.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.signal.stft(paddle.ones([48]), n_fft=16).shape
        paddle.Size([9, 13])
    """
    _needs(x.ndim in (1, 2), f"x must have 1 or 2 dimensions, but its shape is {list(x.shape)}.")
    hop_length = n_fft // 4 if hop_length is None else hop_length
    _needs(hop_length > 0, f"hop_length should be > 0, but got {hop_length}.")
    _needs(
        0 < n_fft <= x.shape[-1], f"n_fft should be in (0, {x.shape[-1]}], the size of the signal, "
        f"but got {n_fft}.",
    )  # fmt: skip
    win_length = n_fft if win_length is None else win_length
    window = _window_of(window, win_length, n_fft, raw(x).dtype)
    signals = unsqueeze(x, 0) if x.ndim == 1 else x
    if center:
        signals = _with_borders(signals, n_fft // 2, pad_mode)
    frames = transpose(frame(signals, n_fft, hop_length, -1), [0, 2, 1]) * window
    out = transpose(_spectra(frames, normalized, onesided), [0, 2, 1])
    return out.squeeze_(0) if x.ndim == 1 else out


def _spectra(frames, normalized: bool, onesided: bool | None):
    """Transform the last axis of frames."""
    norm = "ortho" if normalized else "backward"
    is_complex = _is_complex(frames)
    _needs(
        not (is_complex and onesided), "onesided should be False when input or window is complex."
    )
    if is_complex:
        return fft_c2c(frames, (-1,), norm, True)
    if raw(frames).dtype.kind in "iu":
        frames = frames.astype(dtypes.get_default_dtype())
    return fft_r2c(frames, (-1,), norm, True, onesided is None or bool(onesided))


@composite(public=None)
def istft(
    x: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool = True,
    length: int | None = None,
    return_complex: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the signal of a short-time Fourier transform; undo ``stft``.

    Paddle raises where the squares of the windows add up to 0, because the signal is unknown there.
    Here such elements are nan, because the check would wait for the device. Unlike in Paddle, an
    odd ``n_fft`` works.

    Args:
        x: complex tensor of shape [n_fft // 2 + 1, frames] or [batch, n_fft // 2 + 1, frames];
            if not onesided, with ``n_fft`` frequencies instead.
        n_fft: size of a frame.
        hop_length: distance between two frames, ``n_fft // 4`` by default.
        win_length: size of the window, ``n_fft`` by default; a shorter one is padded with zeros.
        window: tensor of shape [win_length], ones by default.
        center: whether ``stft`` added half a frame at both ends, which is cut off.
        normalized: whether each transform was divided by the root of ``n_fft``.
        onesided: whether the negative frequencies were omitted.
        length: number of elements to return, limited to the available ones; all by default.
        return_complex: whether the signal is complex; not possible if onesided.
        name: accepted for compatibility.

    Returns:
        Tensor of shape [n] or [batch, n].

    Raises:
        InvalidArgumentError: for sizes that do not fit each other, or a complex window or result
            combined with real ones.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.signal.stft(paddle.ones([48]), n_fft=16)
        >>> paddle.signal.istft(x, n_fft=16).shape
        paddle.Size([48])
    """
    hop_length = n_fft // 4 if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    _check_spectra(x, n_fft, hop_length, win_length, onesided)
    window = _window_of(window, win_length, n_fft, raw(x).real.dtype)
    spectra = transpose(unsqueeze(x, 0) if x.ndim == 2 else x, [0, 2, 1])
    norm = "ortho" if normalized else "backward"
    if return_complex:
        _needs(not onesided, "onesided should be False when the result is complex.")
        frames = fft_c2c(spectra, (-1,), norm, False)
    else:
        _needs(not _is_complex(window), "The window must be real unless return_complex is True.")
        frames = _real_frames(spectra, n_fft, norm, onesided)
    out = _joined(frames, window, hop_length, n_fft // 2 if center else 0, length)
    return squeeze(out, 0) if x.ndim == 2 else out


def _check_spectra(x, n_fft: int, hop_length: int, win_length: int, onesided: bool) -> None:
    """Raise unless the sizes of a transform fit each other."""
    _needs(x.ndim in (2, 3), f"x must have 2 or 3 dimensions, but its shape is {list(x.shape)}.")
    _needs(
        0 < hop_length <= win_length,
        f"hop_length should be in (0, win_length({win_length})], but got {hop_length}.",
    )
    _needs(x.size != 0, "x should not be an empty tensor.")
    expected = n_fft // 2 + 1 if onesided else n_fft
    _needs(
        x.shape[-2] == expected,
        f"There should be {expected} frequencies for n_fft={n_fft} and onesided={onesided}, but "
        f"there are {x.shape[-2]}.",
    )


def _real_frames(spectra, n_fft: int, norm: str, onesided: bool):
    """Return the real frames from one half of their frequencies."""
    if not onesided:
        spectra = spectra[:, :, : n_fft // 2 + 1]
    if not _is_complex(spectra):
        spectra = spectra.astype("complex128" if raw(spectra).dtype == "float64" else "complex64")
    return fft_c2r(spectra, (-1,), norm, False, n_fft)


def _joined(frames, window, hop_length: int, start: int, length: int | None):
    """Return the signals that consist of these windowed frames, from ``start`` on.

    Args:
        frames: tensor of shape [batch, frames, n_fft].
        window: tensor of shape [n_fft].
        hop_length: distance between two frames.
        start: number of elements to cut off at the beginning; without a length also at the end.
        length: the length of the signals, or None.
    """
    count, n_fft = frames.shape[1:]
    size = (count - 1) * hop_length + n_fft
    stop = size - start if length is None else min(start + length, size)
    out = _between(overlap_add(transpose(frames * window, [0, 2, 1]), hop_length, -1), start, stop)
    return out / _between(_envelope(window, count, hop_length), start, stop)


def _between(x, start: int, stop: int):
    return x if (start, stop) == (0, x.shape[-1]) else x[..., start:stop]


def _envelope(window, count: int, hop_length: int):
    """Add up the squares of the windows of all frames."""
    squares = unsqueeze(window * window, 0).expand([count, window.shape[0]])
    return overlap_add(transpose(squares, [1, 0]), hop_length, -1)
