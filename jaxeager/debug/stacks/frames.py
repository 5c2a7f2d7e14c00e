"""Which frames of a call a stack shows: FLAGS_call_stack_frames.

Note [Frames]
    A layer of the library is a place like one of the user's: the two sums of a Transformer's block
    are told apart by their lines in nn/layer/transformer.py alone. So by default a stack has the
    frames of the user and of what is written on the public face (nn, vision, optimizer, hapi,
    ...), and not those of the machinery: how an op is called, recorded and differentiated,
    ``Layer.__call__``, JAX. ``user`` leaves out the whole package, ``all`` nothing but the tool
    that looks. Stacks are taken whole, so the flag counts when a stack is read.
"""

import contextlib
import functools
import os
from pathlib import Path

import jax

from jaxeager.errors import InvalidArgumentError

PACKAGE = str(Path(__file__).absolute().parents[2]) + os.sep
JAX = os.path.dirname(os.path.abspath(jax.__file__)) + os.sep
_WRITTEN = "<jaxeager "  # a signature of ops/call/signature.py
_RUNNER = "<frozen runpy>"  # how ``python -m`` starts a program

# Rooms of the package through which a call only passes; a file of its top is one, too.
_MACHINERY = (
    "autograd", "base", "compat", "core", "debug", "device", "framework", "graph", "jit", "ops",
    "profiler", "static", "tensor", "utils",
)  # fmt: skip
# What carries every layer, whichever it is.
_CARRIERS = ("hooks.py", "layer.py", "members.py", "state.py", "traversal.py")

DEFAULT, ALL, USER = "default", "all", "user"

_which = DEFAULT


def choose(which: str) -> None:
    """Do what FLAGS_call_stack_frames says.

    Raises:
        InvalidArgumentError: for a word that is none of the three.
    """
    global _which
    if which not in (DEFAULT, ALL, USER):
        raise InvalidArgumentError(
            f"Flag FLAGS_call_stack_frames takes {DEFAULT}, {ALL} or {USER}, but received "
            f"{which!r}."
        )
    _which = which


def shown(frames: list[tuple]) -> list[tuple]:
    """Return the frames that the flag shows.

    Args:
        frames: tuples that begin with a code object, the innermost first.
    """
    if _which == USER:
        return users(frames)
    if _which == ALL:
        return [frame for frame in frames if not is_tools(frame[0].co_filename)]
    theirs = {id(frame) for frame in users(frames)}
    return [frame for frame in frames if id(frame) in theirs or is_layers(frame[0].co_filename)]


def users(frames: list[tuple]) -> list[tuple]:
    """Return the frames that are the user's; contextlib's are those of what it was called for.

    Args:
        frames: tuples that begin with a code object, the innermost first.
    """
    found, is_inner = [], True
    for frame in frames:
        if frame[0].co_filename != contextlib.__file__:
            is_inner = is_inside(frame[0].co_filename)
        if not is_inner:
            found.append(frame)
    return found


def is_inside(filename: str) -> bool:
    """Says whether a file belongs to the package, to JAX or to Python's start: none of the user's.

    Example:
        >>> is_inside(__file__), is_inside("train.py")
        (True, False)
    """
    return filename.startswith((PACKAGE, JAX, _WRITTEN)) or filename == _RUNNER


@functools.lru_cache(maxsize=1024)
def is_layers(filename: str) -> bool:
    """Says whether a file of the package is written on its public face, as a user's would be."""
    if not filename.startswith(PACKAGE):
        return False
    room, *rest = filename[len(PACKAGE) :].split(os.sep)
    if not rest or room in _MACHINERY or (room, rest[-1]) == ("nn", "param_attr.py"):
        return False
    return not (room == "nn" and rest[0] == "layer" and rest[-1] in _CARRIERS)


def is_tools(filename: str) -> bool:
    """Says whether a file belongs to the tools that look on."""
    return filename.startswith(os.path.join(PACKAGE, "debug", ""))
