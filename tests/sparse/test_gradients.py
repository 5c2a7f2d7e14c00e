"""paddle.sparse against jax.grad of the same computation on dense matrices."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle

COORDINATES = np.array([[0, 1, 2, 2], [1, 3, 0, 2]])
OTHER = np.array([[0, 0, 2], [1, 2, 0]])
SHAPE = (3, 4)
VALUES = np.array([0.3, -0.7, 1.1, 0.9])
MORE = np.array([0.5, 2.0, -1.5])
WEIGHTS = np.linspace(-1.0, 2.0, 12).reshape(SHAPE)


def dense(values, coordinates=COORDINATES, shape=SHAPE):
    """Return the dense matrix of the values, as JAX builds it."""
    return jnp.zeros(shape, values.dtype).at[tuple(coordinates)].add(values)


def sparse(values, kind, coordinates=COORDINATES, shape=SHAPE):
    """Return a sparse tensor of a kind and the leaf it was created from."""
    leaf = paddle.to_tensor(values, stop_gradient=False)
    x = paddle.sparse.sparse_coo_tensor(coordinates, leaf, shape, stop_gradient=False)
    return (x if kind == "coo" else x.to_sparse_csr()), leaf


def check(ours, expected, leaves, values):
    """Compare values and gradients of a weighted sum."""

    def weighed(*v):
        out = expected(*v)
        return jnp.sum(out * jnp.linspace(-1.0, 2.0, out.size).reshape(out.shape)), out

    places = tuple(range(len(values)))
    both = jax.jit(jax.value_and_grad(weighed, places, has_aux=True))
    (_, out), wanted = both(*[jnp.asarray(v) for v in values])
    np.testing.assert_allclose(ours.numpy(), out, rtol=1e-10, atol=1e-12)
    weights = np.linspace(-1.0, 2.0, out.size).reshape(out.shape)
    (ours * paddle.to_tensor(weights)).sum().backward()
    for leaf, want in zip(leaves, wanted, strict=True):
        np.testing.assert_allclose(leaf.grad.numpy(), want, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("kind", ["coo", "csr"])
@pytest.mark.parametrize("name", ["sin", "tan", "sinh", "tanh", "asinh", "atan", "square", "abs"])
def test_functions_of_entries(name, kind):
    x, leaf = sparse(VALUES, kind)
    out = getattr(paddle.sparse, name)(x)
    check(
        out.to_dense(), lambda v: dense(getattr(jnp, name.replace("a", "arc", 1) if name in (
            "asinh", "atan") else name)(v)), [leaf], [VALUES],
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["coo", "csr"])
@pytest.mark.parametrize("name", ["add", "subtract", "multiply"])
def test_two_patterns(name, kind):
    x, left = sparse(VALUES, kind)
    y, right = sparse(MORE, kind, OTHER)
    out = getattr(paddle.sparse, name)(x, y)
    assert out.nnz() == 5
    check(
        out.to_dense(),
        lambda v, w: getattr(jnp, name)(dense(v), dense(w, OTHER)),
        [left, right],
        [VALUES, MORE],
    )


@pytest.mark.parametrize("name", ["add", "subtract", "multiply"])
def test_coordinates_that_repeat_add_up(name):
    repeated = np.array([[2, 0, 2], [1, 1, 1]])
    x, left = sparse(MORE, "coo", repeated)
    y, right = sparse(VALUES, "coo")
    out = getattr(paddle.sparse, name)(x, y)
    check(
        out.to_dense(),
        lambda v, w: getattr(jnp, name)(dense(v, repeated), dense(w)),
        [left, right],
        [MORE, VALUES],
    )


def test_divide_has_every_coordinate():
    full = np.stack(np.nonzero(np.ones(SHAPE)))
    x, left = sparse(VALUES, "coo")
    y, right = sparse(np.linspace(1.0, 2.0, 12), "coo", full)
    out = paddle.sparse.divide(x, y)
    assert out.nnz() == 12
    values = [VALUES, np.linspace(1.0, 2.0, 12)]
    check(out.to_dense(), lambda v, w: dense(v) / dense(w, full), [left, right], values)


@pytest.mark.parametrize("kind", ["coo", "csr"])
def test_products(kind):
    matrix = np.linspace(-1.0, 1.0, 8).reshape(4, 2)
    x, leaf = sparse(VALUES, kind)
    y = paddle.to_tensor(matrix, stop_gradient=False)
    check(paddle.sparse.matmul(x, y), lambda v, m: dense(v) @ m, [leaf, y], [VALUES, matrix])
    x, leaf = sparse(VALUES, kind)
    vector = paddle.to_tensor(matrix[:, 0], stop_gradient=False)
    check(
        paddle.sparse.mv(x, vector), lambda v, m: dense(v) @ m, [leaf, vector],
        [VALUES, matrix[:, 0]],
    )  # fmt: skip
    x, leaf = sparse(VALUES, kind)
    start = paddle.to_tensor(np.ones((3, 2)), stop_gradient=False)
    y = paddle.to_tensor(matrix, stop_gradient=False)
    check(
        paddle.sparse.addmm(start, x, y, beta=0.5, alpha=2.0),
        lambda s, v, m: 0.5 * s + 2.0 * (dense(v) @ m),
        [start, leaf, y],
        [np.ones((3, 2)), VALUES, matrix],
    )


@pytest.mark.parametrize("kind", ["coo", "csr"])
def test_product_of_two_sparse_matrices(kind):
    turned = OTHER[::-1]
    x, left = sparse(MORE, kind, OTHER)
    y, right = sparse(VALUES, kind, COORDINATES[::-1], SHAPE[::-1])
    out = paddle.sparse.matmul(x, y)
    assert out.is_sparse()
    assert out.shape == [3, 3]
    check(
        out.to_dense(),
        lambda v, w: dense(v, OTHER) @ dense(w, COORDINATES[::-1], SHAPE[::-1]),
        [left, right],
        [MORE, VALUES],
    )
    z = paddle.sparse.matmul(sparse(MORE, kind, turned, SHAPE[::-1])[0], out)
    assert z.shape == [4, 3]


def test_batches_of_matrices():
    batch = np.stack([WEIGHTS, WEIGHTS[::-1]]) * (np.arange(24).reshape(2, 3, 4) % 3 > 0)
    matrix = np.linspace(-1.0, 1.0, 16).reshape(2, 4, 2)
    x = paddle.to_tensor(batch, stop_gradient=False)
    y = paddle.to_tensor(matrix, stop_gradient=False)
    out = paddle.sparse.matmul(x.to_sparse_csr(), y)
    np.testing.assert_allclose(out.numpy(), batch @ matrix)
    out.sum().backward()
    inside = batch != 0
    np.testing.assert_allclose(x.grad.numpy(), (np.ones((2, 3, 2)) @ matrix.transpose(0, 2, 1))
                               * inside)  # fmt: skip
    np.testing.assert_allclose(y.grad.numpy(), batch.transpose(0, 2, 1) @ np.ones((2, 3, 2)))


@pytest.mark.parametrize("kind", ["coo", "csr"])
def test_masked_matmul_and_mask_as(kind):
    left, right = np.linspace(-1.0, 1.0, 6).reshape(3, 2), np.linspace(0.5, 2.0, 8).reshape(2, 4)
    mask, _ = sparse(VALUES, kind)
    x, y = (paddle.to_tensor(each, stop_gradient=False) for each in (left, right))
    inside = dense(np.ones(4))
    out = paddle.sparse.masked_matmul(x, y, mask)
    check(out.to_dense(), lambda a, b: (a @ b) * inside, [x, y], [left, right])
    x = paddle.to_tensor(WEIGHTS, stop_gradient=False)
    check(paddle.sparse.mask_as(x, mask).to_dense(), lambda a: a * inside, [x], [WEIGHTS])


@pytest.mark.parametrize("kind", ["coo", "csr"])
def test_softmax_of_rows(kind):
    x, leaf = sparse(VALUES, kind)
    inside = np.asarray(dense(np.ones(4))) > 0

    def softmax(v):
        rows = jnp.where(inside, dense(v), -jnp.inf)
        return jnp.where(inside, jax.nn.softmax(rows, axis=1), 0.0)

    check(paddle.sparse.nn.functional.softmax(x).to_dense(), softmax, [leaf], [VALUES])


@pytest.mark.parametrize(
    ("kind", "axis", "keepdim"),
    [("coo", 0, False), ("coo", 1, True), ("coo", [0, 1], True), ("csr", -1, True)],
)
def test_sums(kind, axis, keepdim):
    x, leaf = sparse(VALUES, kind)
    out = paddle.sparse.sum(x, axis, keepdim=keepdim).to_dense()
    axes = tuple(axis) if isinstance(axis, list) else axis
    check(out, lambda v: dense(v).sum(axes, keepdims=keepdim), [leaf], [VALUES])


@pytest.mark.parametrize("kind", ["coo", "csr"])
def test_shapes(kind):
    s = paddle.sparse
    for ours, theirs in [
        (lambda x: s.reshape(x, [4, -1]), lambda m: m.reshape(4, 3)),
        (lambda x: s.transpose(x, [1, 0]), lambda m: m.T),
        (lambda x: s.slice(x, [0, 1], [1, 0], [3, 3]), lambda m: m[1:3, 0:3]),
        (lambda x: s.coalesce(x) if kind == "coo" else x.to_sparse_coo(2), lambda m: m),
    ]:
        x, leaf = sparse(VALUES, kind)
        check(ours(x).to_dense(), lambda v, f=theirs: f(dense(v)), [leaf], [VALUES])


def test_a_convolution_is_the_dense_one():
    coordinates = np.array([[0, 0, 1, 1], [0, 3, 2, 2], [1, 4, 0, 1]])
    values = np.linspace(-1.0, 2.0, 8).reshape(4, 2)
    filters = np.linspace(-1.0, 1.0, 36).reshape(3, 3, 2, 2)
    x, leaf = sparse(values, "coo", coordinates, (2, 4, 5, 2))
    w = paddle.to_tensor(filters, stop_gradient=False)
    out = paddle.sparse.nn.functional.conv2d(x, w, stride=[1, 2], padding="SAME")

    def convolve(v, f):
        image = dense(v, coordinates, (2, 4, 5, 2))
        numbers = ("NHWC", "HWIO", "NHWC")
        return jax.lax.conv_general_dilated(image, f, (1, 2), "SAME", dimension_numbers=numbers)

    check(out.to_dense(), convolve, [leaf, w], [values, filters])


def test_a_submanifold_convolution_is_the_dense_one_at_the_entries():
    coordinates = np.array([[0, 0, 0, 0], [2, 0, 1, 1], [1, 4, 0, 2], [0, 3, 1, 1]])
    values = np.linspace(-1.0, 2.0, 8).reshape(4, 2)
    filters = np.linspace(-1.0, 1.0, 108).reshape(3, 3, 3, 2, 2)
    x, leaf = sparse(values, "coo", coordinates, (1, 3, 5, 4, 2))
    w = paddle.to_tensor(filters, stop_gradient=False)
    out = paddle.sparse.nn.functional.subm_conv3d(x, w, dilation=[1, 2, 1])

    def convolve(v, f):
        volume = dense(v, coordinates, (1, 3, 5, 4, 2))
        return jax.lax.conv_general_dilated(
            volume, f, (1, 1, 1), "SAME", rhs_dilation=(1, 2, 1),
            dimension_numbers=("NDHWC", "DHWIO", "NDHWC"),
        )[tuple(coordinates)]  # fmt: skip

    check(out.values(), convolve, [leaf, w], [values, filters])


def test_second_order():
    x, leaf = sparse(VALUES, "csr")
    matrix = paddle.to_tensor(np.linspace(-1.0, 1.0, 8).reshape(4, 2))
    total = (paddle.sparse.matmul(paddle.sparse.sin(x), matrix) ** 2).sum()
    (first,) = paddle.grad(total, leaf, create_graph=True)
    (second,) = paddle.grad((first * first).sum(), leaf)

    def loss(v):
        return jnp.sum((dense(jnp.sin(v)) @ matrix.numpy()) ** 2)

    wanted = jax.grad(lambda v: jnp.sum(jax.grad(loss)(v) ** 2))(jnp.asarray(VALUES))
    np.testing.assert_allclose(second.numpy(), wanted, rtol=1e-10)


def test_attention_over_listed_keys_is_dense_attention_with_a_mask():
    r = np.random.default_rng(3)
    q, k, v = (paddle.to_tensor(r.normal(size=(2, 1, 3, 4))) for _ in range(3))
    inside = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0]], bool)
    mask = paddle.to_tensor(np.stack([inside, inside]).astype("float64")).to_sparse_csr()
    out = paddle.sparse.nn.functional.attention(q, k, v, mask)
    scores = q.numpy() @ k.numpy().transpose(0, 1, 3, 2) / 2.0
    weights = jax.nn.softmax(jnp.where(inside, scores, -jnp.inf), axis=-1)
    np.testing.assert_allclose(out.numpy(), weights @ v.numpy(), rtol=1e-6)
