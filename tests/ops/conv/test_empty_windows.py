"""Windows without an element, and convolutions without filters."""

import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError

F = paddle.nn.functional


def image(dims):
    return paddle.ones([1, 2] + [5] * dims)


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("name", ["conv{}d", "conv{}d_transpose"])
def test_a_kernel_of_size_0(name, dims):
    convolve = getattr(F, name.format(dims))
    for kernel in ([0] * dims, [3] * (dims - 1) + [0]):
        with pytest.raises(InvalidArgumentError, match="the kernel must be larger than 0"):
            convolve(image(dims), paddle.ones([2, 2, *kernel]))
    filters = [0, 2] if "transpose" not in name else [2, 0]
    with pytest.raises(InvalidArgumentError, match="there are no filters"):
        convolve(image(dims), paddle.ones(filters + [3] * dims))


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("name", ["max_pool{}d", "avg_pool{}d"])
def test_a_pool_of_size_0(name, dims):
    pool = getattr(F, name.format(dims))
    for window in ((0,), (-1,), (2, 0)):
        with pytest.raises(InvalidArgumentError, match="must be larger than 0"):
            pool(image(dims), *window)


def test_windows_of_size_0_elsewhere():
    refused = "the kernel must be larger than 0"
    with pytest.raises(InvalidArgumentError, match=refused):
        F.unfold(image(2), 0)
    with pytest.raises(InvalidArgumentError, match=refused):
        F.fold(paddle.ones([1, 8, 4]), [3, 3], 0)
    offset, filters = paddle.ones([1, 18, 3, 3]), paddle.ones([3, 2, 0, 0])
    with pytest.raises(InvalidArgumentError, match=refused):
        paddle.vision.ops.deform_conv2d(image(2), offset, filters)


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_layers_with_a_kernel_of_size_0(dims):
    for name in (f"Conv{dims}D", f"Conv{dims}DTranspose"):
        with pytest.raises(InvalidArgumentError, match="the kernel must be larger than 0"):
            getattr(paddle.nn, name)(2, 3, 0)(image(dims))
