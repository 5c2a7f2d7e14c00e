"""The line of the program that is running, or that recorded a node."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from typing import TYPE_CHECKING, NamedTuple

from jaxeager.debug.common.paths import shorter_path
from jaxeager.debug.stacks import frames, stacks

if TYPE_CHECKING:
    from types import FrameType


def running_line() -> str:
    """Return the program's running line, and that of the layer which it has called.

    "train.py:26 > nn/functional/common.py:51"; without the second if the op was called directly.
    About 2 us.
    """
    frame: FrameType | None = sys._getframe(1)
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
    """Return the owner of a file: the program, a layer, or the code in between."""
    if frames.is_layers(file):
        return _LAYER
    return _INSIDE if frames.is_inside(file) or file == contextlib.__file__ else _PROGRAM


def _short(file: str) -> str:
    return file.removeprefix(frames.PACKAGE)


def fitted(file: str, line: int, width: int) -> str:
    """Return a file and line as text of at most some characters, without the start of a long path.

    The file is relative to the working directory where that is shorter.

    Example:
        >>> fitted("models/vision/net.py", 8, 40), fitted("models/vision/net.py", 8, 12)
        ('models/vision/net.py:8', '.../net.py:8')
    """
    text = f"{shorter_path(file)}:{line}"
    return text if len(text) <= width else f"...{text[3 - width :]}"


class Line(NamedTuple):
    """A line of the program, and the line of the layer that it has called there.

    Its text is "train.py:26 > nn/functional/common.py:51", with the folders of the program's file;
    "" if nothing is known.

    Attributes:
        place: "train.py:26", with its folders; "" if no frame is the program's.
        layer: "nn/functional/common.py:51"; "" if the op was called directly.
    """

    place: str = ""
    layer: str = ""

    def __str__(self) -> str:
        return f"{self.place} > {self.layer}" if self.layer else self.place

    @property
    def short(self) -> str:
        """Return the program's line without folders, "train.py:26"; else that of the layer."""
        return os.path.basename(self.place or self.layer)


def line_of_node(node) -> Line:
    """Return the line that recorded a node, or that made a tensor a leaf.

    It is known while stacks are recorded, as with FLAGS_call_stack_level=3.
    """
    stack = stacks.stack_of(node)
    return Line() if stack is None else line_of_walked(stack.walked)


def line_of_walked(walked) -> Line:
    """Return the innermost line of the program in a stack from ``stacks.walk``."""
    layer = ""
    found = list(zip(*walked.raw_frames(), strict=True))
    users = frames.users(found)
    for code, at in found:
        file = code.co_filename
        if users and code is users[0][0]:
            return Line(f"{file}:{stacks.line_of(code, at)}", layer)
        if not layer and frames.is_layers(file):
            layer = f"{_short(file)}:{stacks.line_of(code, at)}"
    return Line(layer=layer)
