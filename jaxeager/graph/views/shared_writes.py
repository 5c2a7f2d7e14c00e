"""Tensors that share memory, and the effect of a write through one of them on the others.

Note [Views]
    A JAX array cannot be written, so each tensor of one memory holds a separate array. The sharing
    is recorded as data: the tensors have the same ``Storage``, which counts versions and lists them
    weakly, and each has a *place*, ``tensor._view``. The place of the first tensor is a ``Root``.
    That of a view is a ``Place``, a recipe for reading it from its parent, and so also for writing
    it back. Places hold no tensor: a view keeps nothing else alive. That is the whole cost of a
    view. (A row of None is the identity: ``detach``, ``x[:]``.)

    A write through one tensor changes the *head*. Of all living tensors at the places between the
    root and the written one, it is the highest from which all the other affected tensors were read.
    Its new value is its old one with the part replaced, by ops that are recorded when grad mode is
    on: so the history of the whole memory leads through the write. When the write was to the head
    itself there is nothing to do. When no such tensor is alive any more, a *ghost* replaces the
    root: zeros into which all living members are written.

    Every other tensor whose memory overlaps is made *stale*: its class is replaced by one whose
    ``_array`` and ``_meta`` are properties. At the first access they read the tensor from the head,
    record that if the write was recorded, and restore the class. So a tensor that is never used
    again costs nothing, a thousand writes are read once, and tensors that are not stale do not even
    need a check.

Note [Cuts]
    ``detach()``, ``x.data`` and a view made under ``no_grad`` of a tensor that requires gradients
    share memory but no history. Between the two places is a *cut* place: a write on one side
    changes values on the other side, but not their history. Places without a cut between them form
    a *group*, and history is rewritten within the group alone. A view with an autograd identity
    that the user set (by ``stop_gradient``) is excluded in the same way when others are written.

Note [Copies that share a version]
    ``reshape`` and ``flatten`` copy when the strides do not allow a view, and the copy still counts
    its versions together with the original, as in Paddle. A write determines whether there was a
    copy, by the same operation on a NumPy array without elements. The place of such a copy is the
    top of a separate memory.
"""

# Fields of Tensors have an underscore in front: they belong to the package, not to its users.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import ref

import numpy as np

from jaxeager.core import ports
from jaxeager.core.symbolic import has_symbols
from jaxeager.errors import InvalidArgumentError
from jaxeager.graph.atomic import set_each
from jaxeager.graph.hooks import move_retention, retention_of_the_written
from jaxeager.graph.mode import grad_mode
from jaxeager.graph.traced_writes import note_write
from jaxeager.graph.views.stale import (
    is_stale,
    make_stale,
    quietly,
    raw_meta,
    settle,
    staleness,
    wants,
)
from jaxeager.graph.views.storage import Storage
from jaxeager.graph.views.view_places import (
    Root,
    add_view,
    cut_below,
    living_at,
    living_on,
    lock,
    make_place,
    path_to,
    purge,
    share,
    stand_in,
)

if TYPE_CHECKING:
    import jax

    from jaxeager.graph.atomic import Write
    from jaxeager.graph.meta import AutogradMeta
    from jaxeager.graph.types import Items, Row, Tensor, UpperTensor
    from jaxeager.graph.views.view_places import AnyPlace

    NewMeta: TypeAlias = AutogradMeta | None  # or KEEP
    Assignment: TypeAlias = tuple[Tensor, jax.Array, NewMeta]
    Stale: TypeAlias = tuple[Tensor, Tensor, bool]
    Group: TypeAlias = dict[Tensor, set[int]]

GHOST = "_is_ghost"  # set on a tensor that replaces a deleted one
KEEP: Any = object()  # "the autograd identity stays", where None says "no gradient"


# ---- writing


def write_array(tensor: UpperTensor, array: jax.Array, moves_version: bool = False) -> None:
    """Set an array as the value of a tensor, and of every tensor that shares its memory.

    No history is changed. An array of another shape or dtype removes the tensor from its memory;
    its versions are still counted together with the others', as in Paddle.

    Args:
        tensor: a Tensor.
        array: its new value, a jax.Array.
        moves_version: whether the write counts as in-place; ``set_value`` and an optimizer's step
            do not, as in Paddle.
    """
    if grad_mode.written is not None:
        note_write(tensor)
    storage = tensor._storage
    if storage.sharers is None:
        tensor._array = array
    else:
        write_shared(tensor, array, KEEP, False)
    if moves_version:
        storage.version += 1


def write_shared(tensor: Tensor, array: jax.Array, meta: NewMeta, is_recorded: bool) -> None:
    """Write a tensor that shares its memory; an exception leaves everything unchanged.

    Args:
        tensor: the Tensor.
        array: its new value.
        meta: its new autograd identity, or KEEP.
        is_recorded: whether the histories of the others will lead through this write.
    """
    with lock:
        old = tensor._array
        if old.shape != array.shape or old.dtype != array.dtype:
            settle(tensor)
            root = Root()
            root.aval = array.aval
            _assign_all((tensor, array, meta), [], [(tensor, "_view", root)])
            return
        if _is_alone(tensor):
            assign(tensor, array, meta)
            return
        value = ports.view_steps.carrier(array, tensor._meta if meta is KEEP else meta)
        heads, stale = _Write(tensor, value, is_recorded).plan()
        others = [write for each in stale for write in staleness(*each)]
        _assign_all((tensor, array, meta), heads, others)


def make_others_stale(tensor: Tensor) -> bool:
    """Make all that share a tensor's memory read it when they are used, before it is written.

    They then show the tensor's value at that time, so that a write changes only its own array. No
    access is allowed in between, so the caller holds ``memory.lock``.

    Returns:
        False, without any change, when a write to the tensor also changes another tensor's array,
        because it is a part of that tensor.
    """
    tensor._array  # noqa: B018 (a stale tensor refreshes itself when it is read)
    if _is_alone(tensor):
        return True
    write = _Write(tensor, None, False)
    if not write.is_to_the_head():
        return False
    for member in write.concerned:
        make_stale(member, tensor, False)
    return True


def _is_alone(tensor: Tensor) -> bool:
    """Return whether no other tensor of the memory is alive; then the sharing ends."""
    storage = tensor._storage
    if storage.sharers is None:  # within a capture, which handles each tensor separately
        return True
    place = tensor._view
    purge(storage)
    while type(place) is not Root and place.row is None:
        place = place.parent
    if len(storage.sharers) > 1 or type(place) is not Root:
        return False
    storage.sharers = None
    return True


def assign(tensor: Tensor, array: jax.Array, meta: NewMeta) -> None:
    """Set the value and the autograd identity (or KEEP) of one tensor, and nothing else."""
    if meta is KEEP:
        tensor._array = array
    else:
        _assign_all((tensor, array, meta), [], [])


def _assign_all(written: Assignment, heads: list[Assignment], writes: list[Write]) -> None:
    """Do ``assign`` for a written tensor and heads, and set attributes, in a single step."""
    moved: list[tuple[AutogradMeta, AutogradMeta]] = []
    for tensor, array, meta in (written, *heads):
        if meta is not KEEP:
            old = raw_meta(tensor)
            writes = [(tensor, "_meta", meta), *writes]
            if old is not None and meta is not None and old is not meta:
                if tensor is written[0]:
                    writes = [*writes, *retention_of_the_written(old, meta)]
                else:
                    moved.append((old, meta))
        writes = [(tensor, "_array", array), *writes]
        if is_stale(tensor):
            writes = [(tensor, "__class__", type(tensor)._fresh_class), *writes]
    set_each(writes)
    for old, meta in moved:
        move_retention(old, meta)


class _Write:
    """One write: it finds the affected tensors and computes the new values of the heads.

    Attributes:
        tensor: the written tensor.
        value: its new value and history, as a Tensor that shares no Storage.
        path: the places from the top of its memory to it.
        living: the living tensors of the memory by the id of their place, with the written one.
        concerned: the overlapping tensors, each with the ids of the places from the top to it.
        heads: (tensor, array, AutogradMeta or KEEP) of each head, with the new values.
    """

    def __init__(self, tensor: Tensor, value: Any, is_recorded: bool):
        self.tensor, self.value, self.is_recorded = tensor, value, is_recorded
        self.heads: list[Assignment] = []
        self.path = path_to(tensor._view)
        self.living = living_at(tensor._storage, self.path[0])
        mine = stand_in(tensor._view)
        is_open = has_symbols(tensor._array.shape)  # the overlap then depends on the sizes
        self.concerned = {
            member: _ids(path_to(member._view))
            for member in self.living.values()
            if member is not tensor and (is_open or _overlap(mine, stand_in(member._view)))
        }

    def plan(self) -> tuple[list[Assignment], list[Stale]]:
        """Return the assignments, (head, array, meta), and the tensors to make stale."""
        if not self.concerned and not self._has_overlaps(self.path):
            return [], []
        stale: list[Stale] = []
        head, group = self.tensor, self._group() if self.is_recorded else {}
        if self.is_recorded and self._is_wanted(group):
            head = self._carry_to_head(self._group_top(), group, True)
            stale += [(member, head, True) for member in group if member is not head]
        else:
            group = {}
        top = self._carry_to_head(self.path[0], self.concerned, False)
        others = (m for m in self.concerned if m not in group and m is not top and m is not head)
        stale += [(member, top, False) for member in others]
        if self._has_overlaps(self.path) and self.tensor is not top:
            by_group = head is not self.tensor
            stale.append((self.tensor, head if by_group else top, by_group))
        return self.heads, stale

    def is_to_the_head(self) -> bool:
        """Return whether all the other tensors are read from the written tensor itself."""
        if self._has_overlaps(self.path):
            return False
        return not self.concerned or self._head(self.path, self.concerned) is self.tensor

    # -- the group: see Note [Cuts]

    def _group_top(self) -> AnyPlace:
        """Return the highest place of the written tensor's group."""
        return next((place for place in reversed(self.path[1:]) if place.is_cut), self.path[0])

    def _group(self) -> Group:
        """Return the affected tensors whose history leads through the same memory."""
        top = self._group_top()
        return {
            member: ids
            for member, ids in self.concerned.items()
            if id(top) in ids and not self._is_apart(member, top)
        }

    def _is_apart(self, member: Tensor, top: AnyPlace) -> bool:
        place = member._view
        while place is not top:
            there = self.living.get(id(place))
            if place.is_cut or (there is not None and self._is_own(there)):
                return True
            place = place.parent
        return False

    def _is_own(self, tensor: Tensor) -> bool:
        """Return whether the user set a view's own identity: a leaf, or, for others, a stop.

        The written tensor gets the identity of the written value, whether it had a stop or not.
        """
        meta = raw_meta(tensor)
        if meta is None or (meta.stop_gradient and tensor is self.tensor):
            return False
        return meta.stop_gradient or meta.is_leaf()

    def _is_wanted(self, group: Group) -> bool:
        return wants(self.value._meta) or any(wants(raw_meta(member)) for member in group)

    # -- the head

    def _head(self, path: list[AnyPlace], concerned: Group) -> Tensor | None:
        """Return the highest living tensor of a path from which all affected ones were read."""
        places = [id(place) for place in self._faithful(path)]
        candidates = [self.living[each] for each in places if each in self.living]
        known = [self.tensor, *concerned, *(head for head, _, _ in self.heads)]
        return next(
            (
                each
                for each in candidates
                if any(each is one for one in known)
                and all(id(each._view) in ids for ids in concerned.values())
            ),
            None,
        )

    def _carry_to_head(self, top: AnyPlace, concerned: Group, is_recorded: bool) -> Tensor:
        """Find the head of the affected tensors, note its new value, and return it."""
        path = _below(self.path, top, 0)
        head = self._head(path, concerned)
        if head is self.tensor or any(head is each for each, _, _ in self.heads):
            return head  # pyright: ignore[reportReturnType]  # None is not one of them
        if head is None:
            head = base = quietly(is_recorded, self._ghost, top)
        else:
            base = ports.view_steps.carrier(head._array, head._meta)
            path = _below(path, head._view, 0)
        new = quietly(is_recorded, ports.view_steps.write_back, path[1:], base, self.value)
        self.heads.append((head, new._array, new._meta if is_recorded else KEEP))
        return head

    def _ghost(self, top: AnyPlace) -> Tensor:
        """Return a tensor that replaces a deleted one; see Note [Views].

        It holds the values of all that live below it, and the histories of its own group. Other
        ghosts are left out, because their elements outside of living tensors have no meaning.
        """
        array = stand_in(top)
        filled = ports.view_steps.zeros(array.shape, array.dtype)
        members = [m for m in self.living.values() if GHOST not in m.__dict__]
        below = [m for m in members if id(top) in _ids(path_to(m._view))]
        near = [member for member in below if not self._is_apart(member, top)]
        for members, is_recorded in ((below, False), (near, True)):
            for member in members:
                meta = member._meta if is_recorded else None
                value = ports.view_steps.carrier(member._array, meta)
                path = _below(path_to(member._view), top, 1)
                filled = quietly(is_recorded, ports.view_steps.write_back, path, filled, value)
        ghost = ports.view_steps.carrier(filled._array, filled._meta)
        ghost._storage, ghost._view = self.tensor._storage, top
        ghost._storage.sharers.append(  # pyright: ignore[reportOptionalMemberAccess]  # shared
            ref(ghost)
        )
        ghost.__dict__[GHOST] = True
        self.living[id(top)] = ghost
        return ghost

    @staticmethod
    def _faithful(path: list[AnyPlace]) -> list[AnyPlace]:
        """Return the places of a path that hold each element of the places above them once."""
        overlaps = (
            n for n, each in enumerate(path) if n and ports.view_steps.overlaps_itself(each)
        )
        return path[: next(overlaps, len(path))]

    @staticmethod
    def _has_overlaps(path: list[AnyPlace]) -> bool:
        return any(ports.view_steps.overlaps_itself(place) for place in path[1:])


def _below(path: list[AnyPlace], place: AnyPlace, more: int) -> list[AnyPlace]:
    """Return the part of a path from a place on, or from ``more`` places after it."""
    return path[next(i for i, each in enumerate(path) if each is place) + more :]


def _ids(places: Iterable[AnyPlace]) -> set[int]:
    return set(map(id, places))


def _overlap(a: np.ndarray, b: np.ndarray) -> bool:
    """Return whether two stand-ins share an element; True where that is hard to determine."""
    if not np.may_share_memory(a, b):
        return False
    try:
        return np.shares_memory(a, b, max_work=1000)  # pyright: ignore[reportArgumentType]
    except np.exceptions.TooHardError:
        return True


def check_no_leaf_above(tensor: Tensor, what: str) -> None:
    """Raise when a write through a tensor would change a leaf that requires gradients.

    Args:
        tensor: the tensor to be written.
        what: the beginning of the message.

    Raises:
        InvalidArgumentError: names the leaf. (Paddle changes it, and computes the gradient of the
            value that it had before.)
    """
    above = leaf_above(tensor)
    if above is not None:
        raise InvalidArgumentError(
            f"{what} ({above.name}) that doesn't stop gradient can't use inplace "
            "strategy, and this tensor is a view of it: the write would change the leaf, whose "
            "gradient would then be that of a value it no longer has. Write under "
            "paddle.no_grad() to change the leaf, or write to a copy, as in y = view.clone()."
        )


def leaf_above(tensor: Tensor) -> UpperTensor | None:
    """Return the leaf that requires gradients and that a write through a view would change.

    Args:
        tensor: a tensor that shares its memory.

    Returns:
        the leaf, or None, also for a tensor that is not a view.
    """
    if type(tensor._view) is Root:
        return None
    with lock:
        path = path_to(tensor._view)
        living = living_on(tensor._storage, path)
        for place in reversed(path):
            above = living.get(id(place))
            meta = None if above is None else raw_meta(above)
            if above is not None and wants(meta) and meta.is_leaf():
                return above
            if place.is_cut:
                return None
    return None


# ---- leaving, joining, moving


def join(tensor: Tensor, other: Tensor) -> None:
    """Give a tensor another one's memory, value and version: ``x.data = other``."""
    with lock:
        settle(tensor)
        tensor._array = other._array
        add_view(tensor, other, None, is_cut=True)


def leave(tensor: Tensor) -> None:
    """Give a tensor separate memory and versions: ``contiguous()`` of a non-contiguous view."""
    with lock:
        settle(tensor)
        tensor._storage = Storage()


def cut(tensor: UpperTensor) -> None:
    """Cut a view off the history of its base: ``detach_``. See Note [Cuts]."""
    if tensor._storage.sharers is not None and type(tensor._view) is not Root:
        with lock:
            settle(tensor)
            place: AnyPlace = tensor._view
            above = cut_below(place.parent)
            tensor._view = make_place(above, place.row, place.attrs, place.extras, type(place))


def move(
    tensor: Tensor,
    row: Row,
    attrs: Items,
    extras: Items,
    array: jax.Array,
    meta: NewMeta,
) -> None:
    """Make a tensor a view of its former self, in place: ``reshape_``, ``transpose_``.

    Args:
        tensor: the Tensor.
        row: the op, with ``attrs``, and ``extras``, its operands after the first.
        array: the tensor's new value.
        meta: its new autograd identity, or KEEP.
    """
    with lock:
        settle(tensor)
        share(tensor)
        old = tensor._meta
        stops = old is not None and old.stop_gradient and old.node is None and old.grad is None
        if meta is KEEP and stops:
            meta = None  # a constant is not a view that was set to stop gradients
        place = make_place(tensor._view, row, attrs, extras)
        _assign_all((tensor, array, meta), [], [(tensor, "_view", place)])
