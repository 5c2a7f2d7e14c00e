"""Which values occur, and how often: bincount and isin."""

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.ops.attrs import as_int
from jaxeager.ops.axes import same_dtype
from jaxeager.ops.dispatch import raw
from jaxeager.ops.row import NONDIFF, composite, op
from jaxeager.ops.samples import BadInput, Sample, values


def bincount_forward(x, weights=None, *, length: int):
    """Counts each of the first whole numbers, or adds up the weights beside it."""
    if weights is None:
        weights = jnp.ones(x.shape, np.int64)
    elif weights.shape != x.shape:
        raise ValueError(f"weights must have the shape {x.shape} of x, but have {weights.shape}.")
    elif not jnp.issubdtype(weights.dtype, jnp.floating):
        weights = weights.astype(np.float64)
    return jnp.zeros(length, weights.dtype).at[x].add(weights)


def bincount_reference(x, weights=None, length=0):
    """NumPy's bincount."""
    out = np.bincount(x, weights, length)
    return out if weights is None else out.astype(np.result_type(weights, np.float32))


def bincount_samples():
    """Yields repeated numbers, weights, a longer output, no number."""
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
    doc="Counts how often each whole number occurs.",
)


@composite()
def bincount(x, weights=None, minlength=0, name=None):
    """Returns how often each whole number from 0 occurs.

    The length of the output depends on the values, so this waits for ``x``.

    Args:
        x: int[n], not negative.
        weights: tensor[n]; adds up weights instead of counting.
        minlength: the length of the output at least.
        name: accepted for compatibility.

    Returns:
        int64[max(x) + 1], or more; in the dtype of ``weights`` when there are some, float64 for
        integer ones.

    Raises:
        InvalidTypeError: when ``x`` holds no integers.
        InvalidArgumentError: when ``x`` is no vector or holds a negative number, ``weights`` have
            another shape, or ``minlength`` is negative.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.bincount(paddle.to_tensor([1, 2, 1])).tolist()
        [0, 2, 1]
    """
    if not jnp.issubdtype(raw(x).dtype, jnp.integer):
        raise InvalidTypeError(
            f"Elements in Input(x) should all be integers, but received {raw(x).dtype.name}."
        )
    least = as_int(minlength, "minlength")
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


def isin_forward(x, test_x, *, assume_unique: bool = False, invert: bool = False):
    """Is true for elements that occur in test_x."""
    same_dtype(x, test_x)
    return jnp.isin(x, test_x, assume_unique, invert)


def isin_samples():
    """Yields elements that occur and others, nan, the opposite, 0-D and zero-size."""
    x = np.array([[1.0, 2.0, np.nan], [-3.0, 0.0, 2.0]])
    yield Sample(x, np.array([2.0, 0.0, np.nan]))
    yield Sample(x, np.array([[2.0], [1.0]]), invert=True)
    yield Sample(np.array([1, 5, 7]), np.array([7, 1]), assume_unique=True)
    yield Sample(np.array(2.0), np.array(2.0))
    yield Sample(np.array([1.0]), np.zeros(0))
    yield Sample(np.zeros((0, 3)), np.array([1.0]))


isin = op(
    "isin",
    isin_forward,
    vjp=NONDIFF,
    reference="numpy.isin",
    samples=isin_samples,
    errors=lambda: (
        BadInput((np.array([1]), np.ones(1)), {}, InvalidArgumentError, "must have one dtype"),
    ),
    dtypes="float32 float64",
    doc="Says of each element of x whether it is one of test_x; nan never is.",
    example="paddle.isin(paddle.to_tensor([1, 2, 3]), paddle.to_tensor([3, 1]))",
)
