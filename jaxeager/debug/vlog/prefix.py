"""What a line of a verbose log begins with: FLAGS_log_prefix, files and line numbers."""

import functools
import os
import sys
import time
from typing import Any

from jaxeager.core import user_lines
from jaxeager.debug.vlog.modules import FILES
from jaxeager.errors import InvalidArgumentError

_MODULE, _PROGRAM = "module", "program"
_prefix = _MODULE


def set_prefix(prefix: str) -> None:
    """Do what FLAGS_log_prefix says.

    Raises:
        InvalidArgumentError: for a word that is none of the two.
    """
    global _prefix
    if prefix not in (_MODULE, _PROGRAM):
        raise InvalidArgumentError(
            f"Flag FLAGS_log_prefix takes {_MODULE} or {_PROGRAM}, but received {prefix!r}."
        )
    _prefix = prefix


# Functions that hand a line on, in whatever file of this room.
_HANDING = frozenset("log say say_kernel _say _bar _bar_line write_bar log_destination".split())


def writer_line() -> int:
    """Return the line, of a file of this room, that has something to write."""
    frame: Any = sys._getframe(2)
    while frame.f_code.co_name in _HANDING and frame.f_back is not None:
        frame = frame.f_back
    return frame.f_lineno


def program() -> str:
    """Return the program's file and line that runs, "train.py:8 ", where the flag asks for it."""
    if _prefix == _MODULE:
        return ""
    frame = user_lines.user_frame()
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno} "


@functools.lru_cache(1)
def second(seconds: str) -> str:
    """Return "1123 22:15:53" for the seconds since the epoch, as text."""
    return time.strftime("%m%d %H:%M:%S", time.localtime(int(seconds)))


@functools.lru_cache(4096)
def source(module: str, line: int) -> str:
    """Return "nodes.cc:285"."""
    return f"{FILES.get(module) or f'{module}.cc'}:{line}"
