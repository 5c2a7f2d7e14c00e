"""Decompositions beyond the table: gradients that no gauge changes, repeated values, vectors beyond
the values, cuts, float32.
"""

import numpy as np
import pytest

import jaxeager as paddle

linalg = paddle.linalg


def draw(*shape, kind="float64", seed=3):
    """Return normal numbers in a fixed order."""
    r = np.random.default_rng(seed)
    x = r.normal(size=shape)
    return (x + 1j * r.normal(size=shape) if kind[0] == "c" else x).astype(kind)


def hermitian(n, kind="float64", seed=3):
    """Return one Hermitian matrix."""
    x = draw(n, n, kind=kind, seed=seed)
    return x + x.conj().T


def gradient(function, value):
    """Return the gradient of a real 0-D result."""
    x = paddle.to_tensor(value, stop_gradient=False)
    function(x).backward()
    return x.grad.numpy()


def assert_slope(function, value, seed=11, tolerance=1e-6):
    """Assert that the gradient predicts the difference along a random direction."""
    step = 1e-6 * draw(*value.shape, kind=str(value.dtype), seed=seed)
    ends = [function(paddle.to_tensor(value + sign * step)).item() for sign in (1, -1)]
    found = np.vdot(gradient(function, value), 2 * step).real
    assert found == pytest.approx(ends[0] - ends[1], rel=tolerance, abs=1e-12)


def weighed(x, seed=5):
    """Return a real sum of a matrix with fixed weights."""
    weights = paddle.to_tensor(draw(*x.shape, kind=x.numpy().dtype.name, seed=seed))
    total = (x * weights).sum()
    return total.real() if "complex" in str(x.dtype) else total


def adjoint(x):
    """Return the conjugate transpose."""
    return x.conj().transpose([*range(x.ndim - 2), x.ndim - 1, x.ndim - 2])


KINDS = pytest.mark.parametrize("kind", ["float64", "complex128"])
SHAPES = pytest.mark.parametrize("shape", [(4, 2), (2, 4), (3, 3)])
USUAL = {"shape0-complex128", "shape1-float64", "shape2-complex128"}
SHAPES_AND_KINDS = pytest.mark.parametrize(
    ("shape", "kind"),
    [
        pytest.param(shape, kind, id=name, marks=() if name in USUAL else pytest.mark.deep)
        for number, shape in enumerate([(4, 2), (2, 4), (3, 3)])
        for kind in ("float64", "complex128")
        for name in [f"shape{number}-{kind}"]
    ],
)


@SHAPES_AND_KINDS
def test_projector_on_all_vectors_beyond_the_values(kind, shape):
    """The null spaces turn with the others."""

    def function(x):
        u, _, vh = linalg.svd(x, full_matrices=True)
        u, v = u[:, 1:], adjoint(vh[1:])
        return weighed(u @ adjoint(u)) + weighed(v @ adjoint(v), seed=6)

    assert_slope(function, draw(*shape, kind=kind))


@SHAPES_AND_KINDS
def test_polar_factor_and_spectral_function_by_svd(kind, shape):
    def function(x):
        u, s, vh = linalg.svd(x)
        return weighed(u @ vh) + weighed((u * (s**3).astype(kind)) @ vh, seed=6)

    assert_slope(function, draw(*shape, kind=kind))


@KINDS
def test_projectors_and_functions_by_eigh(kind):
    def function(x):
        w, v = linalg.eigh(x)
        low = v[:, :1]
        return weighed(low @ adjoint(low)) + weighed((v * paddle.exp(w).astype(kind)) @ adjoint(v))

    x = hermitian(3, kind)
    step = 1e-6 * hermitian(3, kind, seed=8)
    ends = [function(paddle.to_tensor(x + sign * step)).item() for sign in (1, -1)]
    found = np.vdot(gradient(function, x), 2 * step).real
    assert found == pytest.approx(ends[0] - ends[1], rel=1e-6)


@pytest.mark.parametrize("kind", ["float32", "complex64", "float64", "complex128"])
def test_eig_in_every_dtype(kind):
    x = paddle.to_tensor(draw(2, 4, 4, kind=kind))
    w, v = linalg.eig(x)
    assert w.dtype == v.dtype == linalg.eigvals(x).dtype
    assert "complex64" in str(w.dtype) or kind in ("float64", "complex128")
    rounding = 1e-4 if kind in ("float32", "complex64") else 1e-12
    np.testing.assert_allclose(
        (x.astype(v.dtype) @ v).numpy(), (v * w.unsqueeze(-2)).numpy(), atol=rounding
    )


@KINDS
def test_projectors_by_eig(kind):
    def function(x):
        w, v = linalg.eig(x)
        left = linalg.inv(v)
        return weighed((v * (w**2)) @ left) + (v.abs() ** 3).sum()

    assert_slope(function, draw(3, 3, kind=kind))


def test_square_through_eig_has_the_second_order_of_the_square():
    """tr(x^2 W) by eigenvalues and vectors, twice differentiated."""

    def by_eig(x):
        w, v = linalg.eig(x)
        return ((v * (w**2)) @ linalg.inv(v)).real()

    def hessian_along(function):
        x = paddle.to_tensor(draw(3, 3), stop_gradient=False)
        (first,) = paddle.grad(weighed(function(x)), x, create_graph=True)
        return paddle.grad(weighed(first, seed=9), x)[0].numpy()

    np.testing.assert_allclose(hessian_along(by_eig), hessian_along(lambda x: x @ x), atol=1e-10)


@pytest.mark.parametrize(
    "values_of",
    [
        lambda x: linalg.svd(x)[1],
        linalg.svdvals,
        lambda x: linalg.eigh(x)[0],
        linalg.eigvalsh,
        lambda x: linalg.svd(x, full_matrices=True)[1],
    ],
)
def test_values_that_repeat_have_a_gradient(values_of):
    """The sum of squares of the values of 2 I is that of its elements."""
    found = gradient(lambda x: (values_of(x) ** 2).sum(), 2 * np.eye(3))
    np.testing.assert_allclose(found, 4 * np.eye(3), atol=1e-12)


def test_gradient_through_vectors_of_repeated_values_is_no_number():
    for function in (lambda x: weighed(linalg.svd(x)[0]), lambda x: weighed(linalg.eigh(x)[1])):
        assert not np.isfinite(gradient(function, 2 * np.eye(3))).all()


def test_singular_values_of_a_deficient_matrix_have_a_gradient():
    """The sum of squares of the values is that of the elements, whatever the rank."""
    x = np.outer([1.0, 2.0, 3.0], [1.0, -1.0])
    np.testing.assert_allclose(gradient(lambda t: (linalg.svd(t)[1] ** 2).sum(), x), 2 * x)


@KINDS
@SHAPES
def test_pinv_is_right_where_values_are_cut(kind, shape):
    assert_slope(lambda x: weighed(linalg.pinv(x, rcond=0.6)), draw(*shape, kind=kind))


@KINDS
def test_hermitian_pinv_is_right_where_values_are_cut(kind):
    def function(x):
        return weighed(linalg.pinv((x + adjoint(x)) / 2, rcond=0.6, hermitian=True))

    assert_slope(function, hermitian(4, kind))


def test_pinv_of_rank_one_moves_along_its_rank():
    """Along matrices of the same rank: pinv(t a b^T) = pinv(a b^T) / t."""
    x = np.outer([1.0, 2.0, 3.0], [1.0, -1.0])
    found = gradient(lambda t: weighed(linalg.pinv(t, rcond=1e-10)), x)
    value = weighed(linalg.pinv(paddle.to_tensor(x), rcond=1e-10)).item()
    assert np.sum(found * x) == pytest.approx(-value)


@pytest.mark.deep
def test_third_order_of_pinv_of_the_identity():
    """d^3 of 1 / t is -6 / t^4, along the identity."""
    x = paddle.to_tensor(np.eye(2), stop_gradient=False)
    out = linalg.pinv(x).diagonal().sum()
    for _ in range(3):
        (out,) = paddle.grad(out, x, create_graph=True)
        out = out.diagonal().sum()
    assert out.item() == pytest.approx(-12.0)


@pytest.mark.parametrize("mode", ["reduced", "complete", "r"])
@SHAPES
def test_gram_matrix_by_qr(mode, shape):
    """R^T R is x^T x, and Q R is x: their gradients are known."""
    x = draw(*shape)
    weights = draw(shape[1], shape[1], seed=5)

    def function(t):
        found = linalg.qr(t, mode=mode)
        r = found if mode == "r" else found[1]
        return (r.T @ r * paddle.to_tensor(weights)).sum()

    np.testing.assert_allclose(gradient(function, x), x @ (weights + weights.T), atol=1e-10)


@pytest.mark.parametrize("kind", [pytest.param("float64", marks=pytest.mark.deep), "complex128"])
def test_factors_by_lu_give_the_matrix_back(kind):
    def function(x):
        packed, pivots = linalg.lu(x)
        p, lower, upper = linalg.lu_unpack(packed, pivots)
        return weighed(p @ lower @ upper)

    x = draw(2, 4, 3, kind=kind)
    wanted = gradient(weighed, x)
    np.testing.assert_allclose(gradient(function, x), wanted, atol=1e-12)


def test_lu_solve_and_lu_solve_the_system():
    """Through both, the gradients are those of solve."""
    x, b = draw(2, 3, 3), draw(3, 2, seed=4)
    for trans in "NT":

        def by_lu(t, trans=trans):
            return weighed(linalg.lu_solve(paddle.to_tensor(b), *linalg.lu(t), trans))

        def by_solve(t, trans=trans):
            t = t if trans == "N" else adjoint(t)
            return weighed(linalg.solve(t, paddle.to_tensor(b)))

        np.testing.assert_allclose(gradient(by_lu, x), gradient(by_solve, x), atol=1e-9)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3)])
def test_the_other_triangle_of_a_cholesky_factor_counts_nowhere(shape, upper):
    """It affects neither the solution nor the gradient, which is right for the other triangle."""
    factor, right = draw(*shape) + 3 * np.eye(3), paddle.to_tensor(draw(3, 2, seed=4))
    weights = paddle.to_tensor(draw(*shape[:-1], 2, seed=5))

    def loss(factor):
        return (linalg.cholesky_solve(right, factor, upper=upper) * weights).sum()

    assert_slope(loss, factor)
    cut = np.triu if upper else np.tril
    np.testing.assert_allclose(gradient(loss, factor), gradient(loss, cut(factor)), rtol=1e-12)
    np.testing.assert_array_equal(gradient(loss, factor), cut(gradient(loss, factor)))
