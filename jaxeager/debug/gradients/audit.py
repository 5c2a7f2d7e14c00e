"""Checks every node's rule on its own values: against jax.vjp, and against finite differences.

Note [Two references]
    A rule is compared, element by element, with ``jax.vjp`` of the node's own forward kernel in
    float64, and along random directions with the central difference of that kernel, which uses no
    rule at all. If the two references disagree, the difference decides: a forward kernel may have
    a custom rule. If the difference itself is not stable (a kink, a tie, a step), the node is not
    judged. The forward of a PyLayer is Python, so there only the difference is available.

Note [Operands]
    A node keeps what its rule needs, which may be less than the operands of its forward. In a
    captured step all operands are available ("live"). Without one, only the saved operands are;
    operands of which the rule only knows the shape may have any value, and are drawn ("drawn").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.core.error_lines import named_first_line
from jaxeager.debug.gradients.captured import CapturedStep
from jaxeager.debug.gradients.nodes import input_names, saved_values, title_of
from jaxeager.debug.gradients.stepping import steps_of
from jaxeager.errors import InvalidArgumentError
from jaxeager.graph import events
from jaxeager.graph.mode import grad_mode
from jaxeager.graph.pylayer import GradNodePyLayer
from jaxeager.ops.call import dispatch
from jaxeager.ops.call.kernels import forward_rule

if TYPE_CHECKING:
    from jaxeager.graph.node import GradNode
    from jaxeager.tensor import Tensor

DIRECTIONS = 3
STEP = 1e-5  # of the difference, in float64
# The largest error of a rule relative to the largest number of the reference, by the dtype that it
# computes in.
TOLERANCES = {"float64": 1e-6, "float32": 2e-4, "float16": 2e-2, "bfloat16": 6e-2}


@dataclass(slots=True)
class NodeAudit:
    """The result for one node.

    Attributes:
        node: the node.
        status: "right", "wrong", "kink" (the difference is not stable there) or "unchecked".
        operands: "live", "drawn" or "".
        error: the largest relative error against jax.vjp; None if it was not computed.
        along: (derivative by the rule, by the difference) along the direction in which they differ
            most; None if it was not computed.
        reason: why it was not checked.
    """

    node: GradNode
    status: str
    operands: str = ""
    error: float | None = None
    along: tuple[float, float] | None = None
    reason: str = ""

    def __str__(self) -> str:
        text = f"{self.status:9} {title_of(self.node)}"
        if self.reason:
            return f"{text}: {self.reason}"
        if self.along is not None:
            text += f": along a direction the rule gives {self.along[0]:.4g}"
            text += f", the finite difference of its forward {self.along[1]:.4g}"
        if self.error is not None:
            text += f"; against jax.vjp {self.error:.1e}"
        return text + (f" ({self.operands})" if self.operands == "drawn" else "")


@dataclass(slots=True)
class Audit:
    """The result of ``audit``; it prints the wrong nodes.

    Attributes:
        nodes: a NodeAudit per node that ran, in the order of backward; leaves are omitted.
    """

    nodes: list[NodeAudit]

    @property
    def wrong(self) -> list[NodeAudit]:
        """Return the nodes whose rule is wrong, in forward order: the first one is the cause."""
        return [each for each in reversed(self.nodes) if each.status == "wrong"]

    def count(self, status: str) -> int:
        """Return how many nodes have a status."""
        return sum(each.status == status for each in self.nodes)

    def __str__(self) -> str:
        kinds = ("right", "wrong", "kink", "unchecked")
        counts = ", ".join(f"{self.count(kind)} {kind}" for kind in kinds if self.count(kind))
        lines = [f"{len(self.nodes)} nodes: {counts}."]
        lines += [str(each) for each in self.wrong]
        lines += [str(each) for each in self.nodes if each.status in ("kink", "unchecked")]
        return "\n".join(lines)


def audit(
    loss: Tensor, grad_tensor: Tensor | None = None, step: CapturedStep | None = None, seed: int = 0
) -> Audit:
    """Check the rule of every node upstream of a tensor, on the values of its own forward.

    Nothing is changed: no ``grad``, no graph. Hooks are not run.

    Args:
        loss: a Tensor whose graph has not been released.
        grad_tensor: the gradient to start from; ones by default.
        step: ``debug.capture_step()`` of the forward, with which every node can be checked.
        seed: for the random directions.

    Raises:
        InvalidArgumentError: when the loss has no graph.
        FatalError: when its graph has run and was released.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager import debug
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> with debug.capture_step() as step:
        ...     loss = paddle.tanh(x * x).sum()
        >>> print(debug.audit(loss, step=step))
        3 nodes: 3 right.
    """
    if loss.stop_gradient or loss.is_leaf:
        raise InvalidArgumentError(
            "audit needs a tensor with a graph, but this one has stop_gradient="
            f"{loss.stop_gradient} and no recorded op made it."
        )
    random = np.random.default_rng(seed)
    with events.silent():
        steps = steps_of(loss, grad_tensor)
        return Audit([_audited(n, received, made, step, random) for n, received, made in steps])


def _audited(node, received: list, made: list, step, random) -> NodeAudit:
    if all(grad is None for grad in received):
        return NodeAudit(node, "unchecked", reason="it received no gradient")
    try:
        found = _forward_of(node, made, step, random)
    except _NotKept as error:
        return NodeAudit(node, "unchecked", reason=str(error))
    function, operands, kind = found
    try:
        return _compared(node, function, operands, kind, received, made, random)
    except Exception as error:  # for example a forward that cannot run in float64
        text = f"its forward cannot be run again: {named_first_line(error)}"
        return NodeAudit(node, "unchecked", reason=text)


class _NotKept(Exception):
    """The operands of a forward are not known any more."""


# ---- the forward of a node, as a function of the inputs that gradients go to


def _forward_of(node, made: list, step, random) -> tuple[Callable, list, str]:
    """Return the forward as a function of the wanted inputs, these inputs, and their kind.

    Raises:
        _NotKept: when an operand is not known.
    """
    call = None if step is None else step.call_by_node.get(node)
    if isinstance(node, GradNodePyLayer):
        return _layer_forward(node, call)
    if getattr(node.op, "is_program", False):
        raise _NotKept(
            "it is a whole function, compiled for its dtypes: audit it op by op, after "
            "paddle.jit.enable_to_static(False)"
        )
    if hasattr(node.op, "vjp_rule"):  # a function of JAX
        arrays = call.arrays if call is not None else list(saved_values(node).values())
        return (*_of_wanted(node.op.forward, list(arrays), list(node.mask)), "live")
    if not hasattr(node.op, "differentiable"):
        raise _NotKept(f"{type(node.op).__name__} has no forward function")
    if call is not None and call.row is node.op:
        arrays, kind = call.arrays, "live"
    else:
        arrays, kind = _known_operands(node, made, random)
    rule = forward_rule(node.op, node.attrs)

    def forward(*operands):
        return rule(*operands, *node.scalars)

    return (*_of_wanted(forward, list(arrays), _mask_by_operand(node)), kind)


def _mask_by_operand(node) -> list:
    """Return whether each operand's gradient is wanted; a list for a list of operands."""
    wanted, masks = iter(node.mask), []
    position = 0
    for operand in node.op.operands:
        if not operand.is_differentiable:
            masks.append(False)
            continue
        width = None if node.ranks is None else node.ranks[position]
        position += 1
        masks.append(next(wanted) if width is None else [next(wanted) for _ in range(width)])
    return masks


def _of_wanted(forward: Callable, operands: list, masks: list) -> tuple[Callable, list]:
    """Return a function of the wanted operands, and those operands, floating ones in float64."""
    operands = [[_wide(v) for v in o] if isinstance(o, list) else _wide(o) for o in operands]
    places = []
    for position, (value, mask) in enumerate(zip(operands, masks, strict=True)):
        if isinstance(value, list):
            flags = mask if isinstance(mask, list) else [mask] * len(value)
            places += [(position, rank) for rank, flag in enumerate(flags) if flag]
        elif mask:
            places.append((position, None))

    def of_wanted(*values):
        given = [list(each) if isinstance(each, list) else each for each in operands]
        for (position, rank), value in zip(places, values, strict=True):
            if rank is None:
                given[position] = value
            else:
                given[position][rank] = value
        return forward(*given)

    return of_wanted, [operands[p] if r is None else operands[p][r] for p, r in places]


def _known_operands(node, made: list, random) -> tuple[list, str]:
    """Return a node's operands from its saved values; draw those of which only the shape is known.

    A gradient has the shape of its operand.
    """
    saved = saved_values(node)
    gradients = {} if node.ranks is not None else dict(zip(input_names(node), made, strict=True))
    shapes = dict(zip(node.op.shapes, node.shapes, strict=True))
    keeps_outputs = not set(node.op.saves) <= set(node.op.slots)  # which depend on the operands
    arrays, kind = [], "live"
    for operand in node.op.operands:
        name = operand.name
        if name in saved:
            arrays.append(saved[name])
        elif _either(shapes, gradients, name) is not None and not keeps_outputs:
            arrays.append(_drawn(_either(shapes, gradients, name), random))
            kind = "drawn"
        elif (name in shapes and shapes[name] is None) or (
            operand.is_optional and name in node.op.saves
        ):
            arrays.append(None)
        else:
            raise _NotKept(f"it does not keep {name!r}; record forward with debug.capture_step()")
    return arrays, kind


def _either(shapes: dict, gradients: dict, name: str):
    """Return an object with the shape and dtype of an operand."""
    found = shapes.get(name)
    return gradients.get(name) if found is None else found


def _drawn(aval, random):
    """Return numbers of a shape and dtype for which nearly every op is defined and smooth."""
    if isinstance(aval, tuple):
        return [_drawn(each, random) for each in aval]
    numbers = random.uniform(0.2, 0.8, aval.shape)
    return jnp.asarray(numbers).astype(aval.dtype)


def _layer_forward(node, call) -> tuple[Callable, list, str]:
    if call is None or call.given is None:
        raise _NotKept("a PyLayer keeps no inputs; record forward with debug.capture_step()")
    args, kwargs = call.given
    inputs = {id(t): a for t, a in zip(call.operands, call.arrays, strict=True)}
    wanted = [t for t, e in zip(call.operands, node.edges, strict=True) if e is not None]

    def forward(*values):
        new = dict(zip(map(id, wanted), values, strict=True))

        def put(value):
            if isinstance(value, (list, tuple)):
                return type(value)(put(each) for each in value)
            if id(value) not in inputs:
                return value
            return dispatch.wrap(new.get(id(value), inputs[id(value)]))

        return _run_layer(node, [put(a) for a in args], {k: put(v) for k, v in kwargs.items()})

    return forward, [_wide(inputs[id(each)]) for each in wanted], "live"


def _run_layer(node, args: list, kwargs: dict) -> tuple:
    """Run the forward of a PyLayer with a separate context, and return its arrays."""
    layer, context = node.call.layer, type(node.call.context)
    before = grad_mode.enabled
    grad_mode.enabled = False
    try:
        count = len(args) + len(kwargs)
        out = layer.forward(context(layer.__name__, (False,) * count), *args, **kwargs)
    finally:
        grad_mode.enabled = before
    outs = out if isinstance(out, (list, tuple)) else (out,)
    return tuple([each._array for each in outs if isinstance(each, dispatch.Tensor)])


# ---- comparing


def _compared(node, function, wide, kind, received, made, random) -> NodeAudit:
    results = [r for r, edge in zip(made, node.edges, strict=True) if edge is not None]
    if any(result is None for result in results):
        return NodeAudit(node, "unchecked", reason="it returned None for an input")
    if not all(jnp.issubdtype(each.dtype, jnp.floating) for each in wide):
        return NodeAudit(node, "unchecked", reason="an input is not of a real floating dtype")
    computed = [each.dtype.name for each in [*results, *received] if each is not None]
    tolerance = max(TOLERANCES.get(name, TOLERANCES["float64"]) for name in computed)
    results = [np.asarray(_wide(each)) for each in results]
    total = _contracted(function, [None if grad is None else _wide(grad) for grad in received])
    reference = None
    if not isinstance(node, GradNodePyLayer):
        reference = [np.asarray(g) for g in jax.grad(total, tuple(range(len(wide))))(*wide)]
    error = None if reference is None else _largest_error(results, reference)
    along = [_along(total, wide, results, reference, random) for _ in range(DIRECTIONS)]
    worst = max(along, key=lambda each: each.error)
    status = _judged(error, along, tolerance)
    return NodeAudit(node, status, kind, error, (worst.rule, worst.difference))


def _judged(error: float | None, along: list, tolerance: float) -> str:
    """Return the status of a node: see Note [Two references]."""
    if any(each.instability > tolerance / 2 for each in along):
        return "right" if error is not None and error <= tolerance else "kink"
    if any(each.error > tolerance for each in along):
        return "wrong"
    is_jax_right = all(each.jax_error <= tolerance for each in along)
    return "wrong" if error is not None and error > tolerance and is_jax_right else "right"


def _wide(array):
    """Return a floating array in float64, any other value unchanged."""
    is_floating = hasattr(array, "dtype") and jnp.issubdtype(array.dtype, jnp.floating)
    return array.astype(jnp.float64) if is_floating else array


def _contracted(function: Callable, seeds: list) -> Callable:
    """Return the sum of outputs times gradients, whose derivative the node's gradient must be."""

    def total(*values):
        out = function(*values)
        outs = out if isinstance(out, (tuple, list)) else (out,)
        pairs = zip(outs, seeds, strict=False)
        parts = [jnp.sum(_wide(o) * jax.lax.stop_gradient(s)) for o, s in pairs if s is not None]
        return sum(parts[1:], parts[0])

    return total


def _largest_error(results: list, reference: list) -> float:
    """Return the largest difference of two lists of arrays, relative to the largest number."""
    scale = max((float(np.max(np.abs(r))) for r in reference if r.size), default=0.0)
    apart = max(
        (float(np.max(np.abs(a - b))) for a, b in zip(results, reference, strict=True) if b.size),
        default=0.0,
    )
    return apart / max(scale, 1e-30) if apart else 0.0


class _Along(NamedTuple):
    """The result along one direction; errors are relative to the size of the gradient.

    Attributes:
        rule: the derivative by the node's gradient.
        difference: the derivative by the difference of its forward.
        error: the difference between the two.
        jax_error: the difference between jax.vjp and ``difference``.
        instability: the uncertainty of ``difference``.
    """

    rule: float
    difference: float
    error: float
    jax_error: float
    instability: float


def _along(total: Callable, wide, results, reference, random) -> _Along:
    direction = [random.choice([-1.0, 1.0], each.shape) for each in wide]
    rule = _dot(results, direction)
    difference, instability = _difference(total, wide, direction)
    scale = max(_norm(reference or results), abs(difference), 1e-30)
    jax_error = 0.0 if reference is None else abs(_dot(reference, direction) - difference) / scale
    return _Along(rule, difference, abs(rule - difference) / scale, jax_error, instability / scale)


def _dot(arrays, direction) -> float:
    return float(sum(np.sum(a * d) for a, d in zip(arrays, direction, strict=True)))


def _norm(arrays) -> float:
    return float(np.sqrt(sum(np.sum(np.square(a)) for a in arrays)))


def _difference(total: Callable, wide, direction) -> tuple[float, float]:
    """Return the central difference along a direction, and its uncertainty.

    A second, larger step must give the same result. At a kink both give the mean of the two slopes;
    there the one-sided differences differ by the same amount for both steps.
    """
    size = max((float(np.max(np.abs(np.asarray(w)))) for w in wide if w.size), default=1.0)
    here, found = float(total(*wide)), []
    for step in (STEP * max(size, 1.0), STEP * max(size, 1.0) / 4):
        ahead = float(total(*[w + step * d for w, d in zip(wide, direction, strict=True)]))
        behind = float(total(*[w - step * d for w, d in zip(wide, direction, strict=True)]))
        found.append(((ahead - behind) / (2 * step), (ahead + behind - 2 * here) / step))
    (far, far_jump), (near, near_jump) = found
    is_kink = abs(near_jump) > 0.5 * abs(far_jump)
    instability = max(abs(far - near), abs(near_jump) if is_kink else 0.0)
    return near, instability if np.isfinite(near) else np.inf
