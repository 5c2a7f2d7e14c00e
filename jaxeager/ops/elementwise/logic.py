"""Comparison, logic and bits: ops without gradients."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.core.size_comparisons import equal_shapes
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.elementwise.math import binary_errors
from jaxeager.ops.elementwise.unary import unary_errors
from jaxeager.ops.register import op, publish
from jaxeager.ops.row import NONDIFF
from jaxeager.ops.rules.axes import as_first, same_dtype
from jaxeager.ops.rules.samples import BadInput, Sample, values
from jaxeager.ops.rules.subnormals import is_nonzero

TENSORS = "paddle.to_tensor([1, 2]), paddle.to_tensor([2, 2])"


def comparison_samples():
    """Yield equal and different elements, broadcasting, 0-D and zero-size."""
    x = np.array([[1.0, 2.0, 3.0], [-1.0, 0.0, 4.0]])
    yield Sample(x, x[:, ::-1])
    yield Sample(x, np.array([1.0, 0.0, 4.0]))
    yield Sample(x, np.array(2.0))
    yield Sample(np.array(1.0), np.array(1.0))
    yield Sample(np.zeros((0, 3)), np.zeros((1, 3)))


def _compare(name: str, symbol: str, reference: str, aliases: str = ""):
    function = getattr(jnp, reference)

    def forward(x, y):
        return function(x, y)

    forward.__name__ = forward.__qualname__ = f"{name}_forward"
    return op(
        name,
        forward,
        vjp=NONDIFF,
        promote="binary",
        broadcast=True,
        inplace=True,
        aliases=aliases,
        dtypes="float32 float64 bfloat16 int64",
        reference=f"numpy.{reference}",
        samples=comparison_samples,
        errors=binary_errors,
        doc=f"Return for each element whether x {symbol} y.",
        example=f"paddle.{name}({TENSORS})",
    )


equal = _compare("equal", "==", "equal")
not_equal = _compare("not_equal", "!=", "not_equal")
less_than = _compare("less_than", "<", "less", aliases="less")
less_equal = _compare("less_equal", "<=", "less_equal")
greater_than = _compare("greater_than", ">", "greater")
greater_equal = _compare("greater_equal", ">=", "greater_equal")

for _name, _function in {
    "eq": equal, "ne": not_equal, "lt": less_than, "le": less_equal, "gt": greater_than,
    "greater": greater_than, "ge": greater_equal,
}.items():  # fmt: skip
    publish(_name, _function, "paddle", method=True)  # these have no in-place twins, as in Paddle


def _logical(name: str, word: str):
    function = getattr(jnp, name)

    def forward(x, y):
        return function(is_nonzero(x), is_nonzero(y))

    forward.__name__ = forward.__qualname__ = f"{name}_forward"
    return op(
        name,
        forward,
        vjp=NONDIFF,
        promote="binary",
        broadcast=True,
        inplace=True,
        dtypes="float32 int64",
        reference=f"numpy.{name}",
        samples=comparison_samples,
        errors=binary_errors,
        doc=f"Compute x {word} y element by element; nonzero elements are true.",
        example=f"paddle.{name}(paddle.to_tensor([True]), paddle.to_tensor([False]))",
    )


logical_and = _logical("logical_and", "and")
logical_or = _logical("logical_or", "or")
logical_xor = _logical("logical_xor", "xor")


def logical_not_forward(x):
    """Return where x is 0."""
    return ~is_nonzero(x)


def logical_not_samples():
    """Yield zeros and others, 0-D and zero-size."""
    yield Sample(np.array([[0.0, 2.0], [-1.0, 0.0]]))
    yield Sample(np.array([True, False]))
    yield Sample(np.array(0.0))
    yield Sample(np.zeros((0, 3)))


logical_not = op(
    "logical_not",
    logical_not_forward,
    vjp=NONDIFF,
    inplace=True,
    dtypes="float32 int64",
    reference="numpy.logical_not",
    samples=logical_not_samples,
    errors=unary_errors,
    doc="Return for each element whether it is 0.",
    example="paddle.logical_not(paddle.to_tensor([True, False]))",
)

# ---- bits


def bit_samples():
    """Yield integers, bools, broadcasting, 0-D and zero-size."""
    x = np.array([[1, 6, -3], [12, 0, 7]])
    yield Sample(x, x[:, ::-1])
    yield Sample(x, np.array([3, 5, 9]))
    yield Sample(x > 2, x > 6)
    yield Sample(np.array(6), np.array(3))
    yield Sample(np.zeros((0, 3), "int64"), np.zeros((1, 3), "int64"))


def bit_errors():
    """Yield floats, which have no bits to combine."""
    yield BadInput(
        (np.ones(2), np.ones(2)), {}, InvalidArgumentError, "must hold integers or bools"
    )
    yield from binary_errors()


def _needs_bits(*arrays) -> None:
    for array in arrays:
        if jnp.issubdtype(array.dtype, jnp.inexact):
            raise ValueError(f"the operands must hold integers or bools, not {array.dtype.name}.")


def _bitwise(name: str, word: str):
    function = getattr(jnp, name)

    def forward(x, y):
        _needs_bits(x, y)
        return function(x, y)

    forward.__name__ = forward.__qualname__ = f"{name}_forward"
    return op(
        name,
        forward,
        vjp=NONDIFF,
        promote="binary",
        broadcast=True,
        inplace=True,
        dtypes="int64",
        reference=f"numpy.{name}",
        samples=bit_samples,
        errors=bit_errors,
        doc=f"Compute x {word} y bit by bit.",
        example=f"paddle.{name}({TENSORS})",
    )


bitwise_and = _bitwise("bitwise_and", "and")
bitwise_or = _bitwise("bitwise_or", "or")
bitwise_xor = _bitwise("bitwise_xor", "xor")


def bitwise_not_forward(x):
    """Invert each bit; for bools this is ``not``."""
    _needs_bits(x)
    return jnp.bitwise_not(x)


def bitwise_not_samples():
    """Yield integers, bools, 0-D and zero-size."""
    yield Sample(np.array([[1, -6], [0, 7]]))
    yield Sample(np.array([True, False]))
    yield Sample(np.array(3))
    yield Sample(np.zeros((0, 3), "int64"))


bitwise_not = op(
    "bitwise_not",
    bitwise_not_forward,
    vjp=NONDIFF,
    inplace=True,
    aliases="bitwise_invert",
    dtypes="int64",
    reference="numpy.bitwise_not",
    samples=bitwise_not_samples,
    errors=lambda: (
        BadInput((np.ones(2),), {}, InvalidArgumentError, "must hold integers or bools"),
    ),
    doc="Invert each bit.",
    example="paddle.bitwise_not(paddle.to_tensor([1, 2]))",
)


def bitwise_left_shift_forward(x, y, *, is_arithmetic: bool = True):
    """Shift the bits up."""
    _needs_bits(x, y)
    return jnp.left_shift(x, y)


def bitwise_right_shift_forward(x, y, *, is_arithmetic: bool = True):
    """Shift the bits down; an arithmetic shift keeps the sign."""
    _needs_bits(x, y)
    x, y = jnp.broadcast_arrays(x, y)
    return jnp.right_shift(x, y) if is_arithmetic else lax.shift_right_logical(x, y)


def left_shift_reference(x, y, is_arithmetic=True):
    """Compute NumPy's shift."""
    return np.left_shift(x, y)


def right_shift_reference(x, y, is_arithmetic=True):
    """Compute NumPy's shift, on unsigned numbers if it is logical."""
    if is_arithmetic:
        return np.right_shift(x, y)
    return np.right_shift(x.astype(np.uint64), y.astype(np.uint64)).astype(x.dtype)


def shift_samples():
    """Yield both signs, broadcasting, a logical shift, 0-D and zero-size."""
    x = np.array([[1, 6, -8], [12, 0, 7]])
    yield Sample(x, np.array([1, 2, 3]))
    yield Sample(x, np.array([1, 2, 3]), is_arithmetic=False)
    yield Sample(x, np.array(2))
    yield Sample(np.array(-6), np.array(1))
    yield Sample(np.zeros((0, 3), "int64"), np.zeros((1, 3), "int64"))


def _shift(name: str, forward, reference, doc: str):
    return op(
        name,
        forward,
        vjp=NONDIFF,
        promote="binary",
        broadcast=True,
        inplace=True,
        dtypes="int64",
        reference=reference,
        samples=shift_samples,
        errors=bit_errors,
        doc=doc,
        example=f"paddle.{name}({TENSORS})",
    )


bitwise_left_shift = _shift(
    "bitwise_left_shift",
    bitwise_left_shift_forward,
    left_shift_reference,
    "Shift the bits of x up by y.",
)
bitwise_right_shift = _shift(
    "bitwise_right_shift",
    bitwise_right_shift_forward,
    right_shift_reference,
    "Shift the bits of x down by y; the sign stays unless the shift is logical.",
)

# ---- not finite


def special_samples():
    """Yield nan, both infinities and numbers, 0-D, zero-size and integers."""
    yield Sample(np.array([[np.nan, np.inf], [-np.inf, 1.0]]))
    yield Sample(np.array(np.nan))
    yield Sample(np.zeros((0, 3)))
    yield Sample(np.array([1, 2]))


def isnan_forward(x):
    """Return where x is nan."""
    return jnp.isnan(x)


def isinf_forward(x):
    """Return where x is infinite."""
    return jnp.isinf(x)


def isfinite_forward(x):
    """Return where x is neither nan nor infinite."""
    return jnp.isfinite(x)


def isposinf_forward(x):
    """Return where x is infinity."""
    return jnp.isposinf(x)


def isneginf_forward(x):
    """Return where x is minus infinity."""
    return jnp.isneginf(x)


def isreal_forward(x):
    """Return where x has no imaginary part."""
    return jnp.isreal(x)


def signbit_forward(x):
    """Return where x is negative or minus zero."""
    return jnp.signbit(x) if jnp.issubdtype(x.dtype, jnp.inexact) else x < 0


def _classify(name: str, forward, what: str, dtypes: str = "float32 float64 bfloat16"):
    return op(
        name,
        forward,
        vjp=NONDIFF,
        dtypes=dtypes,
        reference=f"numpy.{name}",
        samples=special_samples,
        errors=unary_errors,
        doc=f"Return for each element whether it is {what}.",
        example=f"paddle.{name}(paddle.to_tensor([1.0, paddle.nan]))",
    )


isnan = _classify("isnan", isnan_forward, "nan")
isinf = _classify("isinf", isinf_forward, "infinite")
isfinite = _classify("isfinite", isfinite_forward, "neither nan nor infinite")
isposinf = _classify("isposinf", isposinf_forward, "infinity")
isneginf = _classify("isneginf", isneginf_forward, "minus infinity")
isreal = _classify("isreal", isreal_forward, "real", "float32 complex64")
signbit = _classify("signbit", signbit_forward, "negative or minus zero")

# ---- whole tensors


def isclose_forward(x, y, *, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False):
    """Return where |x - y| <= atol + rtol |y|."""
    x, y = as_first(x, y)
    same_dtype(x, y)
    return jnp.isclose(x, y, rtol, atol, equal_nan)


def allclose_forward(x, y, *, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False):
    """Return whether all elements are close."""
    return jnp.all(isclose_forward(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan))


def equal_all_forward(x, y):
    """Return whether shapes and all elements are equal."""
    same_dtype(x, y)
    return jnp.all(x == y) if equal_shapes(x.shape, y.shape) else jnp.array(False)


def equal_all_reference(x, y):
    """Compute NumPy's array_equal."""
    return np.array(np.array_equal(x, y))


def allclose_reference(x, y, **kwargs):
    """Compute NumPy's allclose, as an array."""
    return np.array(np.allclose(x, y, **kwargs))


def close_samples():
    """Yield near and far values, tolerances, nan with and without equal_nan, 0-D, zero-size."""
    x = values((2, 3))
    special = np.array([np.nan, np.inf, 1.0])
    yield Sample(x, x + np.array([0.0, 0.1, 0.0]))
    yield Sample(x, x + 0.01, rtol=0.1, atol=0.5)
    yield Sample(special, special)
    yield Sample(special, special, equal_nan=True)
    yield Sample(np.array(1.0), np.array(1.0))
    yield Sample(np.zeros((0, 3)), np.zeros((0, 3)))


def equal_all_samples():
    """Yield equal and different tensors, different shapes, 0-D and zero-size."""
    x = values((2, 3))
    yield Sample(x, x)
    yield Sample(x, -x)
    yield Sample(x, x[0])
    yield Sample(np.array(1.0), np.array(1.0))
    yield Sample(np.zeros((0, 3)), np.zeros((0, 3)))


def dtype_errors():
    """Yield two dtypes, which Paddle does not compare here."""
    yield BadInput((np.ones(2), np.ones(2, "float32")), {}, InvalidArgumentError, "one dtype")


def _whole(name: str, forward, reference, samples, doc: str):
    return op(
        name,
        forward,
        vjp=NONDIFF,
        dtypes="float32 float64",
        reference=reference,
        samples=samples,
        errors=dtype_errors,
        doc=doc,
        example=f"paddle.{name}(paddle.to_tensor([1.0]), paddle.to_tensor([1.0]))",
    )


isclose = _whole(
    "isclose",
    isclose_forward,
    "numpy.isclose",
    close_samples,
    "Return for each element whether |x - y| <= atol + rtol * |y|.",
)
allclose = _whole(
    "allclose",
    allclose_forward,
    allclose_reference,
    close_samples,
    "Return whether all elements of two tensors are close.",
)
equal_all = _whole(
    "equal_all",
    equal_all_forward,
    equal_all_reference,
    equal_all_samples,
    "Return whether two tensors have the same shape and equal elements.",
)
