"""The median: the middle element, or the mean of the two middle ones, with or without nan."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.ordering import argsort
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.call.keywords import compute_into
from jaxeager.ops.register import composite, op
from jaxeager.ops.rules.attrs import Axes
from jaxeager.ops.rules.axes import lines_over, normal_axes
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def _lines(x, axis):
    """Return x with the reduced axes merged into one, the last."""
    return lines_over(x, normal_axes(axis, x.ndim))


def _middles(line, mode: str, ignore_nan: bool = False) -> tuple:
    """Return the two middle elements (one and the same for odd counts), and a position."""
    order = argsort(line)
    is_nan = jnp.isnan(line)
    count = jnp.full((*line.shape[:-1], 1), line.shape[-1])
    if ignore_nan:
        count = jnp.sum(~is_nan, axis=-1, keepdims=True)
    low = jnp.take_along_axis(order, jnp.maximum(count - 1, 0) // 2, -1)
    if not ignore_nan:
        has_nan = jnp.any(is_nan, axis=-1, keepdims=True)
        low = jnp.where(has_nan, jnp.argmax(is_nan, axis=-1, keepdims=True), low)
    high = low
    if mode == "avg":
        high = jnp.take_along_axis(order, jnp.minimum(count // 2, line.shape[-1] - 1), -1)
        high = high if ignore_nan else jnp.where(has_nan, low, high)
    return *(jnp.take_along_axis(line, each, -1) for each in (low, high)), low


def _take(x, axis, keepdim: bool, mode: str, ignore_nan: bool = False):
    if mode not in ("avg", "min"):
        raise ValueError(f"the mode must be 'avg' or 'min', not {mode!r}.")
    line = _lines(x, axis)
    if line.shape[-1] == 0:
        nothing = jnp.nan if jnp.issubdtype(x.dtype, jnp.inexact) else 0
        out, place = jnp.full(line.shape[:-1], nothing, x.dtype), jnp.zeros(line.shape[:-1], int)
    else:
        low, high, place = _middles(line, mode, ignore_nan)
        if ignore_nan:
            place = jnp.where(jnp.isnan(low), -1, place)  # no element counts
        out, place = _mean_of(low, high)[..., 0], place[..., 0].astype(np.int64)
    axes = normal_axes(axis, x.ndim)
    return tuple(jnp.expand_dims(each, axes) if keepdim else each for each in (out, place))


def _mean_of(low, high):
    """Return the mean of two elements; integers are truncated towards zero, as in Paddle."""
    if jnp.issubdtype(low.dtype, jnp.inexact):
        return low * 0.5 + high * 0.5
    total = low + high
    return (jnp.sign(total) * (jnp.abs(total) // 2)).astype(low.dtype)


@real_only
def median_forward(x, *, axis: Axes = None, keepdim: bool = False, mode: str = "avg"):
    """Compute the mean of the two middle elements, or the lower of them; nan if any is nan."""
    return _take(x, axis, keepdim, mode)


@real_only
def nanmedian_forward(x, *, axis: Axes = None, keepdim: bool = False, mode: str = "avg"):
    """Compute the mean of the two middle elements that are not nan, or the lower of them."""
    return _take(x, axis, keepdim, mode, ignore_nan=True)


def median_vjp(x, out, dout, *, axis, keepdim, mode):
    """Pass half of the gradient to each middle element, shared by the elements that equal it."""
    return _shared(x, out, dout, axis, mode, False)


def nanmedian_vjp(x, out, dout, *, axis, keepdim, mode):
    """Pass half of the gradient to each middle element, shared by the elements that equal it."""
    return _shared(x, out, dout, axis, mode, True)


def _shared(x, out, dout, axis, mode: str, ignore_nan: bool):
    line = _lines(x, axis)
    if line.size == 0:
        return jnp.zeros(x.shape, dout.dtype)
    axes = normal_axes(axis, x.ndim)
    low, high, place = _middles_around(line, out.reshape(*line.shape[:-1], 1), ignore_nan)
    middles = [low, low if mode == "min" else high]
    total = jnp.zeros((), dout.dtype)
    is_flat = axis is None or 1 < len(axes) == x.ndim
    if mode == "min" and not is_flat:
        counts = ~jnp.isnan(low) if ignore_nan else True
        total = ((jnp.arange(line.shape[-1]) == place) & counts).astype(dout.dtype)
        middles = []
    for middle in middles:
        is_middle = ((line == middle) | (jnp.isnan(line) & jnp.isnan(middle))).astype(dout.dtype)
        total = total + 0.5 * is_middle / jnp.sum(is_middle, axis=-1, keepdims=True)
    grads = total * dout.reshape(*line.shape[:-1], 1)
    order = [each for each in range(x.ndim) if each not in axes] + list(axes)
    shape = [x.shape[each] for each in order]
    return jnp.transpose(grads.reshape(shape), np.argsort(order).tolist())


def _middles_around(line, out, ignore_nan: bool) -> tuple:
    """Return the two middle elements around a median, and the position of the lower one.

    Counts of smaller and of equal elements are enough for that, which take a tenth of the time of
    sorting. The mean of the middles may be rounded to one of them, or, of subnormal numbers, below
    or above both; that of -inf and inf is nan.
    """
    is_nan = jnp.isnan(line)
    count = jnp.sum(~is_nan, axis=-1, keepdims=True) if ignore_nan else line.shape[-1]
    before = jnp.sum(line < out, axis=-1, keepdims=True)
    up_to = before + jnp.sum(line == out, axis=-1, keepdims=True)
    below = jnp.max(jnp.where(line < out, line, -jnp.inf), axis=-1, keepdims=True)
    above = jnp.min(jnp.where(line > out, line, jnp.inf), axis=-1, keepdims=True)

    def at(rank):
        return jnp.where(rank < before, below, jnp.where(rank < up_to, out, above))

    is_none = jnp.any(is_nan, axis=-1, keepdims=True)
    if ignore_nan:
        is_none = count == 0
    is_between = jnp.isnan(out) & ~is_none  # -inf and inf
    rank = (count - 1) // 2
    low = jnp.where(is_none, jnp.nan, jnp.where(is_between, -jnp.inf, at(rank)))
    high = jnp.where(is_none, jnp.nan, jnp.where(is_between, jnp.inf, at(count // 2)))
    is_low = line == low  # of these, a stable sort has the one at the rank in the middle
    nth = rank - jnp.sum(line < low, axis=-1, keepdims=True) + 1
    place = jnp.argmax(is_low & (jnp.cumsum(is_low, axis=-1) == nth), axis=-1, keepdims=True)
    return low, high, jnp.where(is_none, jnp.argmax(is_nan, axis=-1, keepdims=True), place)


def median_reference(x, axis=None, keepdim=False, mode="avg"):
    """Compute NumPy's median, and the position of the lower middle element."""
    flat = np.reshape(x, -1) if axis is None else x
    along = 0 if axis is None else axis
    order = np.argsort(flat, along, kind="stable")
    place = np.take(order, (np.shape(flat)[along] - 1) // 2, along)
    low = np.take_along_axis(flat, np.expand_dims(place, along), along).squeeze(along)
    out = low if mode == "min" else np.median(flat, along)
    if keepdim:
        shape = (1,) * np.ndim(x)
        pair = (out, place)
        if axis is None:
            return tuple(np.reshape(each, shape) for each in pair)
        return tuple(np.expand_dims(each, axis) for each in pair)
    return out, place


def median_samples():
    """Yield odd and even counts, both modes, each axis, 0-D."""
    yield Sample(values((3, 5)))
    yield Sample(values((3, 4)), axis=1)
    yield Sample(values((4, 3)), axis=0, keepdim=True, mode="min")
    yield Sample(values((2, 3)), keepdim=True)
    yield Sample(values(()))


def median_errors():
    """Yield an axis out of range, and an unknown mode."""
    yield BadInput((np.ones((2, 3)), 5), {}, InvalidArgumentError, "in the range [-2, 2)")
    yield BadInput((np.ones(3), None, False, "max"), {}, InvalidArgumentError, "'avg' or 'min'")


_median = op(
    "median",
    median_forward,
    vjp=median_vjp,
    saves="x out",
    outputs="out indices",
    promote="float",
    public=None,
    reference=median_reference,
    samples=median_samples,
    errors=median_errors,
    formula="dx = dout at the middle element, or half of it at each of two, shared by the "
    "elements that equal it",
    boundary="half to each of the two middles, equal elements share, as in Paddle; in mode "
    "'min' along an axis all of it goes to the position that indices names.",
    doc="Take the median along an axis, or of all elements.",
)


def nanmedian_reference(x, axis=None, keepdim=False, mode="avg"):
    """Compute NumPy's nanmedian, and the position of the lower middle element."""
    axes = tuple(range(np.ndim(x))) if axis is None else axis
    axes = tuple(axes) if isinstance(axes, (list, tuple)) else (axes,)
    axes = tuple(each % np.ndim(x) for each in axes)
    rest = [each for each in range(np.ndim(x)) if each not in axes]
    lines = np.transpose(x, (*rest, *axes)).reshape(*np.take(np.shape(x), rest).astype(int), -1)
    order = np.argsort(lines, -1, kind="stable")
    count = np.sum(~np.isnan(lines), -1, keepdims=True)
    place = np.take_along_axis(order, np.maximum(count - 1, 0) // 2, -1)
    low = np.take_along_axis(lines, place, -1)[..., 0]
    place = np.where(count == 0, -1, place)
    out = low if mode == "min" else np.nanmedian(lines, -1)
    out = out if np.issubdtype(x.dtype, np.inexact) else np.trunc(out).astype(x.dtype)
    pair = out, place[..., 0]
    return tuple(np.expand_dims(each, axes) for each in pair) if keepdim else pair


def nanmedian_samples():
    """Yield odd and even counts with nan, both modes, several axes, ties."""
    x = np.array([[1.0, np.nan, 3.0, 5.0], [4.0, 2.0, np.nan, np.nan], [0.5, -1.0, 7.0, 6.0]])
    yield Sample(x)
    yield Sample(x, axis=1)
    yield Sample(x, axis=0, keepdim=True, mode="min")
    yield Sample(values((2, 3, 3)), axis=[0, -1])
    yield Sample(values((2, 3, 3)), axis=[0, -1], keepdim=True, mode="min")
    yield Sample(np.array([[1, 4, 2], [7, 5, 3]]), axis=1)


_nanmedian = op(
    "nanmedian",
    nanmedian_forward,
    vjp=nanmedian_vjp,
    saves="x out",
    outputs="out indices",
    public=None,
    reference=nanmedian_reference,
    samples=nanmedian_samples,
    errors=median_errors,
    formula="dx = dout at the middle element, or half of it at each of two, shared by the "
    "elements that equal it",
    boundary="elements that tie share it equally; where all are nan they do too, as in Paddle; in "
    "mode 'min' along an axis all of it goes to the position that indices names.",
    doc="Take the median of the elements that are not nan, along axes or of all of them.",
)


@composite()
def median(
    x: "Tensor",
    axis: int | None = None,
    keepdim: bool = False,
    mode: str = "avg",
    name: str | None = None,
    *,
    out: "tuple[Tensor, Tensor] | None" = None,
) -> "Tensor | tuple[Tensor, Tensor]":
    """Return the median along an axis, or of all elements; nan where there is a nan.

    Args:
        x: tensor of any shape.
        axis: the axis; without it all elements count.
        keepdim: whether the reduced axis stays, with size 1.
        mode: for an even count "avg" takes the mean of the two middle elements, "min" the lower.
            If ``input=`` or ``dim=`` is given, the default is "min", as in Paddle.
        name: accepted for compatibility.
        out: two tensors that become the median and its positions.

    Returns:
        Tensor of the remaining axes; in mode "min" with an axis also the int64 positions. In mode
        "avg" it is float32, or float64 for a float64 operand.

    Raises:
        InvalidArgumentError: for several axes, another mode, or an ``out`` that is not a pair.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.median(paddle.to_tensor([4.0, 1.0, 3.0, 2.0])).item()
        2.5
    """
    if isinstance(axis, (list, tuple)):
        raise InvalidArgumentError(
            f"median: the axis must be None or one integer, but received {axis}."
        )
    if out is not None and not (isinstance(out, (list, tuple)) and len(out) == 2):
        raise InvalidArgumentError("The out argument must be a tuple with 2 elements.")

    def compute():
        is_kept = mode == "min" or x.dtype == np.float64 or x.is_complex()
        values, indices = _median(x if is_kept else x.astype("float32"), axis, keepdim, mode)
        values = values if mode != "min" or values.dtype == x.dtype else values.astype(x.dtype)
        return values, indices.detach()

    pair = compute() if out is None else compute_into(out, compute)
    return pair if mode == "min" and axis is not None else pair[0]


@composite()
def nanmedian(
    x: "Tensor",
    axis: "int | Sequence[int] | None" = None,
    keepdim: bool = False,
    mode: str = "avg",
    name: str | None = None,
) -> "Tensor | tuple[Tensor, Tensor]":
    """Return the median of the elements that are not nan, along axes or of all elements.

    Args:
        x: tensor of any shape; the median of integers is an integer, truncated towards zero.
        axis: int, or list of ints; all axes by default.
        keepdim: whether reduced axes stay, with size 1.
        mode: for an even count "avg" takes the mean of the two middle elements, "min" the lower.
        name: accepted for compatibility.

    Returns:
        Tensor of the remaining axes, nan where all elements are nan; in mode "min" with an int as
        axis also the int64 positions, -1 where all elements are nan.

    Paddle: the position is 0 instead of -1 when the whole tensor is nan.

    Raises:
        InvalidArgumentError: for an axis out of range or named twice, an empty list of axes, or
            another mode.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nanmedian(paddle.to_tensor([4.0, float("nan"), 3.0, 2.0])).item()
        3.0
    """
    if isinstance(axis, (list, tuple)) and not axis:
        raise InvalidArgumentError("nanmedian: the list of axes should not be empty.")
    out, indices = _nanmedian(x, axis, keepdim, mode)
    has_places = mode == "min" and axis is not None and not isinstance(axis, (list, tuple))
    return (out, indices.detach()) if has_places else out
