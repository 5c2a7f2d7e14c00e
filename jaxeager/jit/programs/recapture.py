"""Why a program was captured: the differences of its call from the most similar earlier ones.

Everything here runs when a program is captured, and reads the keys by which programs are looked up
(Note [What a program depends on] in whole_graph.py).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from textwrap import shorten
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from jaxeager.jit.programs.dependencies import EXACT, IdentityKey, as_key
from jaxeager.kernels.call_shapes import Change
from jaxeager.nn import Layer
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from jaxeager.jit.programs.program import Program

_MOST_COMPARED = 32  # earlier programs
_ABSENT = "nothing"
_WIDTH = 60


class Call(NamedTuple):
    """The properties of a call that its program depends on.

    Attributes:
        form: the number of arguments by position, and the names of the others.
        arguments: labels and keys of the arguments.
        modes: whether gradients are recorded, the settings of mixed precision, the default dtype.
        names: labels and keys of the variables that the function names.
        layers: a key for each Layer that is given, named or called: ``layer_key``.
        own: the ids of the arguments that the function also uses directly, 0 for others.
    """

    form: str
    arguments: dict[str, Any]
    modes: tuple
    names: dict[str, Any]
    layers: tuple
    own: tuple


def differences(call: Call, others: Sequence[Call], layers: dict[int, Layer]) -> tuple[Change, ...]:
    """Return how a call differs from the most similar one of others, the latest one if in doubt.

    Return an empty tuple if there are no others.

    Args:
        call: the call for which there was no program.
        others: the calls of the programs, in the order of capture.
        layers: the Layers whose keys are in the calls, by id.
    """
    found = [_between(other, call, layers) for other in reversed(others[-_MOST_COMPARED:])]
    return min(found, key=len, default=())


def unfit(program: Program, tensors: Sequence[Any]) -> list[Change]:
    """Return why a program for equal arguments, names and Layers is not for some tensors.

    Args:
        program: the program.
        tensors: those of its ``tensors_of``.
    """
    found = [*program.fit.unfit(tensors), *_changed_shapes(program, tensors)]
    return found or [Change("settings of an optimizer", ("as captured", "others"))]


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


def _between(before: Call, now: Call, layers: dict[int, Layer]) -> tuple[Change, ...]:
    found = _changes_of_arguments(before.arguments, now.arguments)
    found += _changes_of_modes(before.modes, now.modes)
    found += _changes(before.names, now.names)
    if before.layers != now.layers:
        found += _changes_of_layers(before.layers, now.layers, layers)
    if not found and before.own != now.own:
        counts = tuple([sum(map(bool, each)) for each in (before.own, now.own)])
        found.append(Change("arguments that the function also uses directly", counts))
    if not found and before.form != now.form:
        found.append(Change("arguments by position, and names of others", (before.form, now.form)))
    return tuple(found or [Change("the program for such a call", ("kept", "dropped"))])


def _changes_of_arguments(before: dict[str, Any], now: dict[str, Any]) -> list[Change]:
    """Return the differences of arguments; of one whose kind differs, the kinds alone."""
    found = list(_changes(before, now))
    inner = [end for each in found for end in (f" of {each.what}", f"{each.what}[")]
    return [each for each in found if not any(end in each.what for end in inner)]


def _changes_of_modes(before: tuple, now: tuple) -> list[Change]:
    found = list(_changes(_labelled(before), _labelled(now)))
    if not found and before != now:  # both have mixed precision, with other lists of ops
        found.append(Change("ops of mixed precision", ("as captured", "others")))
    return found


def _labelled(modes: tuple) -> dict[str, Any]:
    is_recorded, policy, default_dtype = modes
    return {
        "gradient recording": "on" if is_recorded else "off",
        "mixed precision": f"{policy[0]} {policy[1]}" if policy else "off",
        "the default dtype": default_dtype,
    }


def _changes(before: dict[str, Any], now: dict[str, Any]) -> Iterator[Change]:
    """Yield the differences of two calls, of keys with labels."""
    for label in before | now:
        one, other = before.get(label, _ABSENT), now.get(label, _ABSENT)
        if one != other:
            yield Change(label, _distinct_texts(one, other))


def _distinct_texts(one: Any, other: Any) -> tuple[str, str]:
    first, second = _text_of(one), _text_of(other)
    if first == second:  # two objects
        second = f"another {second.removeprefix('an ').removeprefix('a ')}"
    return first, second


# ---- arguments


def form_of(args: tuple, kwargs: dict) -> str:
    """Return the number of arguments by position, and the names of the others."""
    return ", ".join([str(len(args)), *kwargs])


def argument_keys(function: Callable, args: tuple, kwargs: dict) -> dict[str, Any]:
    """Return labels and keys of the arguments of a call, defaults included."""
    found: dict[str, Any] = {}
    labels: dict[int, str] = {}
    for name, value in _named_arguments(function, args, kwargs).items():
        _add_argument(found, labels, name, value)
    return found


def _named_arguments(function: Callable, args: tuple, kwargs: dict) -> dict[str, Any]:
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except (TypeError, ValueError):  # a function without a signature
        return {f"argument {at}": value for at, value in enumerate(args)} | kwargs
    bound.apply_defaults()
    return dict(bound.arguments)


def _add_argument(found: dict[str, Any], labels: dict[int, str], label: str, value: Any) -> None:
    """Add the keys of an argument, and of what is in it.

    Args:
        found: labels and keys.
        labels: the labels of the tensors seen, by id.
        label: that of the argument, such as ``batch['image']``.
        value: its value.
    """
    if isinstance(value, Tensor):
        same = labels.setdefault(id(value), label)
        if same != label:
            found[label] = f"the same tensor as {same}"
            return
        found[label] = "a tensor"
        found[f"shape of {label}"] = list(value._array.shape)
        found[f"dtype of {label}"] = str(value._array.dtype)
        found[f"stop_gradient of {label}"] = value.stop_gradient
    elif isinstance(value, dict):
        found[f"keys of {label}"] = (tuple, tuple(map(as_key, value)))
        found[label] = f"a {type(value).__name__}"
        for key, each in value.items():
            shown = repr(key) if type(key) in EXACT else type(key).__name__
            _add_argument(found, labels, f"{label}[{shown}]", each)
    elif isinstance(value, (list, tuple)):
        found[f"length of {label}"] = as_key(len(value))
        found[label] = f"a {type(value).__name__}"
        for at, each in enumerate(value):
            _add_argument(found, labels, f"{label}[{at}]", each)
    elif isinstance(value, np.ndarray):  # becomes a tensor
        found[label] = "a tensor"
        found[f"shape of {label}"] = list(value.shape)
        found[f"dtype of {label}"] = str(value.dtype)
        found[f"stop_gradient of {label}"] = True
    else:
        found[label] = as_key(value)


# ---- Layers


def _changes_of_layers(before: tuple, now: tuple, layers: dict[int, Layer]) -> Iterator[Change]:
    """Yield the differences of Layers, from the results of ``layer_key``."""
    one, other = _by_layer(before), _by_layer(now)
    for layer_id in [each for each in one if each in other]:
        if one[layer_id] != other[layer_id]:
            name = _name_of(layer_id, layers)
            yield from _changes(
                _layer_properties(name, one[layer_id]), _layer_properties(name, other[layer_id])
            )
    names = [_name_of(each, layers) for each in one.keys() ^ other.keys()]
    if names:
        shown = ", ".join(sorted(names)[:3])
        counts = len(one), len(other)
        yield Change(f"number of Layers that it uses ({shown})", counts)


def _by_layer(keys: tuple) -> dict[int, list]:
    return {layer_id: properties for layer_id, *properties in keys}


def _name_of(layer_id: int, layers: dict[int, Layer]) -> str:
    return layers[layer_id].full_name() if layer_id in layers else "a Layer"


def _layer_properties(name: str, properties: list) -> dict[str, Any]:
    """Return labels and keys of the attributes, members and hooks of a Layer."""
    members = [each for each in properties if isinstance(each, tuple)]
    found = {f"{name}.{member}": key for member, key in members}
    hooks = [each for each in properties if not isinstance(each, tuple)]
    return found | {f"hooks of {name}": (tuple, tuple(hooks))}


# ---- texts


def _text_of(key: Any) -> str:
    """Return the text of a key; a plain int in a key is the id of an object."""
    if isinstance(key, IdentityKey):
        return f"a {type(key.value).__name__}"
    if type(key) is int:
        return "an object"
    if isinstance(key, tuple) and len(key) == 2 and isinstance(key[0], type):
        return shorten(_text_of_value(*key), _WIDTH)
    if isinstance(key, tuple) and key and key[0] is slice:
        return f"slice({', '.join(map(_text_of, key[1:]))})"
    return str(key)


def _text_of_value(kind: type, value: Any) -> str:
    if kind in (list, tuple):
        return f"[{', '.join(map(_text_of, value))}]"
    is_text = kind is not str and isinstance(value, str)  # of a float
    return value if is_text else repr(value)
