"""Hooks: functions of the user's that see, and may replace, gradients on their way.

Note [Hook order]
    When every gradient of a node's outputs has arrived and been summed, three kinds run: the
    gradient hooks of its output tensors (``Tensor.register_hook``, ``retain_grads``) in the order
    they were registered, each seeing what the one before left; then the node's pre-hooks, which see
    all of them together; then the kernel; then its post hooks, which see the gradients it made and
    those it took. A leaf runs its gradient hooks on the sum of this backward, adds the result to
    ``.grad``, then runs its reduce hooks. A hook that another one removes does not run any more;
    one that is registered while the hooks of its node run counts from the next time on.
"""

import itertools
import weakref
from collections.abc import Callable

import jax.numpy as jnp

from jaxeager.errors import InvalidArgumentError, InvalidTypeError, PermissionDeniedError
from jaxeager.graph import events
from jaxeager.graph.meta import AutogradMeta, Edge, LentMeta, gradient_edge
from jaxeager.graph.node import (
    GradNode,
    GradNodeAccumulation,
    LeafTrait,
    Trait,
    add_trait,
    as_arrays,
)

_ids = itertools.count()


class TensorHookRemoveHelper:
    """What registering a hook returns: it takes the hook away again.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0], stop_gradient=False)
        >>> handle = x.register_hook(lambda grad: grad * 2)
        >>> handle.remove(), handle.remove()
        (True, False)
    """

    __slots__ = ("_hooks", "_id")

    def __init__(self, hooks: dict, hook_id: int):
        self._hooks = hooks
        self._id = hook_id

    def remove(self) -> bool:
        """Removes the hook; False when it was removed before."""
        return self._hooks.pop(self._id, None) is not None


class NodeHooks:
    """The hooks of one node, each kind by id, in the order they were registered.

    Attributes:
        gradient: (position, function) of an output's gradient; a position is ``slot + rank``.
        retained: per position the id of the hook that keeps the gradient, so that there is one.
        pre: functions of the tuple of gradients that arrived.
        post: functions of (gradients made, gradients taken).
        reduce: functions of nothing, run when a leaf has been added to.
    """

    __slots__ = ("gradient", "post", "pre", "reduce", "retained")

    def __init__(self):
        self.gradient: dict[int, tuple[int, Callable]] = {}
        self.retained: dict[int, int] = {}
        self.pre: dict[int, Callable] = {}
        self.post: dict[int, Callable] = {}
        self.reduce: dict[int, Callable] = {}


# ---- registering


def _hooks_of(node) -> NodeHooks:
    """Returns a node's hooks; the first time its class becomes one that runs them."""
    if not isinstance(node, (HookedNode, HookedLeaf)):
        node.hooks = NodeHooks()
        add_trait(node, HookedLeaf if node.is_leaf else HookedNode)
    return node.hooks


def _add(hooks: dict, hook) -> TensorHookRemoveHelper:
    hook_id = next(_ids)
    hooks[hook_id] = hook
    return TensorHookRemoveHelper(hooks, hook_id)


def _check_callable(hook) -> None:
    if not callable(hook):
        raise InvalidTypeError(f"A hook must be a function, but got {type(hook).__name__}.")


def register_gradient_hook(edge: Edge, hook: Callable) -> TensorHookRemoveHelper:
    """Adds a hook on the gradient of the tensor whose gradient goes along an edge."""
    _check_callable(hook)
    return _add(_hooks_of(edge.node).gradient, (edge.slot + edge.rank, hook))


def register_pre_hook(node: GradNode, hook: Callable) -> TensorHookRemoveHelper:
    """Adds a hook ``fn(grads)`` on all gradients that arrived at a node.

    It gets a tuple, None where nothing arrived, and returns such a tuple, or None to keep them.
    """
    _check_callable(hook)
    return _add(_hooks_of(node).pre, hook)


def register_post_hook(node: GradNode, hook: Callable) -> TensorHookRemoveHelper:
    """Adds a hook ``fn(outputs, inputs)`` on what a node made of what it took.

    It returns a list or tuple as long as ``outputs``, which takes its place.
    """
    _check_callable(hook)
    return _add(_hooks_of(node).post, hook)


def register_reduce_hook(leaf: GradNodeAccumulation, hook: Callable) -> TensorHookRemoveHelper:
    """Adds a hook ``fn()`` that runs after a leaf's ``grad`` was added to."""
    _check_callable(hook)
    return _add(_hooks_of(leaf).reduce, hook)


def retain_gradient(meta: AutogradMeta) -> None:
    """Keeps the gradient of a tensor that is no leaf in its ``grad``; the last one stays."""
    if meta.is_leaf():
        return
    hooks = _hooks_of(meta.node)
    position = meta.slot + meta.rank
    if position in hooks.retained:
        return
    owner = weakref.ref(meta)  # the meta holds the node, which holds the hook

    def keep(grad):
        kept = owner()
        if kept is not None:
            is_recorded = grad._meta is not None and grad._meta.node is not None
            made = GradNodeAccumulation.as_tensor
            kept.grad = grad if is_recorded else made(grad._array, False)
            kept.grad_is_zeroed = False

    hooks.retained[position] = register_gradient_hook(meta, keep)._id


def move_retention(old: AutogradMeta, new: AutogradMeta) -> None:
    """Keeps the gradient of a tensor's new value, when that of the overwritten one was kept."""
    node = old.node
    if isinstance(node, HookedNode):
        hook_id = node.hooks.retained.pop(old.slot + old.rank, None)
        if hook_id is not None:
            node.hooks.gradient.pop(hook_id, None)
            retain_gradient(new)


def leaf_of(meta: AutogradMeta, name: str | None) -> GradNodeAccumulation:
    """Returns the node of a leaf.

    Raises:
        InvalidArgumentError: when the tensor is no leaf.
    """
    if not meta.is_leaf():
        raise InvalidArgumentError(
            f"Only can register backward hook for leaf Tensor, but this one was made by "
            f"{meta.node.name()}."
        )
    return gradient_edge(meta, name).node


# ---- running


def as_gradient(array):
    """Returns a Tensor of an array as hooks see it: theirs, so they may write to it."""
    lent = GradNodeAccumulation.as_tensor(array, True)
    lent._meta = LentMeta(False)
    return lent


def as_gradients(arrays) -> list:
    """Returns Tensors of arrays as hooks see them; None stays None."""
    return [None if array is None else as_gradient(array) for array in arrays]


def _replaced(before, after, node):
    """Returns what a hook made of a gradient.

    Raises:
        InvalidTypeError: when it returned something else than a Tensor or None.
        PermissionDeniedError: when the dtype changed.
        InvalidArgumentError: when the shape changed.
    """
    if after is None:
        return before
    if not hasattr(after, "_array"):
        raise InvalidTypeError(
            f"A gradient hook must return a Tensor or None, but one on {node.name()} returned "
            f"{type(after).__name__}."
        )
    if before is not None:
        check_alike(before._array, after._array, node)
    return after


def check_alike(before, after, node) -> None:
    """Raises when a hook changed the dtype or the shape of a gradient."""
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


def _run_gradient_hooks(node, grads: list) -> None:
    """Runs the gradient hooks of a node's outputs and puts what they return into ``grads``."""
    hooks = node.hooks.gradient
    arrived = list(grads)
    for hook_id, (position, hook) in list(hooks.items()):
        if hook_id not in hooks:  # a hook before it has removed it
            continue
        grad = grads[position]
        if grad is None:
            if node.is_leaf:
                continue
            grad = grads[position] = arrived[position] = _zeros(node, position)
        if events.gradient_shown is not None and grad is arrived[position]:
            events.gradient_shown(node, position, grad, grad)
        if events.hook_began is not None:
            events.hook_began(node, position, hook, grad._array)
        grads[position] = _replaced(grad, hook(grad), node)
        if events.hook_ended is not None:
            events.hook_ended(node, position, hook, grad._array, grads[position]._array)


def _zeros(node, position: int):
    """Returns what takes the place of a gradient that did not arrive."""
    aval = node.out_avals[position]
    return GradNodeAccumulation.as_tensor(jnp.zeros(aval.shape, aval.dtype), True)


class HookedNode(Trait):
    """The trait of a node with hooks: see Note [Hook order]."""

    __slots__ = ()

    is_outermost = True

    def run(self, grads: list, retain_graph: bool, journal: list):
        """Runs hooks, kernel, hooks on arrays; hooks see Tensors."""
        taken = self.receive(as_gradients(grads))
        results = super().run(as_arrays(taken), retain_graph, journal)
        if not self.hooks.post:
            return results
        return as_arrays(self._run_post_hooks(as_gradients(results), taken))

    def receive(self, grads: list) -> list:
        """Returns the gradients after the tensors' hooks and the pre-hooks."""
        grads = list(super().receive(grads))
        _run_gradient_hooks(self, grads)
        count = len(self.out_avals)
        shown, hidden = grads[:count], grads[count:]
        for hook in list(self.hooks.pre.values()):
            found = hook(tuple(shown))
            if found is not None:
                pairs = zip(shown, self._checked(found, count, "pre-hook"), strict=True)
                shown = [None if new is None else _replaced(old, new, self) for old, new in pairs]
        return shown + hidden

    def run_tensors(self, grads: list, create_graph: bool, retain_graph: bool):
        """Runs kernel and post hooks on Tensors."""
        results = super().run_tensors(grads, create_graph, retain_graph)
        return self._run_post_hooks(results, grads) if self.hooks.post else results

    def run_arrays(self, grads: list):
        """Runs the kernel alone, on arrays."""
        return super().run(grads, True, [])

    def _run_post_hooks(self, made, taken: list) -> list:
        shown = taken[: len(self.out_avals)]  # not those of hidden outputs
        taken = [_zeros(self, k) if grad is None else grad for k, grad in enumerate(shown)]
        for hook in list(self.hooks.post.values()):
            made = list(made)
            found = self._checked(hook(tuple(made), tuple(taken)), len(made), "post hook")
            made = [
                new if old is None or new is None else _replaced(old, new, self)
                for old, new in zip(made, found, strict=True)
            ]
        return list(made)

    def _checked(self, found, count: int, kind: str) -> list:
        if not isinstance(found, (list, tuple)):
            raise InvalidTypeError(
                f"A {kind} must return a list or tuple, but one on {self.name()} returned "
                f"{type(found).__name__}."
            )
        if len(found) != count:
            raise InvalidArgumentError(
                f"A {kind} on {self.name()} returned {len(found)} gradients, but {count} are "
                "needed."
            )
        return list(found)


class HookedLeaf(LeafTrait):
    """The trait of a leaf with hooks: see Note [Hook order]."""

    __slots__ = ()

    def run(self, grads: list, retain_graph: bool, journal: list):
        """Runs gradient hooks, adds the result to the leaf, runs reduce hooks."""
        if self.hooks.gradient:
            grads = as_arrays(self.receive(as_gradients(grads)))
        super().run(grads, retain_graph, journal)
        self._run_reduce_hooks()
        return ()

    def receive(self, grads: list) -> list:
        """Returns the gradient after the leaf's hooks; none run when nothing arrived."""
        grads = list(grads)
        _run_gradient_hooks(self, grads)
        return grads

    def accumulate(self, grad, journal: list) -> None:
        """Adds a Tensor to the leaf and runs reduce hooks."""
        super().accumulate(grad, journal)
        self._run_reduce_hooks()

    def _run_reduce_hooks(self) -> None:
        for hook in list(self.hooks.reduce.values()):
            hook()
