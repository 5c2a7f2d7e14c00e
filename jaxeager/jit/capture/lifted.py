"""A tensor from outside, while a function is traced: it holds what JAX traces.

Note [What other threads see]
    A trace takes a while, and a tensor that is lifted holds nothing that another thread could use.
    So where there are other threads its class is one by which each thread has its own: the one that
    traces what JAX traces, all others what the tensor was before. What these set is there after the
    trace; a write to another tensor of the same memory is not.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from threading import get_ident
from typing import Any

import jax

from jaxeager.core.kernel_memory import jitted
from jaxeager.graph.memory import lock
from jaxeager.graph.meta import AutogradMeta
from jaxeager.graph.node import GradNodeAccumulation
from jaxeager.graph.stale import fresh_class, twin_class
from jaxeager.graph.storage import Storage
from jaxeager.optimizer.donation import has_company
from jaxeager.tensor import Tensor

UNSEEN, ABSENT, NONE, ZEROS, THERE = range(5)
"""What a program depends on in a gradient: nothing; that there is none, or zeros to be made; that
there is none; that it is such zeros; that it is there."""

_GRAD: Any = AutogradMeta.__dict__["grad"]
_ZEROS: Any = AutogradMeta.__dict__["zeros"]


class TracedMeta(AutogradMeta):
    """The AutogradMeta that a tensor has while it is lifted; it notes who looks at the gradient.

    Attributes:
        is_seen: whether ``grad`` was read or set: by backward, an optimizer, the function itself.
        tells_zeros: whether it was asked if the gradient was cleared to zeros or to None.
        sets_zeros: whether ``zeros`` was set, as whatever sets a gradient for good does.
    """

    __slots__ = ("is_lent", "is_seen", "sets_zeros", "tells_zeros")

    def __init__(self, meta: AutogradMeta):
        super().__init__(meta.stop_gradient)
        self.is_lent = not meta.is_leaf()  # what an op has made may be written
        _ZEROS.__set__(self, meta.zeros)
        self.is_seen = self.tells_zeros = self.sets_zeros = False

    def begin(self, grad: Any) -> None:
        """Give it the gradient that it has when the trace begins."""
        _GRAD.__set__(self, grad)

    @property
    def grad(self) -> Any:  # type: ignore[override]
        """The gradient, None when there is none, or zeros."""
        self.is_seen = True
        return _GRAD.__get__(self)

    @grad.setter
    def grad(self, value: Any) -> None:
        self.is_seen = True
        _GRAD.__set__(self, value)

    @property
    def zeros(self) -> Any:  # type: ignore[override]
        """What the gradient was cleared to: see AutogradMeta."""
        self.is_seen = True
        self.tells_zeros = self.tells_zeros or not self.sets_zeros
        return _ZEROS.__get__(self)

    @zeros.setter
    def zeros(self, value: Any) -> None:
        self.is_seen = self.sets_zeros = True
        _ZEROS.__set__(self, value)


class Lifted:
    """A tensor that a function uses and has not made.

    Attributes:
        tensor: itself.
        array: its array, by which JAX knows the input.
        meta, storage, view: what it had before.
        stops: whether it stopped gradients.
        outside: what threads have that do not trace, by the name of the slot.
        thread: the one that traces.
        traced: the array that stands for it.
        fresh: its AutogradMeta during the trace.
        had_grad: whether it had a gradient.
        hooks: the hooks on its gradient: see ``hooks_of``.
        is_asked: whether the function itself has read or set its gradient.
        gradient: after the trace, what the program depends on in its gradient.
    """

    __slots__ = (
        "array", "fresh", "gradient", "had_grad", "hooks", "is_asked", "meta", "outside", "stops",
        "storage", "tensor", "thread", "traced", "traced_grad",
    )  # fmt: skip

    def __init__(self, tensor: Any, array: jax.Array):
        self.tensor = tensor
        self.array = array
        self.meta = tensor._meta
        self.storage = tensor._storage
        self.thread = get_ident()
        self.outside = dict(zip(_SLOTS, (array, *state_of(tensor)[1:]), strict=True))
        self.traced = staged(array)
        self.had_grad = self.meta is not None and self.meta.grad is not None
        self.fresh: Any = _fresh_meta(self.meta, tensor)
        self.hooks = hooks_of(self.meta)
        self.stops = self.meta is None or self.meta.stop_gradient
        self.traced_grad: Any = None
        self.gradient, self.is_asked = UNSEEN, False
        self.hide()
        tensor._array, tensor._meta, tensor._storage = self.traced, self.fresh, Storage()

    def hide(self) -> None:
        """Hide what the tensor holds during the trace from other threads; hold ``memory.lock``."""
        if has_company() and id(self.tensor) not in _hidden:  # that of a trace around it is enough
            self.outside.update(zip(_SLOTS, state_of(self.tensor), strict=True))
            _hidden[id(self.tensor)] = self
            _times[0] += 1
            self.tensor.__class__ = _hiding_class(fresh_class(self.tensor))

    def put_back(self) -> None:
        """Give the tensor what it had."""
        tensor = self.tensor
        _ = tensor._array  # one that is stale has a class of its own until it is read
        with lock:
            become(tensor, tuple(self.outside.values()))
            if _hidden.get(id(tensor)) is self:
                tensor.__class__ = type(tensor)._shown_class
                del _hidden[id(tensor)]

    def _dependence(self) -> int:
        """Return what the program depends on in its gradient, one of UNSEEN to THERE."""
        if self.meta is None:
            return UNSEEN if self.fresh is None and not self.is_asked else NONE
        if not self.fresh.is_seen:
            return UNSEEN
        if self.had_grad:
            return THERE
        if not self.fresh.tells_zeros:
            return ABSENT
        return NONE if self.meta.zeros is None else ZEROS

    def forget(self) -> None:
        """Let go of what belongs to the trace."""
        self.gradient = self._dependence()
        self.traced = self.fresh = self.traced_grad = None


def gradient_of(meta: AutogradMeta) -> tuple[Any, Any]:
    """Return the gradient and the zeros of an AutogradMeta, unseen by a TracedMeta."""
    return _GRAD.__get__(meta), _ZEROS.__get__(meta)


def gradient_is(meta: AutogradMeta | None, kind: int) -> bool:
    """Return whether a gradient is what a program depends on, one of UNSEEN to THERE."""
    if kind == UNSEEN:
        return True
    if meta is None:
        return kind in (ABSENT, NONE)
    if meta.grad is not None or kind == THERE:
        return meta.grad is not None and kind == THERE
    return kind == ABSENT or (meta.zeros is not None) is (kind == ZEROS)


def hooks_of(meta: AutogradMeta | None) -> tuple:
    """Return the hooks that run when a leaf gets its gradient."""
    node = None if meta is None else meta.node
    if node is None or not node.is_leaf or node.hooks is None:
        return ()
    hooks = node.hooks
    return *[hook for _, hook in hooks.gradient.values()], *hooks.reduce.values()


def state_of(tensor: Any) -> tuple:
    """Return what ``become`` makes a tensor what it is by."""
    return tensor._array, tensor._meta, tensor._storage, getattr(tensor, "_view", None)


def stand_in(tensor: Any) -> Any:
    """Return another object for a tensor, with the same array, gradient, memory and attributes."""
    kind: Any = fresh_class(tensor)
    made = kind.__new__(kind)
    become(made, state_of(tensor))
    made.__dict__.update(vars(tensor))
    return made


def become(tensor: Any, state: tuple) -> None:
    tensor._array, tensor._meta, tensor._storage, view = state
    if view is not None:
        tensor._view = view
    elif hasattr(tensor, "_view"):
        del tensor._view


_SLOTS = {name: vars(Tensor)[name] for name in ("_array", "_meta", "_storage", "_view")}
_hidden: dict[int, Lifted] = {}
_times = [0]  # how often a tensor was hidden


@functools.cache
def _hiding_class(shown: type) -> type:
    """Return the class of tensors that other threads see as they were."""
    members = {name: _of_each_thread(name) for name in _SLOTS}
    return twin_class(shown, {**members, "_shown_class": shown})


def _of_each_thread(name: str) -> property:
    """Return an attribute that threads see as it was, except for the one that traces."""
    slot: Any = _SLOTS[name]

    def hiding(tensor: Any) -> Lifted | None:
        lifted = _hidden.get(id(tensor))
        return None if lifted is None or lifted.thread == get_ident() else lifted

    def get(tensor: Any) -> Any:
        while (lifted := hiding(tensor)) is None:
            times = _times[0]
            value = slot.__get__(tensor)
            if times == _times[0] and hiding(tensor) is None:  # it is not what has just been hidden
                return value
        value = lifted.outside[name]
        if value is None and name == "_view":
            raise AttributeError(name)
        return value

    def set_(tensor: Any, value: Any) -> None:
        lifted = hiding(tensor)
        if lifted is None:
            slot.__set__(tensor, value)
        else:
            lifted.outside[name] = value

    def delete(tensor: Any) -> None:
        lifted = hiding(tensor)
        if lifted is None:
            slot.__delete__(tensor)
        else:
            lifted.outside[name] = None

    return property(get, set_, delete)


def _itself(array: jax.Array) -> jax.Array:
    return array


# JAX 0.11 has more kinds of "inline", and takes True for one that leaves a step.
_AT_ONCE: Any = getattr(getattr(jax, "Inline", None), "JAX_EARLY", True)
staged: Callable = jitted(_itself, inline=_AT_ONCE)
"""Returns a value of JAX's trace that stands for an array, without a step in the program."""


def _fresh_meta(meta: AutogradMeta | None, tensor: Any) -> AutogradMeta | None:
    """Return the AutogradMeta of a tensor within a trace: of a leaf, with the hooks of one."""
    if meta is None:
        return None
    fresh = TracedMeta(meta)
    if meta.node is not None and meta.node.is_leaf and meta.node.hooks is not None:
        fresh.node = GradNodeAccumulation(weakref.ref(fresh), tensor.__dict__.get("_name"))
        fresh.node.hooks = meta.node.hooks
    return fresh
