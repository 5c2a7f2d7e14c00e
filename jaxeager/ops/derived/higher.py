"""Gradients of gradients: the VJP of a row as an op with its own row.

Note [VJP rows]
    ``record_vjp`` runs a node's VJP through ``dispatch.call``, so it is recorded like any op. Its
    row takes the node's saved tensors, its scalars and the output gradients, returns the wanted
    input gradients as a list, and derives its own VJP. The row of that VJP is made in the same way,
    to any order.

    For a correct result each saved array must represent the right tensor. A saved input is the
    tensor that its edge belongs to. A saved output is the node's own output, even if other
    references to it exist. A hidden output that depends on differentiable inputs (a softmax inside
    a loss, the mean of a norm) is an additional output of the node: it gets a gradient like the
    others, and the row's ``hidden_vjp`` computes the inputs' gradients from it. Other hidden
    outputs (a dropout mask) are constants.

    A VJP row runs the kernel that a plain backward through the node runs, so a program with both
    compiles it once.
"""

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from jaxeager.graph import events
from jaxeager.graph.meta import AutogradMeta, Edge
from jaxeager.graph.mode import grad_mode
from jaxeager.graph.saved import recover
from jaxeager.ops.call import dispatch, gradient, kernels
from jaxeager.ops.row import DERIVED
from jaxeager.ops.rules.attrs import Static, Tensors
from jaxeager.ops.rules.gradient_names import base_of, gradient_node, recorded_op

if TYPE_CHECKING:
    from jaxeager.ops.call.types import Kernel


def record_vjp(row, node, grads: list) -> list:
    """Run the VJP of a node on Tensors, as a recorded op.

    Args:
        row: the node's row.
        node: a GradNode of that row.
        grads: a Tensor per output of the node, hidden ones last; None for an output without
            gradient.

    Returns:
        a Tensor per edge, None where no gradient is wanted.

    Raises:
        PermissionDeniedError: when a saved tensor was written in place since.
    """
    amp = grad_mode.amp
    if amp is not None:
        grad_mode.amp = None
    try:
        saved = recovered_tensors(row, node)
        if len(grads) > len(node.out_avals):
            return _with_hidden(row, node, saved, grads)
        return _visible(row, node, saved, grads)
    finally:
        if amp is not None:
            grad_mode.amp = amp


def _with_hidden(row, node, saved: list, grads: list) -> list:
    """Return the sum of the gradients from a node's visible outputs and from its hidden ones."""
    visible, hidden = grads[: len(node.out_avals)], grads[len(node.out_avals) :]
    results = _visible(row, node, saved, visible)
    if any(grad is not None for grad in hidden):
        avals = gradient.hidden_avals(row, node)
        douts = _filled(hidden, avals)
        more = _call_vjp(hidden_row(row), gradient.hidden_kernel, row, node, saved, douts)
        results = [_sum(a, b) for a, b in zip(results, more, strict=True)]
    return results


def _visible(row, node, saved: list, grads: list) -> list:
    """Return the inputs' gradients from a node's visible outputs; all None if those have none."""
    for grad in grads:
        if grad is not None:
            douts = _filled(grads, node.out_avals)
            return _call_vjp(vjp_row(row), gradient.visible_kernel, row, node, saved, douts)
    return [None] * len(node.edges)


def _sum(a, b):
    if a is None or b is None:
        return b if a is None else a
    return a + b


def _filled(grads: list, avals) -> list:
    """Return the gradients, with zeros for None."""
    return [
        dispatch.wrap(kernels.filled(aval, 0)) if grad is None else grad
        for grad, aval in zip(grads, avals, strict=True)
    ]


def _call_vjp(
    higher, kernel_of: "Callable[..., Kernel]", row, node, saved: list, grads: list
) -> list:
    """Call the row of a VJP and return its results per edge of the node.

    Args:
        higher: the row to call.
        kernel_of: the function of (row, node) that returns the kernel of a plain backward.
        row, node: the op, and its node.
        saved, grads: the saved tensors, and the gradients of the outputs.
    """
    attrs = (node.mask, node.attrs, gradient.shapes_of(node), node.ranks)
    if attrs not in higher.forward_kernels:
        higher.forward_kernels[attrs] = _Listed(kernel_of(row, node), row.returns_list)
    operands = (*saved, *node.scalars, *([grads] if row.returns_list else grads))
    made = dispatch.call(higher, operands, attrs)
    if events.vjp_ran is not None and made:
        events.vjp_ran(node, made, None if made[0]._meta is None else made[0]._meta.node)
    found = iter(made)
    return [next(found) if is_wanted else None for is_wanted in node.mask]


class _Listed:
    """A kernel of a plain backward as that of a VJP row: it returns the wanted gradients alone.

    Attributes:
        kernel: the function of (saved..., scalars..., output gradients...).
        takes_list: whether the row takes the output gradients as one list.
    """

    __slots__ = ("kernel", "takes_list")

    def __init__(self, kernel: "Kernel", takes_list: bool):
        self.kernel, self.takes_list = kernel, takes_list

    def __call__(self, *arrays):
        return tuple([grad for grad in self.kernel(*self._flat(arrays)) if grad is not None])

    def __getattr__(self, name: str):
        found = getattr(self.kernel, name)
        if name == "lower":
            return lambda *operands: found(*self._flat(operands))
        return found

    def _flat(self, operands: tuple) -> tuple:
        return (*operands[:-1], *operands[-1]) if self.takes_list else operands


# ---- the tensors of the saved arrays


def recovered_tensors(row, node) -> list:
    """Return a node's saved values as Tensors in their place in the graph: Note [VJP rows]."""
    return [_recovered(row, node, n, w) for n, w in zip(row.saves, node.saved, strict=True)]


def _recovered(row, node, name: str, wrapper):
    if wrapper is None:
        return None
    if type(wrapper) is list:
        edges = _edges_of(row, node, name)
        return [_tensor_at(recover(w, node, name), e) for w, e in zip(wrapper, edges, strict=True)]
    if name in row.slots:
        return _tensor_at(recover(wrapper, node, name), _edges_of(row, node, name)[0])
    slot = row.output_slots[name]
    if slot < len(row.outputs):
        array = recover(wrapper, node, name)
        # indices, for example of topk, are positions: constants
        is_index = jnp.issubdtype(array.dtype, jnp.integer)
        return _tensor_at(array, None if is_index else Edge(node, slot))
    if row.hidden_vjp is None:
        return _tensor_at(recover(wrapper, node, name), None)
    node.width = len(row.outputs) + len(row.hidden)
    return _tensor_at(recover(wrapper, node, name), Edge(node, slot))


def _tensor_at(array, edge: Edge | None):
    """Return a Tensor of an array whose gradient follows an edge."""
    tensor = dispatch.wrap(array)
    if edge is not None:
        tensor._meta = AutogradMeta(False, edge.node, edge.slot, edge.rank)
    return tensor


def _edges_of(row, node, name: str) -> list:
    """Return the edges of an operand's tensors; None for an operand without gradients."""
    start = 0
    for position, operand in enumerate(row.differentiable):
        width = None if node.ranks is None else node.ranks[position]
        count = 1 if width is None else width
        if operand.name == name:
            return list(node.edges[start : start + count])
        start += count
    wrapper = node.saved[row.saves.index(name)]
    return [None] * (len(wrapper) if type(wrapper) is list else 1)


# ---- the rows


def vjp_row(row):
    """Return the row of a row's VJP, which is made once."""
    if row.vjp_row is None:

        def forward(*arrays, _mask, _attrs, _shapes, _ranks):
            rule = kernels.vjp_rule(row, _attrs, _mask, _shapes, _ranks)
            if row.returns_list:
                arrays = (*arrays[:-1], *arrays[-1])
            return [grad for grad in rule(*arrays) if grad is not None]

        row.vjp_row = _make_row(row, forward, [f"d{name}" for name in row.outputs], "grad")
    return row.vjp_row


def hidden_row(row):
    """Return the row of the VJP of a row's hidden outputs, which is made once."""
    if row.hidden_row is None:

        def forward(*arrays, _mask, _attrs, _shapes, _ranks):
            rule = kernels.hidden_vjp_rule(row, _attrs, _mask, _shapes, _ranks)
            return [grad for grad in rule(*arrays) if grad is not None]

        names = [f"d{name}" for name in row.hidden]
        row.hidden_row = _make_row(row, forward, names, "hidden_grad")
    return row.hidden_row


def _make_row(row, forward, grads: list[str], suffix: str):
    """Make the OpRow of a VJP, whose results are one list.

    It saves all operands. Where only the gradients are tensors, as in the VJP of a reshape, their
    shapes are enough, because a VJP is linear in them.
    """
    forward.__signature__ = _signature(row, grads)  # type: ignore[attr-defined]
    forward.differentiates = row  # for ops/call/kernels.py
    order, is_visible = row.order + 1, suffix == "grad"
    api_name = recorded_op(row.api_name) if is_visible else f"{row.api_name}_{suffix}"
    base_name = base_of(api_name, row.base_name)
    return type(row)(
        name=f"{row.name}_{suffix}",
        forward=forward,
        vjp=DERIVED,
        saves=(*row.saves, *row.scalars, *(grads if row.saves else ())),
        shapes=() if row.saves else tuple(grads),
        outputs=(f"grads{order}",),
        returns_list=True,
        nondiff=frozenset(row.scalars),
        grad_name=gradient_node(api_name, base_name, order),
        base_name=base_name,
        api_name=api_name,
        order=order,
        host_on=row.host_on,
    )


def _signature(row, grads: list[str]) -> inspect.Signature:
    """Return a signature of positional tensors, scalars and gradients, and static keywords."""
    kinds = {operand.name: operand for operand in row.operands}
    parameters = []
    for name in (*row.saves, *row.scalars, *grads):
        operand = kinds.get(name)
        is_list = operand.is_list if operand is not None else name in grads and row.returns_list
        is_list = is_list or (name in row.outputs and row.returns_list)
        parameters.append(
            inspect.Parameter(
                name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                annotation=Tensors if is_list else inspect.Parameter.empty,
                default=None if _may_be_none(row, name, operand) else inspect.Parameter.empty,
            )
        )
    kind = inspect.Parameter.KEYWORD_ONLY
    static = ("_mask", "_attrs", "_shapes", "_ranks")
    parameters += [inspect.Parameter(name, kind, annotation=Static) for name in static]
    # Python requires defaults last; here a default only means that the operand may be None.
    signature: Any = inspect.Signature.__new__(inspect.Signature)
    signature.__init__(parameters, __validate_parameters__=False)
    return signature


def _may_be_none(row, name: str, operand) -> bool:
    return name in row.scalars or (operand is not None and operand.is_optional)
