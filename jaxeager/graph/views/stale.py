"""Stale tensors: they read the writes of others to their memory when they are used.

See Note [Views] in graph/views/shared_writes.py.

Note [Readers wait]
    While a step writes into arrays that it donates, another thread must not read them. So their
    tensors are *withdrawn* for that time: they get the class of stale tensors, but keep their
    array. Another thread that reads one waits for ``memory.lock``, which the step holds, and then
    finds the new array. The step itself restores the classes of the tensors in the same call of C
    that sets their arrays. When it is interrupted before that, the next thread with the lock
    restores them.
"""

# Fields of Tensors have an underscore in front: they belong to the package, not to its users.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from itertools import repeat
from threading import get_ident
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard, TypeVar

import jax
from jax.core import Tracer

from jaxeager.core import ports
from jaxeager.graph.atomic import set_each, set_together
from jaxeager.graph.hooks import move_retention
from jaxeager.graph.meta import AutogradMeta
from jaxeager.graph.mode import grad_mode
from jaxeager.graph.views.view_places import lock

if TYPE_CHECKING:
    from typing import SupportsIndex

    from jaxeager.graph.atomic import Write
    from jaxeager.graph.types import StaleTensor, Tensor
    from jaxeager.graph.views.view_places import AnyPlace

    Triples: TypeAlias = list[Write]

Result = TypeVar("Result")

_slots: Any = None  # Tensor's slots _array and _meta, and the callback for new classes
_withdrawn: dict[str, Any] = {"by": None, "tensors": (), "classes": ()}  # see Note [Readers wait]


class _Stale:
    """The object that a stale tensor keeps in place of its array.

    Attributes:
        head: the tensor it is read from, which is kept alive for that.
        is_recorded: whether its history then leads to the head.
    """

    __slots__ = ("head", "is_recorded")

    def __init__(self, head: Tensor, is_recorded: bool):
        self.head = head
        self.is_recorded = is_recorded


def set_tensor_slots(array_slot: Any, meta_slot: Any, on_class: Callable[[type], object]) -> None:
    """Set the slots in which Tensor keeps its array and its AutogradMeta.

    Args:
        array_slot, meta_slot: the descriptors of the slots.
        on_class: a function that is called with each class a stale tensor may have.
    """
    global _slots
    _slots = (array_slot, meta_slot, on_class)


def is_stale(tensor: Tensor) -> TypeGuard[StaleTensor]:
    """Return whether a tensor will be read again when it is used."""
    return "_fresh_class" in type(tensor).__dict__


def wants(meta: AutogradMeta | None) -> TypeGuard[AutogradMeta]:
    """Return whether the tensor with this AutogradMeta requires a gradient."""
    return meta is not None and not meta.stop_gradient


def raw_array(tensor: Tensor) -> Any:
    """Return a tensor's array, or the substitute of a stale tensor."""
    return _slots[0].__get__(tensor)


def raw_meta(tensor: Tensor) -> AutogradMeta | None:
    """Return a tensor's AutogradMeta without refreshing a stale tensor."""
    return _slots[1].__get__(tensor)


@functools.cache
def _stale_class(fresh: type) -> type:
    """Return the class of stale tensors of a class."""
    members = {
        "_fresh_class": fresh, "_array": property(_get_array, _set_array),
        "_meta": property(_get_meta, _set_meta), "__reduce_ex__": _reduce_fresh,
    }  # fmt: skip
    return twin_class(fresh, members)


def twin_class(fresh: type, members: Mapping[str, object]) -> type:
    """Return a subclass with some other members, which looks like its base class.

    A tensor of either class may be given the other: they have the same name, slots and methods.
    """
    same = {name: getattr(fresh, name) for name in ("__module__", "__qualname__", "__doc__")}
    made = type(fresh.__name__, (fresh,), {"__slots__": (), **same, **members})
    _slots[2](made)
    return made


def fresh_class(tensor: Tensor) -> type:
    """Return the class of a tensor; for a stale one, the class it will have again."""
    kind = type(tensor)
    return kind.__dict__.get("_fresh_class", kind)


def is_plain(kind: type) -> bool:
    """Return whether tensors of a class keep their array in the slot, and nowhere else.

    Stale tensors do not, nor do those that a trace hides from other threads
    (jit/capture/lifted.py).
    """
    return kind._array is _slots[0]  # type: ignore[attr-defined]


def _get_array(tensor: StaleTensor) -> jax.Array:
    with lock:
        kept = raw_array(tensor) if is_stale(tensor) else None
        if kept is not None and type(kept) is not _Stale:
            if _withdrawn["by"] != get_ident():
                set_each([(tensor, "__class__", type(tensor)._fresh_class)])
            return kept
        _refresh(tensor)
    return tensor._array


def _get_meta(tensor: Tensor) -> AutogradMeta | None:
    kept = _slots[0].__get__(tensor)
    if type(kept) is not _Stale or not kept.is_recorded:
        meta = raw_meta(tensor)
        if is_stale(tensor):
            return meta
    _refresh(tensor)
    return tensor._meta


def _set_array(tensor: Tensor, array: jax.Array) -> None:
    with lock:
        fresh = type(tensor)._fresh_class if is_stale(tensor) else type(tensor)
        set_each([(tensor, "__class__", fresh), (tensor, "_array", array)])


def _set_meta(tensor: Tensor, meta: AutogradMeta | None) -> None:
    with lock:
        kept = _slots[0].__get__(tensor)
        if type(kept) is _Stale:
            kept.is_recorded = False
        _slots[1].__set__(tensor, meta)


def _reduce_fresh(tensor: Tensor, protocol: SupportsIndex) -> str | tuple[object, ...]:
    _refresh(tensor)
    return tensor.__reduce_ex__(protocol)


def settle(head: Tensor) -> None:
    """Refresh a tensor, and all that are to be read from it, before it leaves its memory."""
    head._array  # noqa: B018 (a stale tensor refreshes itself when it is read)
    for reference in list(head._storage.sharers or ()):
        member = reference()
        if member is not None and is_stale(member):
            kept = _slots[0].__get__(member)
            if type(kept) is _Stale and kept.head is head:
                _refresh(member)


def make_stale(tensor: Tensor, head: Tensor, is_recorded: bool) -> None:
    """Make a tensor refresh itself when read; one that would record that still does so."""
    set_each(staleness(tensor, head, is_recorded))


def staleness(tensor: Tensor, head: Tensor, is_recorded: bool) -> Triples:
    """Return the arguments with which ``set_each`` makes a tensor stale."""
    if type(raw_array(tensor)) is _Stale and not is_recorded:
        return []
    fresh = type(tensor)._fresh_class if is_stale(tensor) else type(tensor)
    return [
        (tensor, "__class__", fresh),
        (tensor, "_array", _Stale(head, is_recorded)),
        (tensor, "__class__", _stale_class(fresh)),
    ]


def withdraw(tensors: Sequence[Tensor]) -> list[type]:
    """Make other threads that read these tensors wait until their classes are restored.

    The caller holds ``memory.lock`` until then: see Note [Readers wait].

    Args:
        tensors: Tensors, none of them stale.

    Returns:
        their classes.
    """
    classes = list(map(fresh_class, tensors))
    twins = {kind: _stale_class(kind) for kind in set(classes)}
    _withdrawn.update(by=get_ident(), tensors=tensors, classes=classes)
    set_together(tensors, repeat("__class__"), map(twins.__getitem__, classes))
    return classes


def give_back() -> None:
    """Restore the classes of the tensors that this thread has withdrawn, if still needed."""
    if _withdrawn["by"] != get_ident():
        return
    tensors, classes = _withdrawn["tensors"], _withdrawn["classes"]
    if tensors and is_stale(tensors[0]):
        set_together(tensors, repeat("__class__"), classes)
    _withdrawn.update(by=None, tensors=(), classes=())


def _refresh(tensor: Tensor) -> None:
    """Read a stale tensor from its head; do nothing when another thread has done so."""
    with lock:
        if not is_stale(tensor):
            return
        kept = _slots[0].__get__(tensor)
        if type(kept) is not _Stale:
            _get_array(tensor)
            return
        array, meta = _read(tensor._view, kept.head, kept.is_recorded)
        if isinstance(array, Tracer) and not isinstance(kept.head._array, Tracer):
            with jax.ensure_compile_time_eval():  # read while JAX traces other code
                array, meta = _read(tensor._view, kept.head, kept.is_recorded)
        old = raw_meta(tensor)
        fresh = (tensor, "__class__", type(tensor)._fresh_class)
        if not kept.is_recorded:
            set_each(
                # a Tracer's own type is unknown
                [fresh, (tensor, "_array", array)]  # pyright: ignore[reportUnknownArgumentType]
            )
            return
        set_each(
            [  # pyright: ignore[reportUnknownArgumentType]  # the same
                fresh,
                (tensor, "_array", array),
                (tensor, "_meta", meta),
            ]
        )
        if old is not None and meta is not None and old is not meta:
            move_retention(old, meta)


def _read(
    place: AnyPlace, head: Tensor, is_recorded: bool
) -> tuple[jax.Array, AutogradMeta | None]:
    """Return array and AutogradMeta of a place, read from a head above it."""
    value = ports.view_steps.carrier(head._array, head._meta if is_recorded else None)
    path = [place]
    while path[-1] is not head._view:
        path.append(path[-1].parent)
    for each in path[-2::-1]:
        value = quietly(is_recorded, ports.view_steps.read, each, value)
    return value._array, value._meta


_QUIET: dict[str, bool | None] = {
    "inference": False, "traced": False, "amp": None, "saved_hooks": None, "silent": True,
}  # fmt: skip


def quietly(is_recorded: bool, function: Callable[..., Result], *args: Any) -> Result:
    """Return the result of a function of ops, recorded or not, and hidden from observers.

    It runs in a copy of the context, which is left in C, so no interrupt can leave the modes on.
    """
    return copy_context().run(_run_quiet, is_recorded, function, args)


def _run_quiet(is_recorded: bool, function: Callable[..., Result], args: tuple[Any, ...]) -> Result:
    for name, value in _QUIET.items():
        setattr(grad_mode, name, value)
    grad_mode.enabled = is_recorded
    return function(*args)
