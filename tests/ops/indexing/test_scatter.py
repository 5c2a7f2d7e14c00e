"""Positions beyond the row's samples: bounds, equal positions, reductions, masks."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, OutOfRangeError
from jaxeager.ops.indexing import put_along
from tests.support.leaves import leaf64
from tests.support.recorded import gradient, recorded
from tests.support.refusals import refused

AT = paddle.to_tensor([0, 0, 2])


FAR, ONE = paddle.to_tensor([5]), paddle.ones([1])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: paddle.gather(x, FAR),
        lambda x: paddle.index_select(x, FAR),
        lambda x: paddle.take(x, FAR),
        lambda x: paddle.gather_nd(x, FAR.reshape([1, 1])),
        lambda x: paddle.take_along_axis(x, FAR, 0),
        lambda x: paddle.scatter(x, FAR, ONE),
        lambda x: x.scatter_(FAR, ONE),
        lambda x: paddle.scatter_nd_add(x, FAR.reshape([1, 1]), ONE),
        lambda x: paddle.index_add(x, FAR, 0, ONE),
        lambda x: x.index_add_(FAR, 0, ONE),
        lambda x: paddle.index_put(x, (FAR,), ONE),
        lambda x: paddle.put_along_axis(x, FAR, 1.0, 0),
        lambda x: paddle.index_fill(x, FAR, 0, 1.0),
    ],
)
def test_positions_out_of_range_raise(function):
    with refused(
        OutOfRangeError, match=r"index 5 is out of bounds|expected >= -3 and < 3, but got 5\."
    ):
        function(paddle.zeros([3]))


def test_positions_count_from_the_end_too():
    x, last = paddle.to_tensor([1.0, 2.0, 3.0]), paddle.to_tensor([-1])
    assert paddle.gather(x, last).tolist() == [3.0]
    assert paddle.scatter(x, last, ONE).tolist() == [1.0, 2.0, 1.0]
    assert paddle.put_along_axis(x, last, 9.0, 0).tolist() == [1.0, 2.0, 9.0]


@pytest.mark.parametrize(
    "function",
    [
        lambda x, v: paddle.scatter(x, AT, v),
        lambda x, v: paddle.index_put(x, (AT,), v),
        lambda x, v: paddle.put_along_axis(x, AT, v, 0),
    ],
)
def test_the_last_of_equal_positions_stays_and_has_the_gradient(function):
    x, v = [1.0, 2.0, 3.0], [5.0, 6.0, 7.0]
    assert function(leaf64(x), leaf64(v)).tolist() == [6.0, 2.0, 7.0]
    assert gradient(function, x, v) == [[0.0, 2.0, 0.0], [0.0, 1.0, 3.0]]


def test_adding_at_equal_positions():
    x, v = [1.0, 2.0, 3.0], [5.0, 6.0, 7.0]
    added = lambda x, v: paddle.index_put(x, (AT,), v, accumulate=True)  # noqa: E731
    assert added(leaf64(x), leaf64(v)).tolist() == [12.0, 2.0, 10.0]
    assert gradient(added, x, v) == [[1.0, 2.0, 3.0], [1.0, 1.0, 3.0]]
    cleared = lambda x, v: paddle.scatter(x, AT, v, overwrite=False)  # noqa: E731
    assert cleared(leaf64(x), leaf64(v)).tolist() == [11.0, 2.0, 7.0]
    assert gradient(cleared, x, v) == [[0.0, 2.0, 0.0], [1.0, 1.0, 3.0]]
    assert gradient(lambda x, v: paddle.index_add(x, AT, 0, v, 2), x, v)[1] == [2.0, 2.0, 6.0]


def _central_differences(function, arrays, step=1e-6):
    """Return the gradients of `gradient`, from differences of the function."""

    def value(*changed):
        out = function(*(paddle.to_tensor(a) for a in changed)).numpy()
        return float((out * np.arange(1, out.size + 1).reshape(out.shape)).sum())

    grads = [np.zeros_like(a) for a in arrays]
    for which, array in enumerate(arrays):
        for place in np.ndindex(array.shape):
            shifted = [[a.copy() for a in arrays] for _ in range(2)]
            shifted[0][which][place] += step
            shifted[1][which][place] -= step
            grads[which][place] = (value(*shifted[0]) - value(*shifted[1])) / (2 * step)
    return grads


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", ["assign", "add", "mul", "multiply", "mean", "amin", "amax"])
def test_gradients_of_put_along_axis_equal_differences(reduce, include_self):
    def function(x, v):
        return paddle.put_along_axis(x, AT, v, 0, reduce, include_self)

    arrays = [np.array([1.5, 2.0, 3.0, 4.0]), np.array([1.0, 2.5, 2.0])]
    wanted = _central_differences(function, arrays)
    for found, want in zip(gradient(function, *arrays), wanted, strict=True):
        np.testing.assert_allclose(found, want, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("zeros", [1, 2, 3])
def test_gradient_of_products_that_meet_at_a_zero_is_exact(zeros):
    def function(x, v):
        return paddle.put_along_axis(x, AT, v, 0, "mul")

    arrays = [np.array([1.5, 2.0, 3.0]), np.array([0.0, 2.5, 2.0])]
    arrays[0][0] *= zeros < 2
    arrays[1][1] *= zeros < 3
    wanted = _central_differences(function, arrays)
    for found, want in zip(gradient(function, *arrays), wanted, strict=True):
        np.testing.assert_allclose(found, want, rtol=1e-6, atol=1e-5)


def test_extremes_that_tie_share_the_gradient():
    function = lambda x, v: paddle.put_along_axis(x, AT, v, 0, "amax")  # noqa: E731
    found = gradient(function, [5.0, 2.0, 3.0], [5.0, 5.0, 9.0])
    np.testing.assert_allclose(found[0], [1 / 3, 2, 0])
    np.testing.assert_allclose(found[1], [1 / 3, 1 / 3, 3])
    without = lambda x, v: paddle.put_along_axis(x, AT, v, 0, "amax", False)  # noqa: E731
    found = gradient(without, [5.0, 2.0, 3.0], [5.0, 5.0, 9.0])
    assert found == [[0.0, 2.0, 0.0], [0.5, 0.5, 3.0]]


def test_the_rule_for_products_can_be_differentiated_again():
    """The output is saved, so d(dx)/dv = d(dx)/d(out) * d(out)/dv through the output's own node."""

    def dx(v, out):
        options = {"axis": 0, "reduce": "mul", "include_self": True}
        rule = put_along.put_along_axis_vjp
        return rule(x, jnp.array([0, 0]), v, out, jnp.ones(2), **options)[0].sum()

    x, v = jnp.array([2.0, 3.0]), jnp.array([5.0, 7.0])
    by_v, by_out = jax.grad(dx, (0, 1))(v, jnp.array([70.0, 3.0]))
    assert (by_v.tolist(), by_out[0].item()) == ([0.0, 0.0], 0.5)


def test_along_axis_records_the_expansion():
    x, rows = leaf64(np.ones((2, 3))), paddle.to_tensor([[0], [1]])
    assert recorded(paddle.take_along_axis(x, rows, 1)) == "TakeAlongAxis(Expand(leaf))"
    assert recorded(paddle.take_along_axis(x, rows, 1, False)) == "TakeAlongAxis(leaf)"
    assert paddle.take_along_axis(x, paddle.to_tensor([[2]]), 1).shape == [2, 1]
    number = paddle.put_along_axis(x, paddle.to_tensor([[2]]), 9.0, 1)
    assert (recorded(number), number.tolist()) == ("PutAlongAxis(leaf,None)", [[1.0, 1.0, 9.0]] * 2)
    value = leaf64(2.0)
    assert recorded(paddle.put_along_axis(x, rows, value, 1)) == "PutAlongAxis(leaf,Expand(leaf))"
    with pytest.raises(InvalidArgumentError, match="same number of dimensions"):
        paddle.take_along_axis(x, paddle.to_tensor([0]), 1)
    with pytest.raises(InvalidArgumentError, match="must broadcast"):
        paddle.take_along_axis(x, paddle.to_tensor([[0]] * 3), 1)


def test_scatter_add_and_reduce_take_the_leading_part_of_src():
    x, index, src = leaf64(np.zeros((2, 3))), paddle.to_tensor([[0], [1]]), leaf64(np.ones((2, 3)))
    out = paddle.scatter_add(x, 1, index, src)
    assert (out.tolist(), recorded(out)) == ([[1, 0, 0], [0, 1, 0]], "PutAlongAxis(leaf,leaf)")
    out.sum().backward()
    assert src.grad.tolist() == [[1, 0, 0], [1, 0, 0]]
    found = paddle.scatter_reduce(x, 1, index, src, "mean", include_self=True)
    assert found.tolist() == [[0.5, 0, 0], [0, 0.5, 0]]
    with pytest.raises(InvalidArgumentError, match="must be one of sum"):
        paddle.scatter_reduce(x, 1, index, src, "add")


def test_index_put_with_masks():
    x = leaf64(np.zeros((2, 3)))
    mask = paddle.to_tensor([[True, False, False], [False, False, True]])
    assert paddle.index_put(x, (mask,), leaf64([1.0, 2.0])).tolist() == [[1, 0, 0], [0, 0, 2]]
    rows = paddle.to_tensor([True, False])
    found = paddle.index_put(x, (rows, paddle.to_tensor([2])), leaf64(3.0))
    assert found.tolist() == [[0, 0, 3], [0, 0, 0]]
    with pytest.raises(InvalidArgumentError, match="more indices"):
        paddle.index_put(x, (mask, AT), leaf64(1.0))


def test_index_fill():
    x = leaf64(np.zeros((2, 3)))
    out = paddle.index_fill(x, paddle.to_tensor([2]), 1, 4.0)
    assert out.tolist() == [[0, 0, 4], [0, 0, 4]]
    assert recorded(out) == "Transpose(IndexPut(Transpose(leaf),None))"
    y = x * 1.0
    assert y.index_fill_(paddle.to_tensor([0]), 0, 2.0) is y
    assert (y.tolist(), y.inplace_version) == ([[2, 2, 2], [0, 0, 0]], 3)


@pytest.mark.parametrize(
    ("mode", "expected"), [("wrap", [[1.0, 3.0], [1.0, 2.0]]), ("clip", [[1.0, 1.0], [3.0, 3.0]])]
)
def test_take_modes(mode, expected):
    x, index = paddle.to_tensor([1.0, 2.0, 3.0]), paddle.to_tensor([[0, -1], [3, 7]])
    assert paddle.take(x, index, mode).tolist() == expected


def test_take_refuses_unknown_modes():
    with pytest.raises(InvalidArgumentError, match="'raise', 'wrap' or 'clip'"):
        paddle.take(ONE, paddle.to_tensor([0]), "bounce")


def test_gather_and_scatter_in_place_and_by_coordinates():
    x = leaf64([[1.0, 2.0], [3.0, 4.0]])
    assert recorded(paddle.gather(x, paddle.to_tensor(1))) == "Gather(leaf)"
    assert paddle.gather(x, paddle.to_tensor(1)).tolist() == [3.0, 4.0]
    y = x * 1.0
    assert y.scatter_(paddle.to_tensor([0]), paddle.zeros([1, 2], "float64")) is y
    y.sum().backward()
    assert (y.inplace_version, x.grad.tolist()) == (1, [[0.0, 0.0], [1.0, 1.0]])
    out = paddle.scatter_nd(paddle.to_tensor([[0, 1], [0, 1]]), paddle.ones([2]), [2, 2])
    assert out.tolist() == [[0.0, 2.0], [0.0, 0.0]]
