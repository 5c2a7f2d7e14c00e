"""The line of the user's program that caused something, and warnings that name it."""

import contextlib
import os
import sys
import warnings
from types import FrameType
from typing import Any, NamedTuple

_OURS = (
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep,
    "<jaxeager ",  # a signature of ops/call/signature.py
    "<frozen importlib",
    contextlib.__file__,  # between the user's ``with`` and a context manager of the package
    os.path.dirname(os.path.abspath(os.__file__)) + os.sep + "importlib" + os.sep,
)


def is_users(file: str) -> bool:
    """Return whether a file is neither the package's, contextlib's nor of the import system."""
    return not file.startswith(_OURS)


class UserLine(NamedTuple):
    """A line of the user's program. It does not hold the variables of the running function.

    Attributes:
        file: its file.
        line: its number.
        variables: those of its module.
    """

    file: str
    line: int
    variables: dict[str, Any]


def line_of(frame: FrameType) -> UserLine:
    """Return the line that a frame runs."""
    return UserLine(frame.f_code.co_filename, frame.f_lineno, frame.f_globals)


def user_frame() -> FrameType:
    """Return the innermost frame of a file that ``is_users``.

    Without such a frame, as at exit, return the outermost one.
    """
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]  # inspect's takes longer
    while frame.f_back is not None and not is_users(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


_held: list[str] | None = []  # warnings of the launcher; None once it has begun the program


def release(file: str, line: int) -> None:
    """Give the warnings from before the program began, at a line of it."""
    global _held
    held, _held = _held or [], None
    for text in held:
        warnings.warn_explicit(text, UserWarning, file, line)


def warn(text: str, line: UserLine | None = None) -> None:
    """Give a UserWarning at the line of the user's program that caused it.

    Warnings of the launcher, before the program runs, are given at the line that imports the
    package.

    Args:
        text: the warning.
        line: that line; by default the one that runs now.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     warn("It is late.")
        >>> str(caught[0].message), caught[0].category.__name__
        ('It is late.', 'UserWarning')
    """
    file, number, variables = line or line_of(user_frame())
    if _held is not None and file == "<frozen runpy>":
        _held.append(text)
        return
    module = variables.get("__name__", "<unknown>")
    registry = variables.setdefault("__warningregistry__", {})
    warnings.warn_explicit(text, UserWarning, file, number, module, registry)
