"""The line of the program that something is about: the one that runs, or that recorded a node."""

import contextlib
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
        file = frame.f_code.co_filename
        if not frames.is_inside(file) and file != contextlib.__file__:
            return f"{file}:{frame.f_lineno}{inner}"
        if not inner and frames.is_layers(file):
            inner = f" > {file.removeprefix(frames.PACKAGE)}:{frame.f_lineno}"
        frame = frame.f_back
    return inner


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
            inner = f" > {file.removeprefix(frames.PACKAGE)}:{stacks.line_of(code, at)}"
    return inner
