"""Products and norms beyond the row's samples: boundaries and recorded ops."""

import math

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, PermissionDeniedError
from tests.support.leaves import leaf, leaf64
from tests.support.recorded import gradient, recorded

X = np.arange(6.0).reshape(2, 3) - 2.5
INF = math.inf


@pytest.mark.parametrize(
    ("p", "x", "expected"),
    [
        (2, [0.0, 0.0], [0.0, 0.0]),
        (3, [0.0, 0.0], [0.0, 0.0]),
        (1, [0.0, 1.0, -2.0], [0.0, 1.0, -1.0]),
        (0, [0.0, 1.0, -2.0], [0.0, 0.0, 0.0]),
        (0.5, [0.0, 4.0], [0.0, 1.0]),
        (-1, [0.0, 4.0], [0.0, 0.0]),
        (INF, [2.0, -2.0, 1.0], [1.0, -1.0, 0.0]),
        (-INF, [2.0, -2.0, 4.0], [1.0, -1.0, 0.0]),
    ],
)
def test_gradient_of_norms_at_their_corners(p, x, expected):
    assert gradient(lambda t: paddle.norm(t, p), x) == expected


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32"])
@pytest.mark.parametrize("p", [math.inf, -math.inf])
def test_the_element_that_decides_a_distance_has_its_gradient(p, dtype):
    """The saved distance is rounded to the dtype, and equals no difference."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        x, y = (paddle.to_tensor(each).astype(dtype) for each in rng.normal(size=(2, 6)))
        x.stop_gradient = y.stop_gradient = False
        paddle.dist(x, y, p=p).backward()
        difference = x.numpy().astype("float64") - y.numpy().astype("float64")
        size = np.abs(difference)
        wanted = np.sign(difference) * (size == (size.max() if p > 0 else size.min()))
        assert x.grad.astype("float64").numpy().tolist() == wanted.tolist()
        assert y.grad.astype("float64").numpy().tolist() == (-wanted).tolist()


def test_gradient_of_matrix_norm_and_distance_at_zero():
    zeros = np.zeros((2, 2))
    assert gradient(lambda t: paddle.norm(t, "fro", [0, 1]), zeros) == zeros.tolist()
    assert gradient(paddle.dist, [1.0, 2.0], [1.0, 2.0]) == [[0.0, 0.0], [-0.0, -0.0]]


@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize(
    ("p", "axis", "graph"),
    [
        (None, None, "PNorm(leaf)"),
        (2, 0, "PNorm(leaf)"),
        ("fro", [0, 1], "FrobeniusNorm(leaf)"),
        (1, [0, 1], "Max(PNorm(leaf))"),
        (1, [1, 0], "Max(PNorm(leaf))"),
        (INF, [0, 1], "Max(PNorm(leaf))"),
        (-INF, [0, -1], "Min(PNorm(leaf))"),
        (-1, [0, 1], "Min(PNorm(leaf))"),
    ],
)
def test_norm(p, axis, graph, keepdim):
    x = leaf64(X)
    out = paddle.norm(x, p, axis, keepdim)
    order = None if p == 2 else p
    wanted = np.linalg.norm(X, order, tuple(axis) if isinstance(axis, list) else axis, keepdim)
    np.testing.assert_allclose(out.numpy(), wanted)
    assert recorded(out) == graph


@pytest.mark.parametrize(("p", "node"), [("nuc", "Sum"), (2, "Max"), (-2, "Min")])
def test_norms_of_singular_values(p, node):
    out = paddle.norm(leaf64(X), p, [1, 0])
    np.testing.assert_allclose(out.numpy(), np.linalg.norm(X, p))
    assert recorded(out) == f"{node}(Svdvals(Transpose(leaf)))"
    assert paddle.norm(leaf64(X), p, [1, 0], True).shape == [1, 1]


def test_norms_that_do_not_exist_say_so():
    square = paddle.ones([2, 2])
    with pytest.raises(InvalidArgumentError, match="if axis is 2D, found 3"):
        paddle.norm(square, 3, [0, 1])
    with pytest.raises(InvalidArgumentError, match="must differ"):
        paddle.norm(square, 1, [0, -2])
    with pytest.raises(InvalidArgumentError, match="if axis is 2D, found max"):
        paddle.norm(square, "max")
    with pytest.raises(InvalidArgumentError, match="found 3"):
        paddle.norm(square.unsqueeze(0), "nuc")


def test_products_of_complex_and_real_operands():
    x, y = leaf([[1 + 2j]], "complex128"), leaf64([[3.0]])
    paddle.matmul(x, y).backward()
    assert recorded(paddle.matmul(x, y)) == "Matmul(leaf,leaf)"
    assert x.grad.tolist() == [[3 + 0j]]
    assert (y.grad.tolist(), str(y.grad.dtype)) == ([[1.0]], "paddle.float64")
    for product in (paddle.kron, lambda a, b: paddle.einsum("ij,jk->ik", a, b)):
        dx, dy = paddle.grad(product(x, y), [x, y])
        assert (dx.tolist(), dy.tolist()) == ([[3 + 0j]], [[1.0]])
        with pytest.raises(InvalidArgumentError, match="must have one dtype"):
            product(y, y.astype("float32"))


def test_einsum_forms():
    x, y = leaf64(X), leaf64(X.T)
    assert recorded(paddle.einsum("ij,jk->ik", x, y)) == "Einsum(leaf,leaf)"
    np.testing.assert_allclose(paddle.einsum("ij,jk", [x, y]).numpy(), X @ X.T)
    np.testing.assert_allclose(paddle.einsum("ij->j", x).numpy(), X.sum(0))


def test_einsum_notices_an_operand_written_in_place():
    x = leaf64(X)
    y = x * 1.0
    out = paddle.einsum("ij,ij->i", y, x)
    y.add_(x)
    with pytest.raises(PermissionDeniedError, match="version is 1"):
        out.sum().backward()


@pytest.mark.parametrize(
    ("function", "shapes", "graph"),
    [
        (paddle.inner, [(2, 3), (2, 3)], "Matmul(Reshape(leaf),Reshape(leaf))"),
        (paddle.inner, [(3,), (3,)], "Reshape(Matmul(Reshape(leaf),Reshape(leaf)))"),
        (paddle.inner, [(), (3,)], "Multiply(leaf,leaf)"),
        (paddle.outer, [(2,), (3,)], "Multiply(Reshape(leaf),Reshape(leaf))"),
        (paddle.mm, [(2, 3), (3, 2)], "Matmul(leaf,leaf)"),
        (paddle.vecdot, [(2, 3), (2, 3)], "Sum(Multiply(Conj(leaf),leaf))"),
    ],
)
def test_products_record_paddles_ops(function, shapes, graph):
    arrays = [np.random.default_rng(i).normal(size=s) for i, s in enumerate(shapes)]
    out = function(*map(leaf64, arrays))
    assert recorded(out) == graph
    pure = {"inner": np.inner, "outer": np.outer, "mm": np.matmul, "vecdot": np.vecdot}
    np.testing.assert_allclose(out.numpy(), pure[function.__name__](*arrays))


@pytest.mark.parametrize(
    "axes", [0, 1, [[2, 0], [0, 2]], [[1], [1]], [1], paddle.to_tensor([[2], [0]])]
)
def test_tensordot(axes):
    x, y = np.random.default_rng(0).normal(size=(2, 2, 3, 2))
    plain = axes.tolist() if hasattr(axes, "numpy") else axes
    plain = [plain, plain] if plain == [1] else plain
    found = paddle.tensordot(paddle.to_tensor(x), paddle.to_tensor(y), axes).numpy()
    np.testing.assert_allclose(found, np.tensordot(x, y, plain))


def test_tensordot_refuses_what_does_not_meet():
    x = paddle.ones([2, 3])
    with pytest.raises(InvalidArgumentError, match="same sizes"):
        paddle.tensordot(x, x, 1)
    with pytest.raises(InvalidArgumentError, match=r"in \[0, 2\]"):
        paddle.tensordot(x, x, 3)


def test_addmm_in_place():
    x = paddle.ones([2, 2])
    assert x.addmm_(paddle.ones([2, 3]), paddle.ones([3, 2]), beta=0.5) is x
    assert x.tolist() == [[3.5, 3.5], [3.5, 3.5]]
