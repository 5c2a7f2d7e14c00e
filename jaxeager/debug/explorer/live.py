"""The graph of tensors, read from the tape in memory.

Note [What a tape knows]
    Nodes, edges, shapes and saved tensors, with versions, are available until a backward releases
    the saved tensors. Lines are available with FLAGS_call_stack_level=3, counted names while names
    are in use. Gradients are not: ``run_gradients`` runs the graph once more, keeps it and changes
    no leaf's ``grad``.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import jax
import jax.numpy as jnp

from jaxeager.core import ports
from jaxeager.debug.common import naming
from jaxeager.debug.explorer.table import Table
from jaxeager.debug.stacks.stacks import ForwardStack, stack_of
from jaxeager.errors import InvalidArgumentError
from jaxeager.graph import events
from jaxeager.graph.meta import Edge
from jaxeager.graph.node import pointer_of
from jaxeager.graph.partial import run_partial
from jaxeager.graph.pylayer import GradNodePyLayer
from jaxeager.graph.saved_hooks import Packed
from jaxeager.kernels import compilations
from jaxeager.tensor import Tensor

NO_LINES = (
    "No lines of source: these nodes were recorded while FLAGS_call_stack_level was not 3. Set it "
    "before the forward, or record the run with jaxeager.debug.record()."
)
RELEASED = (
    "Saved tensors and gradients are not known: a backward has released the graph. Call explore() "
    "before backward(), or record the run with jaxeager.debug.record()."
)
HOOKED = (
    "No gradients: there are hooks in this graph, which a second backward would call again. "
    "explore(..., gradients=True) does so."
)


def roots_of(tensors: object) -> list:
    """Return one tensor or several as a list.

    Raises:
        InvalidArgumentError: when no op recorded on the tape made one of them.
    """
    found = list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]
    for tensor in found:
        if not isinstance(tensor, Tensor) or tensor.grad_fn is None or tensor.stop_gradient:
            what = f"Tensor {tensor.name}" if isinstance(tensor, Tensor) else repr(tensor)
            raise InvalidArgumentError(
                f"{what} has no graph. Give a tensor that an op computed, outside no_grad, from "
                "one with stop_gradient=False, or the result of debug.record()."
            )
    return found


def table_of(tensors: object, gradients: bool | None) -> Table:
    """Return the table of the graph of tensors; see ``graph_data``."""
    roots = roots_of(tensors)
    table = Table("", "live")
    nodes = add_graph(table, [tensor.grad_fn for tensor in roots])
    table.title = "Graph of " + ", ".join(_title_of(table, tensor) for tensor in roots)
    if all(node["stack"] is None for node in table.nodes):
        table.note(NO_LINES)
    if any(node.released for node in nodes):
        table.note(RELEASED)
    elif gradients is None and any(node.hooks is not None for node in nodes):
        table.note(HOOKED)
    elif gradients is not False:
        run_gradients(table, roots, nodes)
    return table


def _title_of(table: Table, tensor) -> str:
    """Return a tensor's own name, or else its node's: ``Tensor.name`` would create one."""
    return tensor._name or add_node(table, tensor.grad_fn)["name"]


# ---- nodes and edges


def key_of(node) -> str:
    """Return the key of a node in a table: its pointer, as written in logs."""
    return f"{node.node_ptr():#x}"


def add_graph(table: Table, nodes: list) -> list:
    """Add nodes and all upstream nodes that are missing; return all visited, nearest first."""
    met = dict.fromkeys(nodes)
    waiting = list(met)
    for node in waiting:  # grows during the loop, which avoids recursion
        entry = add_node(table, node)
        if not table.begin_edges(entry) or node.is_leaf:
            continue
        for edge, aval in zip(node.edges, node.op.input_avals(node), strict=False):
            if edge is None:
                continue
            target = add_node(table, edge.node)
            shape, dtype = aval or (None, None)
            table.edge(
                entry, target, "fb", name=naming.edge_name(edge), slot=edge.slot, rank=edge.rank,
                shape=None if shape is None else list(shape), dtype=_name_of(dtype),
            )  # fmt: skip
            if edge.node not in met:
                met[edge.node] = None
                waiting.append(edge.node)
    return waiting


def add_node(table: Table, node) -> dict:
    """Return the entry of a GradNode; create it on the first request."""
    key = key_of(node)
    entry = table.find(key)
    if entry is not None:
        return entry
    entry = table.node(key, passes="fb")
    entry["pointer"] = key
    entry["grad_name"] = naming.node_name(node)
    if node.is_leaf:
        entry["kind"], entry["op"] = "leaf", "leaf"
        entry["name"] = naming.place_name(node, 0) or "leaf"
    else:
        _describe_op(table, entry, node)
    stack = stack_of(node)
    if stack is not None:
        entry["stack"] = table.stack(stack.summary())
        if stack.caller is not None:
            entry["caller"] = table.stack(stack.caller.summary())
    return entry


def _describe_op(table: Table, entry: dict, node) -> None:
    is_layer = isinstance(node, GradNodePyLayer)
    plain = node.name().removeprefix("GradNodePyLayer_")
    entry["kind"] = "pylayer" if is_layer else "op"
    entry["op"] = plain if is_layer else getattr(node.op, "name", plain)
    entry["name"] = naming.call_of(node) or entry["op"]
    entry["attrs"] = attrs_text(node.op, node.attrs)
    entry["outputs"] = [
        value(naming.place_name(node, position), aval)
        for position, aval in enumerate(node.out_avals)
    ]
    entry["bytes"] = sum(_bytes_of(aval) for aval in node.out_avals)
    entry["saved"] = [] if node.released else _saved(table, node)
    distinct = {id(each[2][0]): each[2][0] for each in _wrappers_of(node)}
    entry["saved_bytes"] = sum(map(_bytes_of, distinct.values()))


def attrs_text(row, attrs: tuple) -> str:
    """Return "axis=1, keepdim=False"."""
    names = getattr(row, "attrs", ())
    if not isinstance(names, (tuple, list, dict)):
        return ""
    return ", ".join(f"{name}={each!r}" for name, each in zip(names, attrs, strict=False))


def value(name: str, aval) -> dict:
    """Return the entry of a tensor, from its shape and dtype."""
    return {"name": name, "dtype": _name_of(aval.dtype), "shape": list(aval.shape), "figures": None}


def _name_of(dtype) -> str | None:
    return None if dtype is None else getattr(dtype, "name", str(dtype))


def _bytes_of(aval) -> int:
    size = 1
    for width in aval.shape:
        size *= width
    return size * aval.dtype.itemsize


# ---- saved tensors


def _saved(table: Table, node) -> list[dict]:
    return [_saved_entry(table, *each) for each in _wrappers_of(node)]


def _wrappers_of(node) -> Iterator[tuple[str, str, tuple]]:
    """Yield (name, tensor's name, TensorWrapper) for each saved tensor of a node."""
    if isinstance(node, GradNodePyLayer):
        kept = [] if node.call is None else _kept_of(node.call.context._state.kept)
        for number, each in enumerate(kept):
            yield f"saved_tensor()[{number}]", _kept_name(node, each), each.wrapper
        return
    for name, wrapper in zip(getattr(node.op, "saves", ()), node.saved, strict=False):
        each_of = wrapper if type(wrapper) is list else [wrapper]
        for number, each in enumerate(each_of):
            if isinstance(each, tuple):
                label = f"{name}[{number}]" if type(wrapper) is list else name
                yield label, _saved_name(node, name), each


def _kept_of(value: object) -> list:
    """Return the tensors that the context of a PyLayer keeps, including those in lists."""
    if isinstance(value, (list, tuple)):
        return [kept for each in value for kept in _kept_of(each)]
    return [value] if hasattr(value, "wrapper") else []


def _kept_name(node, kept) -> str:
    if kept.position is not None:
        return naming.place_name(node, kept.position)
    is_placed = kept.meta is not None and kept.meta.node is not None
    return naming.edge_name(kept.meta) if is_placed else ""


def _saved_entry(table: Table, label: str, tensor: str, wrapper: tuple) -> dict:
    array, storage, version = wrapper
    entry = {
        **value("", array), "name": label, "tensor": tensor, "bytes": _bytes_of(array),
        "version": version, "now": version, "is_stale": False, "writer": None,
    }  # fmt: skip
    if isinstance(array, Packed):
        return entry
    table.ask(entry, array)
    if storage is not None:
        table.saved_in.setdefault(pointer_of(storage), []).append(entry)
        tell_version(table, entry, storage)
    return entry


def _saved_name(node, name: str) -> str:
    """Return the name of the tensor that a node saved, "" if it is not known."""
    outputs = getattr(node.op, "outputs", ())
    if name in outputs:
        return naming.place_name(node, outputs.index(name))
    names = [operand.name for operand in getattr(node.op, "differentiable", ())]
    if name in names and node.ranks is None:
        edge = node.edges[names.index(name)]
        return "" if edge is None else naming.edge_name(edge)
    return ""


def tell_version(table: Table, saved: dict, storage) -> None:
    """Note the current version of a saved tensor's memory, and its last writer."""
    saved["now"] = storage.version
    saved["is_stale"] = storage.version != saved["version"]
    writer = getattr(storage, "writer", None)
    if saved["is_stale"] and writer is not None and writer.version > saved["version"]:
        stack = table.stack(ForwardStack(writer.walked).summary())
        saved["writer"] = {"op": writer.op, "stack": stack}


# ---- gradients


class Stopwatch:
    """The microseconds since its creation, without the time for compiling kernels."""

    def __init__(self):
        self._compiling = _seconds_of_compiling()
        self._began = time.perf_counter()

    def read_us(self) -> tuple[float, bool]:
        """Return the time, and whether kernels were compiled or loaded in it."""
        passed = time.perf_counter() - self._began
        compiling = _seconds_of_compiling() - self._compiling
        return round(max(passed - compiling, 0.0) * 1e6, 1), compiling > 0


def _seconds_of_compiling() -> float:
    return sum([site.seconds for site in compilations.sites()])


class GradientObserver(events.Observer):
    """Records in a table the gradients that one thread's backwards pass, and the time of nodes.

    Each node is waited for, so that its time is its own; compilation is excluded.
    """

    def __init__(self, table: Table):
        self.table = table
        self._thread = threading.get_ident()
        self._began: dict[str, Stopwatch] = {}

    def is_here(self) -> bool:
        """Return whether this is the observed thread."""
        return threading.get_ident() == self._thread

    def node_began(self, node, grads):
        if not self.is_here():
            return
        add_graph(self.table, [node])
        entry = add_node(self.table, node)
        entry["gradients"] = []
        for position, grad in enumerate(grads):
            if grad is not None:
                name = naming.place_name(node, position)
                arrived = value(f"{name}@Grad" if name else "", grad)
                self.table.ask(arrived, grad)
                entry["gradients"].append(arrived)
        self._began[key_of(node)] = Stopwatch()

    def node_ended(self, node, grads, results):
        began = self._began.pop(key_of(node), None) if self.is_here() else None
        if began is not None:
            jax.block_until_ready(results)
            entry = add_node(self.table, node)
            entry["backward_us"], is_compiled = began.read_us()
            entry["is_compiled"] = entry["is_compiled"] or is_compiled

    def node_failed(self, node, error):
        if self.is_here():
            add_node(self.table, node)["error"] = message_of(error)

    def gradient_passed(self, node, edge, grad, is_first, waiting):
        if self.is_here() and grad is not None:
            source, target = add_node(self.table, node), add_node(self.table, edge.node)
            self.table.pass_along(source, target, edge.slot + edge.rank, grad)


def message_of(error: BaseException) -> str:
    """Return the message of an error, without the internal stack that level 3 adds."""
    text = str(error).rpartition("Error Message Summary:\n----------------------\n")[2].strip()
    name = type(error).__name__
    return text if text.startswith(name) else f"{name}: {text}"


def run_gradients(table: Table, roots: list, nodes: list) -> None:
    """Run the graph once more for its gradients; record an error in the table."""
    ones = [ports.as_tensor(jnp.ones_like(tensor._array), True) for tensor in roots]
    starts = [(tensor._meta, one) for tensor, one in zip(roots, ones, strict=True)]
    leaves = [Edge(node) for node in nodes if node.is_leaf]
    try:
        with events.observing(GradientObserver(table)):
            run_partial(starts, leaves, retain_graph=True)
    except Exception as error:  # shown on the page: the caller only inspects
        table.note(
            f"Backward did not finish: {type(error).__name__}. The nodes that ran are shown."
        )
