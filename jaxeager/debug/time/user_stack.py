"""The lines of the user's program that an event was called from, and the Layers between them."""

import linecache
import os
from types import CodeType, FrameType
from typing import NamedTuple

from jaxeager.core import user_lines


class Frame(NamedTuple):
    """A line of the user's program, or the ``forward`` of a Layer of the package.

    Attributes:
        label: the function, or the class of the Layer.
        file: the file.
        line: its number.
    """

    label: str
    file: str
    line: int


_is_users: dict[CodeType, bool] = {}


def frame_of(frame: FrameType) -> Frame:
    """Return the line of a Python frame."""
    return Frame(frame.f_code.co_name, frame.f_code.co_filename, frame.f_lineno)


def source_text(frame: Frame | None) -> str:
    """Return the text of a line; "" where there is no source."""
    return "" if frame is None else linecache.getline(frame.file, frame.line).strip()


def user_stack(frame: FrameType | None) -> tuple[Frame, ...]:
    """Return the user's lines from a frame outward, with Layers in between, the outermost first."""
    found: list[Frame] = []
    while frame is not None:
        code = frame.f_code
        is_users = _is_users.get(code)
        if is_users is None:
            is_users = _is_users[code] = _shows(code)
        if is_users:
            found.append(Frame(code.co_name, code.co_filename, frame.f_lineno))
        elif code.co_name == "forward" and "self" in code.co_varnames[:1]:
            owner = frame.f_locals.get("self")
            found.append(Frame(type(owner).__name__, code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return tuple(reversed(found))


_MACHINERY = (os.path.dirname(os.__file__) + os.sep, "<frozen ")


def _shows(code: CodeType) -> bool:
    """Return whether a line of this code is useful to the user; the standard library is not."""
    file = code.co_filename
    is_installed = f"{os.sep}site-packages{os.sep}" in file
    return user_lines.is_users(file) and (is_installed or not file.startswith(_MACHINERY))
