"""Sites: the op that made an array, its inputs, and the report on the array.

A check inspects thousands of arrays and reports few, so a site is only created for a report.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from jaxeager.debug.common import naming
from jaxeager.debug.numbers.precision_text import counts_text, device_text, head_text, number_text
from jaxeager.debug.numbers.statistics import Statistics, first_bad, has_statistics, statistics_of
from jaxeager.debug.stacks.stacks import ForwardStack, stack_text, walk

if TYPE_CHECKING:
    import jax

    from jaxeager.debug.stacks.types import Walked
    from jaxeager.graph.types import Node

FILLS = frozenset(
    "full full_like full_with_tensor empty_like fill fill_diagonal fill_diagonal_tensor set_value "
    "masked_fill index_fill full_".split()
)
CHOOSERS = frozenset(["expand", "set_value_with_tensor", "where"])  # fills if an input is all Inf
_GENERATED = re.compile(r"(generated_tensor|eager_tmp|unnamed)_\d+$")
_GRADS = ("_grad", "_double_grad", "_triple_grad")
_REPAIRS = frozenset(["nan_to_num", "nan_to_num_"])


class Site(NamedTuple):
    """The origin of an array.

    Attributes:
        op: the op's name in the report.
        tensor: the array's name.
        inputs: (name, array) of the op's inputs.
        note: a sentence on the origin, if it is not an op.
        only_bad: whether a report of all arrays omits it, as in Paddle.
        is_fill: whether the op writes a number that the user passed, so an infinity is intended.
        is_repair: whether it is a step of replacing non-finite values.
        node: the node that made a gradient.
        walked: the stack of the call of an op.
    """

    op: str
    tensor: str
    inputs: tuple = ()
    note: str = ""
    only_bad: bool = False
    is_fill: bool = False
    is_repair: bool = False
    node: Node | None = None
    walked: Walked | None = None


# ---- names of ops


def op_name(row, is_inplace: bool = False) -> str:
    """Return Paddle's kernel name of a call: "add", "add_", "add_grad", "add_double_grad"."""
    order = getattr(row, "order", 1) - 1
    if order:
        return _plain(row) + _GRADS[min(order, 3) - 1]
    return row.name + "_" if is_inplace and not row.name.endswith("_") else row.name


def grad_op_name(row) -> str:
    """Return Paddle's name of the op that a node of a row runs: "sqrt_grad"."""
    return _plain(row) + _GRADS[min(getattr(row, "order", 1), 3) - 1]


def _plain(row) -> str:
    """Return the name of the forward op of a row, which may be a derivative of it."""
    name = row.name
    for _ in range(getattr(row, "order", 1) - 1):
        name = name.removesuffix("_grad").removesuffix("_hidden")
    return name


# ---- forward


class Call(NamedTuple):
    """A call of an op whose outputs are checked.

    Attributes:
        row: the op, or a Source.
        operands: its operands.
        is_inplace: whether it writes into the first operand.
        target: the name of the tensor it writes in place, else "".
        name: its counted name, if names are in use.
        walked: its stack; None until these three fields are filled.
    """

    row: Any
    operands: tuple
    is_inplace: bool
    target: str = ""
    name: str | None = None
    walked: Any = None


def filled_call(call: Call) -> Call:
    """Return a running call with all fields filled; later writes do not change its arrays."""
    return Call(
        call.row,
        _arrays_of(call.operands),
        call.is_inplace,
        naming.name_of(call.operands[0]) if call.is_inplace else "",
        naming.running_call(call.row, call.is_inplace),
        walk(),
    )


def _arrays_of(operands) -> tuple:
    return tuple(
        [
            _arrays_of(each) if isinstance(each, (list, tuple)) else getattr(each, "_array", each)
            for each in operands
        ]
    )


class Output(NamedTuple):
    """An output of a call; calling it returns its site."""

    call: Call
    position: int
    array: jax.Array

    def __call__(self) -> Site:
        """Return the site; a call that is not filled must still be running."""
        call = filled_call(self.call) if self.call.walked is None else self.call
        label = naming.output_labels(call.row, self.position + 1)[self.position]
        name = "" if call.name is None else naming.output_name(call.name, label, self.array)
        inputs = _given_arrays(call.row, call.operands)
        return Site(
            op_name(call.row, call.is_inplace),
            name or call.target or label,
            inputs,
            is_fill=_is_fill(call.row, inputs),
            is_repair=_is_repair(call.walked.raw_frames()[0]),
            walked=call.walked,
        )


def _given_arrays(row, operands: tuple) -> tuple:
    """Return (name, array) of the operands of a call, with lists flattened."""
    found = []
    for operand, value in zip(row.operands, operands, strict=False):
        if isinstance(value, tuple):
            found += [(f"{operand.name}[{rank}]", each) for rank, each in enumerate(value)]
        else:
            found.append((operand.name, value))
    return tuple(found)


def _is_fill(row, inputs: tuple) -> bool:
    """Return whether an op writes a number that was passed to it."""
    if row.name in FILLS:
        return True
    if row.name not in CHOOSERS:
        return False
    known = [statistics_of(a) for _, a in inputs if has_statistics(a) and not _is_gone(a)]
    return any(found.num_inf == found.numel for found in known)


def _is_repair(codes: list) -> bool:
    """Return whether a call is a step of ``nan_to_num``, by the code objects of its stack."""
    return any(
        code.co_name in _REPAIRS and code.co_filename.endswith("composite_functions.py")
        for code in codes
    )


# ---- backward


def gradient_name(node, position: int) -> str:
    """Return the name of the gradient a node makes for its edge number ``position``."""
    edge = node.edges[position]
    name = "" if edge is None else _kept_name(naming.edge_name(edge))
    return f"{name or _edge_labels(node)[position]}@Grad"


def _kept_name(name: str) -> str:
    """Return a name, or "" if it contains a number that differs from run to run."""
    return "" if _GENERATED.match(name) else name


def arriving_name(node, position: int) -> str:
    """Return the name of the gradient that an output of a node receives."""
    name = _kept_name(naming.place_name(node, position))
    if not name and is_of_row(node):
        has_labels = hasattr(node.op, "outputs")  # a JAX function may have any number of outputs
        labels = naming.output_labels(node.op, position + 1) if has_labels else ()
        name = labels[position] if labels else f"out{position}"
    return f"{name or ('leaf' if node.is_leaf else 'out')}@Grad"


def is_of_row(node) -> bool:
    """Return whether a node belongs to an op of the table or to a JAX function, not a PyLayer."""
    return not node.is_leaf and hasattr(node.op, "differentiable")


def _edge_labels(node) -> list[str]:
    """Return the names of the operands of a node's edges."""
    count = len(node.edges)
    if not is_of_row(node):
        return [f"input{position}" for position in range(count)]
    names = [operand.name for operand in node.op.differentiable]
    if node.ranks is not None:
        pairs = zip(names, node.ranks, strict=False)
        names = [
            name if rank is None else f"{name}_{each}"
            for name, rank in pairs
            for each in range(1 if rank is None else rank)
        ]
    return names + [f"input{position}" for position in range(len(names), count)]


def gradient_site(node, position: int, grads: list, saved: tuple) -> Site:
    """Return the site of a gradient that a node made.

    Args:
        node: the node that has run.
        position: which of its edges the gradient flows along.
        grads: the gradients it received.
        saved: its saved values, as the node keeps them.
    """
    arrived = tuple((arriving_name(node, k), grad) for k, grad in enumerate(grads))
    op = grad_op_name(node.op) if is_of_row(node) else node.name()
    note = "" if is_of_row(node) else f"The backward of {node.name()} returned it."
    if node.hooks is not None and node.hooks.post:
        note += f" {node.name()} has post hooks, which may have changed it."
    inputs = arrived + _saved_arrays(node, saved)
    name = gradient_name(node, position)
    return Site(op, name, inputs, note.strip(), not is_of_row(node), node=node)


def _saved_arrays(node, saved: tuple) -> tuple:
    """Return (name, array) of the values that a node of a row has saved."""
    found = []
    for name, wrapper in zip(getattr(node.op, "saves", ()), saved, strict=False):
        for each in wrapper if type(wrapper) is list else (wrapper,):
            if isinstance(each, tuple) and hasattr(each[0], "aval"):
                found.append((f"saved {name}", each[0]))
    return tuple(found)


# ---- the report


class Report(NamedTuple):
    """The report on one array.

    Attributes:
        head: device, op, tensor and dtype.
        found: its statistics.
        site: its origin.
    """

    head: str
    found: Statistics
    site: Site


def report_of(array, site: Site) -> Report:
    """Compute the report on an array."""
    head = head_text(device_text(array), site.op, site.tensor, array.dtype)
    return Report(head, statistics_of(array), site)


def gone_message(site: Site, array) -> str:
    """Return the error text for an array whose memory has been donated."""
    head = f"[op={site.op}, tensor={site.tensor}, dtype={array.dtype.name}]"
    lines = [f"There are NAN or INF in {head}.", "  Its memory was donated, nothing is counted."]
    return "\n".join(lines + _stack_lines(site))


def message_of(report: Report, array, is_late: bool = False) -> str:
    """Return the error text: Paddle's sentence, the first bad element, and its origin.

    Args:
        report: the result of ``report_of``.
        array: the array.
        is_late: whether the error is raised elsewhere, so that it must include the stack.
    """
    lines = [f"There are NAN or INF ({counts_text(report.found)}) in {report.head}."]
    index, element = first_bad(array)
    lines += [f"  The first is {element}, at {list(index)} of shape {list(array.shape)}."]
    lines += [f"  {each}" for each in (report.site.note, _origin(report.site)) if each]
    return "\n".join(lines + (_stack_lines(report.site) if is_late else []))


def _stack_lines(site: Site) -> list[str]:
    """Return the forward stack of an op that is no longer running."""
    if site.walked is not None:
        text = ForwardStack(site.walked).format()
    else:
        text = "" if site.node is None else stack_text(site.node)
    return ["  Forward Traceback (most recent call last):", text.rstrip("\n")] if text else []


def _origin(site: Site) -> str:
    """Return a sentence on whether the inputs contained it or the op made it."""
    known = [pair for pair in site.inputs if has_statistics(pair[1]) and not _is_gone(pair[1])]
    seen = [(name, statistics_of(array)) for name, array in known]
    bad = [f"{name} ({counts_text(found)})" for name, found in seen if found.is_bad]
    if bad:
        return f"It was already in {', '.join(bad)}."
    if not seen:
        return "" if site.note else "It was made here: no input can have contained it."
    ranges = [
        f"{name} (max={number_text(found.max)}, min={number_text(found.min)})"
        for name, found in seen
    ]
    return f"It was made here, from finite inputs: {', '.join(ranges)}."


def _is_gone(array) -> bool:
    return array.is_deleted() if hasattr(array, "is_deleted") else False
