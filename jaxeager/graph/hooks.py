"""Hooks: the user's functions that see, and may replace, gradients during backward.

Note [Hook order]
    When every gradient of a node's outputs was delivered and summed, three kinds of hooks run.
    First the gradient hooks of its output tensors (``Tensor.register_hook``, ``retain_grads``), in
    the order of registration, each on the result of the one before. Then the node's pre-hooks,
    which see all of the gradients together. Then the kernel. Then the node's post hooks, which see
    the gradients it made and those it took. A leaf runs its gradient hooks on the sum of this
    backward, adds the result to ``.grad``, then runs its reduce hooks. A hook that another one
    removes does not run any more. A hook registered while the hooks of its node run counts from the
    next time on.

Note [Retained gradients]
    ``y.retain_grads()`` keeps the gradient of the value that y has at that call, as in Paddle: the
    hook stays on the node that made the value when y is written in place, and y's new
    AutogradMeta only becomes the owner of what the hook keeps. When y changes because a tensor of
    the same memory was written, its earlier value may be in no path of the graph any more. Then
    the hook moves to the node of the new value.

A node's ``hooks`` are None until its first one, so a node without hooks costs only that check.
"""

# Fields of Tensors have an underscore in front: they belong to the package, not to its users.
# The functions that run hooks are only called with nodes that have a NodeHooks.
# pyright: reportPrivateUsage=false, reportOptionalMemberAccess=false

from __future__ import annotations

import itertools
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from jaxeager.core import ports
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, PermissionDeniedError
from jaxeager.graph import events
from jaxeager.graph.few_rows import FewRows
from jaxeager.graph.hook_tensors import as_arrays, as_gradients, zeros_of
from jaxeager.graph.journal import Journal, accumulating
from jaxeager.graph.meta import AutogradMeta, Edge

if TYPE_CHECKING:
    import jax

    from jaxeager.graph.atomic import Also
    from jaxeager.graph.node import GradNodeAccumulation
    from jaxeager.graph.types import Gradient, Hook, Node

Registered = TypeVar("Registered")

_ids = itertools.count()


class TensorHookRemoveHelper:
    """The result of registering a hook, which can remove it again.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0], stop_gradient=False)
        >>> handle = x.register_hook(lambda grad: grad * 2)
        >>> handle.remove(), handle.remove()
        (True, False)
    """

    __slots__ = ("_hooks", "_id")

    def __init__(self, hooks: dict[int, Any], hook_id: int):
        self._hooks = hooks
        self._id = hook_id

    def remove(self) -> bool:
        """Remove the hook; return False when it was removed before."""
        return self._hooks.pop(self._id, None) is not None


class NodeHooks:
    """The hooks of one node, each kind by id, in the order of registration.

    Attributes:
        gradient: (position, function) of an output's gradient; a position is ``slot + rank``.
        pre: functions of the tuple of received gradients.
        post: functions of (gradients made, gradients taken).
        reduce: functions without arguments, run after a leaf has been added to.
    """

    __slots__ = ("gradient", "post", "pre", "reduce")

    def __init__(self):
        self.gradient: dict[int, tuple[int, Any]] = {}
        self.pre: dict[int, Hook] = {}
        self.post: dict[int, Hook] = {}
        self.reduce: dict[int, Hook] = {}


# ---- registering


def _hooks_of(node: Node) -> NodeHooks:
    """Return a node's hooks; make them the first time."""
    if node.hooks is None:
        node.hooks = NodeHooks()
    return node.hooks


def _add(hooks: dict[int, Registered], hook: Registered) -> TensorHookRemoveHelper:
    hook_id = next(_ids)
    hooks[hook_id] = hook
    return TensorHookRemoveHelper(hooks, hook_id)


def _check_callable(hook: object) -> None:
    if not callable(hook):
        raise InvalidTypeError(f"A hook must be a function, but got {type(hook).__name__}.")


def register_gradient_hook(edge: Edge, hook: Hook) -> TensorHookRemoveHelper:
    """Add a hook on the gradient that is passed along an edge."""
    _check_callable(hook)
    return _add(_hooks_of(edge.node).gradient, (edge.slot + edge.rank, hook))


def register_pre_hook(node: Node, hook: Hook) -> TensorHookRemoveHelper:
    """Add a hook ``fn(grads)`` on all gradients that a node has received.

    It gets a tuple, with None for a missing gradient, and returns such a tuple, or None to keep
    them.
    """
    _check_callable(hook)
    return _add(_hooks_of(node).pre, hook)


def register_post_hook(node: Node, hook: Hook) -> TensorHookRemoveHelper:
    """Add a hook ``fn(outputs, inputs)`` on the gradients that a node made and those it took.

    It returns a list or tuple as long as ``outputs``, which replaces them.
    """
    _check_callable(hook)
    return _add(_hooks_of(node).post, hook)


def register_reduce_hook(leaf: GradNodeAccumulation, hook: Hook) -> TensorHookRemoveHelper:
    """Add a hook ``fn()`` that runs after a leaf's ``grad`` was added to."""
    _check_callable(hook)
    return _add(_hooks_of(leaf).reduce, hook)


class RetainingHook:
    """The gradient hook of ``retain_grads``: it stores the gradient in a tensor's ``grad``.

    See Note [Retained gradients].

    Attributes:
        owner: weakly, the AutogradMeta whose ``grad`` is set.
    """

    __slots__ = ("owner",)

    def __init__(self, meta: AutogradMeta):
        self.owner = weakref.ref(meta)  # the meta holds the node, which holds the hook

    def keep(self, grad: Gradient, journal: Journal) -> None:
        """Set a Tensor as the ``grad``; the journal records the one before."""
        kept = self.owner()
        if kept is not None:
            if grad._meta is None or grad._meta.node is None:  # it is not part of a graph
                grad = ports.as_tensor(grad._array, False)
            with accumulating:
                journal.set_grad(kept, grad)


class Retention(NamedTuple):
    """The hook that keeps a tensor's gradient, and the handle that removes it."""

    hook: RetainingHook
    handle: TensorHookRemoveHelper


def retain_gradient(meta: AutogradMeta) -> None:
    """Keep the gradient of a non-leaf tensor in its ``grad``; the last one stays."""
    if meta.is_leaf() or is_retained(meta):
        return
    hook = RetainingHook(meta)
    hooks = _hooks_of(meta.node)  # pyright: ignore[reportArgumentType]  # not None: no leaf
    meta.retention = Retention(hook, _add(hooks.gradient, (meta.slot + meta.rank, hook)))


def is_retained(meta: AutogradMeta | None) -> bool:
    """Return whether a tensor's gradient is kept in its ``grad`` although it is no leaf."""
    return hasattr(meta, "retention")


def retention_of_the_written(old: AutogradMeta, new: AutogradMeta) -> Also:
    """Return the attributes to set so that a written tensor keeps its earlier value's gradient."""
    if not is_retained(old):
        return ()
    return (
        (old.retention.hook, "owner", weakref.ref(new)),
        (new, "retention", old.retention),
    )


def move_retention(old: AutogradMeta, new: AutogradMeta) -> None:
    """Keep the gradient of a tensor's new value, after a write to a tensor of the same memory."""
    if is_retained(old):
        old.retention.handle.remove()
        retain_gradient(new)


# ---- running


def _replaced(before: Gradient | None, after: Any, node: Node) -> Gradient | None:
    """Return a gradient as a hook has replaced it.

    Raises:
        InvalidTypeError: when it returned neither a Tensor nor None.
        PermissionDeniedError: when the dtype changed.
        InvalidArgumentError: when the shape changed.
    """
    if after is None:
        return before
    if not hasattr(after, "_storage"):
        raise InvalidTypeError(
            f"A gradient hook must return a Tensor or None, but one on {node.name()} returned "
            f"{type(after).__name__}."
        )
    if before is not None:
        are_few_rows = type(before._rows) is type(after._rows) is FewRows
        a, b = (before._held, after._held) if are_few_rows else (before._whole, after._whole)
        check_alike(a, b, node)
    return after


def check_alike(before: jax.Array, after: jax.Array, node: Node) -> None:
    """Raise when a hook changed the dtype or the shape of a gradient."""
    if after.dtype != before.dtype:
        raise PermissionDeniedError(
            f"The dtype of tensor before({before.dtype.name}) and after({after.dtype.name}) hook "
            f"are not consistent, on {node.name()}."
        )
    if after.shape != before.shape:
        raise InvalidArgumentError(
            f"The shape of tensor before({list(before.shape)}) and after({list(after.shape)}) hook "
            f"are not consistent, on {node.name()}."
        )


def run_hooked(
    node: Node, grads: list[jax.Array | None], retain_graph: bool, journal: Journal
) -> Sequence[jax.Array | None]:
    """Run hooks, node and post hooks on arrays, in place of ``node.run``; hooks see Tensors."""
    if node.is_leaf:
        if node.hooks.gradient:
            grads = as_arrays(receive(node, as_gradients(grads), journal))
        node.run(grads, retain_graph, journal)
        run_reduce_hooks(node)
        return ()
    taken = receive(node, as_gradients(grads), journal)
    results = node.run(as_arrays(taken), retain_graph, journal)
    if not node.hooks.post:
        return results
    return as_arrays(run_post_hooks(node, as_gradients(results), taken))


def run_on_tensors(
    node: Node, grads: list[Gradient | None], create_graph: bool, retain_graph: bool
) -> Sequence[Gradient | None]:
    """Run a node on Tensors that its hooks have processed, and its post hooks."""
    hooks = node.hooks
    results = node.run_tensors(grads, create_graph, retain_graph)
    if hooks is None or not hooks.post:
        return results
    shown = results if create_graph else as_gradients(as_arrays(results))
    return run_post_hooks(node, shown, grads)


def receive(
    node: Node, grads: Sequence[Gradient | None], journal: Journal
) -> list[Gradient | None]:
    """Return the gradients, Tensors, after the tensors' hooks and the pre-hooks of a node.

    For a leaf without a gradient no hook runs.
    """
    grads = list(grads)
    _run_gradient_hooks(node, grads, journal)
    if not node.hooks.pre:
        return grads
    count = len(node.out_avals)
    shown, hidden = grads[:count], grads[count:]
    for hook in list(node.hooks.pre.values()):
        found = hook(tuple(shown))
        if found is not None:
            pairs = zip(shown, _checked(node, found, count, "pre-hook"), strict=True)
            shown = [None if new is None else _replaced(old, new, node) for old, new in pairs]
    return shown + hidden


def run_reduce_hooks(leaf: Node) -> None:
    """Run the hooks of a leaf that follow an addition to its ``grad``."""
    for hook in list(leaf.hooks.reduce.values()):
        hook()


def _run_gradient_hooks(node: Node, grads: list[Gradient | None], journal: Journal) -> None:
    """Run the gradient hooks of a node's outputs and store their results in ``grads``."""
    hooks = node.hooks.gradient
    arrived = list(grads)
    for hook_id, (position, hook) in list(hooks.items()):
        if hook_id not in hooks:  # removed by an earlier hook
            continue
        grad = grads[position]
        if grad is None:
            if node.is_leaf:
                continue
            grad = grads[position] = arrived[position] = zeros_of(node.out_avals[position])
        if events.gradient_shown is not None and grad is arrived[position]:
            events.gradient_shown(node, position, grad, grad)
        if events.hook_began is not None:
            events.hook_began(node, position, hook, grad._whole)
        if type(hook) is RetainingHook:
            hook.keep(grad, journal)
        else:
            grads[position] = _replaced(grad, hook(grad), node)
        if events.hook_ended is not None:
            events.hook_ended(node, position, hook, grad._whole, grads[position]._whole)


def run_post_hooks(
    node: Node, made: Sequence[Gradient | None], taken: list[Gradient | None]
) -> list[Gradient | None]:
    """Return a node's gradients, Tensors, as its post hooks leave them."""
    shown = taken[: len(node.out_avals)]  # not those of hidden outputs
    taken = [zeros_of(node.out_avals[k]) if grad is None else grad for k, grad in enumerate(shown)]
    for hook in list(node.hooks.post.values()):
        made = list(made)
        found = _checked(node, hook(tuple(made), tuple(taken)), len(made), "post hook")
        made = [
            new if old is None or new is None else _replaced(old, new, node)
            for old, new in zip(made, found, strict=True)
        ]
    return list(made)


def _checked(node: Node, found: Sequence[Registered], count: int, kind: str) -> list[Registered]:
    if not isinstance(found, (list, tuple)):
        raise InvalidTypeError(
            f"A {kind} must return a list or tuple, but one on {node.name()} returned "
            f"{type(found).__name__}."
        )
    if len(found) != count:
        raise InvalidArgumentError(
            f"A {kind} on {node.name()} returned {len(found)} gradients, but {count} are needed."
        )
    return list(found)
