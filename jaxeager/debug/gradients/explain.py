"""The chain rule of a loss with its numbers: node by node, the rule and its result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.debug.gradients.nodes import brief, input_names, saved_values, title_of
from jaxeager.debug.gradients.stepping import steps_of
from jaxeager.errors import InvalidArgumentError, PermissionDeniedError
from jaxeager.graph import events
from jaxeager.graph.grad_tensor_holder import add_arrays

if TYPE_CHECKING:
    from jaxeager.tensor import Tensor


def explain(loss: Tensor, grad_tensor: Tensor | None = None) -> str:
    """Return the backward of a tensor as text: each node's rule, its operands and its results.

    Rules are those of the op table ("dx = dout * y"); numbers are those of this graph, the first of
    each array. The last lines show the gradient of each leaf. Nothing is changed; hooks are not
    run.

    Args:
        loss: a Tensor whose graph has not been released.
        grad_tensor: the gradient to start from; ones by default.

    Raises:
        InvalidArgumentError: when no recorded op made the tensor.
        FatalError: when its graph has run and was released.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager import debug
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> x.name = "x"
        >>> print(debug.explain((x * x).sum()))
        SumGradNode: dx = dout, broadcast to x
          dout = float32[] 1
          dx   = float32[2] [1 1]
        MultiplyGradNode: dx = dout * conj(y); dy = dout * conj(x)
          dout = float32[2] [1 1]
          x    = float32[2] [1 2]
          y    = float32[2] [1 2]
          dx   = float32[2] [1 2]
          dy   = float32[2] [1 2]
        x.grad = float32[2] [2 4], from 2 parts
    """
    if loss.stop_gradient or loss.is_leaf:
        raise InvalidArgumentError(
            "explain needs a tensor with a graph, but no recorded op made this one."
        )
    lines: list[str] = []
    leaves: dict = {}
    with events.silent():
        for node, received, made in steps_of(loss, grad_tensor):
            lines += _node_lines(node, received, made)
            for edge, grad in zip(node.edges, made, strict=False):
                if edge is not None and edge.node.is_leaf and grad is not None:
                    leaves.setdefault(edge.node, []).append(grad)
    return "\n".join(lines + [_leaf_line(leaf, parts) for leaf, parts in leaves.items()])


def _node_lines(node, received: list, made: list) -> list[str]:
    formula = getattr(node.op, "formula", "")
    head = title_of(node)
    pairs = [(f"d{name}", grad) for name, grad in zip(_outputs(node), received, strict=False)]
    try:
        pairs += saved_values(node).items()
    except PermissionDeniedError:
        head += " (a tensor that it saved was written in place since)"
    pairs += [
        (f"d{name}", grad)
        for name, edge, grad in zip(input_names(node), node.edges, made, strict=False)
        if edge is not None
    ]
    width = max((len(name) for name, _ in pairs), default=0)
    lines = [f"{head}: {formula}" if formula else head]
    return lines + [f"  {name:{width}} = {brief(value)}" for name, value in pairs]


def _outputs(node) -> list[str]:
    names: list[str] = [*getattr(node.op, "outputs", ()), *getattr(node.op, "hidden", ())]
    if node.op.returns_list or len(names) < node.width:
        stem = names[0] if names else "out"
        return [stem if node.width == 1 else f"{stem}{k}" for k in range(node.width)]
    return names


def _leaf_line(leaf, parts: list) -> str:
    total = parts[0]
    for part in parts[1:]:
        total = add_arrays(total, part)
    name = title_of(leaf).removeprefix("GradNodeAccumulation of ").split(" at ")[0]
    count = "" if len(parts) == 1 else f", from {len(parts)} parts"
    return f"{name}.grad = {brief(total)}{count}"
