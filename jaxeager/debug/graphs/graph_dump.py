"""One backward written as Paddle's files: its graph, its forward graph, and the stacks.

Note [Dumped graphs]
    A ``Recording`` is notified of the events of one run of the engine and writes it in Paddle's
    format: an op node is grey, a leaf teal, an edge one gradient that was passed, in the order of
    execution. The second graph is the first one reversed, with the shapes of the forward tensors.
    Nodes are numbered in order of appearance, so the same program writes the same text except for
    the pointers; a leaf has its tensor's name below its pointer.

    ``RunObserver`` follows the runs of each thread, which nest (a hook may call backward), and
    forwards events to the recordings of the innermost one. ``dumping`` uses one for the next run
    of its thread; subgraph.py has another one.
"""

from __future__ import annotations

import contextlib
import datetime
import logging
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from jaxeager.core import flags
from jaxeager.debug.common import naming
from jaxeager.debug.common.placement_text import placement_text
from jaxeager.debug.common.tensor_text import place_text
from jaxeager.debug.graphs.backward_graph import picture_kinds, quoted, render, with_room
from jaxeager.debug.stacks import stacks
from jaxeager.errors import RefusedTypeError, UnavailableError
from jaxeager.graph import events
from jaxeager.graph.meta import Edge

if TYPE_CHECKING:
    from jaxeager.graph.types import Node

logger = logging.getLogger("jaxeager.debug")

# The cost of a picture grows with the layers that its arrows span: half a second for this many, and
# minutes for several times as many, while backward waits. draw_backward_graph allows more.
MAX_PICTURE_SPAN = 500

OP_COLOR, _LEAF_COLOR, NEIGHBOR_COLOR = "#999999", "#148b97", "#FFE4B5"
_OP_STYLE = (
    'style="rounded,filled,bold" shape="box" color="{}" fontcolor="#ffffff" '
    'width="1.3" height="0.84" fontname="Arial"'
)
_LEAF_STYLE = (
    'shape="box" style="rounded,filled,bold" fontname="Arial" '
    f'color="{_LEAF_COLOR}" fontcolor="#ffffff"'
)
# White on cream is unreadable. Scripts identify the .dot by it, so only pictures use dark text.
_UNREADABLE = f'color="{NEIGHBOR_COLOR}" fontcolor="#ffffff"'
_READABLE = f'color="{NEIGHBOR_COLOR}" fontcolor="#1f2328"'


class Passed(NamedTuple):
    """One gradient that was passed from a node along an edge.

    Attributes:
        source: the node that passed it.
        edge: the edge it was passed along.
        name: its name, "" while names are not in use.
        place: the device it is on, as text, and its placement on several.
        dtype, shape: its own.
    """

    source: Node
    edge: Edge
    name: str
    place: str
    dtype: str
    shape: tuple[int, ...]


class Recording:
    """The events of one run of the engine, and the folder to write them to.

    Attributes:
        nodes: every node that ran or received a gradient, in order of appearance.
        passed: every gradient that was passed, in order of execution.
    """

    def __init__(self, run: events.Backward, folder: str):
        self.folder = folder
        self.nodes: dict[Node, None] = {}
        self.passed: list[Passed] = []
        self._tasks = run.tasks
        self._sources: set = set()
        self._stopped: list[tuple] = []  # (source, edge, dtype, shape) of a node that raised
        self._targets: dict[Node, list] = {}
        for edge in run.targets or ():
            self._targets.setdefault(edge.node, []).append(edge)
        self._stem: Path | None = None

    # ---- events of the run

    def node_began(self, node) -> None:
        """Note that a node runs."""
        self.nodes.setdefault(node)

    def gradient_passed(self, node, edge, grad) -> None:
        """Note that a gradient was passed along an edge."""
        name = gradient_name(edge, grad) if naming.is_in_use() else ""
        self.nodes.setdefault(node)
        self.nodes.setdefault(edge.node)
        self._sources.add(node)
        shape = tuple(grad.shape)
        place = f"{place_text(grad)} {placement_text(grad)}".rstrip()
        self.passed.append(Passed(node, edge, name, place, grad.dtype.name, shape))

    def node_failed(self, node) -> None:
        """Note that a node has raised: the forward graph shows its outgoing edges too."""
        self.nodes.setdefault(node)
        avals = [] if node.is_leaf else node.op.input_avals(node)
        for edge, aval in zip(node.edges, avals, strict=False):
            if edge is not None and edge.node in self._tasks:
                self.nodes.setdefault(edge.node)
                shape, dtype = aval or ((), None)
                self._stopped.append((node, edge, getattr(dtype, "name", ""), shape))

    # ---- writing

    def has_begun_files(self) -> bool:
        """Return whether a file was begun before the end of the run."""
        return self._stem is not None

    def stem(self) -> Path:
        """Return the common prefix of the files: the folder and the local time."""
        if self._stem is None:
            self._stem = new_stem(self.folder)
        return self._stem

    def write(self) -> list[Path]:
        """Write the files and pictures (if Graphviz is available); return the .dot files."""
        graphs = {"backward_graph": self.backward_dot(), "ref_forward_graph": self.forward_dot()}
        write_text(self.file("call_stack.log"), self.stacks_text())
        written = []
        for name, text in graphs.items():
            path = self.file(f"{name}.dot")
            write_text(path, text)
            written.append(path)
        draw_pictures(dict(zip(written, graphs.values(), strict=True)), self.span())
        return written

    def span(self) -> int:
        """Return how many layers its arrows span in total when the graph is drawn."""
        layers = dict.fromkeys(self.nodes, 0)
        for source, edge, *_ in self.passed:  # a node has received everything before it runs
            layers[edge.node] = max(layers[edge.node], layers[source] + 1)
        return sum(layers[edge.node] - layers[source] for source, edge, *_ in self.passed)

    def file(self, name: str) -> Path:
        """Return the path of one of the files."""
        stem = self.stem()
        return stem.with_name(f"{stem.name}_{name}")

    def backward_dot(self) -> str:
        """Return the graph of the gradients that were passed."""
        numbers = {node: number for number, node in enumerate(self.nodes)}
        lines = [self._statement(numbers[node], node, self._grad_label(node)) for node in numbers]
        for each in self.passed:
            name = f"{each.name}\n" if each.name else ""
            label = f"{name}{each.place}\n{each.dtype}[{_dims(each.shape)}]"
            lines.append(_arrow(numbers[each.source], numbers[each.edge.node], label))
        return _digraph(lines)

    def forward_dot(self) -> str:
        """Return the same graph reversed: the data flow of forward."""
        numbers = {node: number for number, node in enumerate(self.nodes)}
        lines = [self._statement(numbers[node], node, self._op_label(node)) for node in numbers]
        for source, edge, dtype, shape in self._forward_edges():
            label = f"{dtype} [{_dims(shape)}]" if dtype else ""
            lines.append(_arrow(numbers[edge.node], numbers[source], label))
        return _digraph(lines)

    def stacks_text(self) -> str:
        """Return the stacks that recorded each node, if known."""
        return stacks.call_stack_text(self.nodes)

    def _forward_edges(self) -> Iterator[tuple]:
        for each in self.passed:
            yield each.source, each.edge, *forward_meta(each.edge, each.dtype, each.shape)
        for source, edge, dtype, shape in self._stopped:
            yield source, edge, *forward_meta(edge, dtype, shape)

    def is_end(self, node) -> bool:
        """Return whether gradients end at a node: at a leaf, or at an input of ``grad``."""
        return node.is_leaf or (node in self._targets and node not in self._sources)

    def color(self, node) -> str:
        """Return the color of a node that is not an end."""
        return OP_COLOR

    def _statement(self, number: int, node, label: str) -> str:
        style = _LEAF_STYLE if self.is_end(node) else _OP_STYLE.format(self.color(node))
        return f"\tnode_{number}[label={quoted(label)} {style}]\n"

    def _grad_label(self, node) -> str:
        pointer = f"Ptr: {node.node_ptr():#x}"
        if self.is_end(node):
            return "\n".join(["GradNodeAccumulation", pointer, *self._end_names(node)])
        return f"{naming.node_name(node)}\n{pointer}"

    def _op_label(self, node) -> str:
        pointer = f"GradNode: {node.node_ptr():#x}"
        if self.is_end(node):
            return "\n".join(["Node", pointer, *self._end_names(node)])
        name = naming.node_name(node)
        return f"{name.replace('GradNode', '', 1)}\n{pointer}"

    def _end_names(self, node) -> list[str]:
        """Return the names of the tensors at an end, if they have any."""
        places = [Edge(node)] if node.is_leaf else self._targets[node]
        found = [naming.edge_name(edge) for edge in places]
        return [name for name in found if name]


# ---- following runs


class RunObserver(events.Observer):
    """Forwards the events of each thread's runs to their recordings; runs nest."""

    def __init__(self):
        self._threads = threading.local()

    def recordings_of(self, run: events.Backward) -> list[Recording]:
        """Return the recordings to notify of a run that begins."""
        raise NotImplementedError

    def ended(self, recordings: list) -> None:
        """Finish the recordings of a run that has ended, successfully or not."""

    def _runs(self) -> list:
        if not hasattr(self._threads, "runs"):
            self._threads.runs = []
        return self._threads.runs

    def _recordings(self) -> list:
        runs = getattr(self._threads, "runs", None)
        return runs[-1][1] if runs else []

    def backward_began(self, run):
        """Begin the recordings of a run."""
        self._runs().append((run, self.recordings_of(run)))

    def backward_ended(self, run, error):
        """End them; a run may have begun before this observer was active."""
        runs = self._runs()
        if any(each is run for each, _ in runs):
            while runs[-1][0] is not run:
                runs.pop()
            self.ended(runs.pop()[1])

    def node_began(self, node, grads):
        """Forward the event."""
        for recording in self._recordings():
            recording.node_began(node)

    def node_failed(self, node, error):
        """Forward the event."""
        for recording in self._recordings():
            recording.node_failed(node)

    def gradient_passed(self, node, edge, grad, is_first, waiting):
        """Forward the event, unless there is no gradient."""
        if grad is not None:
            for recording in self._recordings():
                recording.gradient_passed(node, edge, grad)


class _NextRun(RunObserver):
    """Records the next run of the thread that creates it, without nested runs."""

    def __init__(self, folder: str):
        super().__init__()
        self._folder = folder
        self._thread = threading.get_ident()
        self.recording: Recording | None = None

    def recordings_of(self, run):
        if self.recording is not None or threading.get_ident() != self._thread:
            return []
        self.recording = Recording(run, self._folder)
        return [self.recording]


@contextlib.contextmanager
def dumping(folder: str) -> Iterator[None]:
    """Write the next backward of this thread into a folder, even if it raises.

    Args:
        folder: where to write; it is created if it does not exist.

    Raises:
        InvalidTypeError: when ``folder`` is not a path.
        NotADirectoryError: when it is a file.
        OSError: when it cannot be created or written to.
    """
    observer = _NextRun(make_folder(folder))
    try:
        with events.observing(observer):
            yield
    except BaseException:
        if observer.recording is not None:
            write_or_log(observer.recording)
        raise
    if observer.recording is not None:
        observer.recording.write()


def write_or_log(recording: Recording) -> None:
    """Write a recording; if that fails, log a warning."""
    try:
        recording.write()
    except OSError as error:
        logger.warning("No backward graph in %s: %s", recording.folder, str(error))


# ---- names and texts


def gradient_name(edge, grad) -> str:
    """Return the name of a gradient: that of the forward tensor, and "@Grad".

    A tensor whose call was not counted has its node's pointer instead of a number.

    Args:
        edge: the edge the gradient flows along.
        grad: the gradient.
    """
    return f"{naming.known_name(edge.node, edge.slot + edge.rank, grad)}@Grad"


def forward_meta(edge, dtype: str, shape: tuple) -> tuple[str, tuple]:
    """Return dtype and shape of the forward tensor at an edge, or those given if unknown."""
    position = edge.slot + edge.rank
    if edge.node.is_leaf or position >= len(edge.node.out_avals):
        return dtype, shape
    aval = edge.node.out_avals[position]
    return aval.dtype.name, tuple(aval.shape)


def _dims(shape: tuple) -> str:
    return ", ".join(map(str, shape))


def _arrow(source: int, target: int, label: str) -> str:
    return f"\tnode_{source}->node_{target}[label={quoted(label)}]\n"


def _digraph(lines: list[str]) -> str:
    return f"digraph G {{\n{''.join(lines)}}} // end G"


# ---- files


def make_folder(path: str | os.PathLike) -> str:
    """Create a folder, with its parents, and return its absolute path.

    Raises:
        InvalidTypeError: when ``path`` is not a path.
        NotADirectoryError: when it is a file.
        OSError: when it cannot be created.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise RefusedTypeError(
            f"path must be string type, but got {type(path).__name__}; give the folder to "
            "write the files to."
        )
    folder = os.fsdecode(path)
    if os.path.exists(folder):
        if not os.path.isdir(folder):
            raise NotADirectoryError(f"path:'{folder}' must be directory")
    else:
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            raise OSError(f"Create '{folder}' failed : {error}") from error
    return os.path.abspath(folder)  # the working directory may change before the files are written


def new_stem(folder: str) -> Path:
    """Return a path that is no file's prefix in the folder: the local time in Paddle's format."""
    os.makedirs(folder, exist_ok=True)  # it may have been removed since
    while True:
        time = datetime.datetime.now().strftime("%Y-%m-%d_%H:%M:%S.%f")
        stem = Path(folder, time.replace(":", "-") if os.name == "nt" else time)
        try:
            stem.with_name(f"{stem.name}_backward_graph.dot").touch(exist_ok=False)
        except FileExistsError:
            continue
        return stem


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 file; write characters that cannot be encoded as escapes."""
    path.write_text(text, encoding="utf-8", errors="backslashreplace")


_has_said = False


def picture_text(text: str) -> str:
    """Return DOT text for pictures: dark letters on cream, some space around arrows' labels.

    Example:
        >>> picture_text('digraph G {\\n\\tnode_0->node_1[label="x@Grad"]\\n}').split("\\t")[-1]
        'node_0->node_1[label=" x@Grad "]\\n}'
    """
    return with_room(text.replace(_UNREADABLE, _READABLE))


def _sized(text: str, kind: str) -> str:
    """Return DOT text with a limit on the size of a png: drawing many pixels is slow."""
    return text.replace("{\n", '{\n\tsize="30,30"\n', 1) if kind == "png" else text  # inches


def draw_pictures(graphs: dict[Path, str], span: int) -> None:
    """Draw .dot files as .svg and .png (FLAGS_graph_pictures) in the same folder.

    If that fails, log a warning.

    Args:
        graphs: the files, and their contents.
        span: how many layers the arrows of one graph span in total.
    """
    global _has_said
    kinds = picture_kinds(str(flags.flag("FLAGS_graph_pictures")))
    if not kinds or not flags.flag("FLAGS_draw_backward_graphs"):
        return
    if span > MAX_PICTURE_SPAN:
        logger.warning(
            "No pictures of %s: its arrows span %d layers, and dumps are drawn up to %d. "
            "`dot -Tsvg -O` draws it.", next(iter(graphs)), span, MAX_PICTURE_SPAN,
        )  # fmt: skip
        return
    try:
        for path, text in graphs.items():
            drawn = picture_text(text)
            for kind in kinds:
                render(_sized(drawn, kind), path.with_suffix(f".{kind}"), kind)
    except UnavailableError as error:
        if not _has_said:
            _has_said = True
            logger.warning("No pictures of dumped graphs: %s", error.message)
    except Exception as error:
        logger.warning("No picture of %s: %s", next(iter(graphs)), str(error))
