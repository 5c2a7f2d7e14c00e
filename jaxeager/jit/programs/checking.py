"""FLAGS_check_static: a check whether a program still does the same as the function.

Every N-th call of a whole graph captures the function again, as the first call did, and compares
the two programs step by step: the kernels, their operands and constants, and the reads, writes and
results. So a number, list or object that Python has changed since, and that no check at a call
notices, is found with the line that reads it. Output and other effects of the function in Python
happen again.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import jax.extend.core as jex
import numpy as np

from jaxeager.arrays import random
from jaxeager.core.user_lines import is_users
from jaxeager.errors import PreconditionNotMetError
from jaxeager.jit.capture.lifted import UNSEEN
from jaxeager.jit.programs.dependencies import EXACT, as_key

if TYPE_CHECKING:
    from collections.abc import Callable

    from jax.extend.core import JaxprEqn, Var

    from jaxeager.jit.programs.program import Program
    from jaxeager.tensor import Tensor

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_every = 0


def set_interval(value: int) -> None:
    """Apply a new value of FLAGS_check_static."""
    global _every
    _every = value


def check(program: Program, tensors: Sequence, name: str, capture: Callable[[], Program]) -> None:
    """Capture the function of a program again, when it is due, and compare.

    Args:
        program: the program that is about to run.
        tensors: the tensors for this run, from ``Program.tensors_of``.
        name: the name of the function in errors.
        capture: returns another program of the function.

    Raises:
        PreconditionNotMetError: when they differ; it names the first different step.
    """
    if not _every or (program.calls + 1) % _every:
        return
    mark = random.default_generator.mark()
    try:
        again = capture()
    finally:
        random.default_generator.go_back(mark)
    arguments = tensors[: program.count]
    difference = difference_of((program, tensors), (again, again.tensors_of(arguments)))
    if difference:
        raise PreconditionNotMetError(
            f"{name} would no longer do what its program does: {difference}. Something that it "
            "reads has changed since the program was captured, which calls do not check "
            "(docs/compiling.md): make it an argument or a tensor, or leave out full_graph."
        )


def difference_of(one: tuple[Program, Sequence], other: tuple[Program, Sequence]) -> str:
    """Return the difference of two programs, each with its tensors; "" when there is none."""
    for known, now in itertools.zip_longest(_steps(*one), _steps(*other), fillvalue=_NOTHING):
        # Branches take existing gradients as operands, whether or not they read them.
        count = 2 if known.has_unread or now.has_unread else 4
        if known.what[:count] != now.what[:count]:
            return f"{now.text} replaces {known.text}{now.line or known.line}"
    if not _are_alike(_ends(one[0]), _ends(other[0])):
        return "it returns or writes something else"
    return ""


class _Step(NamedTuple):
    """A step of a program.

    Attributes:
        what: its content: primitive, operands, settings, shapes of the results.
        text: its name in errors.
        line: the line of the user's program.
        has_unread: whether an operand, left out, is an unread gradient.
    """

    what: tuple
    text: str
    line: str
    has_unread: bool = False


_NOTHING = _Step((), "nothing", "")


class _Used:
    """A tensor that a program uses; one that is only read equals another of equal values.

    So a constant that the function makes each time is not a difference.
    """

    __slots__ = ("is_read", "tensor")

    def __init__(self, tensor: Tensor | None, is_read: bool):
        self.tensor, self.is_read = tensor, is_read

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Used):
            return False
        one, two = self.tensor, other.tensor
        if one is two or one is None or two is None:
            return one is two
        if not (self.is_read and other.is_read) or one._array.aval != two._array.aval:
            return False
        return np.asarray(one._array).tobytes() == np.asarray(two._array).tobytes()


def _steps(program: Program, tensors: Sequence) -> Iterator[_Step]:
    """Yield the steps of a program."""
    found = program.captured
    closed = found.jaxpr
    changed = {each[0] for each in (*found.written, *found.graded, *found.stopped)}
    unread = {at for at, owner in found.grads_of if found.expected[owner].gradient == UNSEEN}
    numbers: dict[Var, object] = {}
    for variable, (kind, value) in zip(closed.jaxpr.constvars, found.inputs, strict=True):
        if kind != "lifted" or value < program.count:
            numbers[variable] = _input(kind, value)
        elif value in unread:
            numbers[variable] = _UNREAD
        else:
            numbers[variable] = kind, _Used(tensors[value], value not in changed)
    made = itertools.count(1)
    for equation in closed.jaxpr.eqns:
        every = [_operand(each, numbers) for each in equation.invars]
        operands = [each for each in every if each is not _UNREAD]
        for variable in equation.outvars:
            numbers[variable] = next(made)
        name = str(equation.params.get("name", equation.primitive))
        shown = ", ".join(map(_shown, operands))
        settings = _ADDRESS.sub("", str(equation.params))
        what = equation.primitive, operands, settings, _avals(equation.outvars)
        yield _Step(what, f"{name}({shown})", _line_of(equation), len(operands) < len(every))
    ends = [_operand(each, numbers) for each in closed.jaxpr.outvars]
    yield _Step(("end", ends, "", ()), "its end", "")


_UNREAD = ("gradient that nothing read",)


def _input(kind: str, value: object) -> tuple:
    """Return a key that identifies an input of a program, except for a tensor from outside."""
    if kind == "constant":
        array = np.asarray(value)
        return kind, array.shape, str(array.dtype), array.tobytes()
    return kind, value


def _operand(atom: Var | jex.Literal, numbers: dict[Var, object]) -> object:
    if isinstance(atom, jex.Literal):
        return "literal", str(atom.val), str(atom.aval)
    return numbers[atom]


def _shown(operand: Any) -> str:
    """Return the text of an operand for errors."""
    if isinstance(operand, int):
        return f"%{operand}"
    kind: str = operand[0]
    what: Any = operand[1:]
    if kind == "literal":
        return what[0]
    if kind == "constant":
        shape, dtype, data = what
        array = np.frombuffer(data, np.dtype(dtype)) if data else ()
        return str(array[0]) if len(array) == 1 else f"constant {dtype}{list(shape)}"
    if kind == "lifted":
        used = what[0]
        if isinstance(used, int):
            return f"argument {used}"
        return "a gradient" if used.tensor is None else used.tensor.name
    return {"draw": "a random key", "per_call": "the learning rate"}.get(kind, kind)


def _avals(variables: Sequence[Var]) -> tuple:
    return tuple([str(each.aval) for each in variables])


def _line_of(equation: JaxprEqn) -> str:
    """Return " at file:line" of the user's program; "" when it is not known."""
    traceback = equation.source_info.traceback
    for frame in () if traceback is None else traceback.frames:
        if is_users(frame.file_name) and "site-packages" not in frame.file_name:
            return f" at {frame.file_name}:{frame.line_num}"
    return ""


def _ends(program: Program) -> tuple:
    """Return the results and changes of a program."""
    found = program.captured
    replaced = [(id(each.table), each.name, each.value) for each in found.replaced]
    return found.result, found.written, found.graded, replaced, found.stopped


def _are_alike(one: Any, other: Any) -> bool:
    """Return whether two results are the same, in tensors and in constants of any class."""
    if type(one) is not type(other):
        return False
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(_are_alike, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(map(_are_alike, one.values(), other.values()))
    if isinstance(one, np.ndarray):
        is_alike = one.dtype == other.dtype and one.shape == other.shape
        return is_alike and (one.dtype == object or one.tobytes() == other.tobytes())
    if type(one) in EXACT:
        return as_key(one) == as_key(other)
    return one is other or _ADDRESS.sub("", str(one)) == _ADDRESS.sub("", str(other))
