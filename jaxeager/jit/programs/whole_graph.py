"""A whole graph (``full_graph=True``): a program for each kind of call, and their selection.

Note [What a program depends on]
    Python runs when a program is captured, and not again. So a program is for calls that are equal
    in all that is compared on each call:

    - the arguments: shapes, dtypes and ``stop_gradient`` of tensors, which of them are the same
      object, the values of all others;
    - whether gradients are recorded, mixed precision, the default dtype;
    - the variables that the code of the function itself names (of its closure, globals, defaults):
      numbers and strings by value, all others by identity;
    - each Layer that is an argument or is named so, or that the function called at its capture:
      ``training``, simple attributes, parameters, buffers, sublayers and hooks. These are compared
      only when any Layer of the process has changed;
    - the tensors that it uses (fitting.py), and the settings of optimizers whose steps it makes.

    The properties of a call are noted before its capture, because the function may change them.
    Numbers and strings that it sets in its variables and in attributes of Layers are set again when
    its program runs.

    An argument may be a tensor that the function also uses directly. A capture gets substitutes for
    the arguments (lifted.py), so that the two can be distinguished. If they turn out to be the same
    tensor, the capture is repeated with that tensor itself, for calls with the same one.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from jaxeager.arrays import random
from jaxeager.core import dtypes
from jaxeager.errors import UnimplementedError
from jaxeager.graph.mode import grad_mode
from jaxeager.graph.views.stale import fresh_class
from jaxeager.jit.capture.lifted import stand_in
from jaxeager.jit.capture.nesting import mapped
from jaxeager.jit.capture.refusals import asked_in, asks_for_value, called, needs_value
from jaxeager.jit.lowering import in_program, lowered
from jaxeager.jit.programs.checking import check
from jaxeager.jit.programs.dependencies import (
    Named,
    Names,
    Variable,
    as_before,
    as_key,
    effects_of,
    layer_key,
    put_back,
    set_again,
    tensors_of,
)
from jaxeager.jit.programs.program import Program, ShapesChanged
from jaxeager.jit.programs.recapture import Call, Part, differences, form_of, parts_of, unfit
from jaxeager.kernels.call_shapes import Change, text_of
from jaxeager.nn import Layer
from jaxeager.nn.layer import changes
from jaxeager.tensor import Tensor, to_tensor

_logger = logging.getLogger("jaxeager.jit")
_lock = threading.RLock()
_MANY_PROGRAMS = 32
_MOST_PROGRAMS = 16  # for arguments with the same key


class _Placeholder(NamedTuple):
    """A placeholder for a tensor in the structure of arguments."""

    number: int


class Given(NamedTuple):
    """The arguments of a call, separated into parts.

    Attributes:
        tensors: the tensors among them, each once.
        layers: the Layers among them.
        structure: (args, kwargs) with a number instead of each tensor.
        key: all properties of them that a program depends on, hashable.
    """

    tensors: list
    layers: list[Layer]
    structure: object
    key: tuple


def taken_apart(args: tuple, kwargs: dict) -> Given:
    """Separate the arguments of a call into parts; convert NumPy arrays to tensors."""
    tensors: list = []
    layers: list[Layer] = []
    numbers: dict[int, int] = {}
    key: list = []

    def end(value: object) -> object:
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
            return _Placeholder(number)
        if isinstance(value, Layer):
            layers.append(value)
        if isinstance(value, Iterator):
            raise UnimplementedError(
                f"its argument is a {type(value).__name__}, which is empty after the first call."
            )
        key.append(as_key(value))
        return value

    def on_way(value: list | tuple | dict) -> None:
        key.append((type(value), len(value), *(value if isinstance(value, dict) else ())))

    structure = mapped(end, (args, kwargs), on_way)
    return Given(tensors, layers, structure, tuple(key))


def put_together(structure: object, tensors: Sequence[Tensor]) -> tuple[tuple, dict]:
    """Return the arguments from the result of ``taken_apart``, with other tensors."""

    def end(value: object) -> object:
        return tensors[value.number] if type(value) is _Placeholder else value

    return mapped(end, structure, stops_at=_Placeholder)


def _parts(structure: object) -> list:
    """Return the objects in a structure, and the kinds and lengths of its containers."""
    found: list = []
    mapped(
        lambda end: found.append(id(end)),
        structure,
        lambda inner: found.append((type(inner), len(inner))),
    )
    return found


class WholeGraph:
    """The programs of one function.

    Args:
        function: a function, or a method of a Layer.

    Attributes:
        programs: by their keys.
        ran: the program of the last call.
        noted: the program whose arguments were noted last.
    """

    def __init__(self, function: Callable):
        self.function = function
        self.name = getattr(function, "__name__", type(function).__name__)
        self._names = Names(function)
        self._entered: dict[int, Layer] = {}
        self._layers: tuple[Layer, ...] = ()
        self._layers_at = -1
        self._layers_key: tuple = ()
        self._of_layers: set[int] = set()  # the ids of their parameters and buffers
        self._moving: set[tuple[int, str]] = set()
        self._used: set[int] = set()  # the ids of tensors that its programs use directly
        self.programs: dict[tuple, list[Program]] = {}
        self._outdated: Program | None = None  # shapes of tensors that it uses have changed
        self.ran: Program | None = None
        self.noted: Program | None = None

    def all_programs(self) -> list[Program]:
        """Return its programs, in the order of capture."""
        found = [program for each in self.programs.values() for program in each]
        return sorted(found, key=lambda program: program.number)

    def call(self, args: tuple, kwargs: dict) -> Any:
        """Call the function: run the program that fits, or capture one if there is none.

        Raises:
            UnimplementedError: for an action of the function that no program can do.
            Exception: any exception of the function at its capture.
        """
        with _lock:  # while one thread traces, no other may use the tensors
            return self._called(args, kwargs)

    def _called(self, args: tuple, kwargs: dict) -> Any:
        self.ran = None
        given = taken_apart(args, kwargs)
        named = self._names.read()
        layers = self._key_of_layers(given.layers, named.layers)
        own = self._own_among(given.tensors, named.tensors)
        key = given.key, _modes(), named.key
        known = self.programs.get((*key, layers, own), [])
        has_run, result = self._run_known(known, given, own)
        if has_run:
            return result
        changes_of_tensors = self._why_unfit(known, given)
        arguments = parts_of(self.function, args, kwargs)  # a capture may change them
        try:
            program = self._capture_for(given, named, own)
        except Exception as error:
            if asks_for_value(error):
                raise needs_value(self.function, error, asked_in(error)) from None
            raise
        tensors = program.tensors_of(given.tensors)
        if not program.fits(tensors):
            raise UnimplementedError(
                f"{called(self.function)} leaves gradients, hooks or memory in a state that its "
                "program does not fit: leave out full_graph."
            )
        key = self._keep(program, key, named, given.tensors)
        program.made_for = self._made_for(form_of(args, kwargs), arguments, key)
        self._explain(program, changes_of_tensors)
        return program.call(tensors)

    def _run_known(self, known: list[Program], given: Given, own: tuple) -> tuple[bool, Any]:
        """Run the first of some programs that fits; return whether there is one, and its result."""
        for program in known:
            tensors = program.tensors_of(given.tensors)
            if program.fits(tensors):
                again = functools.partial(self._captured, given, own)
                check(program, tensors, called(self.function), again)
                try:
                    self.ran = program
                    result = program.call(tensors)
                except ShapesChanged:
                    known.remove(program)
                    self._outdated = program
                    break
                set_again(program.effects)
                return True, result
        return False, None

    def _capture_for(self, given: Given, named: Named, own: tuple) -> Program:
        """Capture a program; again if the function turns out to use its arguments directly."""
        mark = random.default_generator.mark()
        program = self._captured(given, own)
        self._used.update(id(each) for each in program.others if each is not None)
        found = self._own_among(given.tensors, named.tensors)
        if found == own:
            return program
        random.default_generator.go_back(mark)
        put_back(self._before(program, named.values))
        return self._captured(given, found)

    def _keep(self, program: Program, key: tuple, named: Named, given: list) -> tuple:
        """Keep a program for calls with the properties that its own call had before capture.

        Return their key.
        """
        found = program.captured
        before = self._before(program, named.values)
        program.effects = effects_of(before)
        program.as_captured = functools.partial(_as_captured, before, grad_mode.amp)
        self._moving.update((id(table), name) for table, name, *_ in found.replaced)
        self._entered.update((id(layer), layer) for layer, _ in found.layers)
        attributes = {id(layer): before for layer, before in found.layers}
        layers = self._found_layers_key(attributes)
        self._layers_at = -1
        self._drop_oldest(key[0])
        key = *key, layers, self._own_among(given, named.tensors)
        self.programs.setdefault(key, []).append(program)
        self.ran = program
        return key

    def _why_unfit(self, known: list[Program], given: Given) -> list[Change]:
        """Return why a call with the key of some programs could use none of them."""
        outdated, self._outdated = self._outdated, None
        programs = known if outdated is None else [outdated]
        found = [unfit(each, each.tensors_of(given.tensors)) for each in reversed(programs)]
        return min(found, key=len, default=[])

    def _made_for(self, form: str, arguments: dict[str, Part], key: tuple) -> Call:
        """Return the properties of the calls of a program, from the key of these calls."""
        _, modes, named, layers, own = key
        names = dict(zip(self._names.labels(), named, strict=False))
        return Call(form, arguments, modes, names, layers, own)

    def _explain(self, program: Program, changed: list[Change]) -> None:
        """Note why a program was captured, for reports of compilations; warn of many.

        Args:
            program: the program.
            changed: the changes of tensors, when programs for equal arguments do not fit.
        """
        others = [each.made_for for each in self.all_programs() if each is not program]
        if not others:
            return
        program.against += changed or differences(program.made_for, others, self._layers_by_id)
        why = text_of(tuple(program.against))
        _logger.info("to_static: %s() was captured again: %s", self.name, why)
        if len(others) + 1 == _MANY_PROGRAMS:
            _logger.warning(
                "to_static: %s has %d programs; the last one differs in %s. Make numbers that "
                "change on each call tensors; print(paddle.debug.compilations()) lists all.",
                called(self.function),
                _MANY_PROGRAMS,
                why,
            )

    def _before(self, program: Program, named: list) -> list[tuple[Variable, object]]:
        """Return the variables and the attributes of Layers, with their values at a capture."""
        before = list(zip(self._names.places, named, strict=False))
        for layer, attributes in program.captured.layers:
            before += [(Variable(vars(layer), name), value) for name, value in attributes.items()]
        return before

    def _drop_oldest(self, given: tuple) -> None:
        """Drop the oldest program for arguments with the same key, when there are many."""
        same = [
            (program.number, programs, program)
            for key, programs in self.programs.items()
            if key[0] == given
            for program in programs
        ]
        if len(same) >= _MOST_PROGRAMS:
            _, programs, oldest = min(same, key=lambda each: each[0])
            programs.remove(oldest)

    def _captured(self, given: Given, own: tuple) -> Program:
        """Capture a program.

        Args:
            given: the arguments.
            own: the ids of the tensors that the function also uses directly, 0 for others; only
                others are replaced by substitutes.
        """
        structure = given.structure

        def run(tensors: list) -> object:
            args, kwargs = put_together(structure, tensors)
            before = _parts((args, kwargs))
            with in_program():
                result = lowered(self.function)(*args, **kwargs)
            if _parts((args, kwargs)) != before:
                raise UnimplementedError("it changes a list or a dict that it was given.")
            return result

        pairs = list(zip(given.tensors, own or itertools.repeat(0), strict=False))
        arguments = [tensor if is_own else stand_in(tensor) for tensor, is_own in pairs]
        made = Program(run, arguments, self.name, grad_mode.enabled, self._layers, True)
        made.own = [tensor if is_own else None for tensor, is_own in pairs]
        return made

    def __reduce__(self) -> tuple:
        return _none, ()  # neither copied nor pickled with its owner

    # ---- Layers

    def _own_among(self, tensors: list, named: frozenset) -> tuple:
        """Return the ids of the tensors that the function also uses directly, 0 for others.

        Return an empty tuple when there is none.

        Args:
            tensors: the arguments.
            named: the ids of those that the function names.
        """
        ids = tuple(map(id, tensors))
        own = [known for known in (self._used, self._of_layers, named) if not known.isdisjoint(ids)]
        if not own:
            return ()
        known = set().union(*own)
        return tuple([at if at in known else 0 for at in ids])

    def _key_of_layers(self, given: list, named: list) -> tuple:
        """Return a key of the Layers that are given, named, or were called."""
        layers = (*given, *named)
        if layers != self._layers or changes.count() != self._layers_at:
            self._layers_at = changes.count()
            self._layers = layers
            self._layers_key = self._found_layers_key({})
        return self._layers_key

    def _found_layers_key(self, attributes: dict[int, dict]) -> tuple:
        """Return a key of the properties of Layers that programs depend on.

        Args:
            attributes: earlier attributes of some Layers, by the id of the Layer.
        """
        found = self._layers_by_id()
        self._of_layers = {each for layer in found.values() for each in tensors_of(layer)}
        return tuple([layer_key(e, self._moving, attributes.get(at)) for at, e in found.items()])

    def _layers_by_id(self) -> dict[int, Layer]:
        """Return the Layers that are given, named, or were called."""
        every = [each for top in self._layers for each in top.sublayers(include_self=True)]
        return dict(zip(map(id, every), every, strict=True)) | self._entered


@contextlib.contextmanager
def _as_captured(before: list[tuple[Variable, object]], amp: object) -> Iterator[None]:
    """Restore the state of a capture for a block: variables, attributes and mixed precision."""
    now = grad_mode.amp
    with as_before(before):
        try:
            grad_mode.amp = amp
            yield
        finally:
            grad_mode.amp = now


def _modes() -> tuple:
    """Return the modes that programs depend on."""
    amp = grad_mode.amp
    policy = amp and (amp.level, amp.dtype, amp.use_promote, amp.white, amp.black)
    return grad_mode.enabled, policy, dtypes.default_float()


def _none() -> None:
    return None
