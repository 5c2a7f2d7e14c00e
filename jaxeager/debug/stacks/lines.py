"""The line of the program that something is about: the one that runs, or that recorded a node."""

import contextlib
import functools
import sys
from typing import Any

from jaxeager.debug.stacks import frames, stacks


def running_line() -> str:
    """Returns the program's line that runs now, and that of the layer which it has called.

    "train.py:26 > nn/functional/common.py:51"; without the second where the op was called at once.
    About 2 us.
    """
    frame: Any = sys._getframe(1)
    inner = ""
    while frame is not None:
        place = _place_of(frame.f_code.co_filename)
        if place == _PROGRAM:
            return f"{frame.f_code.co_filename}:{frame.f_lineno}{inner}"
        if place == _LAYER and not inner:
            inner = f" > {_short(frame.f_code.co_filename)}:{frame.f_lineno}"
        frame = frame.f_back
    return inner


_PROGRAM, _LAYER, _INSIDE = range(3)


@functools.lru_cache(4096)
def _place_of(file: str) -> int:
    """Returns whose a file is: the program's, a layer's, or of what lies between."""
    if frames.is_layers(file):
        return _LAYER
    return _INSIDE if frames.is_inside(file) or file == contextlib.__file__ else _PROGRAM


def _short(file: str) -> str:
    return file.removeprefix(frames.PACKAGE)


def line_of_node(node) -> str:
    """Returns the line that recorded a node, as ``running_line`` has it.

    "" when its stack was not remembered.
    """
    stack = stacks.stack_of(node)
    if stack is None:
        return ""
    inner = ""
    found = list(zip(*stack.walked.raw_frames(), strict=True))
    users = frames.users(found)
    for code, at in found:
        file = code.co_filename
        if users and code is users[0][0]:
            return f"{file}:{stacks.line_of(code, at)}{inner}"
        if not inner and frames.is_layers(file):
            inner = f" > {_short(file)}:{stacks.line_of(code, at)}"
    return inner
