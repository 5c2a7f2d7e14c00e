"""The inputs of a program: the arguments of a function, with InputSpecs instead of tensors."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.static.input_spec import InputSpec
from jaxeager.tensor import Tensor


class Recorded(NamedTuple):
    """The arguments of a call, with InputSpecs instead of tensors.

    Attributes:
        args: those by position.
        kwargs: those by name.
    """

    args: tuple
    kwargs: dict


class Arguments:
    """Arguments of a function, in which tensors are to be filled in.

    Attributes:
        specs: the descriptions of the tensors, in the order of a program's inputs.
        names: a name for each.
    """

    def __init__(self, function: Callable, given: Recorded):
        self._bound = _bind(function, given)
        values = list(self._bound.arguments.values())
        paths, self._structure = jax.tree_util.tree_flatten_with_path(values, is_leaf=_is_spec)
        self._leaves = [_as_spec(leaf) for _, leaf in paths]
        parameters = list(self._bound.arguments)
        named = [
            (leaf, leaf.name or _name(parameters, path))
            for leaf, (path, _) in zip(self._leaves, paths, strict=True)
            if isinstance(leaf, InputSpec)
        ]
        self.specs = [spec for spec, _ in named]
        self.names = _distinct(named)

    def call(self, function: Callable, tensors: Sequence[Tensor]) -> Any:
        """Call the function with tensors instead of the specs."""
        waiting = iter(tensors)
        leaves = [next(waiting) if isinstance(e, InputSpec) else e for e in self._leaves]
        values = jax.tree_util.tree_unflatten(self._structure, leaves)
        filled = inspect.BoundArguments(
            self._bound.signature, dict(zip(self._bound.arguments, values, strict=True))
        )
        return function(*filled.args, **filled.kwargs)


def given_specs(input_spec: object) -> Recorded:
    """Return the positional arguments of an ``input_spec``.

    Raises:
        InvalidTypeError: when it is not a list or tuple.
    """
    if not isinstance(input_spec, (list, tuple)):
        raise InvalidTypeError(
            "The input input_spec should be 'list', but received input_spec's type is "
            f"{type(input_spec)}."
        )
    return Recorded(tuple(input_spec), {})


def recorded(args: tuple, kwargs: dict) -> Recorded:
    """Return the arguments of a call without its tensors, which are not kept."""
    return Recorded(*_described((args, kwargs)))


def _described(value: Any) -> Any:
    if isinstance(value, Tensor):
        return InputSpec(value.shape, value.dtype, None, value.stop_gradient)
    if isinstance(value, np.ndarray):
        return InputSpec.from_numpy(value)
    if type(value) in (list, tuple):
        return type(value)([_described(each) for each in value])
    if type(value) is dict:
        return {key: _described(each) for key, each in value.items()}
    return value


def _is_spec(value: object) -> bool:
    return isinstance(value, (InputSpec, Tensor))


def _as_spec(value: object) -> object:
    """Return the spec of a tensor or array; everything else is a constant of the program."""
    if isinstance(value, Tensor):
        return InputSpec.from_tensor(value)
    return InputSpec.from_numpy(value) if isinstance(value, np.ndarray) else value


def _bind(function: Callable, given: Recorded) -> inspect.BoundArguments:
    name = getattr(function, "__name__", type(function).__name__)
    signature = inspect.signature(function)
    try:
        return signature.bind(*given.args, **given.kwargs)
    except TypeError as error:
        raise InvalidArgumentError(
            f"{name}() requires {len(signature.parameters)} arguments: "
            f"{list(signature.parameters)}, but the input_spec has {len(given.args)}: {error}."
        ) from None


def _name(parameters: list[str], path: tuple) -> str:
    """Return Paddle's name of a tensor: ``xs_0`` in a list, its key in a dict."""
    name = parameters[path[0].idx]
    for step in path[1:]:
        name = str(step.key) if hasattr(step, "key") else f"{name}_{getattr(step, 'idx', step)}"
    return name


def _distinct(named: list[tuple[InputSpec, str]]) -> list[str]:
    """Return the names, with a counter for repeated names that were not given.

    Raises:
        InvalidArgumentError: when two specs were given the same name.
    """
    found: list[str] = []
    taken = {spec.name for spec, _ in named if spec.name}
    for spec, name in named:
        if spec.name and spec.name in found:
            raise InvalidArgumentError(
                f"Two inputs have the name {spec.name!r}. Give each InputSpec its own name."
            )
        distinct, count = name, 0
        while not spec.name and (distinct in found or distinct in taken):
            count += 1
            distinct = f"{name}_{count}"
        found.append(distinct)
    return found
