"""The parts of floating numbers: mantissa and exponent, and the number next to one."""

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidTypeError
from jaxeager.ops.elementwise.math import binary_errors
from jaxeager.ops.register import op
from jaxeager.ops.row import NONDIFF
from jaxeager.ops.rules.precision import in_float32
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values
from jaxeager.ops.rules.subnormals import bits_of, is_nonzero


def _needs_floats(*arrays) -> None:
    for array in arrays:
        if not jnp.issubdtype(array.dtype, jnp.floating):
            raise InvalidTypeError(
                f"The data type of input must be a real floating one, but got {array.dtype.name}."
            )


def frexp_forward(x):
    """Split x into a mantissa with absolute value in [0.5, 1) and a power of two."""
    _needs_floats(x)
    is_subnormal = is_nonzero(x) & (jnp.abs(x) < jnp.finfo(x.dtype).tiny)
    whole, step = _steps_from_zero(x)
    mantissa, exponent = jnp.frexp(jnp.where(is_subnormal, whole, x))
    return mantissa, jnp.where(is_subnormal, exponent + step, exponent).astype(x.dtype)


def _steps_from_zero(x) -> tuple:
    """Return the signed index of x among the subnormal numbers, and the exponent of their step."""
    kind = jnp.finfo(x.dtype)
    size = bits_of(x) & ((1 << kind.nmant) - 1)
    return jnp.copysign(size.astype(x.dtype), x), kind.minexp - kind.nmant


def frexp_vjp(exponent, dmantissa):
    """Divide by the power of two; the exponent is constant between its steps."""
    return jnp.ldexp(dmantissa, -exponent.astype(np.int32))


def frexp_reference(x):
    """Compute NumPy's frexp, with the exponent in the dtype of x."""
    mantissa, exponent = np.frexp(x)
    return mantissa, exponent.astype(x.dtype)


def frexp_samples():
    """Yield both signs, 0 and powers of two, 0-D and zero-size."""
    yield Sample(values((2, 3), -9.0, 9.0))
    yield Sample(np.array([0.0, 1.0, 8.0, -0.25, 1e30, 1e-30]))
    yield Sample(np.array([1e-40, -3e-39, 1e-45, 1e-310, -5e-324, 1.1e-308]), grad=False)
    yield Sample(values(()))
    yield Sample(values((0, 3)))


frexp = op(
    "frexp",
    in_float32(real_only(frexp_forward)),
    vjp=in_float32(frexp_vjp),
    saves="exponent",
    outputs="mantissa exponent",
    reference=frexp_reference,
    samples=frexp_samples,
    errors=lambda: (BadInput((np.array([1, 2]),), {}, InvalidTypeError, "but got int64"),),
    formula="dx = dmantissa * 2^-exponent: the exponent has no gradient",
    boundary="that of x / 2^exponent also at powers of two, as in Paddle.",
    doc="Split each element into a mantissa in [0.5, 1) and an exponent of 2, both in its dtype; "
    "one op here, several in Paddle.",
    example="paddle.frexp(paddle.to_tensor([8.0, -3.0]))",
)


def nextafter_forward(x, y):
    """Step from x to the next number towards y."""
    _needs_floats(x, y)
    return jnp.nextafter(x, y)


def nextafter_samples():
    """Yield both directions, equal elements, broadcasting, 0-D and zero-size."""
    yield Sample(np.array([[1.0, 2.0, -4.0]]), np.array([[2.0], [-1.0]]))
    yield Sample(np.array([3.0, np.nan, 1.0]), np.array([3.0, 1.0, np.inf]))
    yield Sample(np.array(1.0), np.array(0.0))
    yield Sample(np.zeros((0, 3)), np.zeros((1, 3)))


def nextafter_errors():
    """Yield integers, which are not floating numbers."""
    yield BadInput((np.array([1]), np.array([2])), {}, InvalidTypeError, "but got int64")
    yield from binary_errors()


nextafter = op(
    "nextafter",
    nextafter_forward,
    vjp=NONDIFF,
    promote="binary",
    broadcast=True,
    reference="numpy.nextafter",
    samples=nextafter_samples,
    errors=nextafter_errors,
    dtypes="float32 float64",
    doc="Return the next number after each element of x in the direction of y.",
    example="paddle.nextafter(paddle.to_tensor([1.0]), paddle.to_tensor([2.0]))",
)
