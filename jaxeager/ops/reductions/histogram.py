"""Counts of elements by value: histograms and bin counts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError, InvalidTypeError, RefusedArgumentError
from jaxeager.ops.call.dispatch import raw
from jaxeager.ops.register import composite, op
from jaxeager.ops.row import NONDIFF
from jaxeager.ops.rules.attrs import Tensors, as_int, as_whole
from jaxeager.ops.rules.precision import quotient
from jaxeager.ops.rules.samples import BadInput, Sample, values

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

# ---- bins of equal width


def _limits(x, low: float, high: float):
    """Return the ends of the bins as 0-D arrays: the given ones, or those of the elements."""
    if jnp.iscomplexobj(x):
        raise ValueError(f"bins need an order, which {x.dtype} has not.")
    dtype = x.dtype if jnp.issubdtype(x.dtype, jnp.inexact) else np.float64
    if low == high and x.size:  # nan belongs to no bin
        first, last = jnp.nanmin(x).astype(dtype), jnp.nanmax(x).astype(dtype)
    else:
        first, last = jnp.asarray(low, dtype), jnp.asarray(high, dtype)
    half = jnp.where(first == last, jnp.asarray(0.5, dtype), 0)
    return first - half, last + half


def _check_bins(bins: int, low: float, high: float) -> None:
    if bins < 1:
        raise ValueError(f"bins must be 1 or more, but received {bins}.")
    if high < low:
        raise ValueError(f"max must not be below min, but received min {low} and max {high}.")


def histogram_forward(
    input,
    weight=None,
    *,
    bins: int = 100,
    min: float = 0.0,
    max: float = 0.0,
    density: bool = False,
):
    """Count elements, or sum their weights, in bins of equal width; the last bin is closed."""
    _check_bins(bins, min, max)
    x = input.reshape(-1)
    low, high = _limits(x, min, max)
    x = x.astype(low.dtype)
    is_inside = (x >= low) & (x <= high)
    places = quotient((x - low) * bins, high - low)
    places = jnp.where(is_inside, places, 0).astype(np.int64)
    if weight is None:
        weight = jnp.ones(x.shape, np.int64)
    elif weight.shape != input.shape:
        raise ValueError(f"weight must have the shape of input, but has {weight.shape}.")
    amounts = jnp.where(is_inside, weight.reshape(-1), 0)
    places = jnp.minimum(places, bins - 1)
    counts = jnp.zeros(bins, weight.dtype).at[places].add(amounts)
    if not density:
        return counts
    width = (high - low).astype(np.float32) / bins
    return (counts / jnp.sum(counts)).astype(np.float32) / width


def histogram_reference(input, weight=None, bins=100, min=0.0, max=0.0, density=False):
    """Compute NumPy's histogram."""
    limits = (min, max) if min != max else (np.min(input), np.max(input))
    counts, _ = np.histogram(input, bins, limits, density, weight)
    if density:
        return counts.astype(np.float32)
    return counts.astype(np.int64) if weight is None else counts.astype(weight.dtype)


def histogram_samples():
    """Yield elements at and beyond the ends, integers, weights, density, one value, no element."""
    x = np.array([[1.0, 2.0, 1.0], [5.0, 4.25, -1.0]])
    yield Sample(x, bins=4)
    yield Sample(x, bins=5, min=0.0, max=4.25)
    yield Sample(np.array([4, 1, 1, 0]), bins=4)
    yield Sample(x, values((2, 3), 0.5, 2.0), bins=3)
    yield Sample(np.array([4, 1, 1, 0]), bins=3, density=True)
    yield Sample(np.array([2.0, 2.0]), bins=4)
    yield Sample(np.zeros(0), bins=3, min=0.0, max=1.0)


def histogram_errors():
    """Yield no bins, reversed ends, and weights that do not fit."""
    x = np.ones(3)
    yield BadInput((x,), {"bins": 0}, InvalidArgumentError, "bins must be 1 or more")
    yield BadInput((x,), {"min": 2, "max": 1}, InvalidArgumentError, "max must not be below min")
    short = {"weight": np.ones(2)}
    yield BadInput((x,), short, InvalidArgumentError, "weight must have the shape")


_histogram = op(
    "histogram",
    histogram_forward,
    vjp=NONDIFF,
    public=None,
    reference=histogram_reference,
    samples=histogram_samples,
    errors=histogram_errors,
    dtypes="float32",
    doc="Count elements in bins of equal width.",
)


@composite()
def histogram(
    input: "Tensor",
    bins: int = 100,
    min: float = 0.0,
    max: float = 0.0,
    weight: "Tensor | None" = None,
    density: bool = False,
    name: str | None = None,
) -> "Tensor":
    """Return how many elements are in each of ``bins`` bins of equal width.

    Args:
        input: tensor of any shape; nan belongs to no bin.
        bins: the number of bins.
        min: the beginning of the first bin; if it equals ``max`` the bins span the elements.
        max: the end of the last bin, which belongs to it.
        weight: tensor of the shape of ``input``; sums weights instead of counting.
        density: whether to normalize the integral over all bins to 1; the result is float32 then.
        name: accepted for compatibility.

    Returns:
        int64[bins]; in the dtype of ``weight`` if given.

    Raises:
        InvalidArgumentError: for no bins, a ``max`` below ``min``, or weights of another shape.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.histogram(paddle.to_tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3).tolist()
        [0, 2, 1, 0]
    """
    return _histogram(input, weight, bins, min, max, density)


def _equal_bins(low, high, bins: int):
    """Return the ends of bins of equal width, in float64."""
    low, high = low.astype(np.float64), high.astype(np.float64)
    number = np.arange(bins + 1)
    return jnp.where(number == bins, high, low + quotient(number * (high - low), bins))


def bin_edges_forward(input, *, bins: int = 100, min: float = 0.0, max: float = 0.0):
    """Compute the beginnings of bins of equal width, and the end of the last."""
    _check_bins(bins, min, max)
    low, high = _limits(input, min, max)
    return _equal_bins(low, high, bins).astype(np.float32)


def bin_edges_reference(input, bins=100, min=0.0, max=0.0):
    """Compute NumPy's edges in float32."""
    limits = (min, max) if min != max else None
    return np.histogram_bin_edges(input, bins, limits).astype(np.float32)


def bin_edges_samples():
    """Yield limits from the elements and given ones, one value, integers."""
    yield Sample(np.array([[1.0, 2.0], [5.0, 0.5]]), bins=4)
    yield Sample(np.array([1.0, 2.0]), bins=3, min=-1.0, max=0.5)
    yield Sample(np.array([2.0, 2.0]), bins=2)
    yield Sample(np.array([4, 1, 0]), bins=3)


def bin_edges_errors():
    """Yield no bins, and reversed ends."""
    yield BadInput((np.ones(3), 0), {}, InvalidArgumentError, "bins must be 1 or more")
    yield BadInput((np.ones(3), 2, 2, 1), {}, InvalidArgumentError, "max must not be below min")


histogram_bin_edges = op(
    "histogram_bin_edges",
    bin_edges_forward,
    vjp=NONDIFF,
    reference=bin_edges_reference,
    samples=bin_edges_samples,
    errors=bin_edges_errors,
    dtypes="float32",
    doc="Return the edges of the bins of histogram, the last one included; always float32.",
    example="paddle.histogram_bin_edges(paddle.to_tensor([1.0, 5.0]), bins=4)",
)

# ---- bins in several dimensions


def edges_forward(x, *, bins: int, low: float, high: float):
    """Compute the edges of one dimension, in its dtype."""
    _check_bins(bins, low, high)
    ends = _limits(x, low, high)
    return _equal_bins(*ends, bins).astype(ends[0].dtype)


def edges_reference(x, bins, low, high):
    """Compute NumPy's bin edges between the ends."""
    return np.histogram_bin_edges(x, bins, None if low == high else (low, high)).astype(x.dtype)


def edges_samples():
    """Yield limits from the elements, and given ones."""
    yield Sample(np.array([1.0, 2.0, 5.0]), bins=4, low=0.0, high=0.0)
    yield Sample(np.array([1.0, 2.0]), bins=3, low=-1.0, high=0.5)


_edges = op(
    "histogramdd_bin_edges",
    edges_forward,
    vjp=NONDIFF,
    public=None,
    reference=edges_reference,
    samples=edges_samples,
    dtypes="float32 float64",
    doc="Return the edges of the bins of one dimension of histogramdd, the last one included.",
)


def histogramdd_forward(x, edges: Tensors, weights=None, *, density: bool = False):
    """Count points between edges; the last bin of each dimension is closed."""
    sizes = tuple(each.shape[0] - 1 for each in edges)
    points = x.reshape(-1, x.shape[-1])
    places, is_inside = [], jnp.ones(points.shape[0], bool)
    for axis, edge in enumerate(edges):
        column = points[:, axis]
        place = jnp.searchsorted(edge, column, side="right") - 1
        place = jnp.where(column == edge[-1], sizes[axis] - 1, place)
        is_inside &= (column >= edge[0]) & (column <= edge[-1])
        places.append(jnp.clip(place, 0, sizes[axis] - 1))
    weights = jnp.ones(points.shape[0], x.dtype) if weights is None else weights.reshape(-1)
    if weights.shape != points.shape[:1]:
        raise ValueError(f"there must be a weight for each of {points.shape[0]} points.")
    amounts = jnp.where(is_inside, weights, 0)
    counts = jnp.zeros(sizes, weights.dtype).at[tuple(places)].add(amounts)
    if not density:
        return counts
    for axis, edge in enumerate(edges):
        widths = [-1 if each == axis else 1 for each in range(len(edges))]
        counts = counts / jnp.diff(edge).reshape(widths)
    return (counts / jnp.sum(amounts)).astype(weights.dtype)


def histogramdd_reference(x, edges, weights=None, density=False):
    """Compute NumPy's histogramdd."""
    points = np.reshape(x, (-1, np.shape(x)[-1]))
    weights = None if weights is None else np.ravel(weights)
    return np.histogramdd(points, edges, density=density, weights=weights)[0].astype(x.dtype)


def histogramdd_samples():
    """Yield points at and beyond the ends, weights, density, points in a matrix."""
    edges = [np.array([0.0, 1.0, 3.0]), np.array([-1.0, 0.0, 0.5, 2.0])]
    x = np.array([[0.0, -1.0], [3.0, 2.0], [1.0, 0.0], [2.5, 0.25], [4.0, 0.0]])
    yield Sample(x, edges)
    yield Sample(x, edges, values((5,), 0.5, 2.0))
    yield Sample(x, edges, None, density=True)
    yield Sample(x[:4].reshape(2, 2, 2), edges)


def histogramdd_errors():
    """Yield weights that do not fit."""
    edges = [np.array([0.0, 1.0])]
    bad = np.ones((3, 1)), edges, np.ones(2)
    yield BadInput(bad, {}, InvalidArgumentError, "a weight for each of 3 points")


_histogramdd = op(
    "histogramdd",
    histogramdd_forward,
    vjp=NONDIFF,
    public=None,
    reference=histogramdd_reference,
    samples=histogramdd_samples,
    errors=histogramdd_errors,
    dtypes="float32 float64",
    doc="Count points in bins between the edges of each dimension.",
)


def _bins_of(bins, dimensions: int) -> list:
    """Return a number of bins, or a tensor of edges, for each dimension."""
    if isinstance(bins, (list, tuple)):
        if len(bins) != dimensions:
            raise RefusedArgumentError(
                f"The length of bins must be {dimensions} when bins is a list, not {len(bins)}."
            )
        return list(bins)
    if hasattr(bins, "_storage") and bins.ndim:
        raise InvalidArgumentError("Input bins must be a list of Tensors, a list of int, or int.")
    return [as_int(bins, "bins")] * dimensions


@composite()
def histogramdd(
    x: "Tensor",
    bins: "int | Sequence[int | Tensor]" = 10,
    ranges: "Sequence[float] | None" = None,
    density: bool = False,
    weights: "Tensor | None" = None,
    name: str | None = None,
) -> "tuple[Tensor, list[Tensor]]":
    """Return how many points are in each bin of a grid, and the edges of the bins.

    Paddle: the edges for an integer tensor are truncated to integers there, and the bins of a
    dimension in which all points agree have no width. Here such edges are float32, and such bins
    span 1.

    Args:
        x: tensor[..., d], points with d coordinates.
        bins: an int, or for each dimension an int or a 1-D tensor of the edges.
        ranges: two ends for each dimension, 2 d numbers; by default the bins span the points.
        density: whether to normalize the integral over all bins to 1.
        weights: tensor of the shape of ``x`` without its last dimension.
        name: accepted for compatibility.

    Returns:
        Tensor[bins of each dimension], and the list of the d edges.

    Raises:
        InvalidArgumentError: for fewer than 2 dimensions, or bins or ranges of a wrong length.

    Example:
        >>> import jaxeager as paddle
        >>> points = paddle.to_tensor([[0.0, 0.0], [1.0, 1.0], [1.0, 0.9]])
        >>> counts, edges = paddle.histogramdd(points, bins=2)
        >>> counts.tolist(), edges[0].tolist()
        ([[1.0, 0.0], [0.0, 2.0]], [0.0, 0.5, 1.0])
    """
    if raw(x).ndim < 2:
        raise RefusedArgumentError(
            f"input x must be a tensor with at least 2 dimensions, not {raw(x).ndim}."
        )
    if not jnp.issubdtype(raw(x).dtype, jnp.inexact):
        x = x.astype("float32")
    dimensions: int = raw(x).shape[-1]
    if ranges is not None and len(ranges) != 2 * dimensions:
        raise InvalidArgumentError(
            f"The length of ranges must be {2 * dimensions}, two for each dimension, but received "
            f"{len(ranges)}."
        )
    ranges = [0.0] * (2 * dimensions) if ranges is None else list(ranges)
    edges = [
        each
        if hasattr(each, "_storage") and each.ndim
        else _edges(x.detach()[..., d], as_int(each, "bins"), ranges[2 * d], ranges[2 * d + 1])
        for d, each in enumerate(_bins_of(bins, dimensions))
    ]
    return _histogramdd(x, edges, weights, density), edges


# ---- a bin for each integer


def bincount_forward(x, weights=None, *, length: int):
    """Count each of the first integers, or sum the weights of each."""
    if weights is None:
        weights = jnp.ones(x.shape, np.int64)
    elif weights.shape != x.shape:
        raise ValueError(f"weights must have the shape {x.shape} of x, but have {weights.shape}.")
    elif not jnp.issubdtype(weights.dtype, jnp.floating):
        weights = weights.astype(np.float64)
    return jnp.zeros(length, weights.dtype).at[x].add(weights)


def bincount_reference(x, weights=None, length=0):
    """Compute NumPy's bincount."""
    out = np.bincount(x, weights, length)
    return out if weights is None else out.astype(np.result_type(weights, np.float32))


def bincount_samples():
    """Yield repeated numbers, weights, a longer output, no number."""
    x = np.array([4, 1, 1, 0])
    yield Sample(x, length=5)
    yield Sample(x, values((4,)), length=7)
    yield Sample(np.zeros(0, np.int64), length=2)


_bincount = op(
    "bincount",
    bincount_forward,
    vjp=NONDIFF,
    public=None,
    reference=bincount_reference,
    samples=bincount_samples,
    errors=lambda: (
        BadInput(
            (np.array([1, 2]), np.ones(3)), {"length": 3}, InvalidArgumentError, "must have the"
        ),
    ),
    dtypes="float32 float64",
    doc="Count how often each integer occurs.",
)


@composite()
def bincount(
    x: "Tensor", weights: "Tensor | None" = None, minlength: int = 0, name: str | None = None
) -> "Tensor":
    """Return how often each integer from 0 on occurs.

    The length of the output depends on the values, so this waits for ``x``.

    Args:
        x: int[n], not negative.
        weights: tensor[n]; sums weights instead of counting.
        minlength: the minimum length of the output.
        name: accepted for compatibility.

    Returns:
        int64[max(x) + 1], or more; in the dtype of ``weights`` if given, float64 for integer ones.

    Raises:
        InvalidTypeError: when ``x`` does not hold integers.
        InvalidArgumentError: when ``x`` is not a vector or holds a negative number, ``weights``
            have another shape, or ``minlength`` is negative.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.bincount(paddle.to_tensor([1, 2, 1])).tolist()
        [0, 2, 1]
    """
    if not jnp.issubdtype(raw(x).dtype, jnp.integer):
        raise InvalidTypeError(
            f"Elements in Input(x) should all be integers, but received {raw(x).dtype.name}."
        )
    least = as_whole(minlength, "minlength")
    if raw(x).ndim != 1 or least < 0:
        raise InvalidArgumentError(
            "bincount: x must have 1 dimension and minlength must be 0 or more, but received "
            f"{raw(x).ndim} dimensions and {least}."
        )
    host = x.numpy()
    if host.size and host.min() < 0:
        raise InvalidArgumentError(f"bincount: x must not be negative, but holds {host.min()}.")
    longest = int(host.max()) + 1 if host.size else 0
    return _bincount(x, weights, max(longest, least))
