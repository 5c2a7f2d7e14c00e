"""Forward mode: tangents propagate through a recorded graph in the order of its values.

Note [Forward mode]
    The map of a node from input tangents to output tangents is the transpose of its VJP, so the two
    modes also agree where a derivative is a matter of choice (``relu`` at 0, ``max`` of equal
    elements). It is one kernel per node: the VJP of the VJP row (ops/derived/higher.py) with
    respect to the output gradients alone, in which it is linear. That is an op like any other,
    recorded when grad mode is on, so results can be differentiated again, also with respect to
    tensors that were not passed to the function. A node without a row (a PyLayer) is transposed by
    differentiating its own backward.
"""

from collections.abc import Iterator, Sequence

import jax.numpy as jnp

import jaxeager as paddle
from jaxeager.graph.hooks import run_on_tensors
from jaxeager.graph.meta import Edge
from jaxeager.graph.mode import grad_mode
from jaxeager.graph.node import gradient_edge
from jaxeager.graph.partial import NodeOutput, place_of
from jaxeager.ops.call import dispatch
from jaxeager.ops.call.gradient import shapes_of
from jaxeager.ops.call.kernels import filled, key_of
from jaxeager.ops.derived.higher import recovered_tensors, vjp_row
from jaxeager.ops.row import OpRow


def push_forward(outputs: Sequence, inputs: Sequence, tangents: Sequence) -> list:
    """Return the tangents of outputs for given tangents of the inputs.

    Args:
        outputs: Tensors that were computed from the inputs, by recorded ops.
        inputs: Tensors that require gradients; nodes upstream of them are not visited.
        tangents: a Tensor per input, of its shape and dtype.

    Returns:
        a Tensor per output; None if it does not depend on the inputs.

    Raises:
        FatalError: when a node on the path was run and released.
        PermissionDeniedError: when a tensor that a node saved was written in place.
    """
    places = [place_of(gradient_edge(tensor._meta)) for tensor in inputs]
    moved: dict[NodeOutput, paddle.Tensor] = dict(zip(places, tangents, strict=True))
    edges = [_edge_of(tensor) for tensor in outputs]
    for node in nodes_in_order([edge.node for edge in edges if edge], {node for node, _ in places}):
        arrived = [edge and moved.get(place_of(edge)) for edge in node.edges]
        if any(tangent is not None for tangent in arrived):
            for position, tangent in enumerate(push_node(node, arrived)):
                if tangent is not None:
                    moved[node, position] = tangent
    return [edge and moved.get(place_of(edge)) for edge in edges]


def _edge_of(tensor) -> Edge | None:
    """Return the edge of a tensor that a node produced; None for any other."""
    meta = tensor._meta
    return None if meta is None or meta.node is None or meta.stop_gradient else meta


def nodes_in_order(roots: Sequence, first: set) -> Iterator:
    """Yield the nodes upstream of the roots in topological order, without those in first."""
    seen = set(first)
    for root in roots:
        if root in seen:
            continue
        seen.add(root)
        path = [(root, iter(root.edges))]
        while path:
            node, edges = path[-1]
            following = next((e.node for e in edges if e is not None and e.node not in seen), None)
            if following is None:
                path.pop()
                yield node
            else:
                seen.add(following)
                path.append((following, iter(following.edges)))


def push_node(node, tangents: list) -> list:
    """Return the tangent of each output of a node, from those of its inputs; None means zero."""
    if node.released:
        node.raise_released()
    if isinstance(node.op, OpRow):
        return _push_row(node.op, node, tangents)
    return _push_any(node, tangents)


def _push_row(row: OpRow, node, tangents: list) -> list:
    """Run the JVP of a node of a row: see Note [Forward mode]."""
    linear = vjp_row(row)
    is_moving = tuple([tangent is not None for tangent in tangents])
    amp, grad_mode.amp = grad_mode.amp, None
    try:
        saved = recovered_tensors(row, node)
        operands = [*saved, *node.scalars]
        grads = [node.out_avals] if row.returns_list else [*node.out_avals]
        wanted = [jnp.issubdtype(aval.dtype, jnp.inexact) for aval in node.out_avals]
        mask, ranks = _linear_in(linear, [*operands, *grads], len(operands), wanted)
        kinds = tuple([key_of(each) for each in grads]) if linear.shapes else ()
        if not linear.shapes:
            zeros = [dispatch.wrap(filled(aval, 0)) for aval in node.out_avals]
            operands += [zeros] if row.returns_list else zeros
        static = (mask, (is_moving, node.attrs, shapes_of(node), node.ranks), kinds, ranks)
        moving = [tangent for tangent in tangents if tangent is not None]
        found = iter(dispatch.call(vjp_row(linear), (*operands, moving), static))
    finally:
        grad_mode.amp = amp
    return [next(found) if is_wanted else None for is_wanted in wanted]


def _linear_in(linear: OpRow, operands: list, count: int, wanted: list[bool]) -> tuple:
    """Return mask and ranks of a VJP row's operands: only those after ``count`` are needed."""
    mask: list = []
    ranks: list = []
    flat = iter(wanted)
    for operand in linear.differentiable:
        value = operands[operand.slot]
        width = len(value) if operand.is_list and value is not None else None
        ranks.append(width)
        for _ in range(1 if width is None else width):
            mask.append(next(flat) if operand.slot >= count else False)
    return tuple(mask), tuple(ranks) if linear.has_lists else None


def _push_any(node, tangents: list) -> list:
    """Transpose a node without a row by differentiating its backward."""
    seeds = []
    for aval in node.out_avals:
        seed = dispatch.wrap(filled(aval, 0))
        seed.stop_gradient = False
        gradient_edge(seed._meta)  # pyright: ignore[reportArgumentType]  # it wants a gradient
        seeds.append(seed)
    made = run_on_tensors(node, seeds, create_graph=True, retain_graph=True)
    pairs = [
        (grad, tangent)
        for grad, tangent in zip(made, tangents, strict=True)
        if grad is not None and tangent is not None and not grad.stop_gradient
    ]
    if not pairs:
        return [None] * len(seeds)
    grads, moving = (list(column) for column in zip(*pairs, strict=True))
    return paddle.grad(grads, seeds, moving, create_graph=True, allow_unused=True)
