"""The prefix of lines of a verbose log: FLAGS_log_prefix, files and line numbers."""

from __future__ import annotations

import functools
import os
import sys
import time
from typing import TYPE_CHECKING

from jaxeager.core import user_lines
from jaxeager.debug.vlog.modules import FILES
from jaxeager.errors import InvalidArgumentError

if TYPE_CHECKING:
    from types import FrameType

_MODULE, _PROGRAM = "module", "program"
_prefix = _MODULE


def set_prefix(prefix: str) -> None:
    """Apply FLAGS_log_prefix.

    Raises:
        InvalidArgumentError: for another word than the two.
    """
    global _prefix
    if prefix not in (_MODULE, _PROGRAM):
        raise InvalidArgumentError(
            f"Flag FLAGS_log_prefix takes {_MODULE} or {_PROGRAM}, but received {prefix!r}."
        )
    _prefix = prefix


# Functions that pass a line on, in any file of this folder.
_HANDING = frozenset("log say say_kernel _say _bar _bar_line write_bar log_destination".split())


def writer_line() -> int:
    """Return the line number, in a file of this folder, of the code that writes."""
    frame: FrameType = sys._getframe(2)
    while frame.f_code.co_name in _HANDING and frame.f_back is not None:
        frame = frame.f_back
    return frame.f_lineno


def program() -> str:
    """Return the running file and line of the program, "train.py:8 ", if the flag requests it."""
    if _prefix == _MODULE:
        return ""
    frame = user_lines.user_frame()
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno} "


@functools.lru_cache(1)
def second(seconds: str) -> str:
    """Return a text of seconds since the epoch as "1123 22:15:53"."""
    return time.strftime("%m%d %H:%M:%S", time.localtime(int(seconds)))


@functools.lru_cache(4096)
def source(module: str, line: int) -> str:
    """Return "nodes.cc:285"."""
    return f"{FILES.get(module) or f'{module}.cc'}:{line}"
