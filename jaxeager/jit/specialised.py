"""A function with a program for each kind of call: what a call is like, and which program fits.

Note [What a program depends on]
    Python runs when a program is captured, and not again. So a program is for calls that are alike
    in all that Python could have seen: shapes, dtypes and ``stop_gradient`` of the tensors, which
    of them are the same object, the values of all other arguments, whether gradients are recorded,
    mixed precision, the default dtype; what the function reaches by names (surroundings.py, Note
    [What is looked at]); and ``training``, simple attributes, parameters, buffers and sublayers of
    each Layer that it calls, is given, or names. These are compared on each call; those of Layers
    only when any Layer of the process has been changed since.

    What a call looked like is noted before it is captured, for the function may change it. Numbers
    and strings that it sets in attributes and variables are set again when its program runs.
"""

from __future__ import annotations

import contextlib
import logging
import math
import threading
from collections.abc import Callable, Sequence, Set
from typing import Any, NamedTuple

import numpy as np

from jaxeager.core import dtypes
from jaxeager.errors import UnimplementedError
from jaxeager.graph.mode import grad_mode
from jaxeager.graph.stale import fresh_class
from jaxeager.jit.breaks import is_container, line_in, parted_at
from jaxeager.jit.lowering import in_program, lowered
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
from jaxeager.jit.surroundings import (
    Surroundings,
    as_key,
    effects_of,
    layer_key,
    put_back,
    refuse_counted,
    set_again,
    tensors_of,
)
from jaxeager.nn import Layer
from jaxeager.nn.layer import changes
from jaxeager.tensor import Tensor, to_tensor

_logger = logging.getLogger("jaxeager.jit")
_lock = threading.RLock()
_MANY_PROGRAMS = 32
_MOST_REFUSALS = 8
_MOST_PROGRAMS = 16  # for arguments that look the same


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
                key.append((array.shape, array.dtype, stops, fresh_class(value)))
            else:
                key.append(number)
            return _Place(number)
        key.append(as_key(value))
        return value

    def on_way(value: Any) -> None:
        key.append((type(value), len(value), *(value if isinstance(value, dict) else ())))

    structure = mapped(end, (args, kwargs), on_way)
    return Given(tensors, structure, tuple(key))


def put_together(structure: Any, tensors: Sequence[Any]) -> tuple[tuple, dict]:
    """Returns the arguments that ``taken_apart`` took apart, with other tensors."""

    def end(value: Any) -> Any:
        return tensors[value.number] if type(value) is _Place else value

    return mapped(end, structure, stops_at=_Place)


def _parts(structure: Any) -> list:
    """Returns which objects a structure has, and the kinds and lengths of its containers."""
    found: list = []
    mapped(
        lambda end: found.append(id(end)),
        structure,
        lambda inner: found.append((type(inner), len(inner))),
    )
    return found


class Specialised:
    """The programs of one function.

    Args:
        function: a function, or a method of a Layer.
        full_graph: whether to raise when it makes no program; else it runs op by op.
        most: how many programs it makes.

    Attributes:
        programs: by what they depend on.
        reasons: why it, or a part of it, runs op by op: (place, text).
        ran: the program of the last call; None when it ran op by op.
        noted: the program whose arguments were noted last.
    """

    def __init__(self, function: Callable, full_graph: bool, most: float = math.inf):
        self.function = function
        self._most = most
        self.full_graph = full_graph
        self.name = getattr(function, "__name__", type(function).__name__)
        self._around = Surroundings(function)
        self._entered: dict[int, Layer] = {}
        self._layers_at = -1
        self._layers_key = 0
        self._layers_keys: dict[tuple, int] = {}
        self._layers: tuple[Layer, ...] = ()
        self._layers_tensors: set[int] = set()
        self._moving: set[tuple[int, str]] = set()
        self.programs: dict[tuple, list[Program]] = {}
        self.reasons: list[tuple] = []
        self.ran: Program | None = None
        self.noted: Program | None = None
        self._instead: dict[tuple, Callable] = {}
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
        with _lock:  # while one thread traces, no other may look at the tensors
            instead, result = self._called(args, kwargs)
        return result if instead is None else instead(*args, **kwargs)

    def _called(self, args: tuple, kwargs: dict) -> tuple[Callable | None, Any]:
        """Returns what runs op by op, or None and the result."""
        self.ran = None
        given = taken_apart(args, kwargs)
        instead = self._instead.get(given.key)
        if instead is not None:
            return instead, None
        modes = self._surroundings(args, kwargs, given.tensors)
        key = given.key, modes, self._layers_key
        known = self.programs.get(key, [])
        for program in known:
            tensors = program.tensors_of(given.tensors)
            if program.fits(tensors):
                try:
                    self.ran = program
                    result = program.call(tensors)
                except ShapesChanged:
                    known.remove(program)
                    break
                set_again(program.effects)
                return None, result
        if key in self._refused:
            return self._refused[key], None
        if self._has_many(given.key) or len(self.all_programs()) >= self._most:
            return self.function, None
        arguments = (*args, *kwargs.values())
        places = self._around.places(arguments)
        try:
            program = self._captured(given, places)
        except Exception as error:
            if not self.full_graph:
                return self._without(key, error), None
            if asks_for_value(error):
                raise needs_value(self.function, error, asked_in(error)) from None
            raise
        self._keep(program, key, places, arguments, given.tensors)
        return None, program.call(program.tensors_of(given.tensors))

    def _keep(
        self, program: Program, key: tuple, places: list, arguments: tuple, tensors: list
    ) -> None:
        """Keeps a program for calls that look as its own did, before it was captured."""
        found = program.captured
        program.effects = effects_of(places, found.layers)
        given, modes, _ = key
        now = self._around.places(arguments)
        if self._around.leave_out(places):
            put_back(places)
            modes = *modes[:-2], self._around.key(arguments).number, modes[-1]
            put_back(now)
        self._moving.update((id(table), name) for table, name, *_ in found.replaced)
        self._entered.update((id(layer), layer) for layer, _ in found.layers)
        attributes = {id(layer): before for layer, before in found.layers}
        layers = self._key_of_layers(attributes)
        reached = self._reached_among(tensors, self._around.key(arguments).tensors)
        program.reached = [each for each, at in zip(tensors, reached, strict=False) if at]
        key = given, (*modes[:-1], reached), layers
        self._layers_at = -1
        self.programs.setdefault(key, []).append(program)
        self.ran = program
        if len(self.all_programs()) == _MANY_PROGRAMS:
            _logger.warning(
                "to_static: %s has %d programs; numbers that change on each call want to be "
                "tensors.",
                called(self.function),
                _MANY_PROGRAMS,
            )

    def _has_many(self, key: tuple) -> bool:
        """Says whether programs are of no use, as there are too many for the same arguments."""
        same = [each for each in self.programs if each[0] == key]
        if sum(len(self.programs[each]) for each in same) < _MOST_PROGRAMS:
            return False
        text = (
            f"on {_MOST_PROGRAMS} calls with like arguments something else was different (a number "
            "or a tensor that it names, an attribute, a hook, an optimizer's setting)"
        )
        self._say(None, text, False)
        self._instead[key] = self.function
        for each in same:
            del self.programs[each]
        return True

    def _captured(self, given: Given, places: list) -> Program:
        structure = given.structure
        lowers = self.full_graph

        def run(tensors: list) -> Any:
            args, kwargs = put_together(structure, tensors)
            before = _parts((args, kwargs))
            with in_program() if lowers else contextlib.nullcontext():
                function = lowered(self.function) if lowers else self.function
                result = function(*args, **kwargs)
            if _parts((args, kwargs)) != before:
                raise UnimplementedError("it changes a list or a dict that it was given.")
            refuse_counted(places)
            return result

        try:
            return Program(run, given.tensors, self.name, grad_mode.enabled, self._layers, lowers)
        except BaseException:
            put_back(places)
            raise

    def _without(self, key: tuple, error: Exception) -> Callable:
        """Returns what runs a function that makes no program: parted at a line, or op by op."""
        if asks_for_value(error):
            return self._refuse(key, error)

        def first(*args: Any, **kwargs: Any) -> Any:
            found = self.function(*args, **kwargs)  # raises when the error was its own
            self._refuse(key, error)
            return found

        return first

    def _refuse(self, key: tuple, error: Exception) -> Callable:
        """Returns what runs in the place of a function that makes no program, and says so."""
        line = line_in(self.function, error)
        parted = None if line is None else self._parted_at(line)
        text = str(error).split("\n", 1)[0].rstrip(".")
        if asks_for_value(error):
            text = f"it asks for the value of {tensor_text(asked_in(error))}"
        self._say(place_of(error), text, parted is not None)
        instead = self._refused[key] = parted or self.function
        if sum(each[0] == key[0] for each in self._refused) >= _MOST_REFUSALS:
            self._instead[key[0]] = instead
        return instead

    def _parted_at(self, line: int) -> Callable | None:
        if line not in self._parted:
            self._parted[line] = parted_at(self.function, line, _Block)
        return self._parted[line]

    def _say(self, place: tuple[str, int] | None, text: str, is_parted: bool) -> None:
        """Writes, once for each reason, that and why something runs op by op."""
        known = [reason for at, reason in self.reasons if at == place]
        if known and (place is not None or text in known):  # names of tensors are new each time
            return
        self.reasons.append((place, text))
        what = "this line runs op by op" if is_parted else "all of it runs op by op"
        where = "" if place is None else f" at {place[0]}:{place[1]}"
        _logger.warning("to_static: %s breaks%s: %s; %s.", called(self.function), where, text, what)

    def __reduce__(self) -> tuple:
        return _none, ()  # neither copied nor pickled with what it belongs to

    # ---- what a program depends on besides the arguments

    def _surroundings(self, args: tuple, kwargs: dict, tensors: list) -> tuple:
        amp = grad_mode.amp
        policy = amp and (amp.level, amp.dtype, amp.use_promote, amp.white, amp.black)
        arguments = (*args, *kwargs.values())
        seen = self._around.key(arguments)
        layers = (*seen.layers, *[each for each in arguments if isinstance(each, Layer)])
        if layers != self._layers or changes.count() != self._layers_at:
            self._layers_at = changes.count()
            self._layers = layers
            self._layers_key = self._key_of_layers({})
            seen = self._around.key(arguments)
        return (
            grad_mode.enabled,
            policy,
            dtypes.default_float(),
            seen.number,
            self._reached_among(tensors, seen.tensors),
        )

    def _reached_among(self, tensors: list, reached: set[int]) -> tuple:
        """Return which of the arguments are tensors that the function reaches by itself."""
        ids = tuple(map(id, tensors))
        if reached.isdisjoint(ids) and self._layers_tensors.isdisjoint(ids):
            return ()
        return tuple(
            [each if each in reached or each in self._layers_tensors else 0 for each in ids]
        )

    def _key_of_layers(self, attributes: dict[int, dict]) -> int:
        """Returns a number for what programs depend on in Layers.

        Args:
            attributes: those that some Layers had at another time, by the id of the Layer.
        """
        every = [each for top in self._layers for each in top.sublayers(include_self=True)]
        found = dict(zip(map(id, every), every, strict=True)) | self._entered
        self._around.note_layers(found.values())
        self._layers_tensors = {each for layer in found.values() for each in tensors_of(layer)}
        key = tuple([layer_key(e, self._moving, attributes.get(at)) for at, e in found.items()])
        return self._layers_keys.setdefault(key, len(self._layers_keys))


class _Block:
    """A block of a parted function: see breaks.py, Note [Graph breaks]."""

    def __init__(self, function: Callable, takes: Sequence[str], changes: Set):
        self._function = function
        self._checked = [place for place, name in enumerate(takes) if name in changes]
        self._programs = Specialised(function, False, _MANY_PROGRAMS)  # a loop counts

    def __call__(self, *args: Any) -> Any:
        if any(is_container(args[place]) for place in self._checked):
            return self._function(*args)
        return self._programs.call(args, {})


def _none() -> None:
    return None
