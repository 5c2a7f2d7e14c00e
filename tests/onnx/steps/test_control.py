"""Branches and loops in ONNX."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from tests.onnx.running import both, check_same, model_of_function, run_model


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


def halved(x):
    """Halve a number, and count how often, until it is below 1."""
    return jax.lax.while_loop(lambda s: s[0] >= 1, lambda s: (s[0] / 2, s[1] + 1), (x, 0 * x))


def test_a_loop_of_many_ends_for_each_at_its_own_step():
    """As vmap makes it: the state of those that have ended stays."""
    function = paddle.autograd.from_jax(lambda x: jnp.stack(jax.vmap(jax.vmap(halved))(x)))
    check_same(function, [paddle.to_tensor([[0.5, 1.0, 9.0], [300.0, 2.0, 0.25]])])


def test_boxes_that_need_loops_of_several_lengths():
    boxes, count = paddle.to_tensor([[0.0, 0.0, 5.0, 5.0], [1.0, 1.0, 14.0, 7.0]]), [2]
    images = paddle.to_tensor(np.random.RandomState(0).rand(1, 2, 16, 16).astype("float32"))
    check_same(
        lambda x, boxes: paddle.vision.ops.roi_pool(x, boxes, paddle.to_tensor(count, "int32"), 3),
        [images, boxes],
    )
