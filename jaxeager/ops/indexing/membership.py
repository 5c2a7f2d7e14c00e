"""Membership of values among others: isin."""

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.register import op
from jaxeager.ops.row import NONDIFF
from jaxeager.ops.rules.axes import same_dtype
from jaxeager.ops.rules.samples import BadInput, Sample


def isin_forward(x, test_x, *, assume_unique: bool = False, invert: bool = False):
    """Return true for elements that occur in test_x; floats are compared in the wider dtype."""
    if not all(jnp.issubdtype(each.dtype, jnp.inexact) for each in (x, test_x)):
        same_dtype(x, test_x)
    return jnp.isin(x, test_x, assume_unique, invert)


def isin_samples():
    """Yield elements that occur and others, nan, the opposite, 0-D and zero-size."""
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
    doc="Return for each element of x whether it is one of test_x; nan never is.",
    example="paddle.isin(paddle.to_tensor([1, 2, 3]), paddle.to_tensor([3, 1]))",
)
