"""Forward stacks: with FLAGS_call_stack_level=3 every GradNode knows the lines that recorded it.

An error in backward then carries them as a note, under the exception's own type and message.
"""

import itertools
import os
import sys
import traceback
from typing import Any

from jaxeager.flags import define_flag
from jaxeager.ops.binding import observe, unobserve

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_WRITTEN = "<jaxeager "  # source that ops/binding.py writes


class ForwardStack:
    """Where an op was called: code objects and instructions, resolved to lines when printed."""

    __slots__ = ("_frames",)

    def __init__(self, frames: list[tuple[Any, int]]):
        self._frames = frames

    def summary(self) -> traceback.StackSummary:
        """Returns the frames, the outermost first, as the traceback module has them."""
        return traceback.StackSummary.from_list(
            [
                traceback.FrameSummary(code.co_filename, _line(code, instruction), code.co_name)
                for code, instruction in reversed(self._frames)
            ]
        )

    def format(self) -> str:
        """Returns the text of a traceback, without its head."""
        return "".join(self.summary().format())


def _line(code, instruction: int) -> int | None:
    """Returns the line of an instruction, counted in bytes, of a code object."""
    position = next(itertools.islice(code.co_positions(), instruction // 2, None), None)
    return None if position is None else position[0]


def forward_stack() -> ForwardStack:
    """Returns the stack of the caller, without the frames of the package itself."""
    frames = []
    frame: Any = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        name = code.co_filename
        if not (name.startswith(_PACKAGE) or name.startswith(_WRITTEN)):
            frames.append((code, frame.f_lasti))
        frame = frame.f_back
    return ForwardStack(frames)


def _remember(node) -> None:
    node.stack = forward_stack()


_is_on = False


def _set_level(level: int) -> None:
    global _is_on
    if (level == 3) != _is_on:
        _is_on = not _is_on
        (observe if _is_on else unobserve)(_remember)


# 1: errors as they are. 3: errors in backward carry the forward stack of the node they come from.
define_flag("FLAGS_call_stack_level", 1, _set_level)
