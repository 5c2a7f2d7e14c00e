"""Why a program was captured: the differences of its call from the most similar earlier ones.

Everything here runs when a program is captured, and reads the keys by which programs are looked up
(Note [What a program depends on] in whole_graph.py). It must not fail where the call itself works,
so it calls no methods of a user's objects but those that the call has called already; of others it
shows the class.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from jaxeager.jit.programs.dependencies import EXACT, IdentityKey, as_key
from jaxeager.kernels.call_shapes import Change
from jaxeager.nn import Layer
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from jaxeager.jit.programs.program import Program

_MOST_COMPARED = 32  # earlier programs
_MOST_KEPT = 16  # differences of two calls
_MOST_NUMBERS = 16  # of a tuple that is a default
_ABSENT = "nothing"
_WIDTH = 60
_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)

_name_of_class = type.__dict__["__name__"].__get__  # a metaclass may have its own


class Part(NamedTuple):
    """An argument, or a part of one.

    Attributes:
        kind: its key, or "a tensor", "a list" and the like: those have properties.
        properties: their names and keys.
        parts: its own parts, by what is appended to its label.
    """

    kind: Any
    properties: tuple[tuple[str, Any], ...] = ()
    parts: dict[str, Part] | None = None


class Call(NamedTuple):
    """The properties of a call that its program depends on.

    Attributes:
        form: the number of arguments by position, and the names of the others.
        arguments: the arguments by name.
        modes: whether gradients are recorded, the settings of mixed precision, the default dtype.
        names: labels and keys of the variables that the function names.
        layers: a key for each Layer that is given, named or called: ``layer_key``.
        own: the ids of the arguments that the function also uses directly, 0 for others.
    """

    form: str
    arguments: dict[str, Part]
    modes: tuple
    names: dict[str, Any]
    layers: tuple
    own: tuple


class _Difference(NamedTuple):
    """A difference of two calls: its label, and the keys in both."""

    what: str
    before: Any
    now: Any

    def change(self) -> Change:
        """Return it with the texts of its keys."""
        first, second = _text_of(self.before), _text_of(self.now)
        if first == second:  # two objects
            second = f"another {second.removeprefix('an ').removeprefix('a ')}"
        return Change(self.what, (first, second))


def differences(
    call: Call, others: Sequence[Call], layers: Callable[[], dict[int, Layer]]
) -> list[Change]:
    """Return how a call differs from the most similar one of others, the latest one if in doubt.

    Return an empty list if there are no others.

    Args:
        call: the call for which there was no program.
        others: the calls of the programs, in the order of capture.
        layers: returns the Layers whose keys are in the calls, by id.
    """
    nearest: list[_Difference] = []
    for other in reversed(others[-_MOST_COMPARED:]):
        most = len(nearest) or _MOST_KEPT
        found = list(islice(_between(other, call, layers), most))
        if not nearest or len(found) < most:
            nearest = found
        if len(nearest) == 1:
            break
    return [each.change() for each in nearest]


def unfit(program: Program, tensors: Sequence[Any]) -> list[Change]:
    """Return why a program for equal arguments, names and Layers is not for some tensors.

    Args:
        program: the program.
        tensors: those of its ``tensors_of``.
    """
    found = [*program.fit.unfit(tensors), *_changed_shapes(program, tensors)]
    return found[:_MOST_KEPT] or [Change("settings of an optimizer", ("as captured", "others"))]


def _changed_shapes(program: Program, tensors: Sequence[Any]) -> list[Change]:
    """Return the changes of the shapes and dtypes of the tensors that a program takes."""
    found = []
    halves, inputs = program.halves, program.captured.inputs
    for place, aval in zip(halves.forward_inputs, halves.forward.in_avals, strict=False):
        kind, number = inputs[place]
        if kind != "lifted" or tensors[number] is None:
            continue
        array, name = tensors[number]._array, tensors[number].name
        if array.shape != aval.shape:
            found.append(Change(f"shape of {name}", (list(aval.shape), list(array.shape))))
        elif array.dtype != aval.dtype:
            found.append(Change(f"dtype of {name}", (str(aval.dtype), str(array.dtype))))
    return found


def _between(
    before: Call, now: Call, layers: Callable[[], dict[int, Layer]]
) -> Iterator[_Difference]:
    """Yield the differences of two calls, at least one."""
    count = 0
    for count, each in enumerate(_of_states(before, now, layers), 1):  # noqa: B007 - used below
        yield each
    if count:
        return
    if before.own != now.own:
        counts = [sum(map(bool, each)) for each in (before.own, now.own)]
        yield _Difference("arguments that the function also uses directly", *map(str, counts))
    elif before.form != now.form:
        yield _Difference("arguments by position, and names of others", before.form, now.form)
    else:
        yield _Difference("the program for such a call", "kept", "dropped")


def _of_states(
    before: Call, now: Call, layers: Callable[[], dict[int, Layer]]
) -> Iterator[_Difference]:
    """Yield the differences of two calls in all but the form of the call itself."""
    yield from _of_parts("", before.arguments, now.arguments)
    yield from _of_modes(before.modes, now.modes)
    yield from _of_keys(before.names, now.names)
    if before.layers != now.layers:
        yield from _of_layers(before.layers, now.layers, layers)


def _of_parts(label: str, before: dict[str, Part], now: dict[str, Part]) -> Iterator[_Difference]:
    """Yield the differences of arguments; of one whose kind differs, the kinds alone."""
    for end in before | now:
        one, other = before.get(end), now.get(end)
        if one is None or other is None:
            kinds = [_ABSENT if each is None else each.kind for each in (one, other)]
            yield _Difference(label + end, *kinds)
        elif one.kind != other.kind:
            yield _Difference(label + end, one.kind, other.kind)
        else:
            for (name, key), (_, key_now) in zip(one.properties, other.properties, strict=True):
                if key != key_now:
                    yield _Difference(f"{name} of {label}{end}", key, key_now)
            if one.parts or other.parts:
                yield from _of_parts(label + end, one.parts or {}, other.parts or {})


def _of_modes(before: tuple, now: tuple) -> Iterator[_Difference]:
    if before == now:
        return
    found = list(_of_keys(_labelled(before), _labelled(now)))
    yield from found
    if not found:  # both have mixed precision, with other lists of ops
        yield _Difference("ops of mixed precision", "as captured", "others")


def _labelled(modes: tuple) -> dict[str, Any]:
    is_recorded, policy, default_dtype = modes
    return {
        "gradient recording": "on" if is_recorded else "off",
        "mixed precision": f"{policy[0]} {policy[1]}" if policy else "off",
        "the default dtype": default_dtype,
    }


def _of_keys(before: dict[str, Any], now: dict[str, Any]) -> Iterator[_Difference]:
    """Yield the differences of keys with labels."""
    for label in before | now:
        one, other = before.get(label, _ABSENT), now.get(label, _ABSENT)
        if one != other:
            yield _Difference(label, one, other)


# ---- arguments


def form_of(args: tuple, kwargs: dict) -> str:
    """Return the number of arguments by position, and the names of the others."""
    return ", ".join([str(len(args)), *kwargs])


def parts_of(function: Callable, args: tuple, kwargs: dict) -> dict[str, Part]:
    """Return the arguments of a call by name, defaults included."""
    labels: dict[int, str] = {}
    named, defaults = _named_arguments(function, args, kwargs)
    parts = {name: _part_of(name, value, labels) for name, value in named.items()}
    return parts | {name: _default_part(name, each, labels) for name, each in defaults.items()}


def _named_arguments(
    function: Callable, args: tuple, kwargs: dict
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the arguments of a call by name, and the defaults of the others."""
    try:
        signature = inspect.signature(function)
        bound = signature.bind(*args, **kwargs)
    except Exception:  # it has none, or one of its own that fails or is of another function
        return {f"argument {at}": value for at, value in enumerate(args)} | kwargs, {}
    named = dict(bound.arguments)
    bound.apply_defaults()
    others = {name: value for name, value in bound.arguments.items() if name not in named}
    variadic = {name for name in others if signature.parameters[name].kind in _VARIADIC}
    named |= {name: others.pop(name) for name in variadic}
    return named, others


def _default_part(name: str, value: Any, labels: dict[int, str]) -> Part:
    """Return the Part of a default: the call does not look into it, so nor does this."""
    is_short = type(value) is tuple and len(value) <= _MOST_NUMBERS
    if isinstance(value, Tensor) or (is_short and all(type(each) in EXACT for each in value)):
        return _part_of(name, value, labels)
    return Part(as_key(value))


def _part_of(label: str, value: Any, labels: dict[int, str]) -> Part:
    """Return the Part of an argument, with the same structure as in ``nesting.mapped``.

    Args:
        label: that of the argument, such as ``batch['image']``.
        value: its value.
        labels: the labels of the tensors seen, by id.
    """
    if isinstance(value, Tensor):
        same = labels.setdefault(id(value), label)
        if same != label:
            return Part(f"the same tensor as {same}")
        return _tensor_part(value._array, value.stop_gradient)
    if isinstance(value, np.ndarray):  # becomes a tensor
        return _tensor_part(value, True)
    kind = type(value)
    if isinstance(value, dict):
        keys, inside = _DictKeys(tuple(value)), value.items()
        ends = _ends_of(keys.keys)
        parts = {
            end: _part_of(label + end, each, labels)
            for end, (_, each) in zip(ends, inside, strict=True)
        }
        return Part(f"a {_name_of_class(kind)}", (("keys", keys),), parts)
    if kind in (list, tuple) or (isinstance(value, tuple) and hasattr(value, "_fields")):
        parts = {
            f"[{at}]": _part_of(f"{label}[{at}]", each, labels) for at, each in enumerate(value)
        }
        return Part(f"a {_name_of_class(kind)}", (("length", as_key(len(parts))),), parts)
    return Part(as_key(value))


def _tensor_part(array: Any, stops: bool) -> Part:
    properties = ("shape", list(array.shape)), ("dtype", array.dtype), ("stop_gradient", stops)
    return Part("a tensor", properties)


class _DictKeys:
    """The keys of a dict as a key, compared in the way of a dict: equal hashes first."""

    __slots__ = ("keys",)

    def __init__(self, keys: tuple):
        self.keys = keys

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _DictKeys)
            and hash(self.keys) == hash(other.keys)
            and self.keys == other.keys
        )

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return f"[{', '.join([_text_of(_key_of_dict_key(each)) for each in self.keys])}]"


def _key_of_dict_key(key: Any) -> Any:
    """Return a key for the text of a dict's key."""
    if type(key) is tuple:
        return tuple, tuple(map(_key_of_dict_key, key))
    return as_key(key) if type(key) in EXACT else IdentityKey(key)


def _ends_of(keys: tuple) -> list[str]:
    """Return what follows the label of a dict for each of its keys, all of them different."""
    ends: dict[str, None] = {}
    for key in keys:
        text = _text_of(_key_of_dict_key(key)).removeprefix("a ")
        ends[f"[{text}]" if f"[{text}]" not in ends else f"[{text}, number {len(ends)}]"] = None
    return list(ends)


# ---- Layers


def _of_layers(
    before: tuple, now: tuple, layers: Callable[[], dict[int, Layer]]
) -> Iterator[_Difference]:
    """Yield the differences of Layers, from the results of ``layer_key``."""
    one, other = [{key[0]: key for key in keys} for keys in (before, now)]
    known = layers()
    for layer_id, key in one.items():
        if other.get(layer_id, key) != key:
            name = _name_of(layer_id, known)
            yield from _of_keys(
                _layer_properties(name, key), _layer_properties(name, other[layer_id])
            )
    names = [_name_of(each, known) for each in one.keys() ^ other.keys()]
    if names:
        shown = ", ".join(sorted(names)[:3])
        label = f"number of Layers that it uses ({shown})"
        yield _Difference(label, str(len(one)), str(len(other)))


def _name_of(layer_id: int, layers: dict[int, Layer]) -> str:
    return Layer.full_name(layers[layer_id]) if layer_id in layers else "a Layer"


def _layer_properties(name: str, key: tuple) -> dict[str, Any]:
    """Return labels and keys of the attributes, members and hooks of a Layer."""
    members = [each for each in key[1:] if isinstance(each, tuple)]
    found = {f"{name}.{member}": each for member, each in members}
    hooks = [each for each in key[1:] if not isinstance(each, tuple)]
    return found | {f"hooks of {name}": (tuple, tuple(hooks))}


# ---- texts


def _text_of(key: Any) -> str:
    """Return the text of a key, shortened; a plain int in a key is the id of an object."""
    text = _long_text_of(key)
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..."


def _long_text_of(key: Any) -> str:
    if isinstance(key, IdentityKey):
        return f"a {_name_of_class(type(key.value))}"
    if type(key) is int:
        return "an object"
    if key is None:  # of a member of a Layer
        return "replaced by a program"
    if isinstance(key, tuple) and len(key) == 2 and isinstance(key[0], type):
        return _text_of_value(*key)
    if isinstance(key, tuple) and key and key[0] is slice:
        return f"slice({', '.join(map(_text_of, key[1:]))})"
    return str(key)


def _text_of_value(kind: type, value: Any) -> str:
    if kind in (list, tuple):
        return f"[{', '.join(map(_text_of, value))}]"
    if issubclass(kind, (float, complex, np.inexact)):  # its text: as_key
        return value
    try:
        return repr(value)
    except Exception:  # an int of many digits, a np.void with an object
        return f"a {_name_of_class(kind)}"
