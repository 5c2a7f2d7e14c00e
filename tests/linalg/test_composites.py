"""Functions of several ops beyond the table and Paddle: complex numbers, errors."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError
from tests.support.refusals import refused

linalg = paddle.linalg


def draw(*shape, seed=3):
    """Return complex normal numbers in a fixed order."""
    r = np.random.default_rng(seed)
    return r.normal(size=shape) + 1j * r.normal(size=shape)


def test_complex_covariances():
    x = draw(3, 5)
    np.testing.assert_allclose(linalg.cov(paddle.to_tensor(x)).numpy(), np.cov(x))
    np.testing.assert_allclose(linalg.corrcoef(paddle.to_tensor(x)).numpy(), np.corrcoef(x))
    weights = np.array([1, 2, 1, 3, 1])
    found = linalg.cov(paddle.to_tensor(x), fweights=paddle.to_tensor(weights))
    np.testing.assert_allclose(found.numpy(), np.cov(x, fweights=weights))


@pytest.mark.parametrize("shape", [(5, 4), (4, 5), (5, 2)])
def test_complex_low_rank(shape):
    x = draw(shape[0], 2) @ draw(2, shape[1], seed=4)
    u, s, v = linalg.svd_lowrank(paddle.to_tensor(x), q=2)
    np.testing.assert_allclose((u * s).numpy() @ v.numpy().conj().T, x, atol=1e-10)
    np.testing.assert_allclose(s.numpy(), np.linalg.svd(x, compute_uv=False)[:2])


def test_gradient_of_low_rank_values_of_a_matrix_of_full_rank():
    x = paddle.to_tensor(draw(4, 3).real, stop_gradient=False)
    linalg.svd_lowrank(x)[1].square().sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * x.numpy(), atol=1e-10)


@pytest.mark.parametrize("p", ["fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf])
def test_complex_norms_and_condition_numbers(p):
    x = draw(3, 3)
    np.testing.assert_allclose(
        linalg.matrix_norm(paddle.to_tensor(x), p).item(), np.linalg.norm(x, p)
    )
    np.testing.assert_allclose(linalg.cond(paddle.to_tensor(x), p).item(), np.linalg.cond(x, p))


def test_complex_cholesky_inverse():
    x = np.tril(draw(3, 3)) + 2 * np.eye(3)
    for upper in (False, True):
        factor = x.conj().T if upper else x
        found = linalg.cholesky_inverse(paddle.to_tensor(factor), upper=upper)
        np.testing.assert_allclose(found.numpy(), np.linalg.inv(x @ x.conj().T), atol=1e-12)


def test_complex_least_squares():
    x, y = draw(4, 3), draw(4, 2, seed=4)
    found = linalg.lstsq(paddle.to_tensor(x), paddle.to_tensor(y), driver="gelsd")
    wanted = np.linalg.lstsq(x, y)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one.numpy(), other)


def test_out_of_several_results():
    x = paddle.to_tensor(draw(3, 2).real)
    targets = paddle.zeros([1]), paddle.zeros([1]), paddle.zeros([1])
    linalg.svd(x, out=targets)
    np.testing.assert_allclose(targets[1].numpy(), linalg.svdvals(x).numpy())
    assert [each.shape for each in targets] == [[3, 2], [2], [2, 2]]


def test_wrong_weights_are_refused():
    x = paddle.ones([2, 3])
    with pytest.raises(InvalidArgumentError, match=r"aweights must have shape \[3\]"):
        linalg.cov(x, aweights=paddle.ones([3, 1]))
    with refused(InvalidArgumentError, match="cannot be negative"):
        linalg.cov(x, aweights=-paddle.ones([3]))
    with refused(InvalidArgumentError, match="must be integer"):
        linalg.cov(x, fweights=0.5 * paddle.ones([3]))
    with refused(InvalidArgumentError, match="sum of weights is zero"):
        linalg.cov(x, fweights=paddle.zeros([3]))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x: linalg.lstsq(x, x, driver="qr"), "driver must be one of"),
        (lambda x: linalg.lu(x, pivot=False), "no factorization without pivoting"),
        (lambda x: linalg.solve(x, x[0], left=False), "needs matrices y"),
        (lambda x: linalg.cholesky_inverse(x.unsqueeze(0)), "takes one square matrix"),
        (lambda x: linalg.ormqr(x, x, x), r"takes x \[..., m, n\]"),
        (lambda x: linalg.matrix_rank(x, tol=1.0, rtol=1.0), "use tol alone"),
        (lambda x: linalg.svd_lowrank(x, q=3), "not greater than min"),
        (lambda x: linalg.svd_lowrank(x, niter=-1), "must be non-negative"),
        (lambda x: linalg.cond(x[:1], 1), "when input is a square matrix"),
        (lambda x: linalg.cond(x, 3), "unsupported 3 for p"),
        (lambda x: linalg.vector_norm(x, "fro"), "only valid p type"),
        (lambda x: linalg.matrix_norm(x, axis=[0]), "found 1"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused(call, text):
    with pytest.raises(InvalidArgumentError, match=text):
        call(paddle.eye(2))


def test_the_face_has_every_name_of_paddle_but_one():
    """fp8_fp8_half_gemm_fused is a kernel for CUDA alone, and is not here."""
    assert len(linalg.__all__) == 39
    assert all(callable(getattr(linalg, name)) for name in linalg.__all__)
    assert not hasattr(linalg, "fp8_fp8_half_gemm_fused")
