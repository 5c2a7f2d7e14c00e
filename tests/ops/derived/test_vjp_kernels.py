"""The kernels and the saved tensors of VJP rows: ops/derived/higher.py."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.ops import row as rows
from jaxeager.ops.row import ROWS
from tests.support.leaves import leaf

F = paddle.nn.functional
NODES = {
    "one saved": lambda x: paddle.tanh(x),
    "none saved": lambda x: x.reshape([3, 2]),
    "a scalar": lambda x: x.pow(2.5),
    "a list of operands": lambda x: paddle.concat([x, x * 2]),
    "a list of results": lambda x: paddle.split(x, 2)[0],
    "several results": lambda x: paddle.topk(x, 1)[0],
    "broadcast": lambda x: x + leaf([[1.0, 2.0, 3.0]]),
    "hidden results": lambda x: F.layer_norm(x, [3]),
}


@pytest.mark.single_calls
@pytest.mark.parametrize("name", NODES)
def test_a_gradient_with_a_graph_runs_the_kernels_of_a_plain_one(name):
    x = leaf([[0.1, 0.2, 0.3], [0.6, 0.4, 0.5]])
    y = NODES[name](x)
    node = y._meta.node
    (recorded,) = paddle.grad(y, [x], paddle.ones_like(y) * 3.0, create_graph=True)
    known = set(node.op.vjp_kernels.values())
    (plain,) = paddle.grad(y, [x], paddle.ones_like(y) * 3.0, retain_graph=True)
    listed = [each.kernel for each in node.op.vjp_row.forward_kernels.values()]
    assert known.intersection(listed)
    np.testing.assert_array_equal(recorded.numpy(), plain.numpy())


@pytest.mark.single_calls
def test_a_sum_passes_its_gradient_on_with_a_graph_too():
    x, y = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    seed = paddle.to_tensor([5.0, 6.0], stop_gradient=False)
    dx, dy = paddle.grad(x + y, [x, y], seed, create_graph=True)
    assert dx._array is seed._array is dy._array
    dx.add_(paddle.ones([2]))  # of the three only this one changes
    assert [each.tolist() for each in (dx, dy, seed)] == [[6.0, 7.0], [5.0, 6.0], [5.0, 6.0]]
    (through,) = paddle.grad((dx * dy).sum(), [seed])
    assert through.tolist() == [11.0, 13.0]


@pytest.mark.parametrize(
    ("name", "call"),
    {
        "reshape": lambda x: x.reshape([2, 1]),
        "transpose": lambda x: x.unsqueeze(0).transpose([1, 0]),
        "sum": lambda x: x.sum(),
        "tile": lambda x: x.tile([3]),
        "pad3d": lambda x: F.pad(x.reshape([1, 1, 2]), [1, 1], data_format="NCL"),
    }.items(),
)
def test_a_vjp_of_gradients_alone_saves_no_tensor(name, call):
    """It needs the shape of what it was given, and would keep its memory for nothing."""
    x = leaf([1.0, 2.0])
    y = call(x)
    seed = paddle.ones(y.shape)
    seed.stop_gradient = False
    (grad,) = paddle.grad(y, [x], seed, create_graph=True)
    assert grad._meta.node.saved == ()
    (back,) = paddle.grad(grad, [seed], paddle.to_tensor([5.0, 7.0]))
    np.testing.assert_array_equal(back.numpy(), call(paddle.to_tensor([5.0, 7.0])).numpy())


def test_lazy_mode_forgets_the_kernels_of_vjp_rows_too():
    """Those that were made before its first use cannot be recorded."""
    x = leaf([1.0, 2.0])
    (grad,) = paddle.grad(paddle.tanh(x), [x], create_graph=True)
    paddle.grad(grad, [x], create_graph=True)
    first = ROWS["tanh"].vjp_row
    assert first.forward_kernels
    assert first.vjp_row.forward_kernels
    rows._forget_kernels()
    assert not first.forward_kernels
    assert not first.vjp_row.forward_kernels
    (again,) = paddle.grad(paddle.tanh(x), [x], create_graph=True)
    assert again.tolist() == grad.tolist()
