"""The frames of a call that a stack shows: FLAGS_call_stack_frames.

Note [Frames]
    A layer of the library is a place like the user's code: the two sums of a Transformer block can
    only be distinguished by their lines in nn/layer/transformer.py. So by default a stack has the
    frames of the user and of the public packages of the library (nn, vision, optimizer, hapi,
    ...), and not those of the machinery: how an op is called, recorded and differentiated,
    ``Layer.__call__``, JAX. ``user`` leaves out the whole package, ``all`` nothing but the tool
    that looks and the launcher, which Paddle does not have. Stacks are taken whole, so the flag
    counts when a stack is read.
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

# Folders of the package that calls only pass through; so are files at its top level.
_MACHINERY = (
    "arrays", "autograd", "compat", "core", "debug", "device", "framework", "graph",
    "jax_bridge", "jit", "kernels", "launcher", "legacy", "ops", "profiler", "static", "tensor",
    "utils",
)  # fmt: skip
# Files that run every layer.
_CARRIERS = ("hooks.py", "layer.py", "members.py", "state.py", "traversal.py")

DEFAULT, ALL, USER = "default", "all", "user"

_which = DEFAULT


def choose(which: str) -> None:
    """Apply FLAGS_call_stack_frames.

    Raises:
        InvalidArgumentError: for another word than the three.
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
        return [frame for frame in frames if not _is_never_shown(frame[0].co_filename)]
    theirs = {id(frame) for frame in users(frames)}
    return [frame for frame in frames if id(frame) in theirs or is_layers(frame[0].co_filename)]


def users(frames: list[tuple]) -> list[tuple]:
    """Return the user's frames; a frame of contextlib belongs to the code it was called for.

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
    """Return whether a file belongs to the package, JAX or Python's start, not to the user.

    Example:
        >>> is_inside(__file__), is_inside("train.py")
        (True, False)
    """
    return filename.startswith((PACKAGE, JAX, _WRITTEN)) or filename == _RUNNER


@functools.lru_cache(maxsize=1024)
def is_layers(filename: str) -> bool:
    """Return whether a file of the package is in a public folder whose lines are shown."""
    if not filename.startswith(PACKAGE):
        return False
    room, *rest = filename[len(PACKAGE) :].split(os.sep)
    if not rest or room in _MACHINERY or (room, rest[-1]) == ("nn", "param_attr.py"):
        return False
    return not (room == "nn" and rest[0] == "layer" and rest[-1] in _CARRIERS)


def short_path(filename: str) -> str:
    """Return the path of a file of the package or JAX from its package on; of others, all of it.

    Example:
        >>> short_path(__file__), short_path("/home/a/train.py")
        ('jaxeager/debug/stacks/frames.py', '/home/a/train.py')
    """
    for root in (PACKAGE, JAX):
        if filename.startswith(root):
            return os.path.join(os.path.basename(root[:-1]), filename[len(root) :])
    return filename


def _is_never_shown(filename: str) -> bool:
    """Return whether a file belongs to the tools, or starts the program."""
    starts = (os.path.join(PACKAGE, "launcher", ""), os.path.join(PACKAGE, "__main__.py"))
    return is_tools(filename) or filename == _RUNNER or filename.startswith(starts)


def is_tools(filename: str) -> bool:
    """Return whether a file belongs to the debugging tools."""
    return filename.startswith(os.path.join(PACKAGE, "debug", ""))
