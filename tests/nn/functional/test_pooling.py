"""Pooling as a user calls it; numbers are real Paddle 3.3.1's unless a test states otherwise."""

import numpy as np
import pytest

import jaxeager as paddle
import jaxeager.nn.functional as F
from jaxeager.errors import InvalidArgumentError

SQUARE = paddle.arange(25, dtype="float32").reshape([1, 1, 5, 5])
LINE = paddle.arange(8, dtype="float32").reshape([1, 1, 8])
OVER = [[6, 8, 9], [16, 18, 19], [21, 23, 24]]


@pytest.mark.parametrize(
    ("kwargs", "largest", "average", "with_padding"),
    [
        (
            {"kernel_size": 2, "stride": 2, "ceil_mode": True},
            OVER,
            [[3, 5, 6.5], [13, 15, 16.5], [20.5, 22.5, 24]],
            [[3, 5, 6.5], [13, 15, 16.5], [20.5, 22.5, 24]],
        ),
        (
            {"kernel_size": 3, "stride": 2, "padding": 1},
            OVER,
            [[3, 4.5, 6], [10.5, 12, 13.5], [18, 19.5, 21]],
            [[4 / 3, 3, 8 / 3], [7, 12, 9], [8, 13, 28 / 3]],
        ),
        (
            {"kernel_size": 3, "stride": 2, "padding": [1, 0, 0, 1]},
            [[7, 9], [17, 19]],
            [[3.5, 5.5], [11, 13]],
            [[7 / 3, 11 / 3], [11, 13]],
        ),
    ],
)
def test_images(kwargs, largest, average, with_padding):
    out, mask = F.max_pool2d(SQUARE, return_mask=True, **kwargs)
    np.testing.assert_array_equal(out.numpy()[0, 0], largest)
    np.testing.assert_array_equal(mask.numpy()[0, 0], largest)  # each pixel's value is its place
    assert mask.dtype == paddle.int32
    np.testing.assert_array_equal(F.max_pool2d(SQUARE, **kwargs).numpy()[0, 0], largest)
    found = F.avg_pool2d(SQUARE, **kwargs).numpy()[0, 0]
    np.testing.assert_allclose(found, average, rtol=1e-6)
    found = F.avg_pool2d(SQUARE, exclusive=False, **kwargs).numpy()[0, 0]
    np.testing.assert_allclose(found, with_padding, rtol=1e-6)


def test_sequences():
    out, mask = F.max_pool1d(LINE, 2, return_mask=True)
    assert out.tolist() == [[[1, 3, 5, 7]]]
    assert mask.tolist() == [[[1, 3, 5, 7]]]
    assert F.avg_pool1d(LINE, 3, 2, 1).tolist() == [[[0.5, 2, 4, 6]]]
    assert F.avg_pool1d(LINE, 3, 2, 1, ceil_mode=True).tolist() == [[[0.5, 2, 4, 6, 7]]]
    found = F.avg_pool1d(LINE, 3, 2, 1, exclusive=False).numpy()[0, 0]
    np.testing.assert_allclose(found, [1 / 3, 2, 4, 6], rtol=1e-6)


def test_same_padding_holds_for_values_and_mask():
    """Real Paddle 3.3.1 returns a mask of another shape than the values here."""
    out, mask = F.max_pool2d(SQUARE, 2, padding="SAME", return_mask=True)
    np.testing.assert_array_equal(out.numpy()[0, 0], OVER)
    np.testing.assert_array_equal(mask.numpy()[0, 0], OVER)


def test_adaptive():
    average = [[3, 4.5, 6], [10.5, 12, 13.5], [18, 19.5, 21]]
    np.testing.assert_allclose(F.adaptive_avg_pool2d(SQUARE, 3).numpy()[0, 0], average, rtol=1e-6)
    out, mask = F.adaptive_max_pool2d(SQUARE, 3, return_mask=True)
    np.testing.assert_array_equal(out.numpy()[0, 0], OVER)
    np.testing.assert_array_equal(mask.numpy()[0, 0], OVER)
    assert F.adaptive_avg_pool2d(SQUARE, [None, 2]).shape == [1, 1, 5, 2]
    assert F.adaptive_avg_pool1d(LINE, 2).tolist() == [[[1.5, 5.5]]]
    assert F.adaptive_max_pool1d(LINE, 2).tolist() == [[[3.0, 7.0]]]


def test_channels_last():
    last = SQUARE.transpose([0, 2, 3, 1])
    out = F.max_pool2d(last, 3, 2, 1, data_format="NHWC").numpy()
    np.testing.assert_array_equal(out[0, :, :, 0], OVER)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: F.max_pool2d(SQUARE, 2, 2, "VALID", ceil_mode=True), "ceil_mode\\) must be False"),
        (lambda: F.max_pool2d(SQUARE, 2, data_format="x"), "Attr\\(data_format\\)"),
        (
            lambda: F.max_pool2d(SQUARE, 2, return_mask=True, data_format="NHWC"),
            "data_format must be set to NCHW in API:max_pool2d",
        ),
        (lambda: F.max_pool2d(SQUARE[0], 2), "Input x should be 4D tensor"),
        (lambda: F.max_pool1d(SQUARE, 2), "Input x should be 3D tensor"),
        (lambda: F.avg_pool2d(SQUARE, 9, 1), "does not fit into an image of \\[5, 5\\]"),
        (lambda: F.adaptive_avg_pool2d(SQUARE, -1), "output_size must be at least 0"),
    ],
)
def test_invalid_arguments_are_refused(call, text):
    with pytest.raises(InvalidArgumentError, match=text):
        call()


def test_a_negative_element_that_no_window_reads_has_no_gradient():
    """It has no fractional power: the gradient was nan."""
    x = paddle.to_tensor([[[4.0, -2.0, -2.0, 9.0]]], stop_gradient=False)
    F.lp_pool1d(x, 1.5, 1, 3).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [[[1.0, 0.0, 0.0, 1.0]]], rtol=1e-6)
