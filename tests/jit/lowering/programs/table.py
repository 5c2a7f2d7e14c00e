"""The table of the programs, and the decorator that adds one."""

from __future__ import annotations

PROGRAMS: dict = {}


def program(*inputs, saves=True):
    """Add a program; each input is a list of numbers, or a tuple of such lists."""

    def add(function):
        PROGRAMS[function.__name__] = function, inputs or ([1.0, 2.0], [-1.0, -3.0]), saves
        return function

    return add
