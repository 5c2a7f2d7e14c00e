"""The part of the verbose log about backward; vlog.py has levels, guards and lines.

Note [Lines of a backward]
    Lines are in Paddle's order, from the events of the engine (graph/events.py): the setup of the
    run; per node its start, its inputs, its kernel and its results; per edge the destination of
    its gradient. The inputs of a node are written when its hooks have run, before its kernel: if
    that fails, the last lines show its inputs.

    Lines of Paddle about operations that do not exist here are omitted: sharing the memory of a
    gradient with its result, copying the graph for ``paddle.grad``, destroying nodes. A node that
    no gradient reaches is skipped here, without a line; Paddle runs it on zeros.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from jaxeager.debug.common import naming, tensor_text
from jaxeager.debug.vlog import layers as vlog_layers
from jaxeager.debug.vlog import nodes as vlog_nodes
from jaxeager.debug.vlog import vlog
from jaxeager.debug.vlog.edges import label, name_of, rank_of, say_edges, say_holder
from jaxeager.debug.vlog.marks import mark_of
from jaxeager.debug.vlog.partial import say_setup
from jaxeager.graph import engine, events
from jaxeager.graph.hooks import RetainingHook
from jaxeager.graph.meta import Edge
from jaxeager.graph.node import GradNode
from jaxeager.graph.saved_hooks import has_packed

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from jaxeager.graph.types import Node
    from jaxeager.tensor import Tensor

_BAR = "=" * 26
_RUN_BAR = "=" * 17


class _NodeRun:
    """One running node.

    Attributes:
        node, grads: the node, and the gradients it received, as changed by its hooks.
        hooks: how many gradient hooks have yet to run.
        inputs: the inputs in its lines, once its kernel is about to run; None before.
        before: a leaf's gradient before this one was added.
        made: the node that ``create_graph`` made of its gradient.
    """

    __slots__ = ("before", "call", "grads", "hooks", "inputs", "made", "node")

    def __init__(self, node, grads: list):
        self.node = node
        self.grads = list(grads)
        hooks = node.hooks
        self.hooks = 0 if hooks is None else len(hooks.gradient)
        self.inputs: list | None = None
        self.before: Tensor | None = None
        self.made: Any = None
        self.call = ""


class _Run:
    """One backward: its running nodes (hooks may run others inside) and the level they set.

    The log stays active until it ends, even if hooks change the levels. If only marked nodes are
    logged, the log becomes active when one runs ops: see Note [Marks].
    """

    def __init__(self, run: events.Backward):
        self.run = run
        self.nodes: list[_NodeRun] = []
        self.reached = {edge.node for edge, _ in run.roots}  # nodes whose holders exist
        self.current: Node | None = None  # the node whose level is active
        self.scope: AbstractContextManager | None = None
        self.hold: AbstractContextManager | None = None
        if vlog.is_active() or run.create_graph:
            self.keep()

    def keep(self) -> None:
        """Keep the log active until the end."""
        if self.hold is None:
            self.hold = vlog.hold()
            self.hold.__enter__()

    def enter(self, node) -> None:
        """Use the level that a node was marked with for its lines and those of its edges."""
        self.leave()
        mark = mark_of(node)
        self.current = node
        if mark is not None:
            if type(node) is not GradNode or node.hooks is not None or has_packed(node):
                self.keep()  # it runs user code
            self.scope = vlog.override(mark.level)
            self.scope.__enter__()

    def close(self) -> None:
        """Release the log."""
        self.leave()
        if self.hold is not None:
            self.hold.__exit__(None, None, None)

    def leave(self) -> None:
        """Restore the previous level."""
        scope, self.scope, self.current = self.scope, None, None
        if scope is not None:
            scope.__exit__(None, None, None)


_thread = threading.local()


def _runs() -> list[_Run]:
    try:
        return _thread.runs
    except AttributeError:
        _thread.runs = []
        return _thread.runs


def _current() -> _Run | None:
    runs = _runs()
    return runs[-1] if runs else None


def name_gradient(call) -> None:
    """Name the gradient of a node if it is itself an op, with ``create_graph``."""
    run = _current()
    if run is not None and run.nodes and naming.is_derivative(call.row):
        found = run.nodes[-1]
        if not found.call:
            _say_kernel(found, naming.reserve(call.row, False))


def _say(level: int, text: str) -> None:
    vlog.log("backward", level, text)


class _Writer(vlog_layers.Layers):
    """Writes the lines of backward, and of PyLayers."""

    # ---- the run

    def backward_began(self, run):
        runs = _runs()
        if runs and runs[-1].run is run:  # already begun for a marked node
            return
        runs.append(_Run(run))
        _say(3, "Run in Grad" if run.kind == "grad" else "Run in Backward")
        _say(3, f"{_RUN_BAR}RunBackward: Start Backward {_RUN_BAR}")
        if vlog.is_on("backward", 4) or vlog.is_on("grad_tensor_holder", 4):
            _say_roots(run)
        if run.targets is not None and vlog.is_on("general_grad", 3):
            say_setup(run)
        _say(4, "RunBackward: Update In degree Map for backward")
        tasks = list(run.tasks.values())
        starts = dict.fromkeys(edge.node for edge, _ in run.roots if edge.node in run.tasks)
        ready = sum(run.tasks[node].waiting == 0 for node in starts)
        _say(3, f"RunBackward: Start_up_ops's size is {ready}")
        waiting = sum(task.waiting > 0 for task in tasks)
        _say(5, f"RunBackward: Totoal GradNodes num is {waiting}")

    def backward_ended(self, run, error):
        runs = _runs()
        if not any(each.run is run for each in runs):
            return
        try:
            runs[-1].leave()
            if error is None:
                _say(4, f"RunBackward: Final hook size: {engine.count_final_hooks()}")
                _say(3, f"{_RUN_BAR}RunBackward: Finish Backward {_RUN_BAR}")
                if run.targets is not None:
                    vlog.log("general_grad", 6, "Running in GetResults")
        finally:
            while runs[-1].run is not run:  # a run whose end was not reported
                runs.pop().close()
            runs.pop().close()

    # ---- a node

    def node_began(self, node, grads):
        run = _current()
        if run is None:
            return
        run.leave()
        if run.nodes:  # a node whose end was not reported
            run.nodes.clear()
        found = _NodeRun(node, grads)
        run.nodes.append(found)
        if vlog.is_on("backward", 3):
            _say(3, f"{label(node)} Preparing ")
        run.enter(node)
        _say(7, "RunBackward: Run Backward Kernel with GradTensorHolder.")
        if vlog.is_on("backward", 4):
            _say(4, f"{label(node)} begin run ")
        if node.is_leaf or _is_end(node, run.run):
            _begin_leaf(found)
        elif vlog_layers.is_layer(node):
            vlog_layers.begin_backward(node)
        else:
            module, _, _, _ = vlog_nodes.lines_of(node)
            _bar(module, 3, "Running_AD_API_GRAD", vlog_nodes.api_name(node))
        if found.hooks == 0:
            _enter_kernel(found, run)

    def node_ended(self, node, grads, results):
        run = _current()
        if run is None or not run.nodes or run.nodes[-1].node is not node:
            return
        found = run.nodes.pop()
        _enter_kernel(found, run)
        if node.is_leaf or not results:
            _end_leaf(found, run.run)
        elif vlog_layers.is_layer(node):
            vlog_layers.end_backward(node, results)
        else:
            _end_kernel(found, results)
        if not run.run.retain_graph:
            _say(5, "RunBackward: retain_graph is false, need to clear the TensorWrapper of nodes.")
            if node.is_leaf:
                vlog.log("accumulation_node", 5, "Do nothing here now")

    def node_failed(self, node, error):
        run = _current()
        if run is None or not run.nodes or run.nodes[-1].node is not node:
            return
        run.nodes.pop()
        if vlog_layers.is_layer(node):
            vlog_layers.leave_backward()

    def vjp_ran(self, node, results, made):
        """Store the node of a gradient made with ``create_graph``."""
        run = _current()
        if run is not None and run.nodes and run.nodes[-1].node is node:
            run.nodes[-1].made = made

    # ---- an edge

    def gradient_passed(self, node, edge, grad, is_first, waiting):
        run = _current()
        if run is None:
            return
        if run.current is not node:  # a node that no gradient reached
            run.leave()
        is_new = edge.node not in run.reached
        run.reached.add(edge.node)
        if not vlog.is_on("backward", 4):
            return
        target = label(edge.node)
        _say(4, f"{label(node)} Found pending node: {target}")
        if vlog.is_on("backward", 7):
            _say(7, _passed_text(edge))
        if is_new:
            _say(6, f"RunBackward: Construct GradTensorHolder for grad node: {target} ")
            say_holder(edge.node)
        _say(
            7, f"RunBackward: Sum or Move grad inputs for edge slot: {edge.slot}, rank: {edge.rank}"
        )
        if grad is not None and vlog.is_on("backward", 6):
            shape = ", ".join(map(str, grad.shape))
            where = f"{tensor_text.place_text(grad)},{tensor_text.dtype_text(grad)}, ({shape})"
            _say(
                6,
                "RunBackward: Add grad_output_tensor to GradTensorHolder, grad_output_tensor "
                f"info {where}",
            )
            what = "Move" if is_first else "Add"
            vlog.log(
                "grad_tensor_holder", 7,
                f"GradTensorHolder: {what} Tensor for buffer_ slot: {edge.slot}, "
                f"size: {rank_of(edge)}",
            )  # fmt: skip
        _say(5, f"{target} ref_cnt is: {waiting}")

    # ---- a hook

    def hook_began(self, node, position, hook, grad):
        if type(hook) is RetainingHook or not vlog.is_on("eager_utils", 3):
            return
        name = ""
        if vlog.is_on("eager_utils", 6):
            edge = Edge(node) if node.is_leaf else vlog_nodes.edge_to(node, position)
            name = naming.grad_name(edge)
        vlog.log("eager_utils", 3, f"Call PyTensorHook for var {name}")

    def hook_ended(self, node, position, hook, before, after):
        run = _current()
        if run is None or not run.nodes or run.nodes[-1].node is not node:
            return
        found = run.nodes[-1]
        found.grads[position] = after
        found.hooks -= 1
        if found.hooks == 0:
            _enter_kernel(found, run)


def _passed_text(edge) -> str:
    return (
        f"RunBackward: Get Edge and grad_output_tensor with slot: {edge.slot}, rank: {edge.rank} "
        f"'s name is: {naming.grad_name(edge)}"
    )


def _bar(module: str, level: int, what: str, name: str) -> None:
    if vlog.levels()[module] >= level:
        vlog.write(module, 0, f"\n{_BAR}{what}: {name}{_BAR}")


# ---- setup of a run


def _say_roots(run) -> None:
    for number, (edge, grad) in enumerate(run.roots):
        _say(5, f"Out Rank of Tensor is slot: {edge.slot}, rank: {edge.rank}")
        _say(
            4,
            f"RunBackward: Create Value for grad input tensor {number} of grad node: "
            f"{label(edge.node)}",
        )
        say_holder(edge.node)
        if vlog_nodes.is_ones(grad):
            _say(4, f"RunBackward:  Fill grad input tensor {number} with 1.0")
        else:
            _say(4, f"RunBackward: Fill grad input tensor {number} with given grad tensor")
        vlog.log(
            "grad_tensor_holder", 6,
            f"GradTensorHolder: Add Tensor for buffer_ slot: {edge.slot}, size: {rank_of(edge)}",
        )  # fmt: skip


# ---- a node's kernel


def _enter_kernel(found: _NodeRun, run: _Run) -> None:
    """Write the lines of a node between its hooks and its kernel."""
    node = found.node
    if found.inputs is not None:
        return
    if node.is_leaf or _is_end(node, run.run):
        found.inputs = []
        return
    if vlog_layers.is_layer(node):
        found.inputs = []
        vlog_layers.enter_backward()
        return
    module, inputs_level, api_level, _ = vlog_nodes.lines_of(node)
    found.inputs = []
    others = vlog.is_on("backward_api_base", 4) or vlog.is_on("tensor_wrapper", 6)
    if vlog.is_on(module, min(inputs_level, api_level)) or others:
        kept = vlog_nodes.saved(node)
        found.inputs = vlog_nodes.inputs_of(node, found.grads, kept)
        _say_recovered(node, kept)
        if vlog.is_on(module, inputs_level):
            vlog.log(module, inputs_level, vlog_nodes.inputs_text(found.inputs, module))
    if not run.run.create_graph:
        _say_kernel(found, naming.next_call(vlog_nodes.api_name(node)))


def _say_kernel(found: _NodeRun, call: str) -> None:
    """Write the lines about a kernel, under the name of its call."""
    found.call = call
    module, _, api_level, _ = vlog_nodes.lines_of(found.node)
    _bar(module, api_level, "Running_C++_API", call)
    if vlog.is_on("kernel_dispatch", 10):
        for text in vlog_nodes.dispatched(found.inputs or []):
            vlog.log("kernel_dispatch", 10, text)
    if vlog.is_on("backward_api_base", 4):
        for text in vlog_nodes.kernel_texts(found.node, found.inputs or []):
            vlog.log("backward_api_base", 4, text)


def _say_recovered(node, items: list) -> None:
    if not vlog.is_on("tensor_wrapper", 6):
        return
    versions = vlog_nodes.versions(node) if vlog.is_on("tensor_wrapper", 7) else {}
    for item in items:
        for value in item.values if isinstance(item.values, list) else [item.values]:
            vlog.log("tensor_wrapper", 6, f"Recover tensor: {value.name} for wrapper")
            if value.thing is None:
                vlog.log("tensor_wrapper", 6, "Return NULL tensor Here. ")
            elif vlog.is_on("tensor_wrapper", 7):
                _say_version(value, versions.get(id(value.thing)))


def _say_version(value, found: tuple[int, int] | None) -> None:
    """Write the saved and the current version of a saved tensor, and its gradient's destination."""
    no_need = "There's no need to check inplace_version because no_need_buffer_ is true."
    texts = [no_need] if found is None else [
        f" The wrapper_version_snapshot of Tensor '{value.name}' is [ {found[0]} ]",
        f" The tensor_version of Tensor '{value.name}' is [ {found[1]} ]",
    ]  # fmt: skip
    if value.edge is not None:
        node = value.edge.node
        where = f"{name_of(node)} addr: {node.node_ptr():#x}"
        texts.append(f"Recovered TensorWrapper with GradNode {where}")
    for text in texts:
        vlog.log("tensor_wrapper", 7, text)


def _end_kernel(found: _NodeRun, results) -> None:
    """Write the results of a node's kernel."""
    node = found.node
    module, _, api_level, block_level = vlog_nodes.lines_of(node)
    name = vlog_nodes.api_name(node)
    if vlog.is_on("dense_tensor", 10):
        for grad in results:
            if grad is not None:
                vlog.log("dense_tensor", 10, f"Allocate data with bytes: {grad.nbytes}")
    space = " " if module == "multiply_node" else ""
    if name in vlog_nodes.FUSED:
        vlog.log(module, 4, f"Fused api {name} is called{space}")
    _bar(module, api_level, "Finish_C++_API", found.call)
    if found.made is not None and vlog.is_on("grad_node_info", 5):
        say_edges(found.made)
    if vlog.is_on(module, 6):
        vlog.write(module, 0, f"gradnode_ptr = {node.node_ptr():#x}")
    if vlog.is_on(module, block_level):
        outputs = vlog_nodes.made(node, results)
        text = vlog_nodes.results_text(found.inputs or [], outputs, module)
        vlog.log(module, block_level, text)
    _bar(module, 3, "Finish_AD_API_GRAD", name)


# ---- a leaf, or an end of ``grad``


def _is_end(node, run) -> bool:
    """Return whether a node only receives a gradient that was requested from ``grad``."""
    return run.targets is not None and not any(
        edge is not None and edge.node in run.tasks for edge in node.edges
    )


def _begin_leaf(found: _NodeRun) -> None:
    leaf = found.node
    _bar("accumulation_node", 3, "Running_AD_API_Grad", "GradNodeAccumulation")
    if vlog.is_on("accumulation_node", 4):
        text = f"GradNodeAccumulation Ptr  {leaf.node_ptr():#x}"
        vlog.write("accumulation_node", 0, text)
    meta = leaf.meta() if leaf.is_leaf else None
    if meta is not None:
        found.before = meta.grad


def _end_leaf(found: _NodeRun, run) -> None:
    leaf = found.node
    meta = leaf.meta() if leaf.is_leaf else None
    if run.targets is None and meta is not None and meta.grad is not None:
        if vlog.is_on("accumulation_node", 3):
            new, old = tensor_text.pointer_of(meta.grad), tensor_text.pointer_of(found.before)
            text = f"Add Tensor ptr: {old:#x} with Tensor ptr: {new:#x}"
            if found.before is None:
                text = f"Move Copy Tensor ptr: {new:#x}"
            vlog.log("accumulation_node", 3, f"CopyOrAddTensor: {text}")
        hooks = leaf.hooks
        for _ in () if hooks is None else hooks.reduce:
            vlog.log("eager_utils", 3, "Call PyVoidHook")
    if run.targets is not None:
        vlog.log("general_grad", 6, "Set result for ending_nodes_ with grad_output_tensors")
    _bar("accumulation_node", 3, "Finish_AD_API_Grad", "GradNodeAccumulation")
    if vlog.is_on("accumulation_node", 6):
        here = next((k for k, grad in enumerate(found.grads) if grad is not None), 0)
        value = vlog_nodes.Value(found.grads[here], None, naming.grad_name(Edge(leaf, here)))
        text = vlog_nodes.value_text(value, "accumulation_node")
        text = f"{{ Input: [(\ngrads[0][0], [{text}]), ], \nOutput: [(\ngrad_out, [{text}]), ] }} "
        vlog.log("accumulation_node", 6, text)


observer = _Writer()
