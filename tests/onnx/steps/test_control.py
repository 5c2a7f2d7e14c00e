"""Branches in ONNX."""

import numpy as np
import pytest

import jaxeager as paddle
from tests.onnx.running import both, model_of_function, run_model


@pytest.mark.parametrize("count", [2, 3, 50])
def test_a_choice_of_many_branches(count):
    branches = [lambda number=number: paddle.full([], number) * 1.5 for number in range(count)]

    def function(which):
        return paddle.static.nn.switch_case(which, branches)

    model = model_of_function(function, [paddle.to_tensor(0)])
    for which in (-1, 0, 1, count // 2, count - 1, count):
        (found,) = run_model(model, [np.array(which)])
        assert found == function(paddle.to_tensor(which)).item()


def test_a_branch_that_is_refused_in_a_choice_is_named():
    branches = [lambda: paddle.zeros([2]), lambda: paddle.rand([2]), lambda: paddle.ones([2])]
    with pytest.raises(paddle.errors.UnimplementedError, match="random"):
        both(lambda which: paddle.static.nn.switch_case(which, branches), [paddle.to_tensor(0)])
