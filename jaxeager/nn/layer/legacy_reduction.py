"""``size_average`` and ``reduce``: predecessors of ``reduction`` that loss layers now reject."""

import functools
from collections.abc import Callable

from jaxeager.errors import InvalidArgumentError


def refuse_legacy(size_average: int, reduce: int, reduction: int | None = None) -> Callable:
    """Make a loss layer's ``__init__`` reject ``size_average`` and ``reduce``, with advice.

    They are recognized by name, or by a bool at their former position.

    Args:
        size_average: former position of ``size_average``, not counting self.
        reduce: former position of ``reduce``.
        reduction: position of ``reduction``, if bools may follow it today: when it is passed as a
            str, later bools are today's arguments.

    Returns:
        A decorator of ``__init__`` that makes it raise InvalidArgumentError for them.
    """
    places = {"size_average": size_average, "reduce": reduce}

    def decorate(init):
        @functools.wraps(init)
        def checked(self, *arguments, **given):
            found = {name: given[name] for name in places if name in given}
            if reduction is None or not isinstance(_at(arguments, reduction), str):
                for name, place in places.items():
                    if name not in found and type(_at(arguments, place)) is bool:
                        found[name] = arguments[place]
            if found:
                _refuse(init.__qualname__.split(".")[0], found)
            init(self, *arguments, **given)

        return checked

    return decorate


def _at(arguments: tuple, place: int):
    return arguments[place] if place < len(arguments) else None


def _refuse(layer: str, found: dict) -> None:
    averages, reduces = found.get("size_average"), found.get("reduce")
    instead = "none" if reduces is False else "sum" if averages is False else "mean"
    seen = ", ".join(f"{name}={value}" for name, value in found.items())
    raise InvalidArgumentError(
        f"{layer} takes neither size_average nor reduce any more, but received {seen}. "
        f"Write reduction={instead!r} instead."
    )
