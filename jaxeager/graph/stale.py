"""Stale tensors: what others of their memory have written is read when somebody looks.

See Note [Views] in graph/views.py.

Note [Readers wait]
    While a step writes into arrays that it gives away, another thread may not come by them. So
    their tensors are *withdrawn* for that time: they get the class that stale tensors have, and
    keep the array where it was. Who reads one in another thread waits for ``memory.lock``, which
    the step holds, and finds the new array. The step itself gives the tensors their class back, in
    the one call of C that gives them their arrays; when it is interrupted before, the thread that
    has the lock next does.
"""

import functools
from collections.abc import Callable, Sequence
from contextvars import copy_context
from itertools import repeat
from threading import get_ident
from typing import Any, TypeGuard

import jax
from jax.core import Tracer

from jaxeager.core import ports
from jaxeager.graph.at_once import set_each, set_together
from jaxeager.graph.hooks import move_retention
from jaxeager.graph.memory import lock
from jaxeager.graph.meta import AutogradMeta
from jaxeager.graph.mode import grad_mode

_slots: Any = None  # Tensor's slots _array and _meta, and what is told of each new class
_withdrawn: dict[str, Any] = {"by": None, "tensors": (), "classes": ()}  # see Note [Readers wait]


class _Stale:
    """What a stale tensor keeps where its array was.

    Attributes:
        head: the tensor it is read anew from, which is kept alive for that.
        is_recorded: whether its history then leads there.
    """

    __slots__ = ("head", "is_recorded")

    def __init__(self, head, is_recorded: bool):
        self.head = head
        self.is_recorded = is_recorded


def set_tensor_slots(array_slot, meta_slot, on_class) -> None:
    """Tell this module where Tensor keeps its array and its AutogradMeta.

    Args:
        array_slot, meta_slot: the descriptors of the slots.
        on_class: a function that is called with each class a stale tensor may have.
    """
    global _slots
    _slots = (array_slot, meta_slot, on_class)


def is_stale(tensor) -> bool:
    """Says whether a tensor will be read anew when somebody looks."""
    return "_fresh_class" in type(tensor).__dict__


def wants(meta: AutogradMeta | None) -> TypeGuard[AutogradMeta]:
    """Says whether a gradient is wanted of the tensor with this AutogradMeta."""
    return meta is not None and not meta.stop_gradient


def raw_array(tensor):
    """Return a tensor's array, or what a stale tensor keeps in its place."""
    return _slots[0].__get__(tensor)


def raw_meta(tensor) -> AutogradMeta | None:
    """Return a tensor's AutogradMeta without reading a stale tensor anew."""
    return _slots[1].__get__(tensor)


@functools.cache
def _stale_class(fresh: type) -> type:
    """Return the class of stale tensors of a class."""
    members = {
        "_fresh_class": fresh, "_array": property(_get_array, _set_array),
        "_meta": property(_get_meta, _set_meta), "__reduce_ex__": _reduce_fresh,
    }  # fmt: skip
    return twin_class(fresh, members)


def twin_class(fresh: type, members: dict) -> type:
    """Return a class with some members of its own, that looks like the one that it is made from.

    A tensor of the one may be given the other: they have the same name, slots and methods.
    """
    same = {name: getattr(fresh, name) for name in ("__module__", "__qualname__", "__doc__")}
    made = type(fresh.__name__, (fresh,), {"__slots__": (), **same, **members})
    _slots[2](made)
    return made


def fresh_class(tensor) -> type:
    """Return the class of a tensor, and that which it will have again of one that is stale."""
    kind = type(tensor)
    return kind.__dict__.get("_fresh_class", kind)


def is_plain(kind: type) -> bool:
    """Return whether tensors of a class have their array in the slot, and nowhere else.

    Those have not that are stale, or that a trace hides from other threads (jit/capture/lifted.py).
    """
    return kind._array is _slots[0]  # type: ignore[attr-defined]


def _get_array(tensor):
    with lock:
        kept = raw_array(tensor) if is_stale(tensor) else None
        if kept is not None and type(kept) is not _Stale:
            if _withdrawn["by"] != get_ident():
                set_each([(tensor, "__class__", type(tensor)._fresh_class)])
            return kept
        _refresh(tensor)
    return tensor._array


def _get_meta(tensor):
    kept = _slots[0].__get__(tensor)
    if type(kept) is not _Stale or not kept.is_recorded:
        meta = raw_meta(tensor)
        if is_stale(tensor):
            return meta
    _refresh(tensor)
    return tensor._meta


def _set_array(tensor, array) -> None:
    with lock:
        fresh = type(tensor)._fresh_class if is_stale(tensor) else type(tensor)
        set_each([(tensor, "__class__", fresh), (tensor, "_array", array)])


def _set_meta(tensor, meta) -> None:
    with lock:
        kept = _slots[0].__get__(tensor)
        if type(kept) is _Stale:
            kept.is_recorded = False
        _slots[1].__set__(tensor, meta)


def _reduce_fresh(tensor, protocol):
    _refresh(tensor)
    return tensor.__reduce_ex__(protocol)


def settle(head) -> None:
    """Bring a tensor up to date, and all that are to be read anew out of it, before it goes."""
    head._array  # noqa: B018 (a stale tensor renews itself when it is read)
    for reference in list(head._storage.sharers or ()):
        member = reference()
        if member is not None and is_stale(member):
            kept = _slots[0].__get__(member)
            if type(kept) is _Stale and kept.head is head:
                _refresh(member)


def make_stale(tensor, head, is_recorded: bool) -> None:
    """Make a tensor read itself anew; one that would record already keeps doing so."""
    set_each(staleness(tensor, head, is_recorded))


def staleness(tensor, head, is_recorded: bool) -> list[tuple]:
    """Return what ``set_each`` makes a tensor stale by."""
    if type(raw_array(tensor)) is _Stale and not is_recorded:
        return []
    fresh = type(tensor)._fresh_class if is_stale(tensor) else type(tensor)
    return [
        (tensor, "__class__", fresh),
        (tensor, "_array", _Stale(head, is_recorded)),
        (tensor, "__class__", _stale_class(fresh)),
    ]


def withdraw(tensors: Sequence) -> list[type]:
    """Have other threads that read tensors wait until they have their classes again.

    Hold ``memory.lock`` until then: see Note [Readers wait].

    Args:
        tensors: Tensors, none of which is stale.

    Returns:
        their classes.
    """
    classes = list(map(fresh_class, tensors))
    twins = {kind: _stale_class(kind) for kind in set(classes)}
    _withdrawn.update(by=get_ident(), tensors=tensors, classes=classes)
    set_together(tensors, repeat("__class__"), map(twins.__getitem__, classes))
    return classes


def give_back() -> None:
    """Give the tensors that this thread has withdrawn their classes, unless they have them."""
    if _withdrawn["by"] != get_ident():
        return
    tensors, classes = _withdrawn["tensors"], _withdrawn["classes"]
    if tensors and is_stale(tensors[0]):
        set_together(tensors, repeat("__class__"), classes)
    _withdrawn.update(by=None, tensors=(), classes=())


def _refresh(tensor) -> None:
    """Read a stale tensor anew out of its head; nothing happens when another thread has."""
    with lock:
        if not is_stale(tensor):
            return
        kept = _slots[0].__get__(tensor)
        if type(kept) is not _Stale:
            _get_array(tensor)
            return
        array, meta = _read(tensor._view, kept.head, kept.is_recorded)
        if isinstance(array, Tracer) and not isinstance(kept.head._array, Tracer):
            with jax.ensure_compile_time_eval():  # read while something else is being traced
                array, meta = _read(tensor._view, kept.head, kept.is_recorded)
        old = raw_meta(tensor)
        fresh = (tensor, "__class__", type(tensor)._fresh_class)
        if not kept.is_recorded:
            set_each([fresh, (tensor, "_array", array)])
            return
        set_each([fresh, (tensor, "_array", array), (tensor, "_meta", meta)])
        if old is not None and meta is not None and old is not meta:
            move_retention(old, meta)


def _read(place, head, is_recorded: bool) -> tuple:
    """Return array and AutogradMeta of a place, read out of a head above it."""
    value = ports.view_steps.carrier(head._array, head._meta if is_recorded else None)
    path = [place]
    while path[-1] is not head._view:
        path.append(path[-1].parent)
    for each in path[-2::-1]:
        value = quietly(is_recorded, ports.view_steps.read, each, value)
    return value._array, value._meta


_QUIET: dict[str, Any] = {
    "inference": False, "traced": False, "amp": None, "saved_hooks": None, "silent": True,
}  # fmt: skip


def quietly(is_recorded: bool, function: Callable, *args):
    """Return what a function of ops returns, recorded or not, and shown to nobody.

    It runs in a copy of the context, which C leaves: no interrupt can leave the modes on.
    """
    return copy_context().run(_run_quiet, is_recorded, function, args)


def _run_quiet(is_recorded: bool, function: Callable, args: tuple):
    for name, value in _QUIET.items():
        setattr(grad_mode, name, value)
    grad_mode.enabled = is_recorded
    return function(*args)
