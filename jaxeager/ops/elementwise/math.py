"""Arithmetic of two operands: every elementwise op that broadcasts and promotes."""

from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from jaxeager.core import ports
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.ops.call import dispatch
from jaxeager.ops.call.bad_operands import bad_operand
from jaxeager.ops.elementwise.power_kernels import elementwise_pow_forward, elementwise_pow_vjp
from jaxeager.ops.elementwise.scaling import pow_scalar, rounded_quotient
from jaxeager.ops.indexing import index_parse
from jaxeager.ops.register import composite, op
from jaxeager.ops.row import NONDIFF, ROWS
from jaxeager.ops.rules.precision import in_float32
from jaxeager.ops.rules.promotion import NUMBERS, number_dtype
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, binary, values
from jaxeager.ops.rules.value_checks import can_be_looked_at

if TYPE_CHECKING:
    from jaxeager.core.types import Number
    from jaxeager.tensor.tensor import Tensor

BOTH = "paddle.to_tensor([6.0, 7.0]), paddle.to_tensor([4.0, 2.0])"


def binary_errors():
    """Yield shapes that do not broadcast, and an operand that is not a tensor."""
    shapes = "x: float64[3], y: float64[2]"
    yield BadInput((np.ones(3), np.ones(2)), {}, InvalidArgumentError, shapes)
    yield BadInput((np.ones(3), "a"), {}, InvalidTypeError, "but got str")


def _binary(name: str, forward, vjp, saves: str, samples, **fields):
    """Register an op of two operands that broadcast and promote."""
    fields.setdefault("promote", "binary")
    fields.setdefault("example", f"paddle.{name}({BOTH})")
    fields.setdefault("errors", binary_errors)
    vjp = vjp if vjp is NONDIFF else in_float32(vjp)
    return op(name, forward, vjp=vjp, saves=saves, broadcast=True, samples=samples, **fields)


def add_forward(x, y):
    """Add the operands; for bools this is ``or``, as in Paddle."""
    return jnp.add(x, y)


def add_vjp(dout):
    """Pass the gradient on to both."""
    return dout, dout


add = _binary(
    "add",
    add_forward,
    add_vjp,
    "",
    binary(),
    shapes="x y",
    passes_on=True,
    inplace=True,
    public=None,
    dtypes=WITH_COMPLEX + " int64",
    reference="numpy.add",
    formula="dx = dout; dy = dout",
    doc="Add two tensors element by element.",
)


def subtract_forward(x, y):
    """Subtract y from x."""
    return jnp.subtract(x, y)


def subtract_vjp(dout):
    """Pass the gradient on, negated for y."""
    return dout, -dout


subtract = _binary(
    "subtract",
    subtract_forward,
    subtract_vjp,
    "",
    binary(),
    shapes="x y",
    inplace=True,
    public=None,
    dtypes=WITH_COMPLEX + " int64",
    reference="numpy.subtract",
    formula="dx = dout; dy = -dout",
    doc="Subtract one tensor from another element by element.",
)


def multiply_forward(x, y):
    """Multiply the operands; for bools this is ``and``."""
    return jnp.multiply(x, y)


def multiply_vjp(x, y, dout):
    """Multiply the gradient by the other factor."""
    return dout * jnp.conj(y), dout * jnp.conj(x)


multiply = _binary(
    "multiply",
    multiply_forward,
    multiply_vjp,
    "x y",
    binary(),
    inplace=True,
    aliases="mul",
    dtypes=WITH_COMPLEX + " int64",
    reference="numpy.multiply",
    formula="dx = dout * conj(y); dy = dout * conj(x)",
    doc="Multiply two tensors element by element.",
)


def _as_float(x):
    """Return integers as float32, the dtype in which Paddle divides them."""
    return x if jnp.issubdtype(x.dtype, jnp.inexact) else x.astype(np.float32)


def divide_forward(x, y):
    """Divide x by y; integers as float32."""
    x, y = _as_float(x), _as_float(y)
    return jnp.true_divide(x, y) if x.shape == y.shape else rounded_quotient(x, y)


def divide_vjp(x, y, out, dout):
    """Divide the gradient by y; the rest follows from out = x / y."""
    dx = dout / jnp.conj(_as_float(y))
    return dx, -dx * jnp.conj(out)


divide = _binary(
    "divide",
    divide_forward,
    divide_vjp,
    "x y out",
    binary(0.5, 2.0),
    inplace=True,
    public=None,
    dtypes=WITH_COMPLEX,
    reference="numpy.true_divide",
    formula="dx = dout / conj(y); dy = -dout * conj(out / y)",
    boundary="nan for 0 / 0, as in Paddle.",
    doc="Divide one tensor by another element by element; integers give float32.",
)


def check_divisor(name: str, x, y) -> None:
    """Raise InvalidArgumentError for integers divided by 0, where XLA returns some integer.

    FLAGS_check_index decides where this is checked, as for indices.

    Args:
        name: the name of the op.
        x: an array.
        y: the divisor, an array.
    """
    if x.dtype.kind not in "iub" or y.dtype.kind not in "iub" or 0 in (x.size, y.size):
        return
    if not can_be_looked_at(y):
        if ports.look_at_indices is not None:
            index_parse.check_within(y == 0, 0, 1, lambda _: _zero_error(name))
    elif not np.asarray(y).all():
        raise _zero_error(name)


def _zero_error(name: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"{name}: Integer division by zero encountered in (floor/trunc) divide. Please check the "
        "input value: the divisor has a 0."
    )


def floor_divide_forward(x, y):
    """Divide and round down; a float divided by zero is x / 0, as in NumPy."""
    out = jnp.floor_divide(x, y)
    if not jnp.issubdtype(out.dtype, jnp.inexact):
        return out
    return jnp.where(y == 0, jnp.true_divide(x, y), out)


floor_divide = _binary(
    "floor_divide",
    floor_divide_forward,
    NONDIFF,
    "",
    binary(-5.0, 5.0),
    inplace=True,
    check=check_divisor,
    dtypes="float32 float64 int64",
    reference="numpy.floor_divide",
    doc="Divide one tensor by another and round down; no gradient, as in Paddle.",
)


@real_only
def remainder_forward(x, y):
    """Compute the remainder that has the sign of y."""
    return jnp.remainder(x, y)


def remainder_vjp(x, y, dout):
    """Pass the gradient on; for y multiply it by minus the rounded quotient."""
    return dout, -dout * jnp.floor(x / y)


remainder = _binary(
    "remainder",
    remainder_forward,
    remainder_vjp,
    "x y",
    binary(1.1, 5.3),
    inplace=True,
    check=check_divisor,
    aliases="mod floor_mod",
    dtypes="float32 float64",
    reference="numpy.mod",
    formula="dx = dout; dy = -dout * floor(x / y)",
    boundary="at integer quotients, dy uses the quotient itself, as in Paddle.",
    doc="Compute the remainder of a division; it has the sign of the divisor.",
)


def maximum_vjp(x, y, dout):
    """Pass the gradient to the larger operand, half to each where they are equal."""
    half = 0.5 * (x == y)
    return dout * ((x > y) + half).astype(dout.dtype), dout * ((x < y) + half).astype(dout.dtype)


def minimum_vjp(x, y, dout):
    """Pass the gradient to the smaller operand, half to each where they are equal."""
    return maximum_vjp(y, x, dout)


@real_only
def maximum_forward(x, y):
    """Select the larger operand; nan takes precedence."""
    return jnp.maximum(x, y)


@real_only
def minimum_forward(x, y):
    """Select the smaller operand; nan takes precedence."""
    return jnp.minimum(x, y)


@real_only
def fmax_forward(x, y):
    """Select the larger operand; ignore nan."""
    return jnp.fmax(x, y)


@real_only
def fmin_forward(x, y):
    """Select the smaller operand; ignore nan."""
    return jnp.fmin(x, y)


def fmax_vjp(x, y, dout):
    """Pass the gradient to the selected operand, to x where they are equal."""
    from_x = (x >= y) | jnp.isnan(y)
    return jnp.where(from_x, dout, 0), jnp.where(from_x, 0, dout)


def fmin_vjp(x, y, dout):
    """Pass the gradient to the selected operand, to x where they are equal."""
    from_x = (x <= y) | jnp.isnan(y)
    return jnp.where(from_x, dout, 0), jnp.where(from_x, 0, dout)


def untied_samples():
    """Yield operands that differ everywhere, broadcasting, 0-D, zero-size, and ties."""
    yield Sample(values((2, 3)), values((2, 3), seed=1) + 0.03)
    yield Sample(values((2, 1, 3)), values((4, 1), seed=1) + 0.03)
    yield Sample(np.array(0.5), np.array(-1.5))
    yield Sample(values((0, 3)), values((1, 3)))
    yield Sample(np.array([1.0, np.nan]), np.array([1.0, 2.0]), grad=False)


def _extreme(name: str, forward, vjp, which: str, nan: str, from_x: str):
    return _binary(
        name,
        forward,
        vjp,
        "x y",
        untied_samples,
        promote="strict",
        reference=f"numpy.{name}",
        formula=f"dx = {from_x}, else 0; dy = dout - dx",
        boundary="at a tie, the formula holds, as in Paddle.",
        doc=f"Pick the {which} of two tensors element by element; {nan}.",
    )


maximum = _extreme(
    "maximum",
    maximum_forward,
    maximum_vjp,
    "larger",
    "nan wins",
    "dout where x > y, dout / 2 where x = y",
)
minimum = _extreme(
    "minimum",
    minimum_forward,
    minimum_vjp,
    "smaller",
    "nan wins",
    "dout where x < y, dout / 2 where x = y",
)
fmax = _extreme("fmax", fmax_forward, fmax_vjp, "larger", "nan loses", "dout where x >= y")
fmin = _extreme("fmin", fmin_forward, fmin_vjp, "smaller", "nan loses", "dout where x <= y")


@real_only
def atan2_forward(x, y):
    """Compute the angle; for integers in float64, as in Paddle."""
    if not jnp.issubdtype(x.dtype, jnp.inexact):
        x, y = x.astype(np.float64), y.astype(np.float64)
    return jnp.arctan2(x, y)


def atan2_vjp(x, y, dout):
    """Return the gradient along the circle; nan at the origin."""
    scaled = dout / (x * x + y * y)
    return scaled * y, -scaled * x


atan2 = _binary(
    "atan2",
    atan2_forward,
    atan2_vjp,
    "x y",
    binary(),
    promote="strict",
    reference="numpy.arctan2",
    formula="dx = dout * y / (x^2 + y^2); dy = -dout * x / (x^2 + y^2)",
    boundary="nan at (0, 0), as in Paddle.",
    doc="Compute the angle of the point (y, x), in (-pi, pi].",
)


elementwise_pow = _binary(
    "elementwise_pow",
    elementwise_pow_forward,
    elementwise_pow_vjp,
    "x y",
    binary(0.5, 2.0),
    inplace=True,
    public=None,
    dtypes=WITH_COMPLEX,
    reference="numpy.power",
    example=f"paddle.pow({BOTH})",
    formula="dx = dout * conj(y * x^(y - 1)); dy = dout * conj(log(x) * x^y)",
    boundary="d exponent of 0 ** y is 0 for y >= 0; nan for a negative base, as in Paddle.",
    doc="Raise one tensor to the power of another element by element.",
)


@real_only
def heaviside_forward(x, y):
    """Compute the step from 0 to 1, which is y at 0; keep nan."""
    step = jnp.where(x == 0, y, (x > 0).astype(x.dtype))
    return jnp.where(jnp.isnan(x), x, step) if jnp.issubdtype(x.dtype, jnp.inexact) else step


def heaviside_vjp(x, y, dout):
    """Pass the gradient to y where x is 0, and return 0 elsewhere."""
    return jnp.zeros_like(dout), jnp.where(x == 0, dout, 0)


heaviside = _binary(
    "heaviside",
    heaviside_forward,
    heaviside_vjp,
    "x y",
    binary(),
    promote="strict",
    reference="numpy.heaviside",
    formula="dx = 0; dy = dout where x = 0, else 0",
    boundary="dx is 0 at x = 0 too, where y gets dout, as in Paddle.",
    doc="Compute the unit step of x, with y as its value at 0.",
)


@real_only
def copysign_forward(x, y):
    """Return x with the sign of y; integers stay integers."""
    if jnp.issubdtype(x.dtype, jnp.inexact):
        return jnp.copysign(x, y)
    return jnp.where(y < 0, -jnp.abs(x), jnp.abs(x))


def copysign_vjp(x, y, dout):
    """Negate the gradient where the sign of x changed; 0 at x = 0."""
    same = jnp.signbit(x) == jnp.signbit(y)
    return jnp.where(x == 0, 0, jnp.where(same, dout, -dout)), jnp.zeros_like(dout)


copysign = _binary(
    "copysign",
    copysign_forward,
    copysign_vjp,
    "x y",
    binary(),
    inplace=True,
    reference="numpy.copysign",
    formula="dx = dout * sign(x) * sign(y), 0 at x = 0; dy = 0",
    boundary="0 at x = 0, as in Paddle.",
    doc="Give the elements of one tensor the signs of another's.",
)


def _for_power(x, y):
    """Return the tensor and the constant power to raise it to, or None if y is not a constant."""
    if type(y) not in NUMBERS or isinstance(y, (complex, np.complexfloating)):
        return None
    if not hasattr(x, "_storage"):
        raise bad_operand("pow", "x", 0, x)
    if isinstance(y, np.generic):
        y = y.item()
    dtype = x._array.dtype
    target = number_dtype(y, dtype)
    return (x if target == dtype else dispatch.cast(x, target)), y


@composite()
def pow(x: "Tensor", y: "Tensor | Number", name: str | None = None) -> "Tensor":
    """Return ``x`` raised to the power ``y``, element by element.

    Args:
        x: tensor of any shape.
        y: a number (recorded as ``pow``) or a tensor (``elementwise_pow``).
        name: accepted for compatibility.

    Returns:
        Tensor of the broadcast shape.

    Raises:
        InvalidArgumentError: for an integer tensor to a constant negative power. Negative powers
            in a tensor of integers are rounded towards zero: 3 ** -1 is 0.
        InvalidTypeError: when ``y`` is neither a number nor a tensor.

    Paddle:
        An integer tensor to a fractional power is float32, like ``x ** 2.5``; Paddle's
        ``paddle.pow`` truncates the power to an integer.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.pow(paddle.to_tensor([2.0, 3.0]), 2).tolist()
        [4.0, 9.0]
    """
    constant = _for_power(x, y)
    return elementwise_pow(x, y) if constant is None else pow_scalar(*constant)


@composite()
def pow_(x: "Tensor", y: "Number", name: str | None = None) -> "Tensor":
    """Write ``x`` raised to the constant power ``y`` into ``x`` and return it.

    ``x`` is a tensor of any shape and of any dtype but bool; it keeps its dtype. See ``pow``.

    Raises:
        InvalidTypeError: when ``y`` is not a number, or changes the dtype.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([2.0, 3.0]).pow_(2).tolist()
        [4.0, 9.0]
    """
    constant = _for_power(x, y)
    if constant is None or constant[0] is not x:
        raise InvalidTypeError(
            f"pow_(): argument 'y' must be a number that keeps the dtype, but got {y!r}."
        )
    return ROWS["pow"].inplace_function(*constant)
