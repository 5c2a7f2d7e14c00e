"""The greatest common divisor and the least common multiple of integers."""

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.elementwise.logic import TENSORS
from jaxeager.ops.elementwise.math import binary_errors
from jaxeager.ops.register import op
from jaxeager.ops.row import NONDIFF
from jaxeager.ops.rules.samples import BadInput, Sample


def _needs_integers(*arrays) -> None:
    for array in arrays:
        if not jnp.issubdtype(array.dtype, jnp.integer):
            raise ValueError(f"the operands must hold integers, not {array.dtype.name}.")


def _sizes(x, y):
    """Return the absolute values; unsigned, as the least number of a signed dtype has no other."""
    if not jnp.issubdtype(x.dtype, jnp.signedinteger):
        return x, y
    unsigned = np.dtype(f"uint{8 * x.dtype.itemsize}")
    return tuple(jnp.where(each < 0, -each, each).astype(unsigned) for each in (x, y))


def gcd_forward(x, y):
    """Compute the greatest number that divides both; 0 for 0 and 0."""
    _needs_integers(x, y)
    return jnp.gcd(*_sizes(x, y)).astype(x.dtype)


def lcm_forward(x, y):
    """Compute the least number that both divide; 0 if one of them is 0."""
    _needs_integers(x, y)
    return jnp.lcm(*_sizes(x, y)).astype(x.dtype)


def divisor_samples():
    """Yield both signs, zeros, broadcasting, 0-D and zero-size."""
    x = np.array([[12, -18, 0], [35, 49, -7]])
    yield Sample(x, x[::-1])
    yield Sample(x, np.array([[4], [0]]))
    yield Sample(np.array(20), np.array(12))
    yield Sample(np.zeros((0, 3), "int64"), np.zeros((1, 3), "int64"))
    yield Sample(np.array([-128, -128, -128], "int8"), np.array([6, 0, -128], "int8"))
    yield Sample(np.array([-(2**63), 3]), np.array([12, -(2**63)]))


def divisor_errors():
    """Yield floats, and shapes that do not broadcast."""
    floats = np.ones(2), np.ones(2)
    yield BadInput(floats, {}, InvalidArgumentError, "must hold integers, not float64")
    yield from binary_errors()


def _divisor(name: str, forward, doc: str):
    return op(
        name,
        forward,
        vjp=NONDIFF,
        promote="binary",
        broadcast=True,
        inplace=True,
        dtypes="int64",
        reference=f"numpy.{name}",
        samples=divisor_samples,
        errors=divisor_errors,
        doc=doc,
        example=f"paddle.{name}({TENSORS})",
    )


gcd = _divisor("gcd", gcd_forward, "Find the greatest common divisor element by element.")
lcm = _divisor("lcm", lcm_forward, "Find the least common multiple element by element.")
