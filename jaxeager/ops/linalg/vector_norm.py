"""Norms of vectors, matrices and differences; the gradient is 0 where the norm is 0."""

import math

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.register import op
from jaxeager.ops.rules.attrs import Axes
from jaxeager.ops.rules.axes import normal_axes, same_dtype, spread
from jaxeager.ops.rules.norms import norm_over
from jaxeager.ops.rules.precision import in_float32
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, unary, values


def p_norm_forward(
    x,
    *,
    porder: float = 2.0,
    axis: Axes = -1,
    epsilon: float = 1e-12,
    keepdim: bool = False,
    asvector: bool = False,
):
    """Compute the p-norm of vectors along the given axes, or of all elements."""
    axes = None if asvector else axis
    return norm_over(x, porder, normal_axes(axes, x.ndim), keepdim)


def _unit(x):
    """Return x / |x|, 0 at 0."""
    if not jnp.iscomplexobj(x):
        return jnp.sign(x)
    at_zero = x == 0
    safe = jnp.where(at_zero, 1, x)
    return jnp.where(at_zero, 0, safe / jnp.abs(safe))


def _norm_vjp(x, out, dout, porder):
    """Compute the gradient of any p-norm, with out and dout already broadcast to x."""
    if porder == 0:
        return jnp.zeros_like(x)
    if abs(porder) == math.inf:
        return dout * _unit(x) * (jnp.abs(x) == out)
    if porder == 1:
        return dout * _unit(x)
    is_zero = out == 0
    safe = jnp.where(is_zero, 1, out)
    if porder == 2:
        return jnp.where(is_zero, 0, dout * (x / safe))
    share = jnp.abs(x) / safe
    if porder < 1:  # at an element of 0 the slope is infinite on both sides; 0 is between them
        share = jnp.where(share == 0, 1, share)
    slope = _unit(x) * share ** (porder - 1)
    return jnp.where(is_zero, 0, dout * slope)


def p_norm_vjp(x, out, dout, *, porder, axis, keepdim, asvector):
    """Multiply the gradient by the derivative of the norm by each element."""
    axes = None if asvector else axis
    out, dout = (spread(each, x.shape, axes, keepdim) for each in (out, dout))
    return _norm_vjp(x, out, dout, porder)


def p_norm_reference(x, porder=2.0, axis=-1, epsilon=1e-12, keepdim=False, asvector=False):
    """Use NumPy's vector norm."""
    if np.ndim(x) == 0:
        return np.linalg.norm(np.reshape(x, 1), porder, axis=0)
    if asvector:
        norm = np.linalg.norm(np.ravel(x), porder)
        return norm.reshape((1,) * np.ndim(x)) if keepdim else norm
    if isinstance(axis, list):
        kept = [i for i in range(np.ndim(x)) if i not in axis]
        vectors = np.transpose(x, [*kept, *axis]).reshape([np.shape(x)[i] for i in kept] + [-1])
        return np.linalg.norm(vectors, porder, axis=-1)
    return np.linalg.norm(x, porder, axis=axis, keepdims=keepdim)


def p_norm_samples():
    """Yield every kind of order, both ways of naming axes, 0-D."""
    for porder in (2.0, 1.0, 0.0, 3.0, 1.5, math.inf, -math.inf, -1.0):
        yield Sample(values((2, 3)), porder=porder, axis=1)
    yield Sample(values((2, 3)), asvector=True, keepdim=True)
    yield Sample(values((2, 3, 2)), porder=3.0, axis=-2, keepdim=True)
    yield Sample(values((2, 3, 2)), porder=1.5, axis=[0, 2])
    yield Sample(values(()))


def norm_errors():
    """Yield an axis out of range."""
    yield BadInput((np.ones((2, 3)),), {"axis": 5}, InvalidArgumentError, "in the range [-2, 2)")


p_norm = op(
    "p_norm",
    in_float32(p_norm_forward),
    vjp=in_float32(p_norm_vjp),
    saves="x out",
    promote="float",
    public=None,
    reference=p_norm_reference,
    samples=p_norm_samples,
    errors=norm_errors,
    formula="dx = dout * sign(x) * (|x| / out)^(porder - 1), 0 where out = 0 or porder = 0",
    boundary="0 for a norm of 0, as in Paddle (JAX: nan); p = inf shares ties. "
    "0 at elements of 0 for p < 1 (Paddle: nan).",
    doc="Compute the p-norm along an axis, or of all elements.",
    dtypes=WITH_COMPLEX,
)


def frobenius_norm_forward(x, *, axis: Axes = None, keepdim: bool = False):
    """Compute the root of the sum of squares over several axes."""
    return norm_over(x, 2, normal_axes(axis, x.ndim), keepdim)


def frobenius_norm_vjp(x, out, dout, *, axis, keepdim):
    """Return the gradient in the direction of x."""
    out, dout = (spread(each, x.shape, axis, keepdim) for each in (out, dout))
    return _norm_vjp(x, out, dout, 2)


def frobenius_norm_reference(x, axis=None, keepdim=False):
    """Take the root of NumPy's sum of squares."""
    axis = tuple(axis) if isinstance(axis, list) else axis
    return np.sqrt(np.sum(np.abs(x) ** 2, axis=axis, keepdims=keepdim))


def frobenius_norm_samples():
    """Yield matrices and batches of them."""
    yield Sample(values((2, 3)), axis=[0, 1])
    yield Sample(values((2, 3, 2)), axis=[0, -1], keepdim=True)
    yield Sample(values((2, 3)))


frobenius_norm = op(
    "frobenius_norm",
    in_float32(frobenius_norm_forward),
    vjp=in_float32(frobenius_norm_vjp),
    saves="x out",
    promote="float",
    public=None,
    reference=frobenius_norm_reference,
    samples=frobenius_norm_samples,
    errors=norm_errors,
    formula="dx = dout * x / out, 0 at out = 0",
    boundary="0 for a norm of 0, as in Paddle.",
    doc="Compute the Frobenius norm of matrices.",
    dtypes=WITH_COMPLEX,
)


def sqrt_of_squares_vjp(out, dout):
    """Multiply dout by 1 / (2 out), and by 0 at 0, where a norm of the terms has its minimum."""
    is_zero = out == 0
    return jnp.where(is_zero, 0, 0.5 * dout / jnp.conj(jnp.where(is_zero, 1, out)))


sqrt_of_squares = op(
    "sqrt_of_squares",
    in_float32(jnp.sqrt),
    vjp=in_float32(sqrt_of_squares_vjp),
    saves="out",
    public=None,
    grad_name="SqrtGradNode",
    dtypes=WITH_COMPLEX,
    reference="numpy.sqrt",
    samples=unary(0.3, 4.0),
    formula="dx = dout / (2 * conj(out)), 0 at out = 0",
    boundary="0 at 0: std and hypot have their minimum there (Paddle: nan).",
    doc="Compute the root of a sum of squares; recorded by std and hypot for their square root.",
)


def dist_forward(x, y, *, p: float = 2.0):
    """Compute the p-norm of the difference."""
    same_dtype(x, y)
    difference = x - y
    return norm_over(difference, p, tuple(range(difference.ndim)), False)


def dist_vjp(x, y, out, dout, *, p):
    """Return the gradient of the norm for x, and its negative for y."""
    difference = x - y
    if abs(p) == math.inf:  # out is rounded to half precision, where no difference may equal it
        out = dist_forward(x, y, p=p)
    grad = _norm_vjp(difference, out, dout, p)
    return grad, -grad


def dist_reference(x, y, p=2.0):
    """Use NumPy's norm of the difference."""
    return np.linalg.norm(np.ravel(x - y), p)


def dist_samples():
    """Yield several orders, and broadcasting."""
    yield Sample(values((2, 3)), values((2, 3), 3.0, 5.0, seed=1))
    yield Sample(values((2, 3)), values((3,), 3.0, 5.0, seed=1), p=1.0)
    yield Sample(values((2, 1)), values((3,), 3.0, 5.0, seed=1), p=3.0)
    yield Sample(values((4,)), values((4,), 3.0, 5.0, seed=1), p=math.inf)
    yield Sample(values(()), values((), 3.0, 5.0, seed=1))


def dist_errors():
    """Yield shapes that do not broadcast."""
    yield BadInput((np.ones(3), np.ones(4)), {}, InvalidArgumentError, "dist")


dist = op(
    "dist",
    in_float32(dist_forward),
    vjp=in_float32(dist_vjp),
    saves="x y out",
    broadcast=True,
    reference=dist_reference,
    samples=dist_samples,
    errors=dist_errors,
    formula="dx = dout * sign(x - y) * (|x - y| / out)^(p - 1), 0 at out = 0; dy = -dx",
    boundary="0 where the operands are equal, as in Paddle.",
    doc="Compute the p-norm of x - y.",
    example="paddle.dist(paddle.to_tensor([3.0, 4.0]), paddle.to_tensor([0.0, 0.0]))",
    dtypes=WITH_COMPLEX,
)
