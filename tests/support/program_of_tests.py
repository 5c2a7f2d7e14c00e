"""What the tools that search a program's names see of a process of tests.

Each process of pytest has imported all modules of tests, with their records and parameters: two
million objects, which a tool that follows the names of the program would all enter. So modules of
tests count as libraries, except those of the folders that ``shown`` names, and pytest's session is
not entered at all: a fixture's ``request`` and the import hook of pytest lead to it. The arrays
that are alive by then are those of all these modules: the tools that list arrays leave them out.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

from jaxeager.arrays.as_array import live_arrays
from jaxeager.debug.memory import growth, live, program_roots

_is_librarys = program_roots.is_librarys
_namespaces = program_roots.namespaces
_shown: list[str] = []  # folders, "tests.debug.memory."
_of_tests: list[Any] = []  # they live on, so that no other array gets the id of one


def hide_other_tests(session: pytest.Session) -> None:
    """Make modules of tests count as libraries, and close the session to searches."""
    program_roots.is_librarys = _is_hidden
    closed = {id(each) for each in (session, session.config, *session.items)}
    program_roots.namespaces = lambda: _namespaces() | closed
    _of_tests.extend(live_arrays())
    hidden = {id(each) for each in _of_tests}
    growth.live_arrays = live.live_arrays = lambda: [
        each for each in live_arrays() if id(each) not in hidden
    ]


def _is_hidden(module: str) -> bool:
    is_tests = module.partition(".")[0] == "tests" and not module.startswith(tuple(_shown))
    return is_tests or _is_librarys(module)


@contextlib.contextmanager
def shown(folder: str) -> Iterator[None]:
    """Let the modules of a folder, such as "tests.debug.memory", be the program, for a block."""
    _shown.append(f"{folder}.")
    try:
        yield
    finally:
        _shown.pop()
