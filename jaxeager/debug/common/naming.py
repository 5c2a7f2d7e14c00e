"""Unique names: ``matmul2``, ``matmul2_out_float32_2x10``, ``matmul2GradNode``, ``...@Grad``.

Note [Names]
    Every op has one counter, shared by all threads. It counts while names are in use: with
    FLAGS_enable_unique_name, or while a tool is on that writes them. A call of the op gets the next
    number (in-place calls have separate counters), which determines the names of its outputs, of
    its node, and of their gradients. Only a ``Made`` is stored, as ``tensor._call`` and in
    ``node.notes``; names are built when they are read.

    With ``create_graph`` the VJP of a node is an op like any other, with its own node
    (``tanh_grad1GradNode``). Its results have the names of the gradients they are: ``x@Grad``, and
    the gradient of that in a second backward is ``x@Grad@Grad``.

    A tensor without any name is ``unnamed_0`` to tools. The flag shows the names of calls as
    ``Tensor.name`` and ``GradNode.name()``; a tool does not. A Parameter is never renamed, and
    neither is an optimizer's state, which is stored under the name of the Parameter. (Paddle
    renames them, and Adam then loses its state at every step.)

Names for events that are not op calls are in call_names.py.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import threading
from collections import defaultdict
from collections.abc import Iterator

from jaxeager.core import ports
from jaxeager.graph import events

# (row or PyLayer, stem of the name, number, position of the output[, name given by the user]). For
# a gradient the fifth item is its name and the sixth True; without a recorded op the row is None.
Made = tuple

# Paddle's names of outputs, where rows have shorter ones, in which their VJPs are written.
_OUTPUTS = {
    "affine_grid": ("output",), "eig": ("out_w", "out_v"), "eigh": ("out_w", "out_v"),
    "eigvalsh": ("eigenvalues",), "rnn": ("out", "state_0"),
    "rnn_with_cell": ("out", "state_0", "state_1"), "svdvals": ("s",),
    **{
        f"{kind}_interp": ("output",)
        for kind in ("nearest", "linear", "bilinear", "trilinear", "bicubic")
    },
}  # fmt: skip

_counters: defaultdict[str, itertools.count[int]] = defaultdict(
    functools.partial(itertools.count, 1)
)
_lock = threading.Lock()
_users = 0
_is_shown = False  # FLAGS_enable_unique_name
_thread = threading.local()  # the last call that failed
_peeked = itertools.count()


class _Reserved(threading.local):
    """The calls of a thread that are named before they have run, the innermost last."""

    def __init__(self):
        self.calls: list[Made] = []


_reserved = _Reserved()


def set_enabled(value: bool) -> None:
    """Apply FLAGS_enable_unique_name."""
    global _is_shown
    if value != _is_shown:
        _is_shown = value
        (begin_use if value else end_use)()


def begin_use() -> None:
    """Count calls from now on, until ``end_use``; calls of both nest."""
    global _users
    with _lock:
        _users += 1
        if _users == 1:
            events.observe(_naming, first=True)


def end_use() -> None:
    """Undo one ``begin_use``."""
    global _users, _reserved
    with _lock:
        _users -= 1
        if _users == 0:
            events.unobserve(_naming)
            _reserved = _Reserved()


def is_in_use() -> bool:
    """Return whether calls are being counted."""
    return _users > 0


@contextlib.contextmanager
def in_use() -> Iterator[None]:
    """Count calls in a block."""
    begin_use()
    try:
        yield
    finally:
        end_use()


def reset() -> None:
    """Reset every counter, for tests that compare names."""
    global _peeked
    _counters.clear()
    _peeked = itertools.count()


def _made(row, is_inplace: bool) -> Made:
    """Count a call of an op."""
    stem = row.api_name
    if is_inplace and not stem.endswith("_"):
        stem += "_"
    return row, stem, next(_counters[stem]), 0


def next_call(stem: str) -> str:
    """Count an event like a call of an op, and return its name: "multiply_grad1"."""
    return stem + str(next(_counters[stem]))


def reserve(row, is_inplace: bool) -> str:
    """Name the call of an op that this thread is about to run; ``op_ran`` then uses the name."""
    made = _made(row, is_inplace)
    _reserved.calls.append(made)
    return made[1] + str(made[2])


def running_call(row, is_inplace: bool) -> str | None:
    """Return the name of the call of an op whose kernel has just run, None when names are unused.

    Reserve the name unless it is reserved already: ``op_ran`` will use the same one.
    """
    if not _users:
        return None
    calls = _reserved.calls
    if calls and calls[-1][0] is row:
        return calls[-1][1] + str(calls[-1][2])
    return reserve(row, is_inplace)


def name_of_running(call: events.Call) -> str:
    """Return the name of a call that is about to run; the first caller reserves it."""
    name = call.notes.get("name")
    if name is None:
        name = call.notes["name"] = reserve(call.row, call.is_inplace)
    return name


def is_op_running() -> bool:
    """Return whether this thread is in an op that is named and has not returned."""
    calls = _reserved.calls
    return bool(calls) and not isinstance(calls[-1][0], type)


def running_layer() -> str:
    """Return the name of the PyLayer that this thread has just started."""
    made = _reserved.calls[-1]
    return made[1] + str(made[2])


def _taken(row) -> Made | None:
    """Return the reservation for a call of the row, and remove it.

    Later reservations that were never used belong to calls that were interrupted; remove them too.
    """
    calls = _reserved.calls
    if calls and calls[-1][0] is row:
        return calls.pop()
    place = next((k for k in reversed(range(len(calls))) if calls[k][0] is row), None)
    if place is None:
        return None
    made = calls[place]
    del calls[place:]
    return made


def forget(row, call: str) -> None:
    """Undo a ``reserve`` whose op has failed outside its kernel."""
    calls = _reserved.calls
    if calls and calls[-1][0] is row and calls[-1][1] + str(calls[-1][2]) == call:
        _taken(row)


# ---- reading names


def call_of(thing) -> str | None:
    """Return the name of the call that made a Tensor or a node, None if it was not counted."""
    if hasattr(thing, "_storage"):
        made = getattr(thing, "_call", None)
    else:
        made = getattr(thing, "notes", {}).get("call")
    return None if made is None or made[0] is None else made[1] + str(made[2])


def failed_call() -> str:
    """Return the name of this thread's last call that failed, "" if there is none."""
    made = getattr(_thread, "failed", None)
    return "" if made is None else f"{made[1]}{made[2]}"


def name_of(tensor) -> str:
    """Return a Tensor's unique name, or its own name if no counted call made it.

    A tensor without a name gets ``unnamed_0`` for tools only: ``Tensor.name`` counts the tensors
    whose name the user reads, and a tool must not advance that counter.
    """
    made = getattr(tensor, "_call", None)
    if made is None or keeps_name(tensor):
        return tensor._name or _peeked_name(tensor)
    if len(made) > 4:
        return made[4] or _peeked_name(tensor)
    return _output_name(made, made[3], tensor._array)


def _peeked_name(tensor) -> str:
    """Return the name that tools use for a Tensor that has none."""
    known = tensor.__dict__
    if "_peeked" not in known:
        known["_peeked"] = f"unnamed_{next(_peeked)}"
    return known["_peeked"]


def _output_name(made: Made, position: int, aval) -> str:
    """Return the name of an output: call, output, dtype and shape."""
    row, stem, number, _ = made
    return output_name(f"{stem}{number}", _label(row, position), aval)


def output_name(call: str, output: str, aval) -> str:
    """Return the name of an output: call, output, dtype and shape."""
    return f"{call}_{output}_{_kind(aval.dtype, aval.shape)}"


@functools.lru_cache(4096)
def _kind(dtype, shape: tuple) -> str:
    """Return "float32_2x2"; NumPy is slow at naming its dtypes."""
    return f"{dtype.name}_{'x'.join(map(str, shape))}"


def output_labels(row, count: int) -> list[str]:
    """Return the outputs' labels as used in tensor names: "out", "out_0", "indices"."""
    return [_label(row, position) for position in range(count)]


def _label(row, position: int) -> str:
    """Return an output's label as used in tensor names: "out", "out_0", "indices"."""
    if isinstance(row, type):
        return f"out{position}_0"
    if row.returns_list:
        return f"{row.outputs[0]}_{position}"
    return _OUTPUTS.get(row.name, row.outputs)[position]


def node_name(node) -> str:
    """Return "matmul2GradNode" for a node whose call was counted, else its usual name."""
    made = getattr(node, "notes", {}).get("call")
    if made is None or _keeps_node_name(node):
        return node.name()
    return f"{made[1]}{made[2]}GradNode"


def edge_name(edge) -> str:
    """Return the name of the forward tensor whose gradient flows along an edge, "" if unknown."""
    return place_name(edge.node, edge.slot + edge.rank)


def place_name(node, position: int) -> str:
    """Return the name of an output of a node, or of a leaf's tensor; "" if unknown."""
    notes = getattr(node, "notes", {})
    if node.is_leaf:
        return notes.get("tensor") or node.tensor_name or ""
    if position in notes.get("given", ()):
        return notes["given"][position]
    made = notes.get("call")
    if made is None or position >= len(node.out_avals):
        return ""
    if "outputs" in notes:
        return notes["outputs"][position]
    return _output_name(made, position, node.out_avals[position])


def grad_name(edge) -> str:
    """Return the name of the gradient that flows along an edge."""
    return f"{edge_name(edge)}@Grad"


def known_name(node, position: int, aval) -> str:
    """Return ``place_name``, or a name with the node's pointer instead of a number.

    Args:
        node: a node.
        position: which of its outputs.
        aval: an object with the shape and dtype of that output.
    """
    name = place_name(node, position)
    if name:
        return name
    if node.is_leaf:
        return f"leaf_{node.node_ptr():#x}"
    stem = getattr(node.op, "name", None) or node.name().rpartition("GradNodePyLayer_")[2]
    return output_name(f"{stem}_{node.node_ptr():#x}", _output_of(node, position), aval)


def _output_of(node, position: int) -> str:
    """Return an output's label within its op, as far as the op names its outputs."""
    outputs = (*getattr(node.op, "outputs", ()), *getattr(node.op, "hidden", ()))
    if node.op.returns_list:
        return f"{outputs[0]}_{position}"
    return outputs[position] if position < len(outputs) else f"out{position}_0"


def keeps_name(tensor) -> bool:
    """Return whether a Tensor is never renamed: a Parameter, which optimizers identify by name."""
    return hasattr(tensor, "optimize_attr")


def _keeps_node_name(node) -> bool:
    """Return whether a node is never numbered: of a custom op, or handwritten in Paddle."""
    return node.op.grad_name.startswith(("GradNode", "MultiplyDoubleGrad", "Conv2dDoubleGrad"))


# ---- assigning names


class _Naming(events.Observer):
    """Names the results of ops."""

    def op_ran(self, row, operands, attrs, outputs, node, is_inplace):
        made = (_taken(row) if _reserved.calls else None) or _made(row, is_inplace)
        if len(outputs) == 1:
            outputs[0]._call = made
        else:
            _name_all(made, outputs)
        _name_node(node, made, operands)
        if _is_shown:
            _show(made, outputs, node)

    def op_failed(self, row, is_inplace, error):
        _thread.failed = _taken(row) or _made(row, is_inplace)

    def layer_began(self, layer, inputs, node):
        _reserved.calls.append((layer, layer.__name__, next(_counters[""]), 0))

    def layer_ended(self, layer, inputs, outputs, node):
        made = _taken(layer)
        if made is None:  # names came into use while the layer ran
            return
        _name_all(made, outputs)
        _name_node(node, made, inputs)
        if _is_shown:
            _show(made, outputs, node)

    def layer_failed(self, layer, error):
        _thread.failed = _taken(layer)

    def vjp_ran(self, node, results, made):
        """Name the results of a VJP as the gradients they are."""
        wanted = [edge for edge, is_wanted in zip(node.edges, node.mask, strict=True) if is_wanted]
        names = []
        for edge, tensor in zip(wanted, results, strict=True):
            names.append(f"{known_name(edge.node, edge.slot + edge.rank, tensor._array)}@Grad")
            _name_gradient(tensor, names[-1])
        if made is not None and "call" in getattr(made, "notes", ()):
            made.notes["outputs"] = names

    def node_ended(self, node, grads, results):
        if node.is_leaf:
            meta = node.meta()
            if meta is not None and meta.grad is not None:
                self.gradient_shown(node, 0, meta.grad, meta.grad)

    def gradient_shown(self, node, position, tensor, found):
        """Name a gradient that the user sees."""
        made = getattr(found, "_call", None)
        if made is None or len(made) > 5 or (len(made) < 5 and is_derivative(made[0])):
            if made is not None or tensor._name is None:  # not a Tensor from the user
                name = f"{known_name(node, position, tensor._whole)}@Grad"
                _name_gradient(tensor, name, made)
        elif tensor is not found:  # a sum of gradients in a graph has the name of the sum
            tensor._call = made
            if _is_shown:
                tensor._name = name_of(found)


def _name_gradient(tensor, name: str, made: Made | None = None) -> None:
    """Give a Tensor the name of the gradient it is."""
    call: Made = made or getattr(tensor, "_call", None) or (None, "", 0, 0)
    tensor._call = (*call[:4], name, True)
    if _is_shown:
        tensor._name = name


def _name_all(made: Made, outputs) -> None:
    row, stem, number, _ = made
    for position, tensor in enumerate(outputs):
        tensor._call = row, stem, number, position


def _name_node(node, made: Made, operands) -> None:
    """Store the call on its node, and the names of its leaf operands on their nodes."""
    if node is None:
        return
    node.notes = {"call": made}
    for edge in node.edges:
        if edge is not None and edge.node.is_leaf and not hasattr(edge.node, "notes"):
            _name_leaf(edge, operands)


def _name_leaf(edge, operands) -> None:
    """Store its tensor's name on a leaf; a leaf otherwise knows it only if it was read before."""
    for tensor in each_of(operands):
        if getattr(tensor, "_meta", None) is edge:
            name = tensor.name if _is_shown else name_of(tensor)  # the user may read x.grad.name
            edge.node.notes = {"tensor": name}
            return


def each_of(operands) -> Iterator:
    """Yield operands one by one, also those in lists."""
    for operand in operands:
        if isinstance(operand, (list, tuple)):
            yield from operand
        else:
            yield operand


def _show(made: Made, outputs, node) -> None:
    """Make the names of a call's outputs and node visible to the user."""
    for position, tensor in enumerate(outputs):
        if not keeps_name(tensor):
            tensor._name = _output_name(made, position, tensor._array)
    if node is not None and not _keeps_node_name(node):
        node.notes["name"] = f"{made[1]}{made[2]}GradNode"


def is_derivative(row) -> bool:
    """Return whether an op is the VJP of another one."""
    return getattr(row, "order", 1) > 1


_naming = _Naming()
ports.name_of_edge = edge_name
