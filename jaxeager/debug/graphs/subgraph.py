"""capture_backward_subgraph_guard: the part of a backward that a block of forward recorded.

Note [Captured nodes]
    A node made inside a guard holds the guard's ``Capture`` in its notes; nothing holds the node.
    So a capture lives as long as one of its nodes can still run. ``_Watcher`` observes backwards
    only during that time, so it costs nothing before and after.
"""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jaxeager.core import flags
from jaxeager.debug.graphs.graph_dump import (
    NEIGHBOR_COLOR,
    OP_COLOR,
    Recording,
    RunObserver,
    gradient_name,
    make_folder,
    write_or_log,
    write_text,
)
from jaxeager.debug.graphs.tensor_dump import TensorLog
from jaxeager.debug.stacks import stacks
from jaxeager.errors import InvalidTypeError, RefusedArgumentError
from jaxeager.graph import events

_NOTE = "subgraphs"  # key in the notes of a node: the captures it belongs to


class Capture:
    """The request of one guard.

    Attributes:
        folder: the folder of its files.
        wants_tensors: whether the gradients are written too.
    """

    __slots__ = ("__weakref__", "folder", "wants_tensors")

    def __init__(self, folder: str, wants_tensors: bool):
        self.folder = folder
        self.wants_tensors = wants_tensors


@contextlib.contextmanager
def capture_backward_subgraph_guard(
    dump_dir_path: str, need_dump_grad_tensors: bool = False
) -> Iterator[None]:
    """Write the part of later backwards that belongs to the ops run in a block.

    Nothing is written when the block ends. Each later backward (or ``grad``) that runs a node made
    inside writes a separate set of files, whose names begin with the time. The files are those of
    ``dump_backward_graph_path`` (see ``paddle.autograd.backward``), for the subgraph: grey nodes
    were made inside, cream ones are their neighbors outside, teal ones leaves.

    Args:
        dump_dir_path: the folder to write to; it is created if it does not exist.
        need_dump_grad_tensors: also write ``_grad_tensors.log``, the gradients that were passed,
            with all their values; FLAGS_dump_grad_tensors_summary shortens large ones.

    Raises:
        InvalidArgumentError: when ``dump_dir_path`` is None.
        InvalidTypeError: when an argument has another type.
        NotADirectoryError: when ``dump_dir_path`` is a file.
        OSError: when it cannot be created.

    Paddle: a second guard takes over the nodes of the first, ``dump_backward_graph_path`` writes
        nothing once a guard was used, and ``paddle.grad`` writes nothing. Here each guard has
        separate files, regardless of other dumps.

    Example:
        >>> import jaxeager as paddle
        >>> folder = getfixture("tmp_path")
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> with paddle.utils.capture_backward_subgraph_guard(str(folder)):
        ...     y = x * x
        >>> y.sum().backward()
        >>> sorted(path.name[27:] for path in folder.glob("*.dot"))
        ['backward_graph.dot', 'ref_forward_graph.dot']
    """
    if dump_dir_path is None:
        raise RefusedArgumentError(
            "The dump_dir_path should not be None; give the folder to write the files to."
        )
    if not isinstance(need_dump_grad_tensors, bool):
        kind = type(need_dump_grad_tensors).__name__
        raise InvalidTypeError(f"argument (position 2) must be bool, but got {kind}")
    folder = make_folder(dump_dir_path)
    with events.observing(_Marker(Capture(folder, need_dump_grad_tensors))):
        yield


class _Marker(events.Observer):
    """Notes on every node made by its thread that the node belongs to a capture.

    Attributes:
        captures_in: the ident of that thread, which the log reads.
    """

    def __init__(self, capture: Capture):
        self._capture = capture
        self.captures_in = threading.get_ident()
        _watcher.watch(capture)

    def op_ran(self, row, operands, attrs, outputs, node, is_inplace):
        self._mark(node)

    def layer_ended(self, layer, inputs, outputs, node):
        self._mark(node)

    def _mark(self, node) -> None:
        if node is None or threading.get_ident() != self.captures_in:
            return
        if not hasattr(node, "notes"):
            node.notes = {}
        captures = node.notes.setdefault(_NOTE, [])
        if self._capture not in captures:
            captures.append(self._capture)


def _captures_of(node) -> list[Capture]:
    return getattr(node, "notes", {}).get(_NOTE, [])


class _Watcher(RunObserver):
    """Records the runs that include captured nodes, while such nodes exist."""

    def __init__(self):
        super().__init__()
        self._captures: weakref.WeakSet = weakref.WeakSet()
        self._is_on = False
        self._lock = threading.Lock()

    def watch(self, capture: Capture) -> None:
        """Observe backwards until the capture is gone."""
        with self._lock:
            self._captures.add(capture)
            if not self._is_on:
                self._is_on = True
                events.observe(self)
        weakref.finalize(capture, self._rest).atexit = False

    def _rest(self) -> None:
        """Stop observing when every capture is gone.

        The garbage collector may call this anywhere, even while code holds a lock. So it never
        waits for a lock; if it cannot act, the next backward that begins does.
        """
        if not self._lock.acquire(blocking=False):
            return
        try:
            if self._is_on and not any(True for _ in self._captures) and events.try_unobserve(self):
                self._is_on = False
        finally:
            self._lock.release()

    def recordings_of(self, run):
        self._rest()
        captures = {capture: None for node in run.tasks for capture in _captures_of(node)}
        return [SubgraphRecording(run, capture) for capture in captures]

    def ended(self, recordings):
        for recording in recordings:
            if recording.has_run or recording.has_begun_files():
                write_or_log(recording)

    def backward_ended(self, run, error):
        """End the recordings; drop the captures of nodes that cannot run again."""
        super().backward_ended(run, error)
        for node in run.tasks:
            if node.released:
                getattr(node, "notes", {}).pop(_NOTE, None)


class SubgraphRecording(Recording):
    """The part of a run whose gradients are passed from or to a node of a capture.

    Attributes:
        has_run: whether one of its nodes has run.
    """

    def __init__(self, run: events.Backward, capture: Capture):
        super().__init__(run, capture.folder)
        self.has_run = False
        self._receivers: set = set()
        self._capture = capture
        self._tensors: TensorLog | None = None

    def is_inside(self, node) -> bool:
        """Return whether a node was made inside the guard."""
        return self._capture in _captures_of(node)

    def node_began(self, node) -> None:
        """Note that a node runs."""
        if self.is_inside(node):
            self.has_run = True
            super().node_began(node)

    def gradient_passed(self, node, edge, grad) -> None:
        """Note that a gradient was passed along an edge."""
        if self.is_inside(node) or self.is_inside(edge.node):
            super().gradient_passed(node, edge, grad)
            self._receivers.add(edge.node)
            if self._capture.wants_tensors:
                self._log().add(gradient_name(edge, grad), grad)

    def node_failed(self, node) -> None:
        """Note that a node has raised."""
        if self.is_inside(node):
            super().node_failed(node)

    def write(self) -> list[Path]:
        """Write the files and return the .dot files."""
        if self._capture.wants_tensors:
            text = self._log().text()
            write_text(self.file("grad_tensors.log"), text)
        return super().write()

    def stacks_text(self) -> str:
        """Return where the nodes inside, and those they pass gradients to, were recorded."""
        receivers = {each.edge.node for each in self.passed if self.is_inside(each.source)}
        shown = [node for node in self.nodes if self.is_inside(node) or node in receivers]
        return stacks.call_stack_text(shown)

    def color(self, node) -> str:
        """Return grey inside and cream outside."""
        return OP_COLOR if self.is_inside(node) else NEIGHBOR_COLOR

    def _op_label(self, node) -> str:
        """Return Paddle's label in the forward graph: an outside source keeps its node's name."""
        is_source = node not in self._receivers
        if is_source and not self.is_inside(node) and not self.is_end(node):
            return self._grad_label(node)
        return super()._op_label(node)

    def _log(self) -> TensorLog:
        if self._tensors is None:
            is_whole = flags.flag("FLAGS_dump_grad_tensors_npy")
            most = int(flags.flag("FLAGS_dump_grad_tensors_summary"))
            self._tensors = TensorLog(self._whole_folder() if is_whole else None, most)
        return self._tensors

    def _whole_folder(self) -> Path | None:
        """Return the folder for complete gradients; None if it cannot be written."""
        try:
            return self.file("grad_tensors")
        except OSError:  # writing the other files will report the reason
            return None


_watcher: Any = _Watcher()
