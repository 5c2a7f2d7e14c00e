"""The tensors that share a memory, and their places in it: Note [Views] of shared_writes.py."""

# Fields of Tensors have an underscore in front: they belong to the package, not to its users.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import ref

import numpy as np

from jaxeager.core import ports
from jaxeager.graph.views.storage import Storage

if TYPE_CHECKING:
    from jax.core import ShapedArray

    from jaxeager.graph.types import Items, Row, Tensor, UpperTensor

    AnyPlace: TypeAlias = "Root | Place"
    Entry: TypeAlias = tuple[AnyPlace, AnyPlace, np.ndarray]

PURGE_MASK = 63  # dead references are dropped whenever the list's length is a multiple of 64

lock = threading.RLock()


class Root:
    """The place of the tensor for which a memory was made.

    Attributes:
        aval: its shape and dtype.
        places: the known data of the places below, by id: (place, top, NumPy stand-in); not set
            before the first query.
    """

    __slots__ = ("aval", "places")
    is_cut = False
    aval: ShapedArray
    places: dict[int, Entry]
    if TYPE_CHECKING:  # members of the places below it alone
        attrs: Items
        extras: Items
        parent: AnyPlace
        row: Row


class Place:
    """The place of a view: how to read it from its parent.

    One is made per op that makes a view, field by field. That takes 40 ns more than a tuple; a
    named tuple or a call with arguments takes 160 to 180 ns more.

    Attributes:
        parent: the place that it is a view of.
        row: the op that read it; None for the same elements.
        attrs: the op's attributes.
        extras: its operands after the first.
        is_cut: whether it shares no history with its parent: see Note [Cuts] of shared_writes.py.
    """

    __slots__ = ("attrs", "extras", "parent", "row")
    is_cut = False
    attrs: Items
    extras: Items
    parent: AnyPlace
    row: Row


class Cut(Place):
    """A place that shows the same elements as its parent, and shares no history with it."""

    __slots__ = ()
    is_cut = True


def make_place(
    parent: AnyPlace,
    row: Row = None,
    attrs: Items = (),
    extras: Items = (),
    kind: type[Any] = Place,
) -> Place:
    """Return a place of a kind below another one."""
    place = kind()
    place.parent, place.row, place.attrs, place.extras = parent, row, attrs, extras
    return place


# ---- sharers


def share(tensor: Tensor) -> list[ref[Tensor]]:
    """Return the list of a tensor's sharers; the first time the tensor gets a place, the root.

    About 0.2 us. Two threads may run this at the same time. There is no call between the check and
    the assignment, so no thread switch occurs there, which is cheaper than a lock (0.13 us).
    """
    root, sharers, storage = Root(), [ref(tensor)], tensor._storage
    root.aval = tensor._array.aval
    if storage.sharers is None:
        tensor._view = root
        storage.sharers = sharers
    return storage.sharers


def purge(storage: Storage) -> None:
    """Drop references to deleted tensors."""
    with lock:
        sharers = storage.sharers or []
        for position in range(len(sharers) - 1, -1, -1):
            tensor = sharers[position]()
            if tensor is None or tensor._storage is not storage:
                del sharers[position]


def add_view(
    view: Tensor,
    base: UpperTensor,
    row: Row,
    attrs: Items = (),
    extras: Items = (),
    is_cut: bool = False,
) -> None:
    """Make ``view`` share the memory of ``base``; its array does not change.

    Args:
        view: a Tensor that was just made.
        base: the Tensor it was read from.
        row: the op that read it, with ``attrs``, and ``extras``, its operands after the first;
            None for the same elements.
        is_cut: whether they share no history: see Note [Cuts].
    """
    storage = view._storage = base._storage
    sharers = storage.sharers
    if sharers is None:
        sharers = share(base)
    place = Place()  # the body of make_place, without a call
    place.parent = cut_below(base._view) if is_cut else base._view
    place.row = row
    place.attrs = attrs
    place.extras = extras
    view._view = place
    sharers.append(ref(view))
    if not len(sharers) & PURGE_MASK:
        purge(storage)


def cut_below(place: AnyPlace) -> Place:
    """Return the place of the same elements without their history: see Note [Cuts].

    A group must hold each element once. Below a place that shows an element several times, the cut
    is made above that place, and the path down is repeated.
    """
    above = place
    while type(above) is not Root and not above.is_cut:
        if ports.view_steps.overlaps_itself(above):
            path = path_to(place)
            first = max((n for n, each in enumerate(path[1:], 1) if each.is_cut), default=0)
            made = make_place(path[first], kind=Cut)
            for each in path[first + 1 :]:
                made = make_place(made, each.row, each.attrs, each.extras)
            return made
        above = above.parent
    return make_place(place, kind=Cut)


def elements_key(tensor: Tensor) -> int:
    """Return a number that two living tensors share when they have the same elements, in order."""
    if tensor._storage.sharers is None:
        return id(tensor)
    place = tensor._view
    while type(place) is not Root and place.row is None:
        place = place.parent
    return id(place)


def living_at(storage: Storage, top: AnyPlace) -> dict[int, UpperTensor]:
    """Return the living tensors below a top, by the id of their place."""
    found: dict[int, UpperTensor] = {}
    for reference in storage.sharers or ():
        tensor = reference()
        if tensor is not None and tensor._storage is storage:
            place = tensor._view
            if _found(place)[1] is top:
                found[id(place)] = tensor
    return found


def living_on(storage: Storage, path: Sequence[AnyPlace]) -> dict[int, UpperTensor]:
    """Return the living tensors at the places of a path, by the id of their place."""
    ids = set(map(id, path))
    tensors = [reference() for reference in storage.sharers or ()]
    found = {id(t._view): t for t in tensors if t is not None and id(t._view) in ids}
    return {place: t for place, t in found.items() if t._storage is storage}


# ---- places


def path_to(place: AnyPlace) -> list[AnyPlace]:
    """Return the places from the top of the memory down to a place.

    The top is the one of Note [Copies that share a version] in shared_writes.py.
    """
    path = [place]
    top = top_of(place)
    while path[-1] is not top:
        path.append(path[-1].parent)
    return path[::-1]


def top_of(place: AnyPlace) -> AnyPlace:
    """Return the highest place that is in the same memory."""
    return _found(place)[1]


def stand_in(place: AnyPlace) -> np.ndarray:
    """Return a NumPy array with the shape, strides and offset of a place, and no elements."""
    return _found(place)[2]


def _found(place: AnyPlace) -> Entry:
    """Return (place, its top, its stand-in), from the root's notes where they have it."""
    root = place
    while type(root) is not Root:
        root = root.parent
    notes = getattr(root, "places", None)
    if notes is not None and id(place) in notes:
        return notes[id(place)]
    if notes is None or len(notes) > 4096:
        first = ports.view_steps.stand_in(root.aval.shape, root.aval.dtype)
        notes = root.places = {id(root): (root, root, first)}
    return _note(place, root, notes)


def _note(place: AnyPlace, root: Root, notes: dict[int, Entry]) -> Entry:
    """Compute and store the data of a place and those above it."""
    path = [place]
    while path[-1] is not root:
        path.append(path[-1].parent)
    entry = notes[id(root)]
    for each in path[-2::-1]:
        known = notes.get(id(each))
        if known is None:
            array, is_copy = ports.view_steps.place(each, entry[2])
            known = notes[id(each)] = (each, each if is_copy else entry[1], array)
        entry = known
    return entry


def place_of(tensor: Tensor) -> np.ndarray | None:
    """Return the stand-in of a tensor; None when it shares its memory with no other."""
    if tensor._storage.sharers is None:
        return None
    with lock:
        return stand_in(tensor._view)


def is_contiguous(tensor: Tensor) -> bool:
    """Return whether a tensor's elements would be contiguous in memory."""
    place = place_of(tensor)
    return (
        place is None
        or place.strides == ports.view_steps.stand_in(place.shape, place.dtype).strides
    )
