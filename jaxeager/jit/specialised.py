"""A function with a program for each kind of call: what a call is like, and which program fits.

Note [What a program depends on]
    Python runs when a program is captured, and not again. So a program is for calls that are alike
    in all that Python could have seen: shapes, dtypes and ``stop_gradient`` of the tensors, which
    of them are the same object, the values of all other arguments, whether gradients are recorded,
    mixed precision, the default dtype; simple values (numbers, strings, None) in the closure and
    the globals that the function itself names; and ``training``, simple attributes, parameters,
    buffers and sublayers of each Layer that it belongs to, is given, or names. These are compared
    on each call; those of Layers only when any Layer of the process has been changed since. Values
    that are found in another way (the attribute of some other object, a global of a function it
    calls) are as they were at the capture, as in ``jax.jit``.
"""

from __future__ import annotations

import inspect
import logging
import types
from collections.abc import Callable, Sequence, Set
from typing import Any, NamedTuple

import numpy as np

from jaxeager.core import dtypes
from jaxeager.graph.mode import grad_mode
from jaxeager.jit.breaks import UNSET, is_container, line_in, parted_at
from jaxeager.jit.nesting import mapped
from jaxeager.jit.program import Program, ShapesChanged
from jaxeager.jit.refusals import (
    asked_in,
    asks_for_value,
    called,
    needs_value,
    place_of,
    tensor_text,
)
from jaxeager.nn import Layer
from jaxeager.nn.layer import changes
from jaxeager.tensor import Tensor, to_tensor

_logger = logging.getLogger("jaxeager.jit")
_SIMPLE = (int, float, complex, str, bytes, bool, type(None))


class _Place(NamedTuple):
    """Stands for a tensor in the structure of arguments."""

    number: int


class Given(NamedTuple):
    """The arguments of a call, taken apart.

    Attributes:
        tensors: the tensors among them, each once.
        structure: (args, kwargs) with a number in the place of each tensor.
        key: all that a program depends on in them, hashable.
    """

    tensors: list
    structure: Any
    key: tuple


def taken_apart(args: tuple, kwargs: dict) -> Given:
    """Takes the arguments of a call apart. NumPy arrays become tensors."""
    tensors: list = []
    numbers: dict[int, int] = {}
    key: list = []

    def end(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            value = to_tensor(value)
        if isinstance(value, Tensor):
            number = numbers.get(id(value))
            if number is None:
                number = numbers[id(value)] = len(tensors)
                tensors.append(value)
                array, meta = value._array, value._meta
                stops = meta is None or meta.stop_gradient
                key.append((array.shape, array.dtype, stops, type(value)))
            else:
                key.append(number)
            return _Place(number)
        key.append(_as_key(value))
        return value

    def on_way(value: Any) -> None:
        key.append((type(value), len(value), *(value if isinstance(value, dict) else ())))

    structure = mapped(end, (args, kwargs), on_way)
    return Given(tensors, structure, tuple(key))


def _as_key(value: Any) -> Any:
    """Returns what tells a value from others: 1, 1.0 and True are three; so are 0.0 and -0.0."""
    if isinstance(value, (float, complex)):
        return type(value), repr(value)
    try:
        hash(value)
    except TypeError:
        return _ById(value)
    return type(value), value


class _ById:
    """A value without a hash: itself, and no other."""

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ById) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


def put_together(structure: Any, tensors: Sequence[Any]) -> tuple[tuple, dict]:
    """Returns the arguments that ``taken_apart`` took apart, with other tensors."""

    def end(value: Any) -> Any:
        return tensors[value.number] if type(value) is _Place else value

    return mapped(end, structure, stops_at=_Place)


class Specialised:
    """The programs of one function.

    Args:
        function: a function, or a method of a Layer.
        full_graph: whether to raise when it makes no program; else it runs op by op.

    Attributes:
        programs: by what they depend on.
        reasons: why it, or a part of it, runs op by op: (place, text).
        ran: the program of the last call; None when it ran op by op.
        noted: the program whose arguments were noted last.
    """

    def __init__(self, function: Callable, full_graph: bool):
        self.function = function
        self.full_graph = full_graph
        self.name = getattr(function, "__name__", type(function).__name__)
        self._owner = getattr(function, "__self__", None)
        self._named = _named_by(function)
        self._layers_at = -1
        self._layers_key: tuple = ()
        self._layers: list[Layer] = []
        self._moving: set[tuple[int, str]] = set()
        self.programs: dict[tuple, list[Program]] = {}
        self.reasons: list[tuple] = []
        self.ran: Program | None = None
        self.noted: Program | None = None
        self._refused: dict[tuple, Callable] = {}
        self._parted: dict[int, Callable | None] = {}

    def all_programs(self) -> list[Program]:
        """Returns its programs, the last one captured last; none for one that runs op by op."""
        found = [program for each in self.programs.values() for program in each]
        return sorted(found, key=lambda program: program.number)

    def call(self, args: tuple, kwargs: dict) -> Any:
        """Calls the function: runs the program that fits, and captures one when there is none.

        Raises:
            Exception: whatever the function raises when it is captured.
        """
        self.ran = None
        given = taken_apart(args, kwargs)
        key = (given.key, self._surroundings(args, kwargs))
        if key in self._refused:
            return self._refused[key](*args, **kwargs)
        known = self.programs.get(key, [])
        for program in known:
            tensors = program.tensors_of(given.tensors)
            if program.fits(tensors):
                try:
                    self.ran = program
                    return program.call(tensors)
                except ShapesChanged:
                    known.remove(program)
                    break
        caught: Exception | None = None
        try:
            program = self._captured(given)
        except Exception as error:
            if self.full_graph:
                if asks_for_value(error):
                    raise needs_value(self.function, error, asked_in(error)) from None
                raise
            caught = error
        if caught is not None:
            return self._without(key, caught, args, kwargs)
        replaced = program.captured.replaced
        if replaced:  # such members are other tensors at each call
            self._moving.update((id(table), name) for table, name, _ in replaced)
            self._layers_at = -1
            key = (given.key, self._surroundings(args, kwargs))
        self.programs.setdefault(key, []).append(program)
        self.ran = program
        return program.call(program.tensors_of(given.tensors))

    def _captured(self, given: Given) -> Program:
        structure = given.structure

        def run(tensors: list) -> Any:
            args, kwargs = put_together(structure, tensors)
            return self.function(*args, **kwargs)

        return Program(run, given.tensors, self.name, grad_mode.enabled, self._layers)

    def _without(self, key: tuple, error: Exception, args: tuple, kwargs: dict) -> Any:
        """Runs a function that makes no program: parted at a line, or op by op."""
        if asks_for_value(error):
            return self._refuse(key, error)(*args, **kwargs)
        found = self.function(*args, **kwargs)  # raises when the error was its own
        self._refuse(key, error)
        return found

    def _refuse(self, key: tuple, error: Exception) -> Callable:
        """Returns what runs in the place of a function that makes no program, and says so."""
        line = line_in(self.function, error)
        parted = None if line is None else self._parted_at(line)
        text = str(error).split("\n", 1)[0].rstrip(".")
        if asks_for_value(error):
            text = f"it asks for the value of {tensor_text(asked_in(error))}"
        self._say(place_of(error), text, parted is not None)
        self._refused[key] = parted or self.function
        return self._refused[key]

    def _parted_at(self, line: int) -> Callable | None:
        if line not in self._parted:
            self._parted[line] = parted_at(self.function, line, _Block)
        return self._parted[line]

    def _say(self, place: tuple[str, int] | None, text: str, is_parted: bool) -> None:
        """Writes, once for each reason, that and why something runs op by op."""
        if (place, text) in self.reasons:
            return
        self.reasons.append((place, text))
        what = "this line runs op by op" if is_parted else "all of it runs op by op"
        where = "" if place is None else f" at {place[0]}:{place[1]}"
        _logger.warning("to_static: %s breaks%s: %s; %s.", called(self.function), where, text, what)

    def __reduce__(self) -> tuple:
        return _none, ()  # neither copied nor pickled with what it belongs to

    # ---- what a program depends on besides the arguments

    def _surroundings(self, args: tuple, kwargs: dict) -> tuple:
        amp = grad_mode.amp
        policy = amp and (amp.level, amp.dtype, amp.use_promote, amp.white, amp.black)
        values = self._named.values()
        given = [each for each in (*args, *kwargs.values()) if isinstance(each, Layer)]
        if given or changes.count() != self._layers_at:
            self._layers_at = changes.count()
            found = (self._owner, *values, *given)
            self._layers = [each for each in found if isinstance(each, Layer)]
            self._layers_key = tuple([_layer_key(each, self._moving) for each in self._layers])
        simple = tuple([_as_key(each) for each in values if isinstance(each, _SIMPLE)])
        return grad_mode.enabled, policy, dtypes.get_default_dtype(), simple, self._layers_key


class _Block:
    """A block of a parted function: see breaks.py, Note [Graph breaks]."""

    def __init__(self, function: Callable, takes: Sequence[str], changes: Set):
        self._function = function
        self._checked = [place for place, name in enumerate(takes) if name in changes]
        self._programs = Specialised(function, full_graph=False)

    def __call__(self, *args: Any) -> Any:
        if any(is_container(args[place]) for place in self._checked):
            return self._function(*args)
        return self._programs.call(args, {})


def _none() -> None:
    return None


class _Named:
    """The values that a function names: in its closure, and among its globals."""

    def __init__(self, cells: list, names: list[str], scope: dict):
        self._cells = cells
        self._names = names
        self._scope = scope

    def values(self) -> list:
        """Returns them as they are now."""
        found = [cell.cell_contents for cell in self._cells if _is_full(cell)]
        return found + [self._scope[name] for name in self._names if name in self._scope]


def _is_full(cell: Any) -> bool:
    try:
        return cell.cell_contents is not UNSET
    except ValueError:
        return False


def _named_by(function: Callable) -> _Named:
    plain: Any = inspect.unwrap(getattr(function, "__func__", function))
    if not isinstance(plain, types.FunctionType):
        return _Named([], [], {})
    names = sorted(_names_in(plain.__code__))
    return _Named(list(plain.__closure__ or ()), names, plain.__globals__)


def _names_in(code: types.CodeType) -> set[str]:
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= _names_in(constant)
    return found


def _layer_key(layer: Layer, moving: Set = frozenset()) -> tuple:
    """Returns what programs depend on in a Layer and all below.

    Args:
        layer: the Layer.
        moving: (id of the table, name) of members that programs replace, and look up by name.
    """
    found: list = []
    for each in layer.sublayers(include_self=True):
        members = vars(each)
        found.append(id(each))
        found += [
            (name, _as_key(value))
            for name, value in members.items()
            if isinstance(value, _SIMPLE) and name != "_built"  # set by the first call
        ]
        for table in ("_parameters", "_buffers"):
            found += [
                (name, None if (id(members[table]), name) in moving else id(value))
                for name, value in members[table].items()
            ]
        for table in ("_forward_pre_hooks", "_forward_post_hooks"):
            found += [id(hook) for hook in members.get(table, {}).values()]
    return tuple(found)
