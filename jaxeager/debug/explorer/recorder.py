"""record(): records everything that one thread runs in a block, for the explorer.

Note [Recorded runs]
    A ``Recorder`` stores plain data while the program runs and holds no tensor and no node, so
    memory is freed as usual. It waits for every op and node, so the times on the page are theirs.
    In the block names are counted and stacks recorded, regardless of the flags.

    ``nn_layer_began`` reports the Layer that an op belongs to. Each call of a Layer is a separate
    group, named by its path in the outermost running Layer. The calls inside a PyLayer, forward
    and backward, are in a group with its node. Ops of other threads are not recorded.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import jax

from jaxeager.debug.common import naming
from jaxeager.debug.common.output_files import check_writable
from jaxeager.debug.explorer import live, log_lines
from jaxeager.debug.explorer.page import write_page
from jaxeager.debug.explorer.table import Table, add_pass
from jaxeager.debug.stacks import stacks
from jaxeager.debug.vlog import vlog
from jaxeager.graph import events
from jaxeager.graph.node import pointer_of
from jaxeager.tensor import Tensor

MOST_NODES = 50_000


class Recorder(live.GradientObserver):
    """The result of ``record``: see Note [Recorded runs].

    Example:
        >>> import jaxeager as paddle
        >>> with paddle.debug.record() as run:
        ...     y = paddle.tanh(paddle.ones([2]))
        >>> [node["op"] for node in run.data()["nodes"]]
        ['full', 'tanh']
    """

    def __init__(self, title: str = "A recorded run"):
        super().__init__(Table(title, "recorded"))
        self._groups: list[tuple[object, int]] = []  # the running calls, and their groups
        self._calls = self._depth = 0  # number of groups so far, and of running Layers
        self._names: dict[int, str] = {}  # sublayers of the outermost running Layer, by id
        self._params: dict[int, str] = {}  # its parameters and buffers, by id
        self._taken: set[int] = set()  # calls whose outputs another call has used
        self._inside: list[list[dict]] = []  # the calls inside each running PyLayer
        self._runs: list[str] = []  # nodes whose backward is running
        self._log: list[str] = []

    def data(self) -> dict:
        """Return the recorded data as plain JSON; see ``debug.graph_data``."""
        if self._log:
            log_lines.attribute(self.table, "".join(self._log))
            self._log.clear()
        return self.table.data()

    def explore(self, path: str | os.PathLike) -> Path:
        """Write the recorded data as a page; see ``debug.explore``."""
        return write_page(self.data(), path)

    def hear(self, text: str) -> None:
        """Accept lines of the verbose log."""
        self._log.append(text)

    # ---- Layers

    def nn_layer_began(self, layer):
        if not self.is_here():
            return
        if not self._depth:
            self._names = {id(each): name for name, each in layer.named_sublayers()}
            owned = [*layer.named_parameters(), *layer.named_buffers()]
            self._params = {id(each): name for name, each in owned}
        self._depth += 1
        kind = type(layer).__name__
        self._begin_group(layer, self._names.get(id(layer)) or layer.full_name(), kind, "layer")

    def nn_layer_ended(self, layer):
        if self.is_here() and self._depth:
            self._end_group(layer)
            self._depth -= 1
            if not self._depth:  # ids are valid only while the objects live
                self._names, self._params = {}, {}

    def _begin_group(self, what: object, name: str, kind: str, sort: str) -> None:
        self._calls += 1
        parent = self._groups[-1][1] if self._groups else None
        number = self.table.group(("call", self._calls), name, kind, sort, parent)
        self._groups.append((what, number))

    def _end_group(self, what: object) -> None:
        """End a call; ignore one that began before the block."""
        while any(each is what for each, _ in self._groups):
            if self._groups.pop()[0] is what:
                return

    def _group(self) -> int | None:
        return self._groups[-1][1] if self._groups else None

    # ---- PyLayers

    def layer_began(self, layer, inputs, node):
        if self.is_here():
            self._begin_group(layer, layer.__name__, "PyLayer", "pylayer")
            self._inside.append([])

    def layer_ended(self, layer, inputs, outputs, node):
        if not self.is_here() or not self._inside:
            return
        name = (naming.call_of(outputs[0]) if outputs else None) or layer.__name__
        entry = self._entry(name, node, "pylayer")
        entry["op"], entry["group"] = layer.__name__, self._group()
        self._take(entry, [self._described(tensor) for tensor in inputs])
        for each in self._inside.pop():
            if each["id"] not in self._taken:
                self.table.edge(entry, each, "f")
        self._made(entry, outputs)
        self._end_group(layer)

    def layer_failed(self, layer, error):
        if self.is_here() and self._inside:
            self._inside.pop()
            self._end_group(layer)

    # ---- ops

    def call_began(self, call):
        if self.is_here():
            call.notes[self] = [live.Stopwatch(), []]

    def operands_ready(self, call):
        if self in call.notes:  # an in-place op renames its operand, so describe it before
            tensors = [each for each in naming.each_of(call.operands) if isinstance(each, Tensor)]
            call.notes[self][1] = [self._described(tensor) for tensor in tensors]

    def call_ended(self, call):
        noted = call.notes.pop(self, None)
        if noted is None or len(self.table.nodes) >= MOST_NODES:
            return
        began, operands = noted
        jax.block_until_ready([tensor._array for tensor in call.outputs])
        took_us, is_compiled = began.read_us()
        if getattr(call.row, "order", 1) > 1 and call.node is None:
            return  # the VJP of a node, which has the time already
        name = (naming.call_of(call.outputs[0]) if call.outputs else None) or call.row.name
        entry = self._entry(name, call.node, "op")
        entry["op"], entry["forward_us"] = call.row.name, took_us
        entry["is_compiled"] = is_compiled
        entry["attrs"] = live.attrs_text(call.row, call.attrs)
        self._take(entry, operands)
        self._made(entry, call.outputs)
        if self._inside:
            self._inside[-1].append(entry)

    def call_failed(self, call, error):
        noted = call.notes.pop(self, None)
        if noted is not None:
            entry = self.table.node(("failed", self._calls, len(self.table.nodes)), passes="f")
            entry["name"] = entry["op"] = call.row.name
            entry["error"], entry["group"] = live.message_of(error), self._group()
            entry["stack"] = self.table.stack(stacks.forward_stack().summary())
            self._take(entry, noted[1])

    def op_wrote(self, row, tensor):
        if self.is_here():
            for saved in self.table.saved_in.get(pointer_of(tensor._storage), ()):
                live.tell_version(self.table, saved, tensor._storage)

    # ---- inputs and outputs of calls

    def _described(self, tensor) -> tuple:
        """Return the description of an operand: its maker, leaf, path, name and array."""
        leaf = None if tensor.stop_gradient or not tensor.is_leaf else tensor.grad_fn
        name = naming.name_of(tensor)
        place = self._params.get(id(tensor), name)
        return naming.call_of(tensor), leaf, place, name, tensor._array

    def _entry(self, name: str, node, kind: str) -> dict:
        """Return the entry of a call that is about to return."""
        in_backward = bool(self._runs)
        if node is not None:
            live.add_graph(self.table, [node])
            entry = live.add_node(self.table, node)
            add_pass(entry, "f")
        else:
            entry = self.table.node(name, kind, "b" if in_backward else "f")
        self.table.alias(name, entry)
        entry["name"] = name
        entry["group"] = self._group()
        if entry["stack"] is None:
            entry["stack"] = self.table.stack(stacks.forward_stack().summary())
        return entry

    def _take(self, entry: dict, operands: list[tuple]) -> None:
        """Add the inputs of a call: an edge to each maker that has none."""
        linked = {edge["target"] for edge in self.table.edges_of(entry)}
        for call, leaf, place, name, array in operands:
            maker = self.table.find(("input", name))
            if maker is None and leaf is not None:  # its gradient goes to the leaf, not the maker
                maker = live.add_node(self.table, leaf)
                maker["name"] = place
            elif maker is None:
                maker = self.table.find(call) or self._input(name, place)
            if maker["kind"] in ("leaf", "input") and not maker["outputs"]:
                maker["outputs"] = [self._value(name, array)]
            self._taken.add(maker["id"])
            if maker["id"] not in linked and maker is not entry:
                linked.add(maker["id"])
                self._link(entry, maker, name, array)

    def _link(self, entry: dict, maker: dict, name: str, array) -> None:
        """Add an arrow between two calls: in backward it has the direction of the data."""
        known = {"name": name, "dtype": array.dtype.name, "shape": list(array.shape)}
        if entry["passes"] == "b":
            add_pass(maker, "b")
            self.table.edge(maker, entry, "b", **known)
        else:
            self.table.edge(entry, maker, "f", **known)

    def _input(self, name: str, place: str) -> dict:
        entry = self.table.node(("input", name), "input", "b" if self._runs else "f")
        entry["name"], entry["op"] = place, "input"
        return entry

    def _made(self, entry: dict, outputs) -> None:
        """Record the outputs of a call."""
        entry["outputs"] = [self._value(naming.name_of(each), each._array) for each in outputs]
        entry["bytes"] = sum(each._array.nbytes for each in outputs)

    def _value(self, name: str, array) -> dict:
        found = live.value(name, array)
        self.table.ask(found, array)
        return found

    # ---- backward

    def node_began(self, node, grads):
        if self.is_here():
            super().node_began(node, grads)
            entry = live.add_node(self.table, node)
            self._runs.append(live.key_of(node))
            self._groups.append((node, entry["group"]))
            self._inside.append([])

    def node_ended(self, node, grads, results):
        super().node_ended(node, grads, results)
        self._leave(node)

    def node_failed(self, node, error):
        super().node_failed(node, error)
        self._leave(node)

    def _leave(self, node) -> None:
        if self.is_here() and self._runs:
            self._runs.pop()
            self._inside.pop()
            self._end_group(node)

    def gradient_shown(self, node, position, tensor, found):
        """Link a gradient that the user's code is about to use to its node, by its name."""
        if self.is_here() and self._runs:
            self.table.alias(("input", naming.name_of(tensor)), live.add_node(self.table, node))


@contextlib.contextmanager
def record(path: str | os.PathLike | None = None, log: int = 0) -> Iterator[Recorder]:
    """Record what this thread runs in a block, forward and backward, for the explorer.

    In addition to the tape it records which Layer and PyLayer each op runs in, the values of ops,
    gradients, times, stacks, and ops that are not on the tape. The program only becomes slower:
    each op is waited for. Wrap one step, not a whole training.

    Args:
        path: where to write the page when the block ends, even with an exception; None writes
            nothing. ``run.explore(path)`` writes one at any time.
        log: a level of the verbose log; its lines then go to the page, not to stderr.

    Yields:
        a Recorder; ``run.data()`` returns data as described in ``debug.graph_data``.

    Raises:
        InvalidArgumentError: when the file ``path`` cannot be written.

    Example:
        >>> import jaxeager as paddle
        >>> model = paddle.nn.Sequential(paddle.nn.Linear(2, 3), paddle.nn.Tanh())
        >>> page = getfixture("tmp_path") / "run.html"
        >>> with paddle.debug.record(page) as run:
        ...     model(paddle.ones([1, 2])).mean().backward()
        >>> page.exists(), [group["name"] for group in run.data()["groups"]][1:]
        (True, ['0', '1'])
    """
    if path is not None:
        check_writable(os.fspath(path), "path of record")
    run = Recorder("A recorded run" if path is None else Path(path).stem)
    try:
        with contextlib.ExitStack() as stack:
            stacks.begin_use()
            stack.callback(stacks.end_use)
            stack.enter_context(naming.in_use())
            if log:
                stack.enter_context(vlog.heard_by(run.hear))
                stack.enter_context(vlog.vlog_guard(log))
            stack.enter_context(events.observing(run))
            yield run
    except BaseException as error:
        run.table.note(f"The block ended with {live.message_of(error)}")
        raise
    finally:
        if path is not None:
            run.explore(path)
