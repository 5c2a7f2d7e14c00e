"""What the tools that search a program's names see of a process of tests.

Each process of pytest has imported all modules of tests, with their records and parameters: two
million objects, which a tool that follows the names of the program would all enter. So modules of
tests count as libraries, except those of the folders that ``shown`` names.
"""

import contextlib
from collections.abc import Iterator

from jaxeager.debug.memory import program_roots

_is_librarys = program_roots.is_librarys
_shown: list[str] = []  # folders, "tests.debug.memory."


def hide_other_tests() -> None:
    """Make modules of tests count as libraries."""
    program_roots.is_librarys = _is_hidden


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
