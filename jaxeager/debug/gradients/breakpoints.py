"""Breakpoints in backward: a debugger opens before a node runs."""

from __future__ import annotations

import contextlib
import sys

from jaxeager.debug.common import naming
from jaxeager.debug.gradients.nodes import is_named, saved_values, title_of
from jaxeager.debug.stacks import stacks
from jaxeager.debug.stacks.stacks import stack_text
from jaxeager.errors import InvalidTypeError, PermissionDeniedError
from jaxeager.graph import events
from jaxeager.ops.call import dispatch


class Breakpoint(contextlib.AbstractContextManager):
    """A breakpoint that is active until ``remove()``, or to the end of a ``with`` block.

    Attributes:
        where: the text that selects nodes.
        hits: how often a node was stopped at.
    """

    def __init__(self, where: str):
        self.where = where
        self.hits = 0
        self._observer: _Stopper | None = _Stopper(self)
        naming.begin_use()
        stacks.begin_use()
        events.observe(self._observer)

    def remove(self) -> bool:
        """Remove the breakpoint; return False if it was already removed."""
        if self._observer is None:
            return False
        events.unobserve(self._observer)
        stacks.end_use()
        naming.end_use()
        self._observer = None
        return True

    def __exit__(self, *error) -> None:
        self.remove()

    def __repr__(self) -> str:
        return f"<Breakpoint on {self.where!r}, {self.hits} hits>"


class _Stopper(events.Observer):
    def __init__(self, point: Breakpoint):
        self.point = point

    def node_began(self, node, grads):
        if is_named(node, self.point.where):
            self.point.hits += 1
            with events.silent():
                _stopped(node, grads)


def _stopped(node, grads: list) -> None:
    """Open the debugger with ``node``, ``gradients``, ``saved``, ``title`` and ``stack``."""
    gradients = [None if grad is None else dispatch.wrap(grad) for grad in grads]
    try:
        saved = saved_values(node)
    except PermissionDeniedError as error:  # written since: the node will raise this
        saved = {"error": error}
    title, stack = title_of(node), stack_text(node)
    print(f"{title} is about to run; see gradients, saved, stack, node.")
    sys.breakpointhook()
    del gradients, saved, title, stack  # the debugger shows them


def breakpoint_on(where: str) -> Breakpoint:
    """Open ``breakpoint()`` in backward each time before a matching node runs.

    PYTHONBREAKPOINT chooses the debugger, as for any ``breakpoint()``: pdb by default, in terminals
    and in notebooks. Its frame has ``node``, ``gradients`` (Tensors), ``saved`` (arrays by name),
    ``title`` and ``stack``. From here on calls are counted and lines recorded, so set it before
    forward.

    Args:
        where: "MultiplyGradNode", "matmul2GradNode", "conv*", a leaf's name, a pointer, or
            "train.py:8" for nodes recorded at that line.

    Raises:
        InvalidTypeError: when it is not a string.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager import debug
        >>> x = paddle.to_tensor([2.0], stop_gradient=False)
        >>> with debug.breakpoint_on("sigmoid*") as point:
        ...     paddle.tanh(x).backward()
        >>> point.hits
        0
    """
    if not isinstance(where, str):
        raise InvalidTypeError(f"breakpoint_on takes a name or a line, but received {where!r}.")
    return Breakpoint(where)
