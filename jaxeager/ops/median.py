"""The median: the middle element, or the mean of the two middle ones."""

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.attrs import Axis
from jaxeager.ops.axes import normal_axis
from jaxeager.ops.real_only import real_only
from jaxeager.ops.row import composite, op
from jaxeager.ops.samples import BadInput, Sample, values


def _line(x, axis):
    """Returns x with the axis last: all elements in one line when no axis is given."""
    if axis is None or not x.ndim:
        return x.reshape(-1)
    return jnp.moveaxis(x, normal_axis(axis, x.ndim), -1)


def _middles(line, mode: str) -> tuple:
    """Returns the two middle elements (one and the same for odd counts), and a position."""
    count = line.shape[-1]
    order = jnp.argsort(line, axis=-1, stable=True)
    is_nan = jnp.isnan(line)
    has_nan = jnp.any(is_nan, axis=-1, keepdims=True)
    low = jnp.where(
        has_nan, jnp.argmax(is_nan, axis=-1, keepdims=True), order[..., [(count - 1) // 2]]
    )
    high = low if mode == "min" else jnp.where(has_nan, low, order[..., [count // 2]])
    return *(jnp.take_along_axis(line, each, -1) for each in (low, high)), low


@real_only
def median_forward(x, *, axis: Axis = None, keepdim: bool = False, mode: str = "avg"):
    """Takes the mean of the two middle elements, or the lower of them; nan where one is nan."""
    if mode not in ("avg", "min"):
        raise ValueError(f"the mode must be 'avg' or 'min', not {mode!r}.")
    line = _line(x, axis)
    if line.shape[-1] == 0:
        out, place = jnp.full(line.shape[:-1], jnp.nan, x.dtype), jnp.zeros(line.shape[:-1], int)
        return _shaped(out, x, axis, keepdim), _shaped(place, x, axis, keepdim)
    low, high, place = _middles(line, mode)
    out = (low * 0.5 + high * 0.5)[..., 0]
    return tuple(_shaped(e, x, axis, keepdim) for e in (out, place[..., 0].astype(np.int64)))


def _shaped(out, x, axis, keepdim):
    """Returns a reduced array with the axis put back at size 1 when it is kept."""
    if not keepdim:
        return out
    if axis is None or not x.ndim:
        return out.reshape((1,) * x.ndim)
    return jnp.expand_dims(out, normal_axis(axis, x.ndim))


def median_vjp(x, dout, *, axis, keepdim, mode):
    """Gives each middle element half of the gradient, shared by the elements that equal it."""
    line = _line(x, axis)
    if line.size == 0:
        return jnp.zeros(x.shape, dout.dtype)
    total = jnp.zeros((), dout.dtype)
    for middle in _middles(line, mode)[:2]:
        is_middle = ((line == middle) | (jnp.isnan(line) & jnp.isnan(middle))).astype(dout.dtype)
        total = total + 0.5 * is_middle / jnp.sum(is_middle, axis=-1, keepdims=True)
    grads = total * dout.reshape(*line.shape[:-1], 1)
    if axis is None or not x.ndim:
        return grads.reshape(x.shape)
    return jnp.moveaxis(grads, -1, normal_axis(axis, x.ndim))


def median_reference(x, axis=None, keepdim=False, mode="avg"):
    """NumPy's median; the position of the lower middle element."""
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
    """Yields odd and even counts, both modes, each axis, 0-D."""
    yield Sample(values((3, 5)))
    yield Sample(values((3, 4)), axis=1)
    yield Sample(values((4, 3)), axis=0, keepdim=True, mode="min")
    yield Sample(values((2, 3)), keepdim=True)
    yield Sample(values(()))


def median_errors():
    """Yields an axis out of range, and an unknown mode."""
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
    formula="dx = dout / 2 at each middle element, shared by the elements that equal it",
    doc="Takes the median along an axis, or of all elements.",
)


@composite()
def median(x, axis=None, keepdim=False, mode="avg", name=None):
    """Returns the median along an axis, or of all elements; nan where there is a nan.

    Args:
        x: tensor of any shape; integers are computed in the default floating dtype.
        axis: the axis; without it all elements count.
        keepdim: whether the reduced axis stays, with size 1.
        mode: for an even count "avg" takes the mean of the two middle elements, "min" the lower.
        name: accepted for compatibility.

    Returns:
        Tensor of the remaining axes; in mode "min" with an axis also the int64 positions.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.median(paddle.to_tensor([4.0, 1.0, 3.0, 2.0])).item()
        2.5
    """
    if isinstance(axis, (list, tuple)):
        raise InvalidArgumentError(
            f"median: the axis must be None or one integer, but received {axis}."
        )
    if mode != "min":
        return _median(x, axis, keepdim, mode)[0]
    dtype = x.dtype
    out, indices = _median(x, axis, keepdim, mode)
    out = out if out.dtype == dtype else out.astype(dtype)
    return out if axis is None else (out, indices.detach())
