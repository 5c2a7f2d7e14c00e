"""Further names of parameters, such as ``dim=`` for ``axis=``: see Note [Keyword aliases].

``also_named`` is for functions and methods that only have other names. Functions of the op table,
and those with an ``out``, use ops/call/keywords.py. The other decorators accept the arguments of
another library by position.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypeVar

from jaxeager.errors import InvalidTypeError, RepeatedArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Function = TypeVar("Function", bound="Callable[..., Any]")


def renames_in(spec: str) -> dict[str, str]:
    """Return {further name: parameter} of a line such as ``"input=x dim=axis"``."""
    pairs = [word.partition("=") for word in spec.split() if "=" in word]
    return {further: own for further, _, own in pairs}


def renamed(
    function: Callable[..., object],
    renames: Mapping[str, str],
    arguments: dict[str, object],
    given: Mapping[str, object],
) -> dict[str, object]:
    """Add the arguments with further names to the others, under the parameters' own names.

    Args:
        function: the function that is called.
        renames: the parameter that each further name means.
        arguments: the arguments that have the parameters' own names; they are changed.
        given: the further names, or own ones, with their arguments.

    Raises:
        RepeatedArgumentError: for a parameter that is given twice.
    """
    for further, value in given.items():
        name = renames.get(further, further)
        if name in arguments or (name != further and name in given):
            raise RepeatedArgumentError(
                f"{function.__name__}() got multiple values for argument {name!r}: "
                f"{further!r} is another name of it."
            )
        arguments[name] = value
    return arguments


def also_named(spec: str) -> Callable[[Function], Function]:
    """Make a function or a method accept further names: a decorator.

    A call pays about 0.15 us for it, and one with other keyword arguments 0.3 us.

    Args:
        spec: the names, for example ``"input=x dim=axis"``.
    """
    renames = renames_in(spec)
    further_names = frozenset(renames)

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def call(*arguments: object, **given: object) -> object:
            if given and not further_names.isdisjoint(given):
                given = renamed(function, renames, {}, given)
            return function(*arguments, **given)

        call.further_names = renames  # type: ignore[attr-defined]  # of a function
        return call  # type: ignore[return-value]  # it takes more than the function

    return decorate


def other_order(
    place: int, names: str, is_other: Callable[[Any], bool]
) -> Callable[[Function], Function]:
    """Make a function accept further arguments in another order as well: a decorator.

    Args:
        place: the position where the orders part.
        names: the parameters from there on in the other order.
        is_other: a function that returns whether an argument at this position is in that order.
    """
    others = names.split()

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def call(*arguments: object, **given: object) -> object:
            if len(arguments) > place and is_other(arguments[place]):
                if len(arguments) > place + len(others):
                    raise InvalidTypeError(
                        f"{function.__name__}() takes at most {place + len(others)} positional "
                        f"arguments that end with {', '.join(others)}, but got {len(arguments)}."
                    )
                for name, value in zip(others, arguments[place:], strict=False):
                    if name in given:
                        raise RepeatedArgumentError(
                            f"{function.__name__}() got multiple values for argument {name!r}."
                        )
                    given[name] = value
                arguments = arguments[:place]
            return function(*arguments, **given)

        return call  # type: ignore[return-value]  # it takes more than the function

    return decorate


def without(name: str, place: int, kind: type) -> Callable[[Function], Function]:
    """Make a function drop an argument of another library, as Paddle does: a decorator.

    Args:
        name: its name; it may be given by name.
        place: its position; an argument there is dropped if it is of this kind.
        kind: its type.
    """

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def call(*arguments: object, **given: object) -> object:
            if len(arguments) > place and isinstance(arguments[place], kind):
                arguments = arguments[:place] + arguments[place + 1 :]
            elif name in given:
                del given[name]
            return function(*arguments, **given)

        return call  # type: ignore[return-value]  # it takes more than the function

    return decorate
