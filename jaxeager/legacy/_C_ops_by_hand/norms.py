"""Norms and reductions over axes."""

import jaxeager as paddle
from jaxeager.errors import UnimplementedError
from jaxeager.nn import clip

F = paddle.nn.functional


def p_norm(x, porder=2.0, axis=-1, epsilon=1e-12, keepdim=False, asvector=False):
    """Return the norm of vectors along an axis; of all elements with ``asvector``."""
    if asvector:
        return paddle.linalg.vector_norm(x, porder, None, keepdim)
    return paddle.linalg.norm(x, porder, axis, keepdim)


def frobenius_norm(x, axis, keep_dim, reduce_all):
    """Return the root of the sum of squares along axes."""
    axes = None if reduce_all or not axis else list(axis)
    return paddle.sqrt((x * x).sum(axes, keepdim=keep_dim))


def squared_l2_norm(x):
    """Return the sum of the squares of all elements, float[1]."""
    return clip._squared_l2_norm(x)


def l1_norm(x):
    """Return the sum of the absolute values of all elements."""
    return x.abs().sum()


def mean_all(x):
    """Return the mean of all elements."""
    return x.mean()


def clip_by_norm(x, max_norm):
    """Return x scaled down so that its norm does not exceed a number; without a gradient."""
    return clip.clip_by_norm(x, max_norm)


def norm(x, axis, epsilon, is_test):
    """Return x over its Euclidean norm along an axis, and that norm."""
    root = paddle.sqrt((x * x).sum(axis, keepdim=True) + epsilon)
    return x / root, root


def batch_norm(
    x, mean, variance, scale, bias, is_test, momentum, epsilon, data_format,
    use_global_stats, trainable_statistics,
):  # fmt: skip
    """Return x normalised over its channels, and the statistics; update ``mean``, ``variance``."""
    training = not ((is_test and not trainable_statistics) or use_global_stats)
    axis = 1 if data_format.startswith("NC") else x.ndim - 1
    axes = [each for each in range(x.ndim) if each != axis]
    of_batch = x.detach()
    found = of_batch.mean(axes), paddle.rsqrt(of_batch.var(axes, unbiased=False) + epsilon)
    out = F.batch_norm(
        x, mean, variance, scale, bias, training, momentum, epsilon,
        "NCHW" if axis == 1 else "NHWC", use_global_stats or None,
    )  # fmt: skip
    if not training:
        zeros = paddle.zeros_like(mean)
        return out, mean, variance, zeros, zeros.clone(), paddle.empty([0])
    return out, mean, variance, *found, paddle.empty([0], dtype="uint8")


def std(x, axis, keepdim=False, unbiased=True, correction=1.0):
    """Return the standard deviation along axes."""
    if correction != 1.0:
        raise UnimplementedError(f"std: correction={correction!r} is not there: leave it 1.0.")
    return paddle.std(x, axis or None, bool(unbiased), keepdim)


def argsort(x, axis=-1, descending=False, stable=False):
    """Return the elements sorted along an axis, and their indices."""
    indices = paddle.argsort(x, axis, descending, stable)
    return paddle.take_along_axis(x, indices, axis), indices


def matrix_rank(x, tol, use_default_tol=True, hermitian=False):
    """Return the ranks of matrices."""
    return paddle.linalg.matrix_rank(x, None if use_default_tol else tol, hermitian)
