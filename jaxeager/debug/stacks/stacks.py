"""Forward stacks: with FLAGS_call_stack_level=3 every GradNode knows the lines that recorded it.

Note [Stacks]
    While stacks are in use, every new node, every new leaf and every memory that is written in
    place gets the stack of its call, as jaxlib's C++ code walks it: code objects and instructions,
    about 0.2 us at any depth. Files, lines and source are looked up when a stack is read
    (``ForwardStack``), and only then are frames omitted: see frames.py.

    A node of a gradient of a gradient has two stacks: that of the forward op it differentiates, and
    that of the call that requested gradients. A leaf has the stack of the line that made it one.
    The use of stacks in errors is in error_text.py.
"""

from __future__ import annotations

import functools
import itertools
import sys
import textwrap
import threading
import traceback
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple, Self

from jaxeager.core import ports
from jaxeager.debug.stacks import frames
from jaxeager.graph import events

if TYPE_CHECKING:
    from types import FrameType

    from jaxeager.debug.stacks.types import Walked

NOTE = (
    "Note : If you want to see the call stack information of each Node, please make sure "
    "FLAGS_call_stack_level=3 is set at runtime.\n"
)


class _Walked:
    """The replacement for jaxlib's Traceback where that is missing: frames, walked in Python."""

    __slots__ = ("_frames",)

    def __init__(self):
        self._frames: tuple[list, list] = ([], [])
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            self._frames[0].append(frame.f_code)
            self._frames[1].append(frame.f_lasti)
            frame = frame.f_back

    def raw_frames(self) -> tuple[list, list]:
        """Return code objects and instructions, the innermost first."""
        return self._frames


def find_walker() -> Callable:
    """Return a function that records its caller's stack: jaxlib's, or a slower one in Python.

    Example:
        >>> codes, instructions = find_walker()().raw_frames()
        >>> len(codes) == len(instructions)
        True
    """
    try:
        from jax._src.lib import xla_client  # type: ignore[attr-defined]

        walk = xla_client.Traceback.get_traceback
        walk().raw_frames()
    except (ImportError, AttributeError, TypeError):
        return _Walked
    return walk


walk: Callable = find_walker()


class ForwardStack:
    """The stack of an op's call, resolved to lines when it is read.

    Attributes:
        walked: the result of ``walk``.
        caller: for a node of a gradient, the stack of the call that requested it; else None.
    """

    __slots__ = ("caller", "walked")

    def __init__(self, walked, caller: ForwardStack | None = None):
        self.walked = walked
        self.caller = caller

    def summary(self) -> traceback.StackSummary:
        """Return the frames that FLAGS_call_stack_frames shows, the outermost first."""
        found = list(zip(*self.walked.raw_frames(), strict=True))
        shown = frames.shown(found) or found
        return traceback.StackSummary.from_list(
            [_resolved(code.co_filename, code, at) for code, at in reversed(shown)]
        )

    def format(self) -> str:
        """Return the text of a traceback, without its first line."""
        return "".join(self.summary().format())


@functools.lru_cache(maxsize=4096)
def _resolved(filename: str, code, instruction: int) -> traceback.FrameSummary:
    """Return the file, line and function of an instruction; cached, because they repeat.

    The file is part of the key: Python treats code objects that differ only in the file as equal.
    """
    return traceback.FrameSummary(filename, line_of(code, instruction), code.co_name)


def line_of(code, instruction: int) -> int | None:
    """Return the line of an instruction, counted in bytes, of a code object."""
    position = next(itertools.islice(code.co_positions(), instruction // 2, None), None)
    return None if position is None else position[0]


def forward_stack() -> ForwardStack:
    """Return the stack of the caller."""
    return ForwardStack(walk())


class Writer(NamedTuple):
    """The last in-place writer of a memory.

    Attributes:
        op: the name of the op.
        version: the version of the memory after it.
        walked: the stack of its call.
    """

    op: str
    version: int
    walked: Walked


# ---- recording


class _Rememberer(events.Observer):
    """Stores the stack of the call on objects that ``events.take_stack`` does not reach."""

    def op_wrote(self, row, tensor):
        name = row.name if row.name.endswith("_") else f"{row.name}_"
        tensor._storage.writer = Writer(name, tensor._storage.version, walk())

    def layer_ended(self, layer, inputs, outputs, node):
        if node is not None:
            node.stack = walk()

    def leaf_made(self, meta):
        meta.stack = walk()

    def node_recorded(self, node):
        node.stack = walk()

    def vjp_ran(self, node, results, made):
        stack = stack_of(node)
        if stack is not None and made is not None:
            made.stack = ForwardStack(stack.walked, stack_of(made))


_rememberer = _Rememberer()
_users = 0
_lock = threading.Lock()


def begin_use() -> None:
    """Record stacks from now on, until ``end_use``; calls nest."""
    global _users
    with _lock:
        _users += 1
        if _users == 1:
            events.observe(_rememberer)
            events.set_take_stack(walk)
            ports.describe_write = describe_write


def end_use() -> None:
    """Undo one ``begin_use``."""
    global _users
    with _lock:
        _users -= 1
        if _users == 0:
            events.set_take_stack(None)
            events.unobserve(_rememberer)
            ports.describe_write = None


class StackedObserver(events.Observer):
    """An observer that is notified within a ``with`` block, where stacks are recorded."""

    def __enter__(self) -> Self:
        begin_use()
        events.observe(self)
        return self

    def __exit__(self, *error: object) -> None:
        events.unobserve(self)
        end_use()


# ---- reading


def stack_of(node) -> ForwardStack | None:
    """Return the stack of a node, or of the leaf it ends in; None if none was recorded.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.set_flags({"FLAGS_call_stack_level": 3})
        >>> x = paddle.to_tensor([1.0], stop_gradient=False)
        >>> stack_of((x * x).grad_fn).summary()[-1].line
        'stack_of((x * x).grad_fn).summary()[-1].line'
        >>> paddle.set_flags({"FLAGS_call_stack_level": 1})
    """
    holder = node.meta() if node.is_leaf else node
    walked = getattr(holder, "stack", None)
    if walked is None:
        return None
    return walked if isinstance(walked, ForwardStack) else ForwardStack(walked)


def stack_text(node) -> str:
    """Return the lines of a node's stack, "" if none was recorded."""
    stack = stack_of(node)
    if stack is None:
        return ""
    if stack.caller is None:
        return stack.format()
    return (
        f"{stack.format()}  [Differentiated here (most recent call last):]\n{stack.caller.format()}"
    )


def call_stack_text(nodes: Iterable) -> str:
    """Return the text of a call_stack.log: a note, then the forward stack of each node.

    Args:
        nodes: GradNodes and GradNodeAccumulations, in the order they are written.
    """
    from jaxeager.debug.common import naming

    return NOTE + "".join(
        f"GradNodeBase {naming.node_name(node)} ptr : {node.node_ptr():#x} call stack: \n"
        f"{stack_text(node)}\n"
        for node in nodes
    )


def describe_write(wrapper, node) -> str:
    """Return where a saved tensor was saved and where it was written, for the version error.

    Args:
        wrapper: a TensorWrapper whose version has changed.
        node: the node it was saved for, None when unknown.
    """
    _, storage, version = wrapper
    text = ""
    if node is not None:
        text += _bracket("It was saved here", stack_text(node))
    writer = getattr(storage, "writer", None)
    if writer is not None and writer.version > version:
        what = "last written" if writer.version == storage.version else "written"
        head = f"It was {what} by {writer.op}, here"
        text += _bracket(head, ForwardStack(writer.walked).format())
    return text


def _bracket(head: str, lines: str) -> str:
    if not lines:
        return ""
    return f"\n  [{head} (most recent call last):\n{textwrap.indent(lines, '  ')}  ]"
