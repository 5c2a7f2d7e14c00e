"""The quantizers of paddle.quantization.imperative, where real Paddle has no result."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn
from jaxeager.quantization.imperative import ptq_quantizer
from jaxeager.quantization.imperative.kl_threshold import cal_kl_threshold
from jaxeager.quantization.imperative.ptq_quantizer import (
    AbsmaxQuantizer,
    HistQuantizer,
    KLQuantizer,
    PerChannelAbsmaxQuantizer,
    combine_abs_max_and_hist,
)


def thresholds(quantizer, *batches):
    """Return the thresholds after a quantizer has observed batches."""
    for each in batches:
        quantizer.sample_data(None, (paddle.to_tensor(np.float32(each)),))
    quantizer.cal_thresholds()
    return quantizer.thresholds


@pytest.mark.parametrize("percent", [0.5, 0.9, 0.99])
def test_a_fraction_of_values_is_below_the_threshold(percent):
    values = np.random.RandomState(0).standard_normal(20000)
    (found,) = thresholds(HistQuantizer(hist_percent=percent), values)
    assert abs(float((np.abs(values) < found).mean()) - percent) < 0.005


def test_a_threshold_is_positive_when_the_first_bin_has_the_fraction():
    """Paddle's is minus half a bin, with a NumPy that lets it compute one."""
    values = [0.0] * 99 + [1.0]
    assert thresholds(HistQuantizer(bins=10, hist_percent=0.5), values) == [0.05]


def test_a_fraction_that_rounding_prevents_is_reached_in_the_last_bin():
    values = np.linspace(0.0, 1.0, 1000)
    quantizer = HistQuantizer(bins=7, hist_percent=1.0 - 1e-16)
    assert thresholds(quantizer, values) == pytest.approx([5.5 / 7])


@pytest.mark.parametrize("percent", [0.0, 1.0, 1.5])
def test_a_fraction_is_between_0_and_1(percent):
    with pytest.raises(AssertionError, match=f"between 0 and 1, but received {percent}"):
        HistQuantizer(hist_percent=percent)


@pytest.mark.parametrize("bits", [0, 1, 17, 8.0, "8"])
def test_bits_are_from_2_to_16(bits):
    with pytest.raises(AssertionError, match=r"2, 3, \.\.\. or 16, but received"):
        KLQuantizer(bits)


def test_zeros_alone_have_the_threshold_0():
    for quantizer in (KLQuantizer(), HistQuantizer(), AbsmaxQuantizer()):
        assert thresholds(quantizer, [0.0, 0.0], [0.0]) == [0.0]


def test_zeros_before_values_do_not_matter():
    values = np.linspace(0.0, 3.0, 500)
    assert thresholds(KLQuantizer(), [0.0], values) == thresholds(KLQuantizer(), values)


def test_wider_bins_keep_the_number_of_values():
    top, counts = combine_abs_max_and_hist(paddle.linspace(0.0, 1.0, 64), 0.0, None, 8, 4)
    for scale in (1.3, 0.5, 90.0, 1e6):
        top, counts = combine_abs_max_and_hist(paddle.to_tensor([scale]), top, counts, 8, 4)
        assert counts is not None
        assert top >= scale or scale < 1.0
    assert counts.sum() == 68.0
    assert (len(counts), counts.dtype, counts[0]) == (8, np.float32, 67.0)


def test_half_precision_is_observed():
    x = paddle.linspace(-2.0, 2.0, 100).astype("bfloat16")
    for quantizer in (KLQuantizer(bins=8), AbsmaxQuantizer()):
        quantizer.sample_data(None, (x,))
        quantizer.cal_thresholds()
        assert quantizer.thresholds[0] == pytest.approx(2.0, rel=0.1)


def test_channels_of_a_layer_of_half_precision():
    weight = paddle.to_tensor([[1.0, -2.0], [3.0, 0.5]]).astype("float16")
    quantizer = PerChannelAbsmaxQuantizer()
    quantizer.sample_data(nn.Linear(2, 2), (weight,))
    quantizer.cal_thresholds()
    assert quantizer.thresholds == [[3.0, 2.0]]
    with pytest.raises(TypeError, match="should be a tuple, but received"):
        quantizer.sample_data(nn.Linear(2, 2), weight)
    with pytest.raises(TypeError, match=r"must be the instance of paddle\.nn\.Layer"):
        quantizer.sample_data(None, (weight,))


def test_a_layer_has_one_number_of_tensors():
    quantizer = KLQuantizer()
    x = paddle.ones([2])
    quantizer.sample_data(None, (x, x))
    with pytest.raises(AssertionError, match="had 2 tensors before, and now 1"):
        quantizer.sample_data(None, (x,))


def test_the_divergence_is_that_of_its_definition():
    """Against the sums written as in the note, bin by bin."""
    counts = np.random.RandomState(2).poisson(np.linspace(30.0, 0.5, 40)).astype("float64")
    steps = 2**3 - 1

    def divergence(end):
        clipped = [*counts[:end]]
        clipped[-1] += counts[end:].sum()
        size, spread = end // steps, np.zeros(end)
        for group in range(steps):
            last = end if group == steps - 1 else (group + 1) * size
            kept = [i for i in range(group * size, last) if clipped[i]]
            for i in kept:
                spread[i] = counts[group * size : last].sum() / len(kept)
        share, other = np.array(clipped) / counts.sum(), spread / spread.sum()
        return sum(p * np.log(p / q) for p, q in zip(share, other, strict=True) if p)

    ends = [end for end in range(19, 40) if counts[end - 1]]
    assert cal_kl_threshold(counts, 0.1, 4) == pytest.approx((min(ends, key=divergence) + 0.5) / 10)


def test_a_value_above_an_empty_half_is_clipped():
    assert cal_kl_threshold(np.array([5.0, 3.0, 0, 0, 0, 0, 0, 1.0]), 1.0, 8) == 1.5
    assert cal_kl_threshold(np.array([0.0, 0, 0, 0, 0, 0, 0, 1.0]), 1.0, 8) == 0.5
    assert cal_kl_threshold(np.array([0.0, 1.0]), 1.0, 8) == 0.5


def test_maxima_of_nested_lists():
    merge = ptq_quantizer.merge_max_value
    assert merge([], [1.0]) == [1.0]
    assert merge([[1.0, 5.0]], [[2.0, 3.0]]) == [[2.0, 5.0]]
    with pytest.raises(ValueError, match="longer"):
        merge([1.0], [1.0, 2.0])
