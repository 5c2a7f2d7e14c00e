"""ranges: names the program's ops, nodes and lines in traces of other profilers.

Note [Ranges]
    JAX's profiler (XProf, Perfetto) and Nsight Systems show kernels by XLA's names. A range around
    each op, node, optimizer's step and Layer tells them apart: ``matmul train.py:9`` is the call of
    an op at a line, ``MatmulGradNode train.py:9`` the node that this line recorded. A range is an
    event of the thread that launches the kernels. Kernels run later unless the program waits; the
    tools show which range has launched a kernel.

    A range is a ``jax.profiler.TraceAnnotation``, with its number as ``jaxeager``. If the package
    nvtx is installed, it is also a range of NVTX, which Nsight Systems reads.
"""

from __future__ import annotations

import importlib.util
import itertools
import threading
from types import ModuleType
from typing import Any, NamedTuple

import jax

from jaxeager.debug.common.paths import shorter_path
from jaxeager.debug.stacks.lines import running_line
from jaxeager.graph import events

NUMBER = "jaxeager"  # the argument of an event of a trace that has the number of its range
_NOTE = "range line"


class Range(NamedTuple):
    """A range.

    Attributes:
        kind: "op", "node", "step" or "layer".
        name: of the op, node, optimizer or Layer.
        line: the program's line; for a node, the one that recorded it.
    """

    kind: str
    name: str
    line: str

    @property
    def text(self) -> str:
        """Return the text that traces show."""
        file, colon, rest = self.line.partition(":")
        shown = f"{self.name} {shorter_path(file)}{colon}{rest}" if file else self.name
        return shown.replace("#", "?")  # which begins arguments


class ranges:
    """Names ops, nodes and lines in the traces of other profilers: a context manager.

    While it is on, each call of an op, each node of a backward, each step of an optimizer and each
    call of a Layer is a range, which ``jax.profiler``, XProf and Perfetto show, and, with the
    package nvtx installed, Nsight Systems: ``nsys profile python -m jaxeager train.py``. Like other
    tools that observe ops, it makes ops of lazy mode run one by one.

    Paddle: ``Profiler(emit_nvtx=True)`` turns it on while that records.

    Example:
        >>> import tempfile
        >>> import jax
        >>> import jaxeager as paddle
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with jax.profiler.trace(folder), paddle.debug.ranges():
        ...         y = paddle.ones([2]).tanh()
    """

    def __init__(self):
        self._observer = RangeWriter()

    def __enter__(self) -> ranges:
        self._observer.start()
        return self

    def __exit__(self, *raised) -> None:
        self._observer.stop()


class RangeWriter(events.Observer):
    """Opens a range for each op, node, step and Layer, and closes it.

    Args:
        keeps: keep the ranges.

    Attributes:
        kept: the ranges, by number.
    """

    def __init__(self, keeps: bool = False):
        self._keeps = keeps
        self._numbers = itertools.count(1)
        self._of_thread = threading.local()
        self._nvtx: ModuleType | None = None
        self.kept: dict[int, Range] = {}

    def start(self) -> None:
        """Begin to write ranges."""
        if importlib.util.find_spec("nvtx") is not None:
            self._nvtx = importlib.import_module("nvtx")
        events.observe(self)

    def stop(self) -> None:
        """Write no more ranges, and close those of this thread."""
        events.unobserve(self)
        self._close_to(0)

    def _open(self, key: object, kind: str, name: str, line: str) -> None:
        found, number = Range(kind, name, line), next(self._numbers)
        if self._keeps:
            self.kept[number] = found
        annotation = jax.profiler.TraceAnnotation(found.text, **{NUMBER: str(number)})
        annotation.__enter__()
        if self._nvtx is not None:
            self._nvtx.push_range(found.text)
        self._opened().append((key, annotation))

    def _opened(self) -> list[tuple[object, Any]]:
        """Return the open ranges of this thread, the innermost last."""
        return self._of_thread.__dict__.setdefault("opened", [])

    def _close(self, key: object) -> None:
        """Close a range, and those inside it that an error has left open."""
        opened = self._opened()
        for place in reversed(range(len(opened))):
            if opened[place][0] is key:
                self._close_to(place)
                return

    def _close_to(self, count: int) -> None:
        opened = self._opened()
        while len(opened) > count:
            _, annotation = opened.pop()
            if self._nvtx is not None:
                self._nvtx.pop_range()
            annotation.__exit__(None, None, None)

    # ---- events

    def call_began(self, call):
        call.notes[self] = line = running_line()
        self._open(call, "op", call.row.name, line)

    def node_made(self, call):
        if getattr(call.node, "notes", None) is None:
            call.node.notes = {}
        call.node.notes[_NOTE] = call.notes[self]

    def call_ended(self, call):
        self._close(call)

    def call_failed(self, call, error):
        self._close(call)

    def node_began(self, node, grads):
        notes = getattr(node, "notes", None) or {}
        self._open(node, "node", node.name(), notes.get(_NOTE, ""))

    def node_ended(self, node, grads, results):
        self._close(node)

    def node_failed(self, node, error):
        self._close(node)

    def step_began(self, rule, params):
        self._open(rule, "step", f"{rule.name} step", running_line())

    def step_ended(self, rule, params, state):
        self._close(rule)

    def nn_layer_began(self, layer):
        self._open(layer, "layer", type(layer).__name__, running_line())

    def nn_layer_ended(self, layer):
        self._close(layer)
