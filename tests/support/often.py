"""Parameters of a test of which some run on every change, and the others in `make test-all`."""

from collections.abc import Iterable

import pytest


def every(step: int, values: Iterable) -> list:
    """Return the values as parameters; all but the first of each ``step`` are `deep`."""
    return some(values, lambda value, place: place % step == 0)


def only(names: Iterable, values: Iterable) -> list:
    """Return the values as parameters; those that ``names`` does not contain are `deep`."""
    chosen, values = list(names), list(values)
    unknown = [name for name in chosen if name not in values]
    assert not unknown, f"no value is {unknown}"
    return some(values, lambda value, place: value in chosen)


def some(values: Iterable, is_usual) -> list:
    """Return the values as parameters; `deep` unless ``is_usual(value, place)``."""
    return [
        pytest.param(value, marks=() if is_usual(value, place) else pytest.mark.deep)
        for place, value in enumerate(values)
    ]
