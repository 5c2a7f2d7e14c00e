"""Processes that ``multiprocessing`` starts know ``paddle`` before they import the program.

A child that is not forked gets a pickle of how to prepare itself, then imports the main script,
then reads a pickle of its task. An object in the first one installs when it is read.
"""

import multiprocessing.spawn
from collections.abc import Callable
from typing import Any

_OWN_KEY = "jaxeager.compat"  # Python's own keys have no dot; those it does not know it ignores
_original: Callable[..., dict[str, Any]] | None = None


class _Installs:
    """What is pickled as a call."""

    def __init__(self, install: Callable[[], None]):
        self._install = install

    def __reduce__(self):
        return self._install, ()


def tell_children(install: Callable[[], None]) -> None:
    """Let processes that are spawned, or forked by a server, call ``install`` before all else."""
    global _original
    _original = multiprocessing.spawn.get_preparation_data

    def get_preparation_data(name: str) -> dict[str, Any]:
        return {_OWN_KEY: _Installs(install), **made(name)}

    made = _original
    multiprocessing.spawn.get_preparation_data = get_preparation_data


def forget() -> None:
    """Take back what ``tell_children`` did."""
    global _original
    if _original is not None:
        multiprocessing.spawn.get_preparation_data, _original = _original, None
