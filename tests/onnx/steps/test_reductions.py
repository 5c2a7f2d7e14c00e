"""Reductions of axes that are empty at run time."""

import jaxeager as paddle
from jaxeager.static import InputSpec
from tests.onnx.running import check_same


def test_any_and_all_of_no_elements():
    specs = [InputSpec([None]), InputSpec([None])]
    for count in (0, 2):
        tensors = [paddle.to_tensor([3.0, 1.0, 7.0]), paddle.ones([count])]
        check_same(lambda x, y: (paddle.isin(x, y), (y > 0).all(), (y > 0).any()), tensors, specs)
