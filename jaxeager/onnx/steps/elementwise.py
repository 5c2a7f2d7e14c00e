"""Steps that compute each element alone."""

from __future__ import annotations

import jax
import numpy as np

from jaxeager.onnx.converter import Step, step
from jaxeager.onnx.graph_builder import GraphBuilder
from jaxeager.onnx.sizes import size_value

_SAME = {
    "add": "Add", "add_any": "Add", "sub": "Sub", "mul": "Mul", "max": "Max", "min": "Min",
    "neg": "Neg", "abs": "Abs", "sign": "Sign", "floor": "Floor", "ceil": "Ceil", "exp": "Exp",
    "log": "Log", "sqrt": "Sqrt", "tanh": "Tanh", "logistic": "Sigmoid", "sin": "Sin",
    "cos": "Cos", "tan": "Tan", "asin": "Asin", "acos": "Acos", "atan": "Atan", "sinh": "Sinh",
    "cosh": "Cosh", "asinh": "Asinh", "acosh": "Acosh", "atanh": "Atanh", "erf": "Erf",
    "eq": "Equal", "lt": "Less", "le": "LessOrEqual", "gt": "Greater", "ge": "GreaterOrEqual",
    "copy": "Identity", "copy_p": "Identity",
}  # fmt: skip
_OF_BOOLS = {"max": "Or", "min": "And", "add": "Or", "mul": "And"}
_LOGICAL = {"and": "And", "or": "Or", "xor": "Xor", "not": "Not"}


@step(*_SAME)
def _same(step: Step, *operands: str) -> str:
    """Convert a step to the operator that does the same."""
    name = step.eqn.primitive.name
    if step.dtypes[0] == np.bool_ and name in _OF_BOOLS:
        return step.builder.node(_OF_BOOLS[name], operands)
    if step.dtypes[0] == np.bool_ and name in ("lt", "le", "gt", "ge"):
        operands = tuple(step.builder.cast(each, "int32") for each in operands)
    return step.builder.node(_SAME[name], operands)


@step("stop_gradient", "optimization_barrier", "sharding_constraint", "name", "real", "conj")
def _identity(step: Step, *operands: str) -> list[str]:
    """Return the operands: complex ones, which have no values in the graph, do not come here."""
    return list(operands)


@step("ne")
def _ne(step: Step, x: str, y: str) -> str:
    if step.dtypes[0] == np.bool_:
        return step.builder.node("Xor", [x, y])
    return step.builder.node("Not", [step.builder.node("Equal", [x, y])])


@step("lt_to", "le_to")
def _total_order(step: Step, x: str, y: str) -> str:
    """Compare as sorting does: NaN is greater than every number, and equal to NaN."""
    b, is_less = step.builder, step.eqn.primitive.name == "lt_to"
    found = b.node("Less" if is_less else "LessOrEqual", [x, y])
    if np.dtype(step.dtypes[0]).kind in "iub":
        return found
    of_y = b.node("IsNaN", [y])
    if is_less:
        of_y = b.node("And", [of_y, b.node("Not", [b.node("IsNaN", [x])])])
    return b.node("Or", [found, of_y])


@step(*_LOGICAL)
def _logical(step: Step, *operands: str) -> str:
    prefix = "" if step.dtypes[0] == np.bool_ else "Bitwise"
    return step.builder.node(prefix + _LOGICAL[step.eqn.primitive.name], operands)


@step("shift_left")
def _shift_left(step: Step, x: str, by: str) -> str:
    b, dtype = step.builder, step.dtypes[0]
    shifted = b.node("Mul", [x, b.node("Pow", [b.constant(2, dtype), by])])
    is_out = b.node("GreaterOrEqual", [by, b.constant(_bits(dtype), dtype)])
    return where(b, is_out, b.constant(0, dtype), shifted, dtype)


@step("shift_right_arithmetic")
def _shift_right_arithmetic(step: Step, x: str, by: str) -> str:
    """Write a shift as a division by a power of 2, rounded down."""
    b, dtype = step.builder, step.dtypes[0]
    zero, least = b.constant(0, dtype), b.constant(-1 if np.dtype(dtype).kind == "i" else 0, dtype)
    is_out = b.node("GreaterOrEqual", [by, b.constant(_bits(dtype) - 1, dtype)])
    divisor = b.node("Pow", [b.constant(2, dtype), where(b, is_out, zero, by, dtype)])
    rest = b.node("Mod", [x, divisor])
    shifted = b.node("Div", [b.node("Sub", [x, rest]), divisor])
    signs = where(b, b.node("Less", [x, zero]), least, zero, dtype)
    return where(b, is_out, signs, shifted, dtype)


@step("shift_right_logical")
def _shift_right_logical(step: Step, x: str, by: str) -> str:
    b, dtype = step.builder, np.dtype(step.dtypes[0])
    unsigned = np.dtype(f"uint{_bits(dtype)}")
    x, by = b.cast(x, unsigned), b.cast(by, unsigned)
    is_out = b.node("GreaterOrEqual", [by, b.constant(_bits(dtype), unsigned)])
    inside = b.node("Min", [by, b.constant(_bits(dtype) - 1, unsigned)])
    shifted = b.cast(b.node("BitShift", [x, inside], direction="RIGHT"), dtype)
    return where(b, is_out, b.constant(0, dtype), shifted, dtype)


def _bits(dtype: np.dtype) -> int:
    return np.dtype(dtype).itemsize * 8


@step("div")
def _div(step: Step, x: str, y: str) -> str:
    """Divide; integers towards 0, and by 0 to -1, as JAX."""
    if np.dtype(step.dtypes[0]).kind not in "iu":
        return step.builder.node("Div", [x, y])
    divisor, is_zero = _divisor(step, y)
    found = step.builder.node("Div", [x, divisor])
    if not is_zero:
        return found
    of_zero = step.builder.constant(np.asarray(-1).astype(step.dtypes[0]))
    return where(step.builder, is_zero, of_zero, found, step.dtypes[0])


@step("rem")
def _rem(step: Step, x: str, y: str) -> str:
    """Return the rest of a division, with the sign of x; of integers by 0 it is x, as JAX's."""
    if np.dtype(step.dtypes[0]).kind not in "iu":
        return step.builder.node("Mod", [x, y], fmod=1)
    divisor, is_zero = _divisor(step, y)
    found = step.builder.node("Mod", [x, divisor], fmod=1)
    return where(step.builder, is_zero, x, found, step.dtypes[0]) if is_zero else found


def _divisor(step: Step, y: str) -> tuple[str, str]:
    """Return integers to divide by, 1 instead of 0, and where they are 0; "" for nowhere."""
    known, b = step.known(1), step.builder
    if known is not None and np.all(known):
        return y, ""
    is_zero = b.node("Equal", [y, b.constant(0, step.dtypes[1])])
    return where(b, is_zero, b.constant(1, step.dtypes[1]), y, step.dtypes[1]), is_zero


@step("pow")
def _pow(step: Step, x: str, y: str) -> str:
    return step.builder.node("Pow", [x, y])


@step("integer_pow")
def _integer_pow(step: Step, x: str) -> str:
    b, power = step.builder, step.params["y"]
    if power < 0:
        return b.node("Reciprocal", [_power(b, x, -power, step.dtypes[0])])
    return _power(b, x, power, step.dtypes[0])


def _power(builder: GraphBuilder, x: str, power: int, dtype: np.dtype) -> str:
    """Return a power; of integers as products, because onnxruntime computes ``Pow`` in doubles."""
    if power == 2:
        return builder.node("Mul", [x, x])
    if np.dtype(dtype).kind in "iu" and power > 2:
        half = _power(builder, x, power // 2, dtype) if power > 3 else x
        square = builder.node("Mul", [half, half])
        return builder.node("Mul", [square, x]) if power % 2 else square
    return builder.node("Pow", [x, builder.constant(power, dtype)])


@step("square")
def _square(step: Step, x: str) -> str:
    return step.builder.node("Mul", [x, x])


@step("rsqrt")
def _rsqrt(step: Step, x: str) -> str:
    return step.builder.node("Reciprocal", [step.builder.node("Sqrt", [x])])


@step("cbrt")
def _cbrt(step: Step, x: str) -> str:
    b = step.builder
    third = b.constant(1 / 3, step.dtypes[0])
    root = b.node("Pow", [b.node("Abs", [x]), third])
    return b.node("Mul", [b.node("Sign", [x]), root])


@step("exp2")
def _exp2(step: Step, x: str) -> str:
    return step.builder.node("Pow", [step.builder.constant(2, step.dtypes[0]), x])


@step("log2")
def _log2(step: Step, x: str) -> str:
    of_two = step.builder.constant(np.log(2), step.dtypes[0])
    return step.builder.node("Div", [step.builder.node("Log", [x]), of_two])


@step("one_minus_square")
def _one_minus_square(step: Step, x: str) -> str:
    b, one = step.builder, step.builder.constant(1, step.dtypes[0])
    return b.node("Mul", [b.node("Sub", [one, x]), b.node("Add", [one, x])])


@step("log1p")
def _log1p(step: Step, x: str) -> str:
    """Write log(1 + x) so that digits of a small x are kept.

    With ``u = 1 + x`` rounded, ``log(u) * x / (u - 1)``: Kahan's formula, in Higham, "Accuracy and
    Stability of Numerical Algorithms", section 1.14.1.
    """
    b = step.builder
    one = b.constant(1, step.dtypes[0])
    u = b.node("Add", [one, x])
    log = b.node("Log", [u])
    rest = b.node("Sub", [u, one])
    scaled = b.node("Div", [b.node("Mul", [log, x]), rest])
    is_small, is_huge = b.node("Equal", [u, one]), b.node("IsInf", [u])
    return b.node("Where", [is_small, x, b.node("Where", [is_huge, log, scaled])])


@step("expm1")
def _expm1(step: Step, x: str) -> str:
    """Write exp(x) - 1 so that digits of a small x are kept: as for log1p."""
    b = step.builder
    one = b.constant(1, step.dtypes[0])
    u = b.node("Exp", [x])
    rest = b.node("Sub", [u, one])
    scaled = b.node("Div", [b.node("Mul", [rest, x]), b.node("Log", [u])])
    is_far = b.node("Greater", [b.node("Abs", [x]), one])
    kept = b.node("Where", [is_far, rest, scaled])
    return b.node("Where", [b.node("Equal", [u, one]), x, kept])


@step("erfc")
def _erfc(step: Step, x: str) -> str:
    return step.builder.node(
        "Sub", [step.builder.constant(1, step.dtypes[0]), step.builder.node("Erf", [x])]
    )


@step("atan2")
def _atan2(step: Step, y: str, x: str) -> str:
    """Write the angle of (x, y) as atan(y / x), turned by pi where x is negative."""
    b, dtype = step.builder, step.dtypes[0]
    zero = b.constant(0, dtype)
    is_left = b.node("Less", [x, zero])
    ratio = b.node("Div", [y, x])
    angle = b.node("Atan", [ratio])
    turned = b.constant(np.pi, dtype)
    half = b.node("Where", [b.node("Less", [y, zero]), b.node("Neg", [turned]), turned])
    of_left = b.node("Add", [angle, half])
    found = b.node("Where", [is_left, of_left, angle])
    is_origin = b.node("And", [b.node("Equal", [x, zero]), b.node("Equal", [y, zero])])
    return b.node("Where", [is_origin, zero, found])


@step("round")
def _round(step: Step, x: str) -> str:
    """Round to the nearest integer; halves to even, or away from 0, as the step says."""
    b = step.builder
    if step.params["rounding_method"] == jax.lax.RoundingMethod.TO_NEAREST_EVEN:
        return b.node("Round", [x])
    size = b.node("Abs", [x])
    whole = b.node("Floor", [size])
    rest = b.node("Sub", [size, whole])  # exact, unlike size + 0.5
    is_up = b.node("GreaterOrEqual", [rest, b.constant(0.5, step.dtypes[0])])
    whole = b.node("Add", [whole, b.cast(is_up, step.dtypes[0])])
    return b.node("Mul", [b.node("Sign", [x]), whole])


@step("is_finite")
def _is_finite(step: Step, x: str) -> str:
    b = step.builder
    return b.node("Not", [b.node("Or", [b.node("IsInf", [x]), b.node("IsNaN", [x])])])


@step("clamp")
def _clamp(step: Step, low: str, x: str, high: str) -> str:
    return step.builder.node("Min", [step.builder.node("Max", [x, low]), high])


@step("select_n")
def _select_n(step: Step, which: str, *cases: str) -> str:
    b, found, dtype = step.builder, cases[0], step.dtypes[1]
    if step.dtypes[0] == np.bool_:
        return where(b, which, cases[1], cases[0], dtype)
    for number, case in enumerate(cases[1:], 1):
        is_this = b.node("Equal", [which, b.constant(number, step.dtypes[0])])
        found = where(b, is_this, case, found, dtype)
    return found


def where(builder: GraphBuilder, which: str, x: str, y: str, dtype: np.dtype) -> str:
    """Return x where a condition holds, else y; of a dtype that runtimes select, if need be."""
    kind, size = np.dtype(dtype).kind, np.dtype(dtype).itemsize
    if kind == "b":
        chosen = builder.node("And", [which, x])
        return builder.node("Or", [chosen, builder.node("And", [builder.node("Not", [which]), y])])
    if kind not in "iu" or np.dtype(dtype).name in ("int32", "int64", "uint8"):
        return builder.node("Where", [which, x, y])
    wide = "int32" if size < 4 else "int64"
    chosen = builder.node("Where", [which, builder.cast(x, wide), builder.cast(y, wide)])
    return builder.cast(chosen, dtype)


@step("convert_element_type")
def _convert_element_type(step: Step, x: str) -> str:
    if step.out_dtypes[0] == step.dtypes[0]:
        return x
    return step.builder.cast(x, step.out_dtypes[0])


@step("dim_as_value")
def _dim_as_value(step: Step) -> str:
    return size_value(step.builder, step.params["dim"])
