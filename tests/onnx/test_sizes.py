"""Open sizes as values in ONNX."""

import pytest

import jaxeager as paddle
from jaxeager.static import InputSpec
from tests.onnx.running import check_same


@pytest.mark.parametrize("size", [1, 3])
def test_powers_of_a_size(size):
    def function(x):
        return x * x.shape[0] ** 2, paddle.arange(2 * x.shape[0] ** 3 - 1)

    check_same(function, [paddle.ones([size, 2])], [InputSpec([None, 2])])


def test_batch_norm_of_open_channels():
    def function(x, *statistics):
        return paddle.nn.functional.batch_norm(x, *statistics)

    tensors = [paddle.rand([3, 2]), *[paddle.to_tensor([0.5, 1.5])] * 4]
    check_same(function, tensors, [InputSpec([None, None]), *[InputSpec([None])] * 4])
