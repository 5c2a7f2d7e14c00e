"""A tensor from outside, while a function is traced: its array is a tracer.

Note [What other threads see]
    A trace takes time, and meanwhile a lifted tensor has no value that another thread could use. So
    where there are other threads, its class is replaced by one with separate values per thread: the
    tracing thread sees the tracer, all others see the tensor as before. A value that the others set
    remains after the trace; a write to another tensor of the same memory does not.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from threading import get_ident
from typing import TYPE_CHECKING, Any

import jax

from jaxeager.graph.meta import AutogradMeta
from jaxeager.graph.node import GradNodeAccumulation
from jaxeager.graph.views.stale import fresh_class, twin_class
from jaxeager.graph.views.storage import Storage
from jaxeager.graph.views.view_places import lock
from jaxeager.kernels.memory_bound import jitted
from jaxeager.optimizer.donation import has_company
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from types import MemberDescriptorType

    from jax.core import ShapedArray

    from jaxeager.graph.types import Gradient


UNSEEN, ABSENT, NONE, ZEROS, THERE = range(5)
"""The state of a gradient that a program depends on: none; that there is no gradient, or zeros to
be made; that there is no gradient; that it is such zeros; that there is a gradient."""

_GRAD: MemberDescriptorType = AutogradMeta.__dict__["grad"]
_ZEROS: MemberDescriptorType = AutogradMeta.__dict__["zeros"]


class TracedMeta(AutogradMeta):
    """The AutogradMeta of a lifted tensor; it notes each access to the gradient.

    Attributes:
        is_seen: whether ``grad`` was read or set: by backward, an optimizer, the function itself.
        tells_zeros: whether it was read if the gradient was cleared to zeros or to None.
        sets_zeros: whether ``zeros`` was set, as any code that replaces a gradient does.
    """

    __slots__ = ("is_lent", "is_seen", "sets_zeros", "tells_zeros")

    def __init__(self, meta: AutogradMeta):
        super().__init__(meta.stop_gradient)
        self.is_lent = not meta.is_leaf()  # the result of an op may be written
        _ZEROS.__set__(self, meta.zeros)
        self.is_seen = self.tells_zeros = self.sets_zeros = False

    def begin(self, grad: Gradient | None) -> None:
        """Set the gradient that the tensor has at the beginning of the trace."""
        _GRAD.__set__(self, grad)

    @property
    def grad(self) -> Gradient | None:  # type: ignore[override]
        """Return the gradient; None if there is none, or zeros to be made."""
        self.is_seen = True
        return _GRAD.__get__(self)

    @grad.setter
    def grad(self, value: Gradient | None) -> None:
        self.is_seen = True
        _GRAD.__set__(self, value)

    @property
    def zeros(self) -> ShapedArray | None:  # type: ignore[override]
        """Return the aval of cleared zeros: see AutogradMeta."""
        self.is_seen = True
        self.tells_zeros = self.tells_zeros or not self.sets_zeros
        return _ZEROS.__get__(self)

    @zeros.setter
    def zeros(self, value: ShapedArray | None) -> None:
        self.is_seen = self.sets_zeros = True
        _ZEROS.__set__(self, value)


class Lifted:
    """A tensor that a function uses and has not made.

    Attributes:
        tensor: itself.
        array: its array, by which JAX identifies the input.
        meta, storage, view: its earlier values.
        stops: whether it stopped gradients.
        outside: the values for threads that do not trace, by the name of the slot.
        thread: the tracing thread.
        traced: the tracer of the array.
        fresh: its AutogradMeta during the trace.
        had_grad: whether it had a gradient.
        hooks: the hooks on its gradient: see ``hooks_of``.
        is_asked: whether the function itself has read or set its gradient.
        gradient: after the trace, the program's dependence on its gradient.
    """

    __slots__ = (
        "array", "fresh", "gradient", "had_grad", "hooks", "is_asked", "meta", "outside", "stops",
        "storage", "tensor", "thread", "traced", "traced_grad",
    )  # fmt: skip

    def __init__(self, tensor: Tensor, array: jax.Array):
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
        self.traced_grad: object = None
        self.gradient, self.is_asked = UNSEEN, False
        self.hide()
        tensor._array, tensor._meta, tensor._storage = self.traced, self.fresh, Storage()

    def hide(self) -> None:
        """Hide the tensor's traced values from other threads; the caller holds ``memory.lock``."""
        if has_company() and id(self.tensor) not in _hidden:  # an outer trace may have done so
            self.outside.update(zip(_SLOTS, state_of(self.tensor), strict=True))
            _hidden[id(self.tensor)] = self
            _times[0] += 1
            self.tensor.__class__ = _hiding_class(fresh_class(self.tensor))

    def put_back(self) -> None:
        """Restore the tensor's earlier values."""
        tensor: Any = self.tensor
        _ = tensor._array  # a stale one has another class until it is read
        with lock:
            become(tensor, tuple(self.outside.values()))
            if _hidden.get(id(tensor)) is self:
                tensor.__class__ = type(tensor)._shown_class
                del _hidden[id(tensor)]

    def _dependence(self) -> int:
        """Return the program's dependence on its gradient, one of UNSEEN to THERE."""
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
        """Drop the objects of the trace."""
        self.gradient = self._dependence()
        self.traced = self.fresh = self.traced_grad = None


def gradient_of(meta: AutogradMeta) -> tuple[Gradient | None, ShapedArray | None]:
    """Return the gradient and the zeros of an AutogradMeta, unnoticed by a TracedMeta."""
    return _GRAD.__get__(meta), _ZEROS.__get__(meta)


def gradient_is(meta: AutogradMeta | None, kind: int) -> bool:
    """Return whether a gradient satisfies a program's dependence, one of UNSEEN to THERE."""
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


def state_of(tensor: Tensor) -> tuple:
    """Return the state of a tensor for ``become``."""
    return tensor._array, tensor._meta, tensor._storage, getattr(tensor, "_view", None)


def stand_in(tensor: Tensor) -> Tensor:
    """Return another object for a tensor, with the same array, gradient, memory and attributes."""
    kind: Any = fresh_class(tensor)
    made = kind.__new__(kind)
    become(made, state_of(tensor))
    made.__dict__.update(vars(tensor))
    return made


def become(tensor: Tensor, state: tuple) -> None:
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
    """Return the class of tensors that other threads see with their earlier values."""
    members = {name: _of_each_thread(name) for name in _SLOTS}
    return twin_class(shown, {**members, "_shown_class": shown})


def _of_each_thread(name: str) -> property:
    """Return a property with its earlier value for all threads but the tracing one."""
    slot: MemberDescriptorType = _SLOTS[name]

    def hiding(tensor: Tensor) -> Lifted | None:
        lifted = _hidden.get(id(tensor))
        return None if lifted is None or lifted.thread == get_ident() else lifted

    def get(tensor: Tensor) -> object:
        while (lifted := hiding(tensor)) is None:
            times = _times[0]
            value = slot.__get__(tensor)
            if times == _times[0] and hiding(tensor) is None:  # not one that was hidden meanwhile
                return value
        value = lifted.outside[name]
        if value is None and name == "_view":
            raise AttributeError(name)
        return value

    def set_(tensor: Tensor, value: object) -> None:
        lifted = hiding(tensor)
        if lifted is None:
            slot.__set__(tensor, value)
        else:
            lifted.outside[name] = value

    def delete(tensor: Tensor) -> None:
        lifted = hiding(tensor)
        if lifted is None:
            slot.__delete__(tensor)
        else:
            lifted.outside[name] = None

    return property(get, set_, delete)


def _itself(array: jax.Array) -> jax.Array:
    return array


# JAX 0.11 has more kinds of "inline"; there True leaves a step in the program.
_AT_ONCE: object = getattr(getattr(jax, "Inline", None), "JAX_EARLY", True)
staged: Callable = jitted(_itself, inline=_AT_ONCE)
"""Return a value of JAX's trace that represents an array, without a step in the program."""


def _fresh_meta(meta: AutogradMeta | None, tensor: Tensor) -> AutogradMeta | None:
    """Return a tensor's AutogradMeta within a trace: that of a leaf, with the leaf's hooks."""
    if meta is None:
        return None
    fresh = TracedMeta(meta)
    if meta.node is not None and meta.node.is_leaf and meta.node.hooks is not None:
        fresh.node = GradNodeAccumulation(weakref.ref(fresh), tensor.__dict__.get("_name"))
        fresh.node.hooks = meta.node.hooks
    return fresh
