"""What one backward did, as Paddle's files: its graph, the forward behind it, and the stacks.

Note [Dumped graphs]
    A ``Recording`` is told what a run of the engine does and writes it in Paddle's own form: an op
    node is grey, a leaf teal, an edge one gradient that was passed, in the order of execution. The
    second graph is the same one reversed, with the shapes of the forward tensors. Nodes are
    numbered in order of appearance, so that the same program writes the same text but for the
    pointers; a leaf has its tensor's name below its pointer.

    ``RunObserver`` follows the runs of each thread, which nest (a hook may call backward), and
    hands what happens to the recordings of the innermost one. ``dumping`` puts one in force for
    the very next run of its thread; subgraph.py has another one.
"""

import contextlib
import datetime
import logging
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from jaxeager.core import flags
from jaxeager.debug.common import naming
from jaxeager.debug.common.placement_text import placement_text
from jaxeager.debug.common.tensor_text import place_text
from jaxeager.debug.graphs.backward_graph import picture_kinds, quoted, render, with_room
from jaxeager.debug.stacks import stacks
from jaxeager.errors import InvalidTypeError, UnavailableError
from jaxeager.graph import events
from jaxeager.graph.meta import Edge

logger = logging.getLogger("jaxeager.debug")

# What a picture costs goes with the layers that its arrows span: half a second for this many, and
# minutes for some times as many, which the backward would wait for. draw_backward_graph has time.
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
# White on cream cannot be read; scripts know the .dot by it, so only pictures have dark text.
_UNREADABLE = f'color="{NEIGHBOR_COLOR}" fontcolor="#ffffff"'
_READABLE = f'color="{NEIGHBOR_COLOR}" fontcolor="#1f2328"'


class Passed(NamedTuple):
    """One gradient that went from a node along an edge.

    Attributes:
        source: the node it came from.
        edge: where it went.
        name: its name, "" while names are not in use.
        place: the device it is on, as text, and how it lies on several.
        dtype, shape: its own.
    """

    source: Any
    edge: Any
    name: str
    place: str
    dtype: str
    shape: tuple[int, ...]


class Recording:
    """What one run of the engine does, and the folder to write it to.

    Attributes:
        nodes: every node that ran or received a gradient, in order of appearance.
        passed: every gradient that was passed, in order of execution.
    """

    def __init__(self, run: events.Backward, folder: str):
        self.folder = folder
        self.nodes: dict[Any, None] = {}
        self.passed: list[Passed] = []
        self._tasks = run.tasks
        self._sources: set = set()
        self._stopped: list[tuple] = []  # source, edge, dtype, shape: of a node that raised
        self._targets: dict[Any, list] = {}
        for edge in run.targets or ():
            self._targets.setdefault(edge.node, []).append(edge)
        self._stem: Path | None = None

    # ---- what the run tells

    def node_began(self, node) -> None:
        """A node runs."""
        self.nodes.setdefault(node)

    def gradient_passed(self, node, edge, grad) -> None:
        """A gradient went along an edge."""
        name = gradient_name(edge, grad) if naming.is_in_use() else ""
        self.nodes.setdefault(node)
        self.nodes.setdefault(edge.node)
        self._sources.add(node)
        shape = tuple(grad.shape)
        place = f"{place_text(grad)} {placement_text(grad)}".rstrip()
        self.passed.append(Passed(node, edge, name, place, grad.dtype.name, shape))

    def node_failed(self, node) -> None:
        """A node has raised: the forward graph shows what it would have gone on to."""
        self.nodes.setdefault(node)
        avals = [] if node.is_leaf else node.op.input_avals(node)
        for edge, aval in zip(node.edges, avals, strict=False):
            if edge is not None and edge.node in self._tasks:
                self.nodes.setdefault(edge.node)
                shape, dtype = aval or ((), None)
                self._stopped.append((node, edge, getattr(dtype, "name", ""), shape))

    # ---- writing

    def has_begun_files(self) -> bool:
        """Says whether a file was begun before the run has ended."""
        return self._stem is not None

    def stem(self) -> Path:
        """Return what the names of the files begin with: the folder and the local time."""
        if self._stem is None:
            self._stem = new_stem(self.folder)
        return self._stem

    def write(self) -> list[Path]:
        """Write the files and return the .dot files; pictures too where Graphviz is."""
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
        """Return how many layers its arrows span, all together, when the graph is drawn."""
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
        """Return the same graph reversed: what was computed from what."""
        numbers = {node: number for number, node in enumerate(self.nodes)}
        lines = [self._statement(numbers[node], node, self._op_label(node)) for node in numbers]
        for source, edge, dtype, shape in self._forward_edges():
            label = f"{dtype} [{_dims(shape)}]" if dtype else ""
            lines.append(_arrow(numbers[edge.node], numbers[source], label))
        return _digraph(lines)

    def stacks_text(self) -> str:
        """Return where each node was recorded, as far as that is known."""
        return stacks.call_stack_text(self.nodes)

    def _forward_edges(self) -> Iterator[tuple]:
        for each in self.passed:
            yield each.source, each.edge, *forward_meta(each.edge, each.dtype, each.shape)
        for source, edge, dtype, shape in self._stopped:
            yield source, edge, *forward_meta(edge, dtype, shape)

    def is_end(self, node) -> bool:
        """Says whether gradients end at a node: at a leaf, or at what ``grad`` was asked for."""
        return node.is_leaf or (node in self._targets and node not in self._sources)

    def color(self, node) -> str:
        """Return the color of a node that is no end."""
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
        """Return the names of the tensors at an end, as far as they have some."""
        places = [Edge(node)] if node.is_leaf else self._targets[node]
        found = [naming.edge_name(edge) for edge in places]
        return [name for name in found if name]


# ---- following runs


class RunObserver(events.Observer):
    """Hands what the runs of each thread do to their recordings; runs nest."""

    def __init__(self):
        self._threads = threading.local()

    def recordings_of(self, run: events.Backward) -> list[Recording]:
        """Return what is to be told of a run that begins."""
        raise NotImplementedError

    def ended(self, recordings: list) -> None:
        """A run has ended, well or not."""

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
        """End them; a run may have begun before this observer was in force."""
        runs = self._runs()
        if any(each is run for each, _ in runs):
            while runs[-1][0] is not run:
                runs.pop()
            self.ended(runs.pop()[1])

    def node_began(self, node, grads):
        """Pass it on."""
        for recording in self._recordings():
            recording.node_began(node)

    def node_failed(self, node, error):
        """Pass it on."""
        for recording in self._recordings():
            recording.node_failed(node)

    def gradient_passed(self, node, edge, grad, is_first, waiting):
        """Pass it on; a gradient that is not there goes nowhere."""
        if grad is not None:
            for recording in self._recordings():
                recording.gradient_passed(node, edge, grad)


class _NextRun(RunObserver):
    """Records the next run of the thread it is made in, and none that nests in it."""

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
    """Write what the next backward of this thread does into a folder, also when it raises.

    Args:
        folder: where to write; it is made when it is not there.

    Raises:
        InvalidTypeError: when ``folder`` is no path.
        NotADirectoryError: when it is a file.
        OSError: when it cannot be made or written to.
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
    """Write a recording; where that cannot be done a line of the log says so."""
    try:
        recording.write()
    except OSError as error:
        logger.warning("No backward graph in %s: %s", recording.folder, str(error))


# ---- names and texts


def gradient_name(edge, grad) -> str:
    """Return the name of a gradient: that of the forward tensor, and "@Grad".

    A tensor whose call was not counted has its node's pointer where others have the number.

    Args:
        edge: the edge the gradient goes along.
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


def make_folder(path: Any) -> str:
    """Make a folder, with the folders above it, and return its absolute path.

    Raises:
        InvalidTypeError: when ``path`` is no path.
        NotADirectoryError: when it is a file.
        OSError: when it cannot be made.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise InvalidTypeError(
            f"path must be string type, but got {type(path).__name__}; give the folder that the "
            "files are written to."
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
    return os.path.abspath(folder)  # the files are written later, maybe from another folder


def new_stem(folder: str) -> Path:
    """Return a name that no file of the folder begins with: the local time, as Paddle has it."""
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
    """Write a file of UTF-8; what a name may have that is no text is written as an escape."""
    path.write_text(text, encoding="utf-8", errors="backslashreplace")


_has_said = False


def picture_text(text: str) -> str:
    """Return DOT text for the eye: dark letters on cream, a little room around arrows' texts.

    Example:
        >>> picture_text('digraph G {\\n\\tnode_0->node_1[label="x@Grad"]\\n}').split("\\t")[-1]
        'node_0->node_1[label=" x@Grad "]\\n}'
    """
    return with_room(text.replace(_UNREADABLE, _READABLE))


def _sized(text: str, kind: str) -> str:
    """Return DOT text that is drawn no larger than can be looked at: pixels cost time."""
    return text.replace("{\n", '{\n\tsize="30,30"\n', 1) if kind == "png" else text  # inches


def draw_pictures(graphs: dict[Path, str], span: int) -> None:
    """Draw .dot files as .svg and .png (FLAGS_graph_pictures) beside them.

    Where that cannot be, the log says so.

    Args:
        graphs: the files, and what is in them.
        span: how many layers the arrows of one span, all together.
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
