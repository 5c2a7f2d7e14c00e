"""The reach of an element that is not finite through pooling, resizing and convolutions.

docs/where-paddle-differs.md lists where the functions here differ from Paddle.
"""

import numpy as np
import pytest

import jaxeager as paddle

F = paddle.nn.functional


def image(shape, bad):
    """Return an image of small numbers with one bad element, in its middle."""
    array = np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape)
    array[(0, 0, *(n // 2 for n in shape[2:]))] = bad
    return paddle.to_tensor(array, stop_gradient=False)


def spoiled(out):
    """Return the number of elements that are not finite."""
    return int((~np.isfinite(out.numpy())).sum())


LOCAL = {
    "adaptive_avg_pool1d": (lambda x: F.adaptive_avg_pool1d(x, 3), (1, 1, 7), 1),
    "adaptive_avg_pool2d": (lambda x: F.adaptive_avg_pool2d(x, 3), (1, 1, 7, 5), 1),
    "adaptive_avg_pool3d": (lambda x: F.adaptive_avg_pool3d(x, 3), (1, 1, 5, 5, 3), 1),
    "area": (lambda x: F.interpolate(x, size=[9, 9], mode="area"), (1, 1, 7, 5), 9),
    "avg_pool2d of large windows": (lambda x: F.avg_pool2d(x, 5), (1, 1, 15, 15), 1),
    "bicubic": (lambda x: F.interpolate(x, size=[8, 5], mode="bicubic"), (1, 1, 8, 5), 1),
    "conv2d": (lambda x: F.conv2d(x, paddle.ones([1, 1, 3, 3])), (1, 1, 7, 7), 9),
}


@pytest.mark.parametrize("bad", [np.inf, np.nan])
@pytest.mark.parametrize(("function", "shape", "count"), LOCAL.values(), ids=LOCAL)
def test_an_element_that_is_not_finite_stays_where_it_is_read(function, shape, count, bad):
    x = image(shape, bad)
    out = function(x)
    assert spoiled(out) == count
    out.sum().backward()
    assert spoiled(x.grad) == 0


@pytest.mark.parametrize("bad", [np.inf, np.nan])
def test_a_bad_gradient_stays_in_its_window(bad):
    x = paddle.ones([1, 1, 7, 5])
    x.stop_gradient = False
    out = F.adaptive_avg_pool2d(x, 3)
    given = np.ones(out.shape, np.float32)
    given[0, 0, 0, 0] = bad
    out.backward(paddle.to_tensor(given))
    assert spoiled(x.grad) == 3 * 2  # the first window


@pytest.mark.parametrize("bad", [np.inf, np.nan])
def test_an_infinite_weight_reaches_every_output_of_its_filter(bad):
    weight = np.ones((1, 2, 3, 3), np.float32)
    weight[0, 0, 1, 1] = bad
    out = F.conv2d_transpose(image((1, 1, 5, 5), 1.0), paddle.to_tensor(weight), stride=3)
    assert spoiled(out[:, 0]) >= 25  # Paddle: the 25 that read it
    assert spoiled(out[:, 1]) == 0


@pytest.mark.parametrize("bad", [np.inf, np.nan])
def test_an_infinity_in_an_image_reaches_all_its_boxes(bad):
    pixels = np.ones((2, 1, 7, 5), np.float32)
    pixels[0, 0, 3, 2] = bad
    boxes = paddle.to_tensor([[0.0, 0.0, 1.0, 1.0], [2.0, 2.0, 4.0, 4.0], [0.0, 0.0, 4.0, 4.0]])
    each = paddle.to_tensor([2, 1], dtype="int32")
    out = paddle.vision.ops.roi_align(paddle.to_tensor(pixels), boxes, each, 2)
    assert spoiled(out[1]) > 0
    assert spoiled(out[2]) == 0  # of the other image
