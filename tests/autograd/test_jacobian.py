"""jacobian and hessian: against jax.jacobian and jax.hessian, lazily, with clear errors."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.autograd.jacobian import Hessian, Jacobian
from tests.support.leaves import leaf64

jacobian, hessian = paddle.autograd.jacobian, paddle.autograd.hessian


def count_backwards(tensor):
    """Return a list that grows by one each time a gradient passes a tensor."""
    passed = []
    tensor.register_hook(lambda grad: passed.append(1))
    return passed


def test_equals_jax_jacobian():
    def f(x):
        return jnp.sin(x) * x.sum() + jnp.outer(x, x).prod(axis=1)

    x = leaf64([0.5, 1.0, -0.3])
    y = paddle.sin(x) * x.sum() + paddle.outer(x, x).prod(axis=1)
    np.testing.assert_allclose(
        jacobian(y, x)[:].numpy(), jax.jit(jax.jacobian(f))(x.numpy()), rtol=1e-12
    )


def test_equals_jax_hessian():
    def f(x, s):
        return jnp.exp(x).prod() * s.sum() + (x**3).sum() * s[0]

    x, s = leaf64([0.5, 1.0, -0.3]), leaf64([2.0, 0.7])
    y = paddle.exp(x).prod() * s.sum() + (x**3).sum() * s[0]
    wanted = jax.jit(jax.hessian(f, (0, 1)))(x.numpy(), s.numpy())
    found = hessian(y, (x, s))
    for i in range(2):
        for j in range(2):
            np.testing.assert_allclose(found[i][j][:].numpy(), wanted[i][j], rtol=1e-10, atol=1e-12)


def test_batched_equals_a_jacobian_per_sample():
    x = leaf64(np.linspace(-1, 1, 12).reshape(4, 3))
    y = paddle.tanh(x) * x.sum(1, keepdim=True)
    wanted = jax.jit(jax.vmap(jax.jacobian(lambda x: jnp.tanh(x) * x.sum())))(x.numpy())
    found = jacobian(y, x, batch_axis=0)
    assert found.shape == [4, 3, 3]
    np.testing.assert_allclose(found[:].numpy(), wanted, rtol=1e-12)
    second = jax.vmap(jax.hessian(lambda x: (jnp.tanh(x) * x.sum()).sum()))
    second = jax.jit(second)(x.numpy())
    np.testing.assert_allclose(hessian(y.sum(1), x, batch_axis=0)[:].numpy(), second, rtol=1e-10)


def test_rows_are_computed_when_they_are_read_and_once():
    x = leaf64(np.arange(1.0, 6.0))
    h = x * x
    passed = count_backwards(h)
    matrix = jacobian(h.exp(), x)
    assert repr(matrix) == "Jacobian(shape=[5, 5], 0 of 5 rows)"
    assert (matrix.shape, len(matrix), len(passed)) == ([5, 5], 5, 0)
    first = matrix[2]
    again = matrix[2, 1:3]
    assert len(passed) == 1
    np.testing.assert_array_equal(again.numpy(), first.numpy()[1:3])
    matrix[1:4]
    assert len(passed) == 3
    assert repr(matrix) == "Jacobian(shape=[5, 5], 3 of 5 rows)"
    matrix.numpy()
    assert len(passed) == 5
    matrix + matrix
    assert len(passed) == 5


def test_the_first_derivatives_of_a_hessian_are_lazy_too_and_shared():
    x, s = leaf64([1.0, 2.0]), leaf64([3.0, 4.0])
    y = (x * x * s).sum()
    passed = count_backwards(y)
    found = hessian(y, [x, s])
    assert repr(found[0][1]) == "Hessian(shape=[2, 2], 0 of 2 rows)"
    assert passed == []
    assert found[0][1][0].tolist() == [2.0, 0.0]
    assert found[1][0][1].tolist() == [0.0, 4.0]
    assert len(passed) == 1
    assert isinstance(found[0][0], Hessian)
    assert isinstance(found[0][0], Jacobian)


INDICES = [
    0, -1, np.int64(1), slice(None), slice(1, None), slice(0, 0), slice(5, 9),
    slice(None, None, -1), slice(-2, None), (0, 0), (-1, -2), (slice(None), 1),
    (slice(None), slice(0, 0)),
    (slice(0, 2), slice(None, None, 2)), (slice(2, 0, -1), 0), Ellipsis, (Ellipsis, 0),
    (1, Ellipsis), (), None, [0, 2], ([0, 2], 1), np.array([True, False, True]),
]  # fmt: skip


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_indices_mean_what_they_mean_for_an_array(index):
    x = leaf64([1.0, 2.0, 3.0, 4.0])
    matrix = jacobian(paddle.stack([x[0] * x[1], x[2] * x[3] * x[0], x.sum()]), x)
    whole = matrix.numpy()
    assert whole.shape == (3, 4)
    found = matrix[index]
    assert list(found.shape) == list(whole[index].shape)
    np.testing.assert_array_equal(found.numpy(), whole[index])


def test_batched_indices_mean_what_they_mean_for_an_array():
    x = leaf64(np.arange(1.0, 7.0).reshape(2, 3))
    matrix = jacobian(x * x * x[:, :1], x, batch_axis=0)
    whole = matrix.numpy()
    columns = (slice(None), slice(1, None), 0)
    for index in (0, (1, 2), (slice(None), 1), columns, (..., -1), (1, 1, 1)):
        np.testing.assert_array_equal(matrix[index].numpy(), whole[index])


@pytest.mark.parametrize(
    ("ys_shape", "xs_shape", "batch_axis", "shape"),
    [
        ([], [], None, []), ([], [3], None, [3]), ([2], [], None, [2]), ([2], [3], None, [2, 3]),
        ([4], [4], 0, [4]), ([4], [4, 3], 0, [4, 3]), ([4, 2], [4], 0, [4, 2]),
        ([4, 2], [4, 3], 0, [4, 2, 3]), ([0], [3], None, [0, 3]),
    ],
)  # fmt: skip
def test_shapes_leave_out_the_axes_that_are_not_there(ys_shape, xs_shape, batch_axis, shape):
    x, ys = leaf64(np.ones(xs_shape)), leaf64(np.ones(ys_shape))
    keep = xs_shape[:1] if batch_axis == 0 else []
    total = x.sum() if batch_axis is None or len(xs_shape) == 1 else x.sum(1)
    if batch_axis == 0:
        total = x.reshape([keep[0], -1]).sum(1).reshape(keep + [1] * (len(ys_shape) - 1))
    matrix = jacobian(ys * total, x, batch_axis)
    assert matrix.shape == shape
    assert list(matrix[...].shape) == shape
    assert matrix.numpy().sum() == np.prod(shape)


def test_zeros_where_nothing_is_connected():
    x, other = leaf64([1.0, 2.0]), leaf64([1.0, 2.0, 3.0])
    y = x * x
    for matrix in (jacobian(y, other), jacobian(paddle.ones([2], "float64"), other)):
        assert matrix[:].numpy().tolist() == [[0.0] * 3] * 2
    stopped = jacobian(y, paddle.ones([3], "float64"))[:]
    assert stopped.stop_gradient
    assert stopped.numpy().tolist() == [[0.0] * 3] * 2
    assert hessian((x * 2).sum(), x)[:].numpy().tolist() == [[0.0] * 2] * 2


def test_leaves_keep_their_gradients_and_rows_can_be_differentiated():
    x = leaf64([1.0, 2.0])
    matrix = jacobian(x * x * x, x)
    row = matrix[1]
    assert x.grad is None
    row.sum().backward(retain_graph=True)
    assert x.grad.tolist() == [0.0, 12.0]
    np.testing.assert_array_equal(jacobian(matrix[0], x)[:].numpy(), [[6.0, 0.0], [0.0, 0.0]])


def test_operators_both_ways_and_tensor_attributes():
    x = leaf64([1.0, 2.0])
    a, b = jacobian(x * x, x), jacobian(x * x * x, x)
    first, second = a.numpy(), b.numpy()
    for found, wanted in (
        (a + b, first + second), (1 + a, 1 + first), (a - b, first - second), (3 - a, 3 - first),
        (2 * a, 2 * first), (a * b, first * second), (a / (b + 1), first / (second + 1)),
        (1 / (a + 1), 1 / (first + 1)), (a**2, first**2), (2**a, 2**first),
        (a @ x, first @ x.numpy()),
        (a // 3, first // 3), (a % 3, first % 3), (-a, -first), (+a, first),
        (abs(a), abs(first)),
        (a == b, first == second), (a != b, first != second), (a < b, first < second),
        (a <= b, first <= second), (a > b, first > second), (a >= b, first >= second),
        (a.t(), first.T), (a.reshape([-1]), first.reshape(-1)),
    ):  # fmt: skip
        np.testing.assert_array_equal(found.numpy(), wanted)
    np.testing.assert_array_equal(np.asarray(a), first)
    assert (a.dtype, a.ndim, a.stop_gradient) == (paddle.float64, 2, False)
    assert float(jacobian((x * x).sum(), leaf64(1.0)) + 1) == 1.0
    assert [row.tolist() for row in a] == first.tolist()
    with pytest.raises(AttributeError, match="'Tensor' object has no attribute 'nothing'"):
        _ = a.nothing
    with pytest.raises(AttributeError, match="'Jacobian' object has no attribute '_nothing'"):
        _ = a._nothing
    with pytest.raises(TypeError, match="unhashable"):
        hash(a)


def test_float16_keeps_its_dtype():
    x = paddle.to_tensor([1.0, 2.0], dtype="float16", stop_gradient=False)
    assert jacobian(x * x, x)[:].dtype == paddle.float16


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: jacobian(x, x, 1), ValueError, r"batch_axis should be None or 0, but got 1\."),
        (lambda x: jacobian(x, x, True), ValueError, r"batch_axis should be None or 0, but got T"),
        (
            lambda x: jacobian(x.reshape([1, 2]), x),
            ValueError,
            r"ys.ndim should be 0 or 1 when is_batched=False but got 2; its shape is \[1, 2\]",
        ),
        (
            lambda x: jacobian(x, x.reshape([1, 1, 2]), 0),
            ValueError,
            r"xs.ndim should be 1 or 2 when is_batched=True but got 3; its shape is \[1, 1, 2\]",
        ),
        (
            lambda x: jacobian(x[:1], x, 0),
            ValueError,
            r"must have the same batch, but their shapes are \[1\] and \[2\]",
        ),
        (lambda x: jacobian(1.0, x), TypeError, "ys must be a Tensor or a list.*but got float"),
        (lambda x: jacobian(x, [x, 2]), TypeError, "xs must be a Tensor or a list.*but got int"),
        (lambda x: hessian([x], x), TypeError, "ys must be a Tensor, but got list"),
        (lambda x: hessian(x.sum(), [x, "x"]), TypeError, "xs must be a Tensor.*but got str"),
        (
            lambda x: hessian(x, x),
            ValueError,
            r"ys.numel\(\)\(2\)==1 when batch_axis is None; the shape of ys is \[2\]",
        ),
        (
            lambda x: hessian(x.reshape([1, 2]), x, 0),
            ValueError,
            r"Only support ys\[0\].numel\(\)==1 when batch_axis is int; the shape of ys is \[1, 2",
        ),
        (lambda x: hessian(x, x, 1), ValueError, "Only support batch_axis=0 yet, but got 1"),
        (lambda x: hessian(x, x, "a"), ValueError, "batch_axis should be None or int, but got 'a'"),
        (
            lambda x: jacobian(x * x, x)[2],
            IndexError,
            r"index 2 is out of bounds for axis 0 of a matrix of shape \[2, 2\]",
        ),
        (lambda x: jacobian(x * x, x)[0, -3], IndexError, r"the range of \[-2, 2\)"),
        (
            lambda x: jacobian(x * x, x)[0, 0, 0],
            IndexError,
            r"takes at most 2 indices and one \.\.",
        ),
        (lambda x: jacobian(x * x, x)[..., ...], IndexError, r"takes at most 2 indices and one \."),
        (lambda x: jacobian(x * x, x)[1.0], TypeError, "must be made of integers and slices"),
        (lambda x: len(jacobian(x.sum(), x.sum())), TypeError, r"0-D tensor has no len\(\)"),
        (lambda x: jacobian(x.sum(), x.sum())[:], IndexError, "takes at most 0 indices"),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call(leaf64([1.0, 2.0]))


def test_a_released_graph_says_so_when_a_row_is_wanted():
    x = leaf64([1.0, 2.0])
    y = x * x
    matrix = jacobian(y, x)
    y.sum().backward()
    with pytest.raises(SystemError, match="backward twice for the same subgraph"):
        matrix[0]
