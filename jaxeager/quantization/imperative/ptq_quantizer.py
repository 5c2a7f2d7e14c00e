"""Quantizers: they observe tensors and compute the thresholds above which values are clipped."""

from __future__ import annotations

import abc
import math
from typing import TYPE_CHECKING

import numpy as np

from jaxeager.errors import RefusedArgumentError, RefusedTypeError
from jaxeager.nn.quant.simulate import largest
from jaxeager.quantization.imperative.kl_threshold import cal_kl_threshold
from jaxeager.quantization.imperative.utils import check_is_layer, spec_channel_axis_layers

if TYPE_CHECKING:
    from jaxeager.nn.layer.layer import Layer
    from jaxeager.tensor.tensor import Tensor


def abs_max_value(tensor: Tensor) -> float:
    """Return the largest absolute value of a tensor.

    Example:
        >>> import jaxeager as paddle
        >>> abs_max_value(paddle.to_tensor([1.0, -3.0]))
        3.0
    """
    return float(tensor.detach().abs().max())


def merge_max_value(old: list, new: list) -> list:
    """Return the larger values of two nested lists; the new list if the old one is empty.

    Example:
        >>> merge_max_value([1.0, [2.0, 5.0]], [3.0, [4.0, 1.0]])
        [3.0, [4.0, 5.0]]
    """
    if not old:
        return new
    return [
        merge_max_value(a, b) if isinstance(a, list) else max(b, a)
        for a, b in zip(old, new, strict=True)
    ]


def check_bits(name: str, bits: object) -> None:
    """Raise for a number of bits that is not an int from 2 to 16.

    Args:
        name: name of the argument.
        bits: its value.

    Raises:
        RefusedArgumentError: for such a number. One bit is the sign, which leaves no step.
    """
    if not isinstance(bits, int) or not 2 <= bits <= 16:
        raise RefusedArgumentError(f"{name} should be 2, 3, ... or 16, but received {bits!r}.")


class BaseQuantizer(metaclass=abc.ABCMeta):
    """The base of quantizers.

    Args:
        quant_bits: number of bits of an integer.

    Attributes:
        quant_bits: the same.
        abs_max_vals: the largest absolute value of each observed tensor so far.
        thresholds: the threshold of each, once they are computed.

    Raises:
        RefusedArgumentError: for a number of bits that is not from 2 to 16.

    Paddle: accepts one bit, and divides by 0 when it rounds.

    Example:
        >>> import jaxeager as paddle
        >>> issubclass(paddle.quantization.KLQuantizer, paddle.quantization.BaseQuantizer)
        True
    """

    def __init__(self, quant_bits: int = 8):
        check_bits("quant_bits", quant_bits)
        self.quant_bits = quant_bits
        self.abs_max_vals: list = []
        self.thresholds: list = []

    @abc.abstractmethod
    def sample_data(self, layer: Layer, tensors: tuple[Tensor, ...]) -> None:
        """Observe tensors of a layer."""

    @abc.abstractmethod
    def cal_thresholds(self) -> None:
        """Compute the thresholds from what was observed."""


class AbsmaxQuantizer(BaseQuantizer):
    """A quantizer whose threshold is the largest absolute value.

    Args:
        quant_bits: number of bits of an integer.

    Example:
        >>> import jaxeager as paddle
        >>> quantizer = paddle.quantization.AbsmaxQuantizer()
        >>> quantizer.sample_data(None, (paddle.to_tensor([1.0, -3.0]),))
        >>> quantizer.sample_data(None, (paddle.to_tensor([2.0]),))
        >>> quantizer.cal_thresholds()
        >>> quantizer.thresholds
        [3.0]
    """

    def sample_data(self, layer: object, tensors: tuple[Tensor, ...]) -> None:
        """Observe tensors; the layer is not used."""
        _check_tuple(tensors)
        self.abs_max_vals = merge_max_value(self.abs_max_vals, [abs_max_value(t) for t in tensors])

    def cal_thresholds(self) -> None:
        """Set the thresholds to the largest absolute values."""
        self.thresholds = self.abs_max_vals


class PerChannelAbsmaxQuantizer(BaseQuantizer):
    """A quantizer with a threshold for each output channel of a weight.

    Args:
        quant_bits: number of bits of an integer.

    Example:
        >>> import jaxeager as paddle
        >>> quantizer = paddle.quantization.PerChannelAbsmaxQuantizer()
        >>> weight = paddle.to_tensor([[1.0, -3.0], [2.0, 0.5]])
        >>> quantizer.sample_data(paddle.nn.Linear(2, 2), (weight,))
        >>> quantizer.cal_thresholds()
        >>> quantizer.thresholds
        [[2.0, 3.0]]
    """

    def sample_data(self, layer: Layer, tensors: tuple[Tensor, ...]) -> None:
        """Observe weights of a layer, whose class determines the axis of channels."""
        check_is_layer(layer)
        _check_tuple(tensors)
        axis = int(isinstance(layer, tuple(spec_channel_axis_layers)))
        found = [largest(t.detach(), axis).astype("float32").tolist() for t in tensors]
        self.abs_max_vals = merge_max_value(self.abs_max_vals, found)

    def cal_thresholds(self) -> None:
        """Set the thresholds to the largest absolute values."""
        self.thresholds = self.abs_max_vals


class BaseHistQuantizer(BaseQuantizer, metaclass=abc.ABCMeta):
    """The base of quantizers that keep a histogram of absolute values.

    A tensor with larger values than before widens the bins: each old bin is split into
    ``upsample_bins`` parts, and these are merged into the new bins.

    Args:
        quant_bits: number of bits of an integer.
        bins: number of bins.
        upsample_bins: number of parts of an old bin.

    Attributes:
        hists: the counts of each observed tensor; None while all its values are 0.
    """

    def __init__(self, quant_bits: int = 8, bins: int = 1024, upsample_bins: int = 64):
        super().__init__(quant_bits)
        self.bins, self.upsample_bins = bins, upsample_bins
        self.hists: list[np.ndarray | None] = []

    def sample_data(self, layer: object, tensors: tuple[Tensor, ...]) -> None:
        """Observe tensors; the layer is not used."""
        _check_tuple(tensors)
        if not self.abs_max_vals:
            self.abs_max_vals, self.hists = [0.0] * len(tensors), [None] * len(tensors)
        if len(tensors) != len(self.abs_max_vals):
            raise RefusedArgumentError(
                f"A layer had {len(self.abs_max_vals)} tensors before, and now {len(tensors)}."
            )
        for number, tensor in enumerate(tensors):
            self.abs_max_vals[number], self.hists[number] = combine_abs_max_and_hist(
                tensor, self.abs_max_vals[number], self.hists[number], self.bins, self.upsample_bins
            )

    def cal_thresholds(self) -> None:
        """Compute the thresholds from the histograms.

        Paddle: a second call appends the thresholds again.
        """
        self.thresholds = [
            top if hist is None else self._threshold(top, hist)
            for top, hist in zip(self.abs_max_vals, self.hists, strict=True)
        ]

    @abc.abstractmethod
    def _threshold(self, top: float, hist: np.ndarray) -> float:
        """Return the threshold for a histogram from 0 to ``top``."""


class HistQuantizer(BaseHistQuantizer):
    """A quantizer whose threshold is above a fraction of the absolute values.

    Args:
        quant_bits: number of bits of an integer.
        bins: number of bins of the histogram.
        upsample_bins: number of parts of an old bin when bins are widened.
        hist_percent: the fraction, below 1.

    Raises:
        RefusedArgumentError: for a fraction that is not between 0 and 1.

    Paddle: the threshold is negative when the first bin has the fraction, and the computation fails
    with NumPy 2.4.

    Example:
        >>> import jaxeager as paddle
        >>> quantizer = paddle.quantization.HistQuantizer(hist_percent=0.9, bins=100)
        >>> quantizer.sample_data(None, (paddle.arange(100.0),))
        >>> quantizer.cal_thresholds()
        >>> quantizer.thresholds
        [87.615]
    """

    def __init__(
        self,
        quant_bits: int = 8,
        bins: int = 1024,
        upsample_bins: int = 64,
        hist_percent: float = 0.99999,
    ):
        super().__init__(quant_bits, bins, upsample_bins)
        if not 0.0 < hist_percent < 1.0:
            raise RefusedArgumentError(
                f"hist_percent should be between 0 and 1, but received {hist_percent!r}."
            )
        self.hist_percent = hist_percent

    def _threshold(self, top: float, hist: np.ndarray) -> float:
        shares = np.cumsum(hist / hist.sum(dtype="float64"))
        index = int(np.searchsorted(shares, self.hist_percent))
        return (min(max(index, 1), len(hist) - 1) - 0.5) * (top / len(hist))


class KLQuantizer(BaseHistQuantizer):
    """A quantizer whose threshold changes the distribution of values least.

    Note [Threshold by divergence] explains how.

    Args:
        quant_bits: number of bits of an integer.
        bins: number of bins of the histogram.
        upsample_bins: number of parts of an old bin when bins are widened.

    Example:
        >>> import jaxeager as paddle
        >>> quantizer = paddle.quantization.KLQuantizer(quant_bits=3, bins=8)
        >>> quantizer.sample_data(None, (paddle.arange(8.0),))
        >>> quantizer.cal_thresholds()
        >>> quantizer.thresholds
        [6.5625]
    """

    def _threshold(self, top: float, hist: np.ndarray) -> float:
        return cal_kl_threshold(hist, top / len(hist), self.quant_bits)


SUPPORT_ACT_QUANTIZERS: list[type[BaseQuantizer]] = [AbsmaxQuantizer, HistQuantizer, KLQuantizer]
"""The quantizers of activations."""

SUPPORT_WT_QUANTIZERS: list[type[BaseQuantizer]] = [AbsmaxQuantizer, PerChannelAbsmaxQuantizer]
"""The quantizers of weights."""


def combine_abs_max_and_hist(
    tensor: Tensor,
    origin_max: float,
    origin_hist: np.ndarray | None,
    bins: int,
    upsample_bins: int,
) -> tuple[float, np.ndarray | None]:
    """Return the upper end of a histogram and its counts, with the values of a tensor added.

    Args:
        tensor: the tensor.
        origin_max: the upper end before; 0.0 for no histogram.
        origin_hist: the counts before, float32[bins], or None.
        bins: number of bins.
        upsample_bins: number of parts of an old bin when bins are widened.

    Example:
        >>> import jaxeager as paddle
        >>> top, counts = combine_abs_max_and_hist(paddle.to_tensor([1.0, -2.0]), 0.0, None, 2, 4)
        >>> top, counts.tolist()
        (2.0, [0.0, 2.0])
        >>> top, counts = combine_abs_max_and_hist(paddle.to_tensor([3.5]), top, counts, 2, 4)
        >>> top, counts.tolist()
        (3.5, [1.5, 1.5])
    """
    values = tensor.detach().abs().astype("float32").numpy()
    new_max = float(values.max())
    if new_max == 0.0:
        return origin_max, origin_hist
    if origin_max == 0.0 or origin_hist is None:
        return new_max, _counts(values, new_max, bins)
    if new_max > origin_max:
        origin_max, origin_hist = _widened(origin_max, origin_hist, new_max, upsample_bins)
    return origin_max, _counts(values, origin_max, bins) + origin_hist


def _counts(values: np.ndarray, top: float, bins: int) -> np.ndarray:
    return np.histogram(values, bins, (0.0, top))[0].astype("float32")


def _widened(top: float, hist: np.ndarray, new_max: float, parts: int) -> tuple[float, np.ndarray]:
    """Return the upper end and the counts of a histogram whose bins cover ``new_max``."""
    bins = len(hist)
    width = top / (bins * parts)
    merged = math.ceil(new_max / (bins * width))  # this many parts are a new bin
    places = np.arange(bins * parts) // merged
    sums = np.bincount(places, np.repeat(hist, parts), bins)
    return bins * width * merged, (sums / parts).astype("float32")


def _check_tuple(tensors: object) -> None:
    if not isinstance(tensors, tuple):
        raise RefusedTypeError(f"The tensors should be a tuple, but received {type(tensors)}.")
