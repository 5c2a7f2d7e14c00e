"""Layers from audio to features, each built on the previous one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.audio.functional import compute_fbank_matrix, create_dct, get_window, power_to_db
from jaxeager.errors import RefusedArgumentError
from jaxeager.nn.layer.layer import Layer

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class Spectrogram(Layer):
    """The magnitudes of the frequencies of each frame, raised to a power.

    Args:
        n_fft: size of a frame.
        hop_length: distance between two frames; ``n_fft // 4`` if None.
        win_length: size of the window, ``n_fft`` by default.
        window: its name, or a tuple of its name and parameters; see ``functional.get_window``.
        power: 1 for magnitudes, 2 for powers.
        center: whether frame t is centered at ``t * hop_length``; see ``paddle.signal.stft``.
        pad_mode: padding of both ends for ``center``: "reflect" or "constant".
        dtype: element type of the window.

    Shape:
        [n] or [batch, n] to [..., n_fft // 2 + 1, frames].

    Raises:
        InvalidArgumentError: if ``power`` is not above 0, or for an unknown window.

    Example:
        >>> import jaxeager as paddle
        >>> spectrogram = paddle.audio.features.Spectrogram(n_fft=16, hop_length=8)
        >>> spectrogram(paddle.ones([2, 64])).shape
        paddle.Size([2, 9, 9])
    """

    def __init__(
        self,
        n_fft: int = 512,
        hop_length: int | None = 512,
        win_length: int | None = None,
        window: str = "hann",
        power: float = 1.0,
        center: bool = True,
        pad_mode: str = "reflect",
        dtype: str = "float32",
    ):
        super().__init__()
        if power <= 0:
            raise RefusedArgumentError(f"Power of spectrogram must be > 0, but is {power}.")
        self.power = power
        win_length = n_fft if win_length is None else win_length
        self._frames = (n_fft, hop_length, win_length)
        self._borders = (center, pad_mode)
        self.register_buffer("fft_window", get_window(window, win_length, True, dtype))

    def forward(self, x: Tensor) -> Tensor:
        spectra = paddle.signal.stft(x, *self._frames, self.fft_window, *self._borders)
        return paddle.pow(paddle.abs(spectra), self.power)


class MelSpectrogram(Layer):
    """A spectrogram whose frequencies are summed into mel bands.

    Args:
        sr: samples per second.
        n_fft: size of a frame.
        hop_length: distance between two frames; ``n_fft // 4`` if None.
        win_length: size of the window, ``n_fft`` by default.
        window: its name, or a tuple of its name and parameters.
        power: power of the magnitudes before summation.
        center: whether frame t is centered at ``t * hop_length``.
        pad_mode: padding of both ends for ``center``.
        n_mels: number of bands.
        f_min: start of the first band, in Hz.
        f_max: end of the last band, in Hz; ``sr // 2`` by default.
        htk: whether to use HTK's mel scale instead of Slaney's.
        norm: normalization of the bands; see ``functional.compute_fbank_matrix``.
        dtype: element type of window and matrix.

    Shape:
        [n] or [batch, n] to [..., n_mels, frames].

    Example:
        >>> import jaxeager as paddle
        >>> mel = paddle.audio.features.MelSpectrogram(8000, n_fft=64, hop_length=32, n_mels=4)
        >>> mel(paddle.ones([2, 320])).shape
        paddle.Size([2, 4, 11])
    """

    def __init__(
        self,
        sr: int = 22050,
        n_fft: int = 2048,
        hop_length: int | None = 512,
        win_length: int | None = None,
        window: str = "hann",
        power: float = 2.0,
        center: bool = True,
        pad_mode: str = "reflect",
        n_mels: int = 64,
        f_min: float = 50.0,
        f_max: float | None = None,
        htk: bool = False,
        norm: str | float = "slaney",
        dtype: str = "float32",
    ):
        super().__init__()
        self._spectrogram = Spectrogram(
            n_fft, hop_length, win_length, window, power, center, pad_mode, dtype
        )
        self.n_mels, self.f_min, self.f_max, self.htk, self.norm = n_mels, f_min, f_max, htk, norm
        f_max = sr // 2 if f_max is None else f_max
        self.register_buffer(
            "fbank_matrix", compute_fbank_matrix(sr, n_fft, n_mels, f_min, f_max, htk, norm, dtype)
        )

    def forward(self, x: Tensor) -> Tensor:
        return paddle.matmul(self.fbank_matrix, self._spectrogram(x))


class LogMelSpectrogram(Layer):
    """A mel spectrogram in decibels.

    It has the arguments of ``MelSpectrogram``, with its own defaults, and these:

    Args:
        ref_value: the power of 0 dB.
        amin: lower bound that powers are clipped to.
        top_db: maximum distance of values below the largest; None for no limit.
        dtype: element type of window and matrix.

    Shape:
        [n] or [batch, n] to [..., n_mels, frames].

    Example:
        >>> import jaxeager as paddle
        >>> decibels = paddle.audio.features.LogMelSpectrogram(8000, n_fft=64, n_mels=4)
        >>> decibels(paddle.ones([2, 320])).shape
        paddle.Size([2, 4, 21])
    """

    def __init__(
        self,
        sr: int = 22050,
        n_fft: int = 512,
        hop_length: int | None = None,
        win_length: int | None = None,
        window: str = "hann",
        power: float = 2.0,
        center: bool = True,
        pad_mode: str = "reflect",
        n_mels: int = 64,
        f_min: float = 50.0,
        f_max: float | None = None,
        htk: bool = False,
        norm: str | float = "slaney",
        ref_value: float = 1.0,
        amin: float = 1e-10,
        top_db: float | None = None,
        dtype: str = "float32",
    ):
        super().__init__()
        self._melspectrogram = MelSpectrogram(
            sr, n_fft, hop_length, win_length, window, power, center, pad_mode, n_mels, f_min,
            f_max, htk, norm, dtype,
        )  # fmt: skip
        self.ref_value, self.amin, self.top_db = ref_value, amin, top_db

    def forward(self, x: Tensor) -> Tensor:
        return power_to_db(self._melspectrogram(x), self.ref_value, self.amin, self.top_db)


class MFCC(Layer):
    """Mel frequency cepstral coefficients: the cosine transform of a mel spectrogram in decibels.

    It has the arguments of ``LogMelSpectrogram``, and the number of coefficients after ``sr``:

    Args:
        n_mfcc: number of coefficients.

    Shape:
        [batch, n] to [batch, n_mfcc, frames].

    Raises:
        InvalidArgumentError: if there are more coefficients than bands.

    Example:
        >>> import jaxeager as paddle
        >>> mfcc = paddle.audio.features.MFCC(8000, n_mfcc=3, n_fft=64, n_mels=4)
        >>> mfcc(paddle.ones([2, 320])).shape
        paddle.Size([2, 3, 21])
    """

    def __init__(
        self,
        sr: int = 22050,
        n_mfcc: int = 40,
        n_fft: int = 512,
        hop_length: int | None = None,
        win_length: int | None = None,
        window: str = "hann",
        power: float = 2.0,
        center: bool = True,
        pad_mode: str = "reflect",
        n_mels: int = 64,
        f_min: float = 50.0,
        f_max: float | None = None,
        htk: bool = False,
        norm: str | float = "slaney",
        ref_value: float = 1.0,
        amin: float = 1e-10,
        top_db: float | None = None,
        dtype: str = "float32",
    ):
        super().__init__()
        if n_mfcc > n_mels:
            raise RefusedArgumentError(
                f"n_mfcc cannot be larger than n_mels: {n_mfcc} vs {n_mels}."
            )
        self._log_melspectrogram = LogMelSpectrogram(
            sr, n_fft, hop_length, win_length, window, power, center, pad_mode, n_mels, f_min,
            f_max, htk, norm, ref_value, amin, top_db, dtype,
        )  # fmt: skip
        self.register_buffer("dct_matrix", create_dct(n_mfcc, n_mels, dtype=dtype))

    def forward(self, x: Tensor) -> Tensor:
        decibels = self._log_melspectrogram(x).transpose([0, 2, 1])
        return paddle.matmul(decibels, self.dct_matrix).transpose([0, 2, 1])
