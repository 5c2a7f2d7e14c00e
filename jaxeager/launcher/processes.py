"""Processes that ``multiprocessing`` starts install ``paddle`` before they import the program.

A child that is not forked reads a pickle of its preparation data, then imports the main script,
then reads a pickle of its task. An object in the first pickle installs when it is read.
"""

import multiprocessing.spawn
from collections.abc import Callable
from typing import Any

_OWN_KEY = "jaxeager.compat"  # Python's own keys have no dot; it ignores unknown keys
_original: Callable[..., dict[str, Any]] | None = None


class _Installs:
    """An object that is pickled as a call."""

    def __init__(self, install: Callable[[], None]):
        self._install = install

    def __reduce__(self):
        return self._install, ()


def tell_children(install: Callable[[], None]) -> None:
    """Make processes that are spawned, or forked by a server, call ``install`` first."""
    global _original
    _original = multiprocessing.spawn.get_preparation_data

    def get_preparation_data(name: str) -> dict[str, Any]:
        return {_OWN_KEY: _Installs(install), **made(name)}

    made = _original
    multiprocessing.spawn.get_preparation_data = get_preparation_data


def forget() -> None:
    """Undo ``tell_children``."""
    global _original
    if _original is not None:
        multiprocessing.spawn.get_preparation_data, _original = _original, None
