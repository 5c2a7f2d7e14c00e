"""Formulas on the samples of their rows: the gradients of the formulas, and those of the rows."""

import ast
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from jaxeager.ops.row import ROWS, OpRow
from jaxeager.ops.rules.axes import normal_axes

from .cases import (
    Case,
    as_outputs,
    cotangents,
    inputs,
    pick,
    put,
    scalars_of,
    static_of,
    tensors,
    wanted,
)
from .checks import factor_of, run_backward
from .compare import assert_close
from .formula_shapes import SHAPES, Shapes
from .formula_words import ALONG, CONSTANTS, FUNCTIONS
from .formulas import Equation, Reading, check_words, right_side

# The axes that are not in the output, for rows that have no attribute for them.
GONE = {"dot": (-1,), "det": (-2, -1), "slogdet": (-2, -1), "mean_all": None, "dist": None}
LAST = ("topk", "kthvalue", "mode")  # their axis is the last one unless an attribute names another
# The replacement of an attribute or operand of None: a neutral value. Other ones are nan.
NEUTRAL = {"min": -np.inf, "max": np.inf, "scale": 1.0, "pos_weight": 1.0}


class Call(NamedTuple):
    """One call of a row's function, with the gradients that backward left.

    Attributes:
        case: the sample.
        arrays: operands.
        outs: outputs, as arrays.
        grads: the output gradients, None for outputs without one.
        places: (slot, rank) of the wanted operands.
        found: their gradients.
        static: attributes.
        shapes: the shapes in which a reader sees the arrays.
    """

    case: Case
    arrays: list
    outs: list
    grads: list
    places: list
    found: list
    static: dict
    shapes: Shapes


def call_of(case: Case) -> Call:
    """Run the function of a case and its gradient."""
    arrays = inputs(case)
    places = wanted(case.row, arrays)
    operands = tensors(arrays)
    for place in places:
        pick(operands, place).stop_gradient = False
    outs = as_outputs(case.row.function(*operands, **case.sample.attrs))
    grads = cotangents(outs)
    run_backward(outs, grads)
    found = [pick(operands, place).grad.to_dense().numpy() for place in places]
    static = static_of(case.row, case.sample)
    see = SHAPES.get(case.row.name)
    shapes = Shapes() if see is None else see(arrays, static)
    return Call(case, arrays, [out.numpy() for out in outs], grads, places, found, static, shapes)


def check_formula(case: Case) -> None:
    """Check that the gradients of a case's formula are those of its row's VJP kernel."""
    call = call_of(case)
    with np.errstate(all="ignore"):
        said = gradients_said(call)
    for (slot, rank), want in zip(call.places, call.found, strict=True):
        name = case.row.operands[slot].name
        got = said[name] if rank is None else said[name][rank]
        what = f"{case.id}, d{name} by '{case.row.formula}'"
        assert_close(got, want, case.dtype, what, factor_of(case.row, case.dtype))


def gradients_said(call: Call) -> dict:
    """Return the gradients of the wanted operands, by name, from the row's formula."""
    row = call.case.row
    equations = check_words(row)
    reading = reading_of(call, equations)
    given = {row.operands[slot].name for slot, _ in call.places}
    said = {}
    for equation in equations:
        name = equation.names[0].removeprefix("d")
        if f"d{name}" != equation.names[0] or name not in row.slots:
            reading.define(equation)
        elif name in given:
            said[name] = gradient(call, equation, name, reading)
    return said


def gradient(call: Call, equation: Equation, name: str, reading: Reading):
    """Return the gradient of an operand from its equation."""
    operand = call.arrays[call.case.row.slots[name]]
    if equation.index == "k":
        value = [right_side(equation, with_k(reading, k)) for k in range(len(operand))]
    else:
        value = right_side(equation, reading)
        reading.values[f"d{name}"] = value
    if equation.fitting in ("read", "weights"):
        return sent_back(call, name, value, equation.fitting == "read")
    if isinstance(operand, list):
        return [fitted(v, x, equation.fitting) for v, x in zip(value, operand, strict=True)]
    seen = call.shapes.to.get(name, np.asarray)(operand)
    if equation.index not in ("", "k"):
        value = written(value, reading.values[equation.index], seen, call, equation.adds)
    value = fitted(value, seen, equation.fitting)
    back = call.shapes.back.get(name)
    return value.reshape(operand.shape) if back is None else back(value)


def with_k(reading: Reading, k: int) -> Reading:
    """Return the reading for the tensor at position k of a list."""
    return reading._replace(values=reading.values | {"k": k})


def fitted(value, operand: np.ndarray, fitting: str = "") -> np.ndarray:
    """Return a value in the shape of an operand, summed over the broadcast axes."""
    value = np.asarray(value)
    if not np.iscomplexobj(operand):
        value = np.real(value)
    if fitting == "reshape":
        return value.reshape(operand.shape)
    value = value.sum(axis=tuple(range(value.ndim - operand.ndim)))
    if value.ndim == operand.ndim:
        pairs = enumerate(zip(operand.shape, value.shape, strict=True))
        stretched = tuple(axis for axis, (own, its) in pairs if own == 1 != its)
        value = value.sum(axis=stretched, keepdims=True)
    return np.broadcast_to(value, operand.shape)


def written(value, index, operand, call: Call, adds: bool) -> np.ndarray:
    """Return zeros with a value written, or added, at rows or at places along the axis."""
    found = np.zeros(operand.shape, np.result_type(value))
    flat, places = found, index
    if not operand.ndim:
        return np.asarray(value)
    if index.ndim < operand.ndim and "axis" in call.static:  # None: along all elements
        flat = found.reshape(-1)
    elif index.ndim == operand.ndim:
        along = axes_of(call)[0] % operand.ndim
        grid = np.indices(index.shape, sparse=True)
        places = tuple(index if axis == along else each for axis, each in enumerate(grid))
    if adds:
        np.add.at(flat, places, value)
    else:
        flat[places] = value
    return found


def sent_back(call: Call, name: str, value, is_copied: bool):
    """Return a value times the weights of an operand's elements in the output, summed.

    The op itself determines the weight of an element: it is run on each with all others 0.

    Args:
        call: the call.
        name: of the operand.
        value: the value to send back, a list if the op returns one.
        is_copied: whether elements are copied, so that weights are numbers of copies.
    """
    slot = call.case.row.slots[name]
    given = call.arrays[slot]
    found = []
    for rank, operand in enumerate(given if isinstance(given, list) else [given]):
        place = (slot, rank if isinstance(given, list) else None)
        values = value if isinstance(value, list) else [value]
        total = np.zeros(operand.size)
        for weights, each in zip(weights_of(call, place), values, strict=True):
            assert not is_copied or np.all(weights == abs(np.round(weights))), (
                f"{call.case.id}: {name} is not copied, but has weights {weights}"
            )
            axes = tuple(range(1, weights.ndim))
            total = total + np.sum(np.conj(weights) * each, axis=axes)
        found.append(fitted(total.reshape(operand.shape), operand))
    return found if isinstance(given, list) else found[0]


def weights_of(call: Call, place: tuple) -> list[np.ndarray]:
    """Return the weight of each element of an operand in the elements of each output."""
    row, operand = call.case.row, pick(call.arrays, place)
    attrs = call.case.sample.attrs | dict.fromkeys(row.scalars, 0.0)

    def outputs(unit):
        operands = [list(each) if isinstance(each, list) else each for each in call.arrays]
        put(operands, place, unit.reshape(operand.shape))
        outs = as_outputs(row.function(*tensors(operands), **attrs))
        return [out.numpy() for out in (outs if row.returns_list else outs[:1])]

    if not operand.size:
        return [np.zeros((0, *out.shape)) for out in call.outs]
    zeros = outputs(np.zeros_like(operand))
    found = [outputs(unit) for unit in np.eye(operand.size, dtype=operand.dtype)]
    return [np.stack(each) - zero for *each, zero in zip(*found, zeros, strict=True)]


def reading_of(call: Call, equations: list[Equation]) -> Reading:
    """Return the meaning of the words of a row's formula in a call."""
    row = call.case.row
    scalars = scalars_of(row, call.case.sample, "float64")
    values: dict[str, Any] = {}
    operands = {o.name: a for o, a in zip(row.operands, call.arrays, strict=False)}
    missing = {o.name: None for o in row.operands if operands.get(o.name) is None}
    for name, value in (call.static | scalars | operands | missing).items():
        values[name] = NEUTRAL.get(name, np.nan) if value is None else value
        if isinstance(value, tuple) and all(isinstance(each, int) for each in value):
            values[name] = np.array(value)
        elif name in scalars and value is not None:
            values[name] = np.asarray(value)[()]
    values |= dict(zip(row.outputs, outputs_of(call, call.outs), strict=False))
    grads = outputs_of(call, call.grads)
    values |= {f"d{name}": grad for name, grad in zip(row.outputs, grads, strict=False)}
    if any(name in names_in(each) for each in equations for name in row.hidden):
        every = row.forward(*call.arrays, **call.static, **scalars)
        hidden = [np.asarray(each) for each in every[len(row.outputs) :]]
        values |= dict(zip(row.hidden, hidden, strict=True))
    for name, see in call.shapes.to.items():
        if isinstance(values.get(name), np.ndarray):
            values[name] = see(values[name])
    return Reading({**CONSTANTS, **values, **call.shapes.more}, caller(call))


def names_in(equation: Equation) -> set[str]:
    """Return the names on the right side of an equation."""
    parts = [equation.value, *(part for case in equation.cases for part in case)]
    names = {n.id for part in parts for n in ast.walk(part) if isinstance(n, ast.Name)}
    return names.union(*(names_in(each) for each in equation.definitions))


def outputs_of(call: Call, values: list) -> list:
    """Return outputs, or their gradients, so that they broadcast against the first operand."""
    row = call.case.row
    if row.returns_list:
        return [values]
    if "keepdim" not in row.attrs and row.name not in GONE:
        return values
    ndim, axes = call.arrays[0].ndim, GONE.get(row.name) or axes_of(call)
    return [
        value if value is None or value.ndim == ndim else np.expand_dims(value, axes)
        for value in values
    ]


def axes_of(call: Call) -> tuple[int, ...]:
    """Return the axes that the op of a call runs over."""
    row = call.case.row
    if call.shapes.axes is not None:
        return call.shapes.axes
    ndim = call.arrays[0].ndim if not isinstance(call.arrays[0], list) else 0
    axis = call.static.get("axis", call.static.get("dim"))
    if axis is None and row.name in LAST:
        axis = -1
    return normal_axes(GONE.get(row.name) or axis, ndim)


def caller(call: Call) -> Callable:
    """Return the function that runs the functions that a formula names."""

    def run(name: str, arguments: list):
        if name in ALONG:
            (value,) = (np.asarray(each) for each in arguments)
            axes = axes_of(call)
            fits = all(-value.ndim <= axis < value.ndim for axis in axes)
            return ALONG[name](value, axes if fits else tuple(range(value.ndim)))
        if name in FUNCTIONS:
            return FUNCTIONS[name](*arguments)
        return run_row(ROWS[name], arguments, call.static)

    return run


def run_row(row: OpRow, arguments: list, static: dict):
    """Return the output of another row's function, with the attributes that both have."""
    count = len(row.operands)
    operands, given = arguments[:count], arguments[count:]
    names = [*row.attrs, *row.scalars]
    attrs = {name: static[name] for name in names if name in static}
    attrs |= dict(zip(names, (plain(each) for each in given), strict=False))
    outs = as_outputs(row.function(*(tensors(as_arrays(each)) for each in operands), **attrs))
    found = [each.numpy() for each in outs]
    return found if row.returns_list or len(found) > 1 else found[0]


def as_arrays(value):
    """Return arrays, in the lists they are in."""
    return [np.asarray(each) for each in value] if isinstance(value, list) else np.asarray(value)


def plain(value):
    """Return a computed attribute as a Python value."""
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
