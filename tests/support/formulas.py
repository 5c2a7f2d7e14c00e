"""The formulas of the op table as expressions, which are parsed here and computed with NumPy.

Note [What a formula says]
    A formula is a list of equations, separated by ";": of the gradient of each operand ("dx"), and
    before these of their common parts. Names are those of operands, of outputs and their gradients
    ("dout"), of attributes, and of names that an equation defines. The right side is

        an expression                ``dout * conj(y * x^(y - 1))``, with ``^`` for powers, ``|x|``,
                                     ``@`` and ``^T``, ``^H``, ``^-H`` for matrices;
        where it holds               ``dout where min <= x <= max, else 0``;
        exceptions                   ``..., 0 at 0`` (of the operand), ``..., 0 at out = 0``,
                                     ``..., dout where beta * x > threshold``;
        the meaning of a name         ``..., s = sigmoid(x)``;
        the shape it gets            ``..., in the shape of x`` (or broadcast to, or summed to);
        where it is added             ``dout, added where x was read`` (or put back, or taken), or
                                     ``dout, times the weights with which x was read``;
        a remark                     ``...: overwritten values get none``, which is not read.

    ``dx[indices] = dout`` writes along the axis, ``+=`` adds, and ``dinputs[k] = dout[k]`` means
    each tensor of a list; ``w_i`` and ``w_j`` are a vector along the rows and the columns of a
    matrix. Broadcast axes are summed back, and for a real operand the real part is used. Functions
    are those of formula_words.py (``sum`` and ``mean`` run over the axes of the op), and the name
    of an op is its public function, with the attributes of the call.
"""

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from jaxeager.ops.row import ROWS, OpRow

from .formula_shapes import MORE_WORDS
from .formula_words import CONSTANTS, FUNCTIONS, adjoint, inverse


class ProseError(Exception):
    """A formula, or a part of it, is not an expression."""


class Equation(NamedTuple):
    """One equation of a formula.

    Attributes:
        names: its left side: one name, or several for the outputs of one function.
        index: the text in brackets after it, or "".
        adds: whether it is ``+=``.
        value: the usual right side.
        cases: conditions, and the right sides that hold there; the first that fits.
        definitions: equations of names that the right sides use.
        fitting: "read" for a value that is added where an operand was read, "weights" for one that
            is weighted, "reshape" or "".
    """

    names: tuple[str, ...]
    index: str
    adds: bool
    value: ast.expr
    cases: list[tuple[ast.expr, ast.expr]]
    definitions: list["Equation"]
    fitting: str


_LEFT = re.compile(r"\s*(\w+|\(\w+(?:, \w+)*\))(?:\[(\w+)\])?\s*(\+?)=(?!=)\s*(.*)", re.DOTALL)
_FITTINGS = {
    r"in the (shape|dtype) of \w+": "reshape",
    r"(broadcast|summed) to \w+": "",
    r"(added|put|put back|taken) where \w+ (was|were) (read|written|put)": "read",
    r"(added|put) where \w+ stayed": "read",
    r"times the weights with which \w+ was read": "weights",
}


def read(formula: str) -> list[Equation]:
    """Return the equations of a formula.

    Raises:
        ProseError: when it has none, or a part that is not an expression.
    """
    return [_equation(each) for each in formula.split(";")]


def _equation(text: str) -> Equation:
    found = _LEFT.fullmatch(text)
    if found is None:
        raise ProseError(f"no equation: {text}")
    names, index, plus, right = found.groups()
    right = _parts(right, ":")[0]  # a remark follows it
    first, *others = _parts(right, ",")
    operand = names.removeprefix("d")
    value, cases, definitions, fitting = None, [], [], ""
    for part in (first, *others):
        kinds = [kind for pattern, kind in _FITTINGS.items() if re.fullmatch(pattern, part)]
        if kinds and part is not first:
            fitting = kinds[0]
        elif part.startswith("else ") and cases:
            value = _expression(part.removeprefix("else "))
        elif part is not first and _LEFT.fullmatch(part):
            definitions.append(_equation(part))
        else:
            condition, each = _case(part, operand)
            if condition is not None:
                cases.append((condition, each))
            elif part is first:
                value = each
            else:
                raise ProseError(f"neither a case nor a definition: {part}")
    if value is None:
        raise ProseError(f"no value elsewhere: {text}")
    found = tuple(names.strip("()").split(", "))
    return Equation(found, index or "", bool(plus), value, cases, definitions, fitting)


def _case(part: str, operand: str) -> tuple[ast.expr | None, ast.expr]:
    """Return the condition of "value where condition" or "value at place", and the value."""
    if " where " in part:
        value, _, condition = part.partition(" where ")
        return _condition(condition), _expression(value)
    if found := re.fullmatch(r"(.+) at (?:(\w+) = )?(-?\w+)", part):
        value, name, number = found.groups()
        return _condition(f"{name or operand} = {number}"), _expression(value)
    return None, _expression(part)


def _condition(text: str) -> ast.expr:
    return _expression(re.sub(r"(?<![<>=!])=(?!=)", "==", text))


def _expression(text: str) -> ast.expr:
    """Return an expression in Python's syntax."""
    text = re.sub(r"\|([^|]+)\|", r"abs(\1)", text)
    text = re.sub(r"\b(\d+)i\b", r"\1j", text)
    try:
        return ast.parse(text.strip().replace("^", "**"), mode="eval").body
    except SyntaxError:
        raise ProseError(f"no expression: {text}") from None


def _parts(text: str, mark: str) -> list[str]:
    """Return the parts between the marks that are outside brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == mark and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def check_words(row: OpRow) -> list[Equation]:
    """Return the equations of a row's formula, all words of which have a meaning.

    Raises:
        ProseError: when it is not an expression, has unknown names, or lacks an operand's gradient.
    """
    equations = read(row.formula)
    outputs = (*row.outputs, *row.hidden)
    known = {*row.parameters, *outputs, *(f"d{name}" for name in row.outputs), *CONSTANTS}
    known |= MORE_WORDS.get(row.name, set())
    wanted = {f"d{operand.name}" for operand in row.differentiable}
    for equation in equations:
        _check_equation(equation, known)
        known |= set(equation.names)
    if lacking := wanted - {name for equation in equations for name in equation.names}:
        raise ProseError(f"{row.name} lacks {sorted(lacking)}")
    return equations


def _check_equation(equation: Equation, known: set[str]) -> None:
    if equation.index == "k":
        known = known | {"k"}
    elif equation.index and equation.index not in known:
        raise ProseError(f"{equation.index} has no meaning")
    for each in equation.definitions:
        _check_equation(each, known)
        known |= set(each.names)
    for expression in (equation.value, *(part for case in equation.cases for part in case)):
        for name in _unknown_names(expression, known):
            raise ProseError(f"{name} has no meaning")


def _unknown_names(expression: ast.expr, known: set[str]) -> Iterator[str]:
    calls = {id(n.func) for n in ast.walk(expression) if isinstance(n, ast.Call)}
    for node in ast.walk(expression):
        if isinstance(node, ast.Name):
            functions = (*FUNCTIONS, *ROWS)
            if node.id not in (functions if id(node) in calls else (*known, "T", "H")):
                base = re.sub("_[ij]$", "", node.id)
                if base not in known:
                    yield node.id


class Reading(NamedTuple):
    """The meaning of the words of a formula in one call.

    Attributes:
        values: the value of each name.
        call: maps ``(name, arguments)`` to the result of a function.
    """

    values: dict
    call: Callable

    def define(self, equation: Equation) -> None:
        """Assign the values of the names on the left of an equation."""
        value = right_side(equation, self)
        values = [value] if len(equation.names) == 1 else value
        self.values.update(zip(equation.names, values, strict=True))


def evaluate(node: ast.expr, reading: Reading) -> Any:
    """Return the value of an expression."""
    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            return _named(node.id, reading.values)
        case ast.UnaryOp(op=ast.Not()):
            return np.logical_not(evaluate(node.operand, reading))
        case ast.UnaryOp(op=ast.USub()):
            return -evaluate(node.operand, reading)
        case ast.BinOp(op=ast.Pow()) if _is_adjoint(node.right, reading.values):
            return _adjoint_of(evaluate(node.left, reading), node.right)
        case ast.BinOp():
            return _BINARY[type(node.op)](
                evaluate(node.left, reading), evaluate(node.right, reading)
            )
        case ast.Compare():
            values = [evaluate(each, reading) for each in (node.left, *node.comparators)]
            pairs = zip(node.ops, values, values[1:], strict=False)
            return np.all(
                np.broadcast_arrays(*(_COMPARED[type(op)](a, b) for op, a, b in pairs)), axis=0
            )
        case ast.BoolOp():
            joined = np.logical_and if isinstance(node.op, ast.And) else np.logical_or
            first, *others = (evaluate(each, reading) for each in node.values)
            for each in others:
                first = joined(first, each)
            return first
        case ast.Call(func=ast.Name(id=name)):
            return reading.call(name, [evaluate(each, reading) for each in node.args])
        case ast.Tuple() | ast.List():
            return [evaluate(each, reading) for each in node.elts]
        case ast.Subscript():
            return _at(*(evaluate(each, reading) for each in (node.value, node.slice)))
    raise ProseError(f"no expression: {ast.unparse(node)}")


_BINARY = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: np.true_divide,
    ast.Pow: lambda a, b: np.power(np.asarray(a) * 1.0, b),
    ast.MatMult: np.matmul,
}
_COMPARED = {
    ast.Lt: np.less,
    ast.LtE: np.less_equal,
    ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
    ast.Eq: lambda a, b: a == b,  # of texts as well
    ast.NotEq: lambda a, b: a != b,
}


def _at(value, index):
    """Return the value at an index: rows, or elements along the last axis."""
    if isinstance(value, list) or np.ndim(index) < 2:
        return value[index]
    return np.take_along_axis(value, index, -1)


def _named(name: str, values: dict):
    """Return a value; ``w_i`` and ``w_j`` are a vector along rows and columns of a matrix."""
    if name in values:
        return values[name]
    vector = values[name[:-2]]
    return vector[..., :, None] if name.endswith("_i") else vector[..., None, :]


def _is_adjoint(node: ast.expr, values: dict) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Name) and node.id in ("T", "H") and node.id not in values


def _adjoint_of(value: np.ndarray, mark: ast.expr) -> np.ndarray:
    inverted = isinstance(mark, ast.UnaryOp)
    name = ast.unparse(mark).removeprefix("-")
    found = np.swapaxes(value, -1, -2) if name == "T" else adjoint(value)
    return inverse(found) if inverted else found


def right_side(equation: Equation, reading: Reading) -> Any:
    """Return the value of an equation's right side; add its definitions to the values."""
    for each in equation.definitions:
        reading.define(each)
    return _of_cases(equation.cases, equation.value, reading)


def _of_cases(cases: list, usual: ast.expr, reading: Reading) -> Any:
    """Return the value of the first case that holds; compute no other."""
    if not cases:
        return evaluate(usual, reading)
    (condition, value), *others = cases
    holds = evaluate(condition, reading)
    if np.ndim(holds):
        elsewhere = _of_cases(others, usual, reading)
        return np.where(holds, evaluate(value, reading), elsewhere)
    return evaluate(value, reading) if holds else _of_cases(others, usual, reading)
