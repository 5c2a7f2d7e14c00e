"""Stale tensors: what others of their memory have written is read when somebody looks.

See Note [Views] in graph/views.py.
"""

import contextlib
import functools
from typing import Any, TypeGuard

import jax
from jax.core import Tracer

from jaxeager.graph import memory
from jaxeager.graph.hooks import move_retention
from jaxeager.graph.memory import PARENT, lock
from jaxeager.graph.meta import AutogradMeta
from jaxeager.graph.mode import grad_mode

_slots: Any = None  # Tensor's slots _array and _meta, and what is told of each new class


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
    """Tells this module where Tensor keeps its array and its AutogradMeta.

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


def raw_meta(tensor) -> AutogradMeta | None:
    """Returns a tensor's AutogradMeta without reading a stale tensor anew."""
    return _slots[1].__get__(tensor)


@functools.cache
def _stale_class(fresh: type) -> type:
    """Returns the class of stale tensors of a class: it has the same name, slots and methods."""
    names = {
        "__slots__": (), "__module__": fresh.__module__, "__qualname__": fresh.__qualname__,
        "__doc__": fresh.__doc__, "_fresh_class": fresh, "_array": property(_get_array, _set_array),
        "_meta": property(_get_meta, _set_meta), "__reduce_ex__": _reduce_fresh,
    }  # fmt: skip
    made = type(fresh.__name__, (fresh,), names)
    _slots[2](made)
    return made


def _get_array(tensor):
    _refresh(tensor)
    return tensor._array


def _get_meta(tensor):
    kept = _slots[0].__get__(tensor)
    if type(kept) is _Stale and not kept.is_recorded:
        return raw_meta(tensor)
    _refresh(tensor)
    return tensor._meta


def _set_array(tensor, array) -> None:
    with lock:
        _slots[0].__set__(tensor, array)
        if is_stale(tensor):
            tensor.__class__ = type(tensor)._fresh_class


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
    """Brings a tensor up to date, and all that are to be read anew out of it, before it goes."""
    head._array  # noqa: B018 (a stale tensor renews itself when it is read)
    for reference in list(head._storage.sharers or ()):
        member = reference()
        if member is not None and is_stale(member):
            kept = _slots[0].__get__(member)
            if type(kept) is _Stale and kept.head is head:
                _refresh(member)


def make_stale(tensor, head, is_recorded: bool) -> None:
    """Makes a tensor read itself anew; one that would record already keeps doing so."""
    slot = _slots[0]
    if is_stale(tensor):
        if is_recorded:
            slot.__set__(tensor, _Stale(head, True))
        return
    slot.__set__(tensor, _Stale(head, is_recorded))
    tensor.__class__ = _stale_class(type(tensor))


def _refresh(tensor) -> None:
    """Reads a stale tensor anew out of its head; nothing happens when another thread has."""
    with lock:
        if not is_stale(tensor):
            return
        kept = _slots[0].__get__(tensor)
        array, meta = _read(tensor._view, kept.head, kept.is_recorded)
        if isinstance(array, Tracer) and not isinstance(kept.head._array, Tracer):
            with jax.ensure_compile_time_eval():  # read while something else is being traced
                array, meta = _read(tensor._view, kept.head, kept.is_recorded)
        _slots[0].__set__(tensor, array)
        if kept.is_recorded:
            old = raw_meta(tensor)
            _slots[1].__set__(tensor, meta)
            if old is not None and meta is not None and old is not meta:
                move_retention(old, meta)
        tensor.__class__ = type(tensor)._fresh_class


def _read(place, head, is_recorded: bool) -> tuple:
    """Returns array and AutogradMeta of a place, read out of a head above it."""
    value = memory.steps.carrier(head._array, head._meta if is_recorded else None)
    path = [place]
    while path[-1] is not head._view:
        path.append(path[-1][PARENT])
    with quiet(is_recorded):
        for each in path[-2::-1]:
            value = memory.steps.read(each, value)
    return value._array, value._meta


@contextlib.contextmanager
def quiet(is_recorded: bool):
    """Runs ops with recording on or off, and shown to nobody."""
    modes = {
        "inference": False, "enabled": is_recorded, "watching": 0, "amp": None,
        "saved_hooks": None, "silent": True,
    }  # fmt: skip
    before = {name: getattr(grad_mode, name) for name in modes}
    for name, value in modes.items():
        setattr(grad_mode, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(grad_mode, name, value)
