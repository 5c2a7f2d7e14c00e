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


class _Said:
    """The state of the lines of a call.

    Attributes:
        api: the shared parts of all calls of its API.
        levels: the levels of this thread at the beginning of the current event.
        lines: lines from ``vlog.stamped``, which the next ``write`` writes.
        method: the operator's method it was called by, "" for none; None when it is not shown.
        is_method_said: whether that was written.
        is_open: whether the line that it runs was written. Conversions of numbers precede it.
        casts: the mixed precision policy while it casts operands; None before and after.
        is_cast: whether an operand was cast, so that the line that it runs is repeated.
        call: its name with the counter.
        pointer: the number its node will have.
    """

    method: str | None = None
    casts: Any = None
    is_cast = is_open = is_method_said = False
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
        said = call.notes["vlog"] = _Said(call, levels)
        calls = _calls()
        is_inner = bool(calls) and calls[-1].kernel is None
        if calls:
            outer = calls[-1].notes["vlog"]
            outer.levels = levels
            if is_inner:
                _say_inner(calls[-1], call)
            outer.write()
        if not is_inner and max(levels["ops_api"], levels["eager_math_op_patch"]) >= 6:
            said.method = eager_text.method(call.row.api_name)
        calls.append(call)

    def operands_ready(self, call):
        said = call.notes.get("vlog")
        if said is None:
            return
        levels = said.levels = vlog.levels()
        _open(call, said)
        said.casts = None
        if said.is_cast:
            _say_began(said)
        if levels.highest >= 5:
            if levels[said.api.module] >= 5:
                _say_inputs(call, said)
            if call.row.is_differentiable and not grad_mode.enabled:
                said.log("utils", 6, "Do not require grad because trace_backward = false")
        if call.is_recorded and (levels.highest >= 4 or is_captured()):
            _say_node(call, said)

    def kernel_found(self, call):
        said = call.notes.get("vlog")
        if said is None:
            vlog_backward.name_gradient(call)
            return
        levels = said.levels = vlog.levels()
        if levels.highest < vlog.LOWEST:
            return
        said.call = naming.name_of_running(call)
        said.say_kernel(said.api.runs)
        if levels["kernel_dispatch"] >= 10:
            for text in dispatch_texts(call.arrays):
                said.log("kernel_dispatch", 10, text)
        if levels["api"] >= 4 and call.arrays:
            said.log("api", 4, key_text(call))
        said.write()

    def kernel_finished(self, call):
        said = call.notes.get("vlog")
        if said is None:
            return
        levels = said.levels = vlog.levels()
        if levels["api"] >= 4:
            _say_kernel(call, said)
        if levels["dense_tensor"] >= 6:
            for array in call.results:
                size = getattr(array, "nbytes", 0)
                said.log("dense_tensor", 6, f"Allocate data with bytes: {size}")
        said.say_kernel(said.api.finishes)
        if not _is_alone or grad_mode.saved_hooks is not None:
            said.write()

    def node_made(self, call):
        said = call.notes.get("vlog")
        if said is not None and said.pointer is not None and not hasattr(call.node, "pointer"):
            call.node.pointer = said.pointer
        eager_text.number_leaves(call.node)

    def call_ended(self, call):
        said, levels = call.notes.get("vlog"), vlog.levels()
        if call.node is not None and levels["tensor_wrapper"] >= 6:
            vlog_nodes.remember(call.node, call.operands)
        if said is None:
            return
        _forget(call)
        said.levels = levels
        level = levels[said.api.module]
        if call.is_inplace and call.row.is_differentiable:
            name = tensor_text.shown_name(call.outputs[0], level)
            said.say(3, f"Tensor({'' if name == 'None' else name}) uses Inplace Strategy.")
        if call.node is not None and levels["grad_node_info"] >= 5:
            _say_edges(call.node, said)
        if level >= 11:
            said.write()  # values are waited for, and the device may fail
        if level >= 3:
            found = [vlog.line_of(said.api.module, _block_text(call, said, level)), said.api.ended]
            found = found if call.row.is_differentiable else found[::-1]
            said.lines += map(vlog.stamped, found)
        said.write()

    def call_failed(self, call, error):
        said = call.notes.get("vlog")
        if said is not None:
            said.levels = vlog.levels()
            _open(call, said)
            said.write()
            _forget(call)
            if said.call is not None:
                naming.forget(call.row, said.call)

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


def _open(call: events.Call, said: _Said) -> None:
    """Write, once, that an API runs."""
    if said.is_open:
        return
    if said.method is not None:
        _say_method(said)
        eager_text.say_call(said.log, said.method, said.api.name)
    said.is_open = True
    _say_began(said)
    if said.levels.highest >= 5 or grad_mode.amp is not None:
        _say_amp(call, said)


def _say_began(said: _Said) -> None:
    """Keep the line that an API runs."""
    if said.levels[said.api.module] >= 3:
        said.lines.append(vlog.stamped(said.api.began))


def _say_method(said: _Said) -> None:
    """Write, once, the operator that called an op."""
    if said.method and not said.is_method_said:
        said.is_method_said = True
        said.log("eager_math_op_patch", 6, f"Running Eager {said.method}")


def _say_amp(call: events.Call, said: _Said) -> None:
    """Write how mixed precision applies to a call."""
    if isinstance(call.row, Source) and not call.operands:
        said.say(7, f" No AMP for {said.api.name}_ad_func because it has no input. ")
    elif call.is_inplace or call.row.api_name == "cast":
        said.say(5, f" No AMP for {said.api.name}_ad_func because it is a inplace or cast api. ")
    elif grad_mode.amp is not None and not isinstance(call.row, Source):
        policy = said.casts = grad_mode.amp
        said.is_cast = True
        said.say(5, "Check and Prepare For AMP")
        log_destination(said.log, policy, said.api.name)


def _say_inner(call: events.Call, inner: events.Call) -> None:
    """Write why a call begins inside another one that has not found its kernel yet."""
    if inner.row.api_name == "cast":
        _say_cast(call, inner)
    else:
        _say_method(call.notes["vlog"])


def _say_cast(call: events.Call, cast: events.Call) -> None:
    """Write that an operand of a call is about to be cast, and why."""
    said = call.notes["vlog"]
    _open(call, said)
    target = str(cast.attrs[0]) if cast.attrs else ""
    is_first, said.is_cast = not said.is_cast, True
    if said.casts is not None and target in (said.casts.dtype.name, "float32"):
        name = _operand_name(call, cast.operands[0])
        said.log("amp_utils", 6, cast_text(said.api.name, name, target))
    elif call.row.promote == "float":
        said.say(5, "math operation got integer input data type, run type autocast.")
        _warn_once(said, "math operation got integer input data type, run type autocast")
    elif is_first or said.casts is not None:
        said.casts = None
        text = "ot different data type, run type promotion automatically"
        _warn_once(said, ("g" if said.api.module == "multiply_fwd_func" else "G") + text)
        said.say(5, f"G{text}. The type after type promotion is {target}")


def _warn_once(said: _Said, text: str) -> None:
    """Write, once per op, that data types change."""
    if said.api.name not in _warned and vlog.is_on(said.api.module, vlog.WARNINGS):
        _warned.add(said.api.name)
        said.write()
        vlog.write(said.api.module, 0, f"{text}, this may cause data type been changed.", "W")


def _operand_name(call: events.Call, tensor) -> str:
    for operand, value in zip(call.row.operands, call.operands, strict=True):
        listed = value if isinstance(value, (list, tuple)) else (value,)
        if any(each is tensor for each in listed):
            return operand.name
    return ""


def _say_inputs(call: events.Call, said: _Said) -> None:
    """Write the conversions of the operands, and the operands."""
    if said.api.module == "dygraph_functions":
        if getattr(call.row, "promote", None) not in ("binary", "strict"):
            said.say(5, f" No Type Promotion for {said.api.name}_ad_func api. ")
        if call.row.api_name not in _AUTOCAST:
            said.say(5, f" No Type Autocast for {said.api.name}_ad_func api. ")
    level = said.levels[said.api.module]
    if level >= 11:
        said.write()  # values are waited for, and the device may fail
    said.say(5, f"{{ Input: {_inputs_text(call, said, level)}}} ")


def _say_node(call: events.Call, said: _Said) -> None:
    """Write which node will be created."""
    said.pointer = next_pointer()
    kind = call.row.grad_name
    said.log("grad_node_info", 7, "Construct GradNodeBase")
    if said.levels[said.api.module] >= 4:
        said.say(4, f"Create node {kind} addr {said.pointer:#x}")
    if is_captured():
        said.say(3, f"Capture the grad node{kind}({said.pointer:#x})for subgraph.")


# ---- the kernel


def _say_kernel(call: events.Call, said: _Said) -> None:
    """Write which kernel ran."""
    texts = [] if call.arrays else [key_text(call)]
    texts.append(call_text(call, said.api.labels))
    if call.kernel is not None:
        texts.append(cache_text(call))
    for text in texts:
        said.log("api", 4, text)
    if call.row.api_name in _VIEWS and not call.is_inplace:
        said.log("api", 5, _VIEW_TEXT)


# ---- the node


def _say_edges(node, said: _Said) -> None:
    """Write a line per edge of a new node; operands that are never differentiated count too."""
    is_unique = said.levels["grad_node_info"] >= 6
    start = 0
    for position, operand in enumerate(node.op.differentiable):
        rank = None if node.ranks is None else node.ranks[position]
        width = 1 if rank is None else rank
        for edge in node.edges[start : start + width]:
            if edge is not None:
                ends = [_label(each, is_unique) for each in (node, edge.node)]
                text = f"the Edge is from {ends[0]} to {ends[1]}"
                said.log("grad_node_info", 5, f"Add Edges for slot: {operand.slot}, {text}")
                said.log(
                    "grad_node_info", 7,
                    f"Resetting Edge({next_pointer():#x})'s Grad Node from nullptr(0) to "
                    f"{ends[1]}",
                )  # fmt: skip
        start += width
    said.log("grad_node_info", 7, "Set GradSlotMeta for Grad Inputs")


def _label(node, is_unique: bool) -> str:
    name = naming.node_name(node) if is_unique else node.name()
    return f"{name}({node.node_ptr():#x})"


# ---- inputs and outputs


def _block_text(call: events.Call, said: _Said, level: int) -> str:
    inputs, outputs = _inputs_text(call, said, level), _outputs_text(call, said, level)
    return (
        f"\nForward Debug Info {{\nAPI_Name: {said.call} \nInput: {inputs}  \nOutput: {outputs} }} "
    )


def _inputs_text(call: events.Call, said: _Said, level: int) -> str:
    level = max(level, said.levels["utils"])
    pairs = tensor_text.pairs_of(said.api.labels, call.operands, level)
    return tensor_text.list_text(pairs)


def _outputs_text(call: events.Call, said: _Said, level: int) -> str:
    """Return the outputs' block; hidden ones are included if they were computed for backward."""
    row, outputs, level = call.row, call.outputs, max(level, said.levels["utils"])
    pairs = tensor_text.pairs_of(row.outputs, [outputs] if row.returns_list else outputs, level)
    for name, array in zip(row.hidden, call.results[len(outputs) :], strict=False):
        if isinstance(array, jax.Array) and not row.returns_list:
            unique = naming.output_name(said.call or "", name, array)
            pairs.append(f"( {name} , {tensor_text.operand_text(array, level, unique)})")
    return tensor_text.list_text(pairs)


observer = _Writer()
_is_alone = False  # whether the writers of the log are the only observers


def _on_observers_changed() -> None:
    global _is_alone
    files = {type(each).__module__.removeprefix("jaxeager.debug.") for each in events.in_force()}
    _is_alone = files <= {"common.naming", "vlog.backward", "vlog.forward", "vlog.memory"}


events.on_change(_on_observers_changed)
