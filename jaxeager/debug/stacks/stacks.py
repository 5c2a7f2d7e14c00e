"""Forward stacks: with FLAGS_call_stack_level=3 every GradNode knows the lines that recorded it.

Note [Stacks]
    While somebody wants stacks, every new node, every new leaf and every memory that is written in
    place gets the stack of its call, as jaxlib's C++ walks it: code objects and instructions, about
    0.2 us at any depth. Files, lines and source are looked up when somebody reads a stack
    (``ForwardStack``), and only then are frames left out: see frames.py.

    A node of a gradient of a gradient has two stacks: that of the forward op it differentiates, and
    that of the call that asked for gradients. A leaf has the stack of the line that made it one.
    What an error says of all this is in error_text.py.
"""

import functools
import itertools
import sys
import textwrap
import threading
import traceback
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from jaxeager.core import ports
from jaxeager.debug.stacks import frames
from jaxeager.graph import events

NOTE = (
    "Note : If you want to see the call stack information of each Node, please make sure "
    "FLAGS_call_stack_level=3 is set at runtime.\n"
)


class _Walked:
    """What jaxlib's Traceback is, where there is none: the frames, walked in Python."""

    __slots__ = ("_frames",)

    def __init__(self):
        self._frames: tuple[list, list] = ([], [])
        frame: Any = sys._getframe(1)
        while frame is not None:
            self._frames[0].append(frame.f_code)
            self._frames[1].append(frame.f_lasti)
            frame = frame.f_back

    def raw_frames(self) -> tuple[list, list]:
        """Return code objects and instructions, the innermost first."""
        return self._frames


def find_walker() -> Callable:
    """Return what takes the stack of its caller: jaxlib's, or a slower one of our own.

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
    """Where an op was called: resolved to lines when it is read.

    Attributes:
        walked: what ``walk`` returned.
        caller: the stack of the call that asked for a gradient, for a node of one; else None.
    """

    __slots__ = ("caller", "walked")

    def __init__(self, walked, caller: "ForwardStack | None" = None):
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
        """Return the text of a traceback, without its head."""
        return "".join(self.summary().format())


@functools.lru_cache(maxsize=4096)
def _resolved(filename: str, code, instruction: int) -> traceback.FrameSummary:
    """Return the file, line and function of an instruction; the same ones come again and again.

    The file is part of the key: Python takes two code objects for equal that differ in it only.
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
    """Who wrote a memory in place last.

    Attributes:
        op: the name of the op.
        version: the version of the memory after it.
        walked: the stack of its call.
    """

    op: str
    version: int
    walked: Any


# ---- remembering


class _Rememberer(events.Observer):
    """Gives what ``events.take_stack`` does not reach the stack of its call."""

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
    """Have stacks remembered from now on, until ``end_use``; they nest."""
    global _users
    with _lock:
        _users += 1
        if _users == 1:
            events.observe(_rememberer)
            events.set_take_stack(walk)
            ports.describe_write = describe_write


def end_use() -> None:
    """Take back one ``begin_use``."""
    global _users
    with _lock:
        _users -= 1
        if _users == 0:
            events.set_take_stack(None)
            events.unobserve(_rememberer)
            ports.describe_write = None


# ---- reading


def stack_of(node) -> ForwardStack | None:
    """Return the stack of a node, or of the leaf it ends in; None when none was remembered.

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
    """Return the lines of a node's stack, "" when none was remembered."""
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
        wrapper: a TensorWrapper whose version has moved.
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
