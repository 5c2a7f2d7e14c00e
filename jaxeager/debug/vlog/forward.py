"""The part of the verbose log about forward; vlog.py has levels, guards and lines.

Note [Lines of a call]
    Lines are in Paddle's order: the API runs, its operands, the kernel, its node, the block with
    inputs and outputs. The cast of an operand (promotion, mixed precision) is a separate call, so
    its lines are in between, and Paddle then begins the op again; so does the log. An op that
    fails has written all lines up to that point.

    Two things differ from Paddle's lines. ``kernel cache`` lines are new: they show the attributes
    that selected the kernel, and whether it had to be compiled. And outputs have their actual
    dtype, because the line about the kernel is written after it was called.
"""

import functools
import threading
from typing import Any, NamedTuple

import jax

from jaxeager.debug.common import call_names, naming, tensor_text
from jaxeager.debug.vlog import backward as vlog_backward
from jaxeager.debug.vlog import eager_text, steps, vlog
from jaxeager.debug.vlog import nodes as vlog_nodes
from jaxeager.debug.vlog.kernel_text import (
    cache_text,
    call_text,
    dispatch_texts,
    key_text,
    operand_label,
)
from jaxeager.debug.vlog.marks import is_captured
from jaxeager.debug.vlog.precision import cast_text, log_destination, say_composite
from jaxeager.debug.vlog.steps import BAR, write_bar
from jaxeager.graph import events
from jaxeager.graph.mode import grad_mode
from jaxeager.graph.node import next_pointer
from jaxeager.ops.call.creation_events import Source

_ENDS = ("Running", "Finish")
# Ops that are handwritten in Paddle, each in a separate file.
_BY_HAND = {
    "add_n": "add_n_fwd_func", "conv2d": "conv2d_fwd_function", "multiply": "multiply_fwd_func",
}  # fmt: skip
# Ops whose integer operands Paddle casts.
_AUTOCAST = frozenset(
    "acos acosh asin asinh atan atanh cos cosh digamma erf erfinv i0 i0e i1 i1e lgamma "
    "logcumsumexp logit logsumexp polygamma reciprocal rsqrt sigmoid sin sinh sqrt stanh tan "
    "tanh".split()
)
_VIEWS = frozenset(["flatten", "reshape", "squeeze", "unsqueeze"])
_VIEW_TEXT = "Perform View between Output and Input Tensor, share allocation and inplace version."


class _Api(NamedTuple):
    """The parts that the lines of every call of an API share.

    Attributes:
        name: the name of the API; "add_" for in-place calls.
        module: the module of its lines.
        began, ended: its first and last line, as returned by ``vlog.line_of``.
        runs, finishes: the beginning of the lines around its kernel; the call's name and a bar
            follow.
        labels: the name of each operand, "" for one that is not shown.
    """

    name: str
    module: str
    began: str
    ended: str
    runs: str
    finishes: str
    labels: tuple[str, ...]


@functools.lru_cache(1024)
def _api_of(row, is_inplace: bool) -> _Api:
    name = row.api_name
    if is_inplace and not name.endswith("_"):
        name += "_"
    labels = [
        operand_label(row, operand.name) if tensor_text.is_users(operand) else ""
        for operand in row.operands
    ]
    module = _BY_HAND.get(name, "dygraph_functions")
    began, ended = (_bar_line(module, f"{what}_AD_API: {name}") for what in _ENDS)
    runs, finishes = (vlog.line_of(module, f"\n{BAR}{what}_C++_API: ")[:-1] for what in _ENDS)
    return _Api(name, module, began, ended, runs, finishes, tuple(labels))


class _CallLines:
    """The state of the lines of a call.

    Attributes:
        api: the shared parts of all calls of its API.
        levels: the levels of this thread at the beginning of the current event.
        lines: lines from ``vlog.stamped``, which the next ``write`` writes.
        method: the operator's method it was called by, "" for none; None when it is not shown.
        is_method_written: whether that was written.
        is_open: whether the line that it runs was written. Conversions of numbers precede it.
        casts: the mixed precision policy while it casts operands; None before and after.
        is_cast: whether an operand was cast, so that the line that it runs is repeated.
        call: its name with the counter.
        pointer: the number its node will have.
    """

    method: str | None = None
    casts: Any = None
    is_cast = is_open = is_method_written = False
    call: str | None = None
    pointer: int | None = None

    def __init__(self, call: events.Call, levels: vlog.Levels):
        self.levels = levels
        self.api = _api_of(call.row, call.is_inplace)
        self.lines: list[str] = []

    def say(self, level: int, text: str) -> None:
        """Keep a line of the call's module, if that is on."""
        self.log(self.api.module, level, text)

    def log(self, module: str, level: int, text: str) -> None:
        """Keep a line, if its module is on."""
        if self.levels[module] >= level:
            self.lines.append(vlog.stamped(vlog.line_of(module, text)))

    def say_kernel(self, begin: str) -> None:
        """Keep a line with the call's name, if its module is on."""
        if self.levels[self.api.module] >= 3:
            self.lines.append(vlog.stamped(f"{begin}{self.call}{BAR}\n"))

    def write(self) -> None:
        """Write the lines that are kept."""
        if self.lines:
            lines, self.lines = self.lines, []
            vlog.write_all(lines)
            self.levels = vlog.levels()  # the user's stream may have changed them


def _bar_line(module: str, text: str) -> str:
    return vlog.line_of(module, f"\n{BAR}{text}{BAR}")


class _Thread(threading.local):
    """The running calls of a thread, the innermost last."""

    def __init__(self):
        self.calls: list[events.Call] = []
        self.epoch = 0


_thread = _Thread()
_warned: set[str] = set()  # ops with a warning about promotion


class _Writer(events.Observer):
    """Writes the lines of calls, twice per call: before its kernel runs, and when the call ends.

    Lines of ``kernel_finished`` are kept until that end, unless other observers are active that may
    write in between: writing is the most expensive step here.
    """

    def call_began(self, call):
        levels = vlog.levels()
        if levels.highest < vlog.WARNINGS or naming.is_derivative(call.row):
            return
        report = call.notes["vlog"] = _CallLines(call, levels)
        calls = _calls()
        is_inner = bool(calls) and calls[-1].kernel is None
        if calls:
            outer = calls[-1].notes["vlog"]
            outer.levels = levels
            if is_inner:
                _say_inner(calls[-1], call)
            outer.write()
        if not is_inner and max(levels["ops_api"], levels["eager_math_op_patch"]) >= 6:
            report.method = eager_text.method(call.row.api_name)
        calls.append(call)

    def operands_ready(self, call):
        report = call.notes.get("vlog")
        if report is None:
            return
        levels = report.levels = vlog.levels()
        _open(call, report)
        report.casts = None
        if report.is_cast:
            _say_began(report)
        if levels.highest >= 5:
            if levels[report.api.module] >= 5:
                _say_inputs(call, report)
            if call.row.is_differentiable and not grad_mode.enabled:
                report.log("utils", 6, "Do not require grad because trace_backward = false")
        if call.is_recorded and (levels.highest >= 4 or is_captured()):
            _say_node(call, report)

    def kernel_found(self, call):
        report = call.notes.get("vlog")
        if report is None:
            vlog_backward.name_gradient(call)
            return
        levels = report.levels = vlog.levels()
        if levels.highest < vlog.LOWEST:
            return
        report.call = naming.name_of_running(call)
        report.say_kernel(report.api.runs)
        if levels["kernel_dispatch"] >= 10:
            for text in dispatch_texts(call.arrays):
                report.log("kernel_dispatch", 10, text)
        if levels["api"] >= 4 and call.arrays:
            report.log("api", 4, key_text(call))
        report.write()

    def kernel_finished(self, call):
        report = call.notes.get("vlog")
        if report is None:
            return
        levels = report.levels = vlog.levels()
        if levels["api"] >= 4:
            _say_kernel(call, report)
        if levels["dense_tensor"] >= 6:
            for array in call.results:
                size = getattr(array, "nbytes", 0)
                report.log("dense_tensor", 6, f"Allocate data with bytes: {size}")
        report.say_kernel(report.api.finishes)
        if not _is_alone or grad_mode.saved_hooks is not None:
            report.write()

    def node_made(self, call):
        report = call.notes.get("vlog")
        if report is not None and report.pointer is not None and not hasattr(call.node, "pointer"):
            call.node.pointer = report.pointer
        eager_text.number_leaves(call.node)

    def call_ended(self, call):
        report, levels = call.notes.get("vlog"), vlog.levels()
        if call.node is not None and levels["tensor_wrapper"] >= 6:
            vlog_nodes.remember(call.node, call.operands)
        if report is None:
            return
        _forget(call)
        report.levels = levels
        level = levels[report.api.module]
        if call.is_inplace and call.row.is_differentiable:
            name = tensor_text.shown_name(call.outputs[0], level)
            report.say(3, f"Tensor({'' if name == 'None' else name}) uses Inplace Strategy.")
        if call.node is not None and levels["grad_node_info"] >= 5:
            _say_edges(call.node, report)
        if level >= 11:
            report.write()  # values are waited for, and the device may fail
        if level >= 3:
            found = [
                vlog.line_of(report.api.module, _block_text(call, report, level)),
                report.api.ended,
            ]
            found = found if call.row.is_differentiable else found[::-1]
            report.lines += map(vlog.stamped, found)
        report.write()

    def call_failed(self, call, error):
        report = call.notes.get("vlog")
        if report is not None:
            report.levels = vlog.levels()
            _open(call, report)
            report.write()
            _forget(call)
            if report.call is not None:
                naming.forget(call.row, report.call)

    def value_refused(self, error):
        found = call_names.refused_call(error) if vlog.is_on("dygraph_functions", 3) else None
        if found is not None:
            write_bar("dygraph_functions", f"Running_AD_API: {found[0]}")

    def composite_casts(self, policy, name, operands, target):
        say_composite(policy, name, operands, target)

    def step_began(self, rule, params):
        if vlog.is_on("dygraph_functions", 3):
            steps.begin(rule, params)

    def step_ended(self, rule, params, state):
        if vlog.is_on("dygraph_functions", 3):
            steps.end(rule, params, state)

    def leaf_made(self, meta):
        if vlog.is_on("accumulation_node", 5):
            eager_text.say_leaf(meta)


def _calls() -> list[events.Call]:
    """Return the running calls, without those during which the logs were switched off."""
    if _thread.epoch != vlog.epoch():
        _thread.epoch = vlog.epoch()
        _thread.calls.clear()
    return _thread.calls


def _forget(call: events.Call) -> None:
    """Remove a call, and calls left inside it, from the running ones."""
    calls = _thread.calls
    if calls and calls[-1] is call:
        calls.pop()
    elif call in calls:
        del calls[calls.index(call) :]


# ---- beginning


def _open(call: events.Call, report: _CallLines) -> None:
    """Write, once, that an API runs."""
    if report.is_open:
        return
    if report.method is not None:
        _say_method(report)
        eager_text.say_call(report.log, report.method, report.api.name)
    report.is_open = True
    _say_began(report)
    if report.levels.highest >= 5 or grad_mode.amp is not None:
        _say_amp(call, report)


def _say_began(report: _CallLines) -> None:
    """Keep the line that an API runs."""
    if report.levels[report.api.module] >= 3:
        report.lines.append(vlog.stamped(report.api.began))


def _say_method(report: _CallLines) -> None:
    """Write, once, the operator that called an op."""
    if report.method and not report.is_method_written:
        report.is_method_written = True
        report.log("eager_math_op_patch", 6, f"Running Eager {report.method}")


def _say_amp(call: events.Call, report: _CallLines) -> None:
    """Write how mixed precision applies to a call."""
    if isinstance(call.row, Source) and not call.operands:
        report.say(7, f" No AMP for {report.api.name}_ad_func because it has no input. ")
    elif call.is_inplace or call.row.api_name == "cast":
        report.say(
            5, f" No AMP for {report.api.name}_ad_func because it is a inplace or cast api. "
        )
    elif grad_mode.amp is not None and not isinstance(call.row, Source):
        policy = report.casts = grad_mode.amp
        report.is_cast = True
        report.say(5, "Check and Prepare For AMP")
        log_destination(report.log, policy, report.api.name)


def _say_inner(call: events.Call, inner: events.Call) -> None:
    """Write why a call begins inside another one that has not found its kernel yet."""
    if inner.row.api_name == "cast":
        _say_cast(call, inner)
    else:
        _say_method(call.notes["vlog"])


def _say_cast(call: events.Call, cast: events.Call) -> None:
    """Write that an operand of a call is about to be cast, and why."""
    report = call.notes["vlog"]
    _open(call, report)
    target = str(cast.attrs[0]) if cast.attrs else ""
    is_first, report.is_cast = not report.is_cast, True
    if report.casts is not None and target in (report.casts.dtype.name, "float32"):
        name = _operand_name(call, cast.operands[0])
        report.log("amp_utils", 6, cast_text(report.api.name, name, target))
    elif call.row.promote == "float":
        report.say(5, "math operation got integer input data type, run type autocast.")
        _warn_once(report, "math operation got integer input data type, run type autocast")
    elif is_first or report.casts is not None:
        report.casts = None
        text = "ot different data type, run type promotion automatically"
        _warn_once(report, ("g" if report.api.module == "multiply_fwd_func" else "G") + text)
        report.say(5, f"G{text}. The type after type promotion is {target}")


def _warn_once(report: _CallLines, text: str) -> None:
    """Write, once per op, that data types change."""
    if report.api.name not in _warned and vlog.is_on(report.api.module, vlog.WARNINGS):
        _warned.add(report.api.name)
        report.write()
        vlog.write(report.api.module, 0, f"{text}, this may cause data type been changed.", "W")


def _operand_name(call: events.Call, tensor) -> str:
    for operand, value in zip(call.row.operands, call.operands, strict=True):
        listed = value if isinstance(value, (list, tuple)) else (value,)
        if any(each is tensor for each in listed):
            return operand.name
    return ""


def _say_inputs(call: events.Call, report: _CallLines) -> None:
    """Write the conversions of the operands, and the operands."""
    if report.api.module == "dygraph_functions":
        if getattr(call.row, "promote", None) not in ("binary", "strict"):
            report.say(5, f" No Type Promotion for {report.api.name}_ad_func api. ")
        if call.row.api_name not in _AUTOCAST:
            report.say(5, f" No Type Autocast for {report.api.name}_ad_func api. ")
    level = report.levels[report.api.module]
    if level >= 11:
        report.write()  # values are waited for, and the device may fail
    report.say(5, f"{{ Input: {_inputs_text(call, report, level)}}} ")


def _say_node(call: events.Call, report: _CallLines) -> None:
    """Write which node will be created."""
    report.pointer = next_pointer()
    kind = call.row.grad_name
    report.log("grad_node_info", 7, "Construct GradNodeBase")
    if report.levels[report.api.module] >= 4:
        report.say(4, f"Create node {kind} addr {report.pointer:#x}")
    if is_captured():
        report.say(3, f"Capture the grad node{kind}({report.pointer:#x})for subgraph.")


# ---- the kernel


def _say_kernel(call: events.Call, report: _CallLines) -> None:
    """Write which kernel ran."""
    texts = [] if call.arrays else [key_text(call)]
    texts.append(call_text(call, report.api.labels))
    if call.kernel is not None:
        texts.append(cache_text(call))
    for text in texts:
        report.log("api", 4, text)
    if call.row.api_name in _VIEWS and not call.is_inplace:
        report.log("api", 5, _VIEW_TEXT)


# ---- the node


def _say_edges(node, report: _CallLines) -> None:
    """Write a line per edge of a new node; operands that are never differentiated count too."""
    is_unique = report.levels["grad_node_info"] >= 6
    start = 0
    for position, operand in enumerate(node.op.differentiable):
        rank = None if node.ranks is None else node.ranks[position]
        width = 1 if rank is None else rank
        for edge in node.edges[start : start + width]:
            if edge is not None:
                ends = [_label(each, is_unique) for each in (node, edge.node)]
                text = f"the Edge is from {ends[0]} to {ends[1]}"
                report.log("grad_node_info", 5, f"Add Edges for slot: {operand.slot}, {text}")
                report.log(
                    "grad_node_info", 7,
                    f"Resetting Edge({next_pointer():#x})'s Grad Node from nullptr(0) to "
                    f"{ends[1]}",
                )  # fmt: skip
        start += width
    report.log("grad_node_info", 7, "Set GradSlotMeta for Grad Inputs")


def _label(node, is_unique: bool) -> str:
    name = naming.node_name(node) if is_unique else node.name()
    return f"{name}({node.node_ptr():#x})"


# ---- inputs and outputs


def _block_text(call: events.Call, report: _CallLines, level: int) -> str:
    inputs, outputs = _inputs_text(call, report, level), _outputs_text(call, report, level)
    head = f"\nForward Debug Info {{\nAPI_Name: {report.call} \n"
    return f"{head}Input: {inputs}  \nOutput: {outputs} }} "


def _inputs_text(call: events.Call, report: _CallLines, level: int) -> str:
    level = max(level, report.levels["utils"])
    pairs = tensor_text.pairs_of(report.api.labels, call.operands, level)
    return tensor_text.list_text(pairs)


def _outputs_text(call: events.Call, report: _CallLines, level: int) -> str:
    """Return the outputs' block; hidden ones are included if they were computed for backward."""
    row, outputs, level = call.row, call.outputs, max(level, report.levels["utils"])
    pairs = tensor_text.pairs_of(row.outputs, [outputs] if row.returns_list else outputs, level)
    for name, array in zip(row.hidden, call.results[len(outputs) :], strict=False):
        if isinstance(array, jax.Array) and not row.returns_list:
            unique = naming.output_name(report.call or "", name, array)
            pairs.append(f"( {name} , {tensor_text.operand_text(array, level, unique)})")
    return tensor_text.list_text(pairs)


observer = _Writer()
_is_alone = False  # whether the writers of the log are the only observers


def _on_observers_changed() -> None:
    global _is_alone
    files = {type(each).__module__.removeprefix("jaxeager.debug.") for each in events.in_force()}
    _is_alone = files <= {"common.naming", "vlog.backward", "vlog.forward", "vlog.memory"}


events.on_change(_on_observers_changed)
