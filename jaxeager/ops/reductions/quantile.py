"""Quantiles: the elements at given shares of the sorted ones."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.ordering import argsort
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.ops.creation.creation import from_numpy
from jaxeager.ops.register import composite, op
from jaxeager.ops.rules.attrs import Axes
from jaxeager.ops.rules.axes import lines_over, normal_axes
from jaxeager.ops.rules.precision import in_float32
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

Interpolation: TypeAlias = Literal["linear", "lower", "higher", "nearest", "midpoint"]

INTERPOLATIONS = ("linear", "lower", "higher", "nearest", "midpoint")


def quantile_forward(
    x,
    q,
    *,
    axis: Axes = None,
    keepdim: bool = False,
    interpolation: str = "linear",
    ignore_nan: bool = False,
):
    """Interpolate between sorted elements; the axis of q, if any, is the first of the result."""
    if interpolation not in INTERPOLATIONS:
        names = ", ".join(map(repr, INTERPOLATIONS))
        raise ValueError(f"interpolation must be one of {names}, but received {interpolation!r}.")
    axes = normal_axes(axis, x.ndim)
    line = lines_over(x, axes)
    if not line.shape[-1]:
        line = jnp.full((*line.shape[:-1], 1), jnp.nan, x.dtype)
    line = jnp.take_along_axis(line, argsort(line), -1)  # nan comes last
    last = _last_place(line, ignore_nan)
    places = jnp.maximum(last, 0) * q.reshape(-1)
    if not ignore_nan:  # a line with a nan has the quantile nan
        has_nan = jnp.isnan(line[..., -1:])
        places = jnp.where(has_nan, line.shape[-1] - 1, places)
    out = _at(line, places, interpolation)
    if ignore_nan:  # only nan: no element is the result or gets a gradient
        out = jnp.where(last < 0, jnp.nan, out)
    out = jnp.moveaxis(out, -1, 0)
    if keepdim:
        out = jnp.expand_dims(out, [1 + each for each in axes])
    return out if q.ndim else out[0]


def _last_place(line, ignore_nan: bool):
    """Return the place of the last element that counts, with an axis of size 1 at the end."""
    if not ignore_nan:
        return jnp.full((*line.shape[:-1], 1), line.shape[-1] - 1.0, np.float64)
    return jnp.sum(~jnp.isnan(line), axis=-1, keepdims=True) - 1.0


def _at(line, places, interpolation: str):
    """Return the interpolated values at places in sorted lines."""

    def pick(at):
        return jnp.take_along_axis(line, at.astype(np.int64), axis=-1)

    if interpolation == "nearest":
        return pick(jnp.round(places))
    low, high = jnp.floor(places), jnp.ceil(places)
    if interpolation == "lower":
        return pick(low)
    if interpolation == "higher":
        return pick(high)
    low_value, high_value = pick(low), pick(high)
    if interpolation == "midpoint":
        return (low_value + high_value) / 2
    return low_value + (high_value - low_value) * (places - low).astype(line.dtype)


def quantile_reference(
    x, q, axis=None, keepdim=False, interpolation: Interpolation = "linear", ignore_nan=False
):
    """Compute NumPy's quantile or nanquantile."""
    axis = tuple(axis) if isinstance(axis, list) else axis
    function = np.nanquantile if ignore_nan else np.quantile
    return function(x, q, axis=axis, keepdims=keepdim, method=interpolation)


def quantile_samples():
    """Yield axes and interpolations, several shares, nan kept and ignored, ties, 0-D."""
    with_nan = np.array([[1.0, np.nan, 3.0], [4.0, 2.0, 6.0]])
    yield Sample(values((3, 5)), np.array(0.3))
    yield Sample(values((3, 4)), np.array([0.1, 0.5, 1.0]), axis=1)
    yield Sample(values((2, 3, 4)), np.array([0.25, 0.4]), axis=[0, -1], keepdim=True)
    for interpolation in INTERPOLATIONS[1:]:
        yield Sample(values((4, 3)), np.array([0.4, 0.7]), axis=0, interpolation=interpolation)
    yield Sample(with_nan, np.array(0.5), axis=1, grad=False)
    yield Sample(with_nan, np.array([0.2, 0.5]), axis=1, ignore_nan=True)
    yield Sample(values(()), np.array(0.5))


def quantile_errors():
    """Yield an axis out of range, and an unknown interpolation."""
    bad = np.ones((2, 3)), np.array(0.5)
    yield BadInput((*bad, 2), {}, InvalidArgumentError, "in the range [-2, 2)")
    unknown = {"interpolation": "cubic"}
    yield BadInput(bad, unknown, InvalidArgumentError, "'midpoint', but received 'cubic'")


_quantile = op(
    "quantile",
    in_float32(real_only(quantile_forward)),
    saves="x q",
    nondiff="q",
    promote="float",
    public=None,
    reference=quantile_reference,
    samples=quantile_samples,
    errors=quantile_errors,
    formula="dx = dout, shared between the two elements out lies between",
    boundary="of elements that tie, the ones that a stable sort selects get the gradient; "
    "dx = 0 along a line of only nan if nan are ignored.",
    doc="Take the elements at given fractions of the sorted order; one op here, several in Paddle.",
)


def _shares(q):
    """Return q as a float64 tensor: 0-D for a number or a list of one, else 1-D."""
    if hasattr(q, "_storage"):
        q = q.tolist()
    if not isinstance(q, (int, float, list, tuple)):
        raise InvalidTypeError(
            f"q must be a float, a list of them or a Tensor, but got {type(q).__name__}."
        )
    shares = np.asarray(q, np.float64)
    if not shares.size:
        raise InvalidArgumentError("q should not be empty, but received [].")
    if not ((shares >= 0) & (shares <= 1)).all():
        raise InvalidArgumentError(f"q should be in range [0, 1], but received {q}.")
    return from_numpy(shares.reshape(-1) if shares.size > 1 else shares.reshape(()))


@composite()
def quantile(
    x: "Tensor",
    q: "float | Sequence[float] | Tensor",
    axis: "int | Sequence[int] | None" = None,
    keepdim: bool = False,
    interpolation: str = "linear",
    name: str | None = None,
) -> "Tensor":
    """Return the elements at given shares of the sorted ones; nan where there is a nan.

    Paddle: the quantile of no elements is 0.0 there. Here it is nan. For integers the place is
    rounded down there unless the interpolation is linear, so that a midpoint is the lower element.

    Args:
        x: floating tensor of any shape; integers are computed in the default floating dtype.
        q: a number in [0, 1], a list of them, or a Tensor, whose values this waits for.
        axis: int, or list of ints; all axes by default.
        keepdim: whether reduced axes stay, with size 1.
        interpolation: the value between two elements: "linear", "lower", "higher", "nearest" or
            "midpoint".
        name: accepted for compatibility.

    Returns:
        Tensor of the remaining axes; with several shares their axis comes first.

    Raises:
        InvalidArgumentError: for a share outside [0, 1], an axis out of range, or another
            interpolation.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.quantile(paddle.to_tensor([1.0, 2.0, 4.0]), [0.5, 0.75]).tolist()
        [2.0, 3.0]
    """
    return _quantile(x, _shares(q), axis, keepdim, interpolation)


@composite()
def nanquantile(
    x: "Tensor",
    q: "float | Sequence[float] | Tensor",
    axis: "int | Sequence[int] | None" = None,
    keepdim: bool = False,
    interpolation: str = "linear",
) -> "Tensor":
    """Return the elements at given shares of the sorted ones that are not nan; see ``quantile``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nanquantile(paddle.to_tensor([1.0, float("nan"), 4.0]), 0.5).item()
        2.5
    """
    return _quantile(x, _shares(q), axis, keepdim, interpolation, True)
