"""One XLA call per step: clip, decay and update every parameter, in donated buffers.

Note [Donation]
A step donates the arrays of parameters and accumulators to XLA for the new values. JAX then marks
the old array objects as deleted, so an array may be donated only when no other code can read it.
Two conditions are checked for each array before every step:

- it is the very array that the step before returned (``Buffers.returned``). Arrays from other
  sources (a user, ``set_value``, ``jax.device_put``) may share memory with another array object,
  which Python cannot detect;
- only its tensor and the optimizer hold it (``sys.getrefcount``): no node that saved it for
  backward, no tensor that shares it, no variable of the user.

An array that fails is copied, and the copy is donated: the same executable runs in every case, and
nothing is recompiled. NumPy views and dlpack exports of an array hold it, or make XLA itself copy.
One gap is JAX's own: ``jax.device_put(array, its_own_device)`` returns a second array over the same
memory; when the first is donated, reading the second raises "Array has been deleted".

Note [Other threads]
Between the check of an array's holders and the moment when its tensor has the new array, another
thread could read the old one from the tensor, and use it after its deletion. While the program has
one Python thread this cannot happen. While it has more, the tensors are withdrawn before holders
are counted (graph/views/stale.py, Note [Readers wait]): an earlier reader holds the array, so a
copy is donated; a later one waits for the new array. So each read of a tensor returns one whole
value. Reads of two tensors may be from before and after a step. Nothing is donated while another
thread traces a function that uses one of the tensors (jit/capture/lifted.py).
"""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain, islice, repeat, tee
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from jaxeager.arrays.sharded import is_spread
from jaxeager.graph.atomic import Also, set_together
from jaxeager.graph.rows import only_rows
from jaxeager.graph.views.atomic_writes import write_arrays
from jaxeager.graph.views.shared_writes import make_others_stale
from jaxeager.graph.views.stale import give_back, is_plain, withdraw
from jaxeager.graph.views.view_places import lock
from jaxeager.kernels.executables import Origin
from jaxeager.kernels.lazy import mode as lazy_mode
from jaxeager.kernels.lazy.pending import Pending, ready, values_of
from jaxeager.ops.call.observers import lookers, see
from jaxeager.optimizer.donation import chosen, copied, donating, has_company
from jaxeager.optimizer.row_steps import (
    Part,
    clipped,
    part_of,
    places_of,
    shape_of,
    update_rows,
    written_out,
)
from jaxeager.tensor import Tensor

# A step has a loop per parameter, and for those XLA's newer emitters compile and run twice as fast
# as the older ones of its quick code (kernels/tiers.py, Note [Tiers]): for 54 parameters of a
# GPT 0.65 s and 0.8 ms, instead of 1.6 s and 2.2 ms.
_NEVER_QUICK = -1


class Entry(NamedTuple):
    """The update of one parameter; the integers are positions in the list of buffers.

    Attributes:
        update: the rule's pure function.
        hyper: the rule's parameters.
        param: the parameter.
        master: its float32 master copy, or None.
        slots: its accumulators.
        powers: the accumulated powers that it shares with others.
        rate_factor: its own factor of the learning rate.
        decay: regularization that is added to the gradient: ("l1" or "l2", coefficient), or None.
        of_rows: the rule's function for a gradient of some rows; None where the rule takes the
            dense one, as it does for the sum with a ``decay``.
        leaves_others: whether a gradient of some rows changes no other rows of any buffer.
    """

    update: Callable
    hyper: tuple
    param: int
    master: int | None
    slots: tuple[int, ...]
    powers: tuple[int, ...]
    rate_factor: float
    decay: tuple[str, float] | None
    of_rows: Callable | None = None
    leaves_others: bool = False


class Clip(NamedTuple):
    """A gradient clipping rule and the entries whose gradients it clips together."""

    rule: Callable
    entries: tuple[int, ...]


class Advance(NamedTuple):
    """Powers that advance once per step."""

    advance: Callable
    hyper: tuple
    powers: tuple[int, ...]


class StepSpec(NamedTuple):
    """The whole description of a step, hashable: the key of its executable.

    Attributes:
        entries: the update of each parameter.
        clips: the clipping of gradients.
        advances: the powers that advance.
        shardings: the sharding of the new values on several devices, one for each buffer; none
            where all buffers are on one device. Otherwise XLA would choose it: for a whole
            parameter with divided moments it would divide the parameter from then on.
    """

    entries: tuple[Entry, ...]
    clips: tuple[Clip, ...]
    advances: tuple[Advance, ...]
    shardings: tuple = ()


class GradientShapeMismatch(Exception):
    """Raised when a gradient's shape is not its parameter's; checked while tracing, at no cost."""

    def __init__(self, entry: int, param_shape: tuple, grad_shape: tuple):
        super().__init__(entry, param_shape, grad_shape)
        self.entry, self.param_shape, self.grad_shape = entry, param_shape, grad_shape


@functools.lru_cache(maxsize=512)
def fused_step(spec: StepSpec) -> Callable:
    """Return the jitted step of a spec: (buffers, gradients, rate, skip) to new buffers.

    ``skip`` is None, or a bool[] on the device; when it is true, every buffer keeps its value.
    """

    def optimizer_step(buffers, grads, rate, skip=None):
        moved, by_row = run_step(spec, buffers, grads, rate, skip)
        if spec.shardings:
            moved = list(map(placed_when_run, moved, spec.shardings))
        if skip is None:
            return moved
        return [
            new if index in by_row else jnp.where(skip, old, new)
            for index, (old, new) in enumerate(zip(buffers, moved, strict=True))
        ]

    return donating(optimizer_step, Origin(("optimizer_step", spec), _NEVER_QUICK))


def shardings_of(tensors: Sequence[Tensor]) -> tuple:
    """Return the shardings of tensors on several devices; nothing when all are on one."""
    arrays = [tensor._array for tensor in tensors]
    if not any(map(is_spread, arrays)):
        return ()
    return tuple([array.sharding if is_spread(array) else None for array in arrays])


def placed_when_run(value, sharding):
    """Return a traced value constrained to a sharding; unconstrained for None."""
    return value if sharding is None else jax.lax.with_sharding_constraint(value, sharding)


def run_step(
    spec: StepSpec, buffers: Sequence, grads: Sequence, rate, skip=None
) -> tuple[list, set[int]]:
    """Compute one step: a pure function of arrays, in the order clip, decay, update, advance.

    A gradient of some rows is a pair: the dense one, and bool[n] of the rows; or the values of some
    rows, and int[k], their numbers.

    Returns:
        the new buffers, and the positions of those of which only some rows were written, none where
        ``skip`` is true; the others are new where it is true, too.
    """
    buffers, by_row = list(buffers), set()
    for index, (entry, grad) in enumerate(zip(spec.entries, grads, strict=True)):
        shape = buffers[entry.param].shape
        found = shape_of(grad, shape)
        if shape != found:
            raise GradientShapeMismatch(index, shape, found)
    parts = _clipped(spec, buffers, grads)
    for entry, part in zip(spec.entries, parts, strict=True):
        if part.ids is not None:
            update_rows(_update, entry, buffers, part, rate, skip)
            by_row.update(places_of(entry))
        else:
            _update(entry, buffers, part.grad, rate, part.present)
    for advance in spec.advances:
        moved = advance.advance([buffers[index] for index in advance.powers], advance.hyper)
        for index, power in zip(advance.powers, moved, strict=True):
            buffers[index] = power
    return buffers, by_row


def _clipped(spec: StepSpec, buffers: list, grads: Sequence) -> list[Part]:
    """Return the clipped gradients, each in the form in which its update reads it."""
    whole, by_row = (clipped(spec.clips, each) for each in (False, True))
    heights = [(*buffers[entry.param].shape, 1)[0] for entry in spec.entries]
    parts = [
        part_of(grad, heights[n], n not in whole and (n in by_row or entry.leaves_others))
        for n, (entry, grad) in enumerate(zip(spec.entries, grads, strict=True))
    ]
    for clip in spec.clips:
        grads = clip.rule([parts[index].grad for index in clip.entries])
        for index, grad in zip(clip.entries, grads, strict=True):
            present = parts[index].present
            grad = grad if present is None else only_rows(grad, present)
            parts[index] = parts[index]._replace(grad=grad)
    return [
        part if entry.leaves_others else written_out(part, height)
        for entry, part, height in zip(spec.entries, parts, heights, strict=True)
    ]


def working_dtype(dtype) -> np.dtype:
    """Return the dtype of a parameter's update: its own, or float32 for half precision."""
    return np.dtype(dtype) if np.dtype(dtype).itemsize >= 4 else np.dtype(np.float32)


def _update(entry: Entry, buffers: list, grad, rate, present) -> None:
    """Replace the buffers of one parameter by their new values."""
    param = buffers[entry.param]
    source = param if entry.master is None else buffers[entry.master]
    dtype = working_dtype(source.dtype)
    if entry.decay is not None:
        grad = decayed(entry.decay, param if param.dtype == grad.dtype else source, grad)
    rate = rate.astype(dtype)
    if entry.rate_factor != 1.0:
        rate = rate * dtype.type(entry.rate_factor)
    update = entry.update
    if present is not None and entry.of_rows is not None and entry.decay is None:
        update = partial(entry.of_rows, present=present)
    new, slots = update(
        source.astype(dtype),
        grad.astype(dtype),
        tuple(buffers[index].astype(dtype) for index in entry.slots),
        tuple(buffers[index] for index in entry.powers),
        rate,
        entry.hyper,
    )
    for index, slot in zip(entry.slots, slots, strict=True):
        buffers[index] = slot.astype(buffers[index].dtype)
    if entry.master is not None:
        buffers[entry.master] = new
    buffers[entry.param] = new.astype(param.dtype)


def decayed(decay: tuple[str, float], param, grad):
    """Return the gradient plus that of the L1 or L2 penalty, in the gradient's dtype."""
    kind, coefficient = decay
    param = param.astype(grad.dtype)
    penalty = jnp.sign(param) if kind == "l1" else param
    return grad + jnp.asarray(coefficient, grad.dtype) * penalty


_array_of = operator.attrgetter("_array")


def _holders(tensors: Sequence, array_of: Callable = _array_of) -> tuple[list, list[int]]:
    """Return the arrays of the tensors, and the number of references to each."""
    arrays = list(map(array_of, tensors))
    return arrays, list(map(sys.getrefcount, arrays))


_kept_by = operator.attrgetter("_kept")  # the array, also of a withdrawn tensor
storage_of = operator.attrgetter("_storage")
_sharers_of = operator.attrgetter("sharers")


def _are_alone(storages: Sequence) -> bool:
    """Return whether no tensor shares its memory with another."""
    return list(map(_sharers_of, storages)).count(None) == len(storages)


def _shares(tensor: Tensor) -> bool:
    return tensor._storage.sharers is not None


@functools.cache
def _fewest_holders() -> int:
    """Return the count of ``_holders`` for an array that only a tensor and Buffers hold."""
    unset: Any = object()
    buffers = Buffers([Tensor.from_array(unset)])
    buffers.returned = [unset]
    del unset
    return _holders(buffers.tensors)[1][0]


Versions = tuple[Sequence, Sequence[int]]
_NO_VERSIONS: Versions = ((), ())


class Buffers:
    """The arrays that a step may write into, and the known data on their holders.

    Args:
        tensors: the holders of the arrays, each once; parameters first.
        previous: the Buffers of the last plan, for the tensors in both.
    """

    __slots__ = ("returned", "tensors")

    def __init__(self, tensors: list[Tensor], previous: Buffers | None = None):
        known: dict[int, object] = {}
        if previous is not None:
            known = dict(zip(map(id, previous.tensors), previous.returned, strict=False))
        self.tensors = tensors
        self.returned: list = [known.get(id(tensor)) for tensor in tensors]

    def run(
        self, step: Callable, more: Sequence, also: Also = (), versions: Versions = _NO_VERSIONS
    ) -> list:
        """Run a step and set its results as the values of the tensors, without moving versions.

        After any exception, either all of the tensors have their new values or all their old ones.

        Args:
            step: a function from ``donating``; it takes the arrays of the tensors and returns a
                list of as many, and may return more after them.
            more: its other arguments.
            also: attributes that change with the tensors: (object, name, value).
            versions: the storages of the tensors, and a new version number for each.

        Returns:
            the results of the step.
        """
        if lookers:
            see(self.tensors)
        storages = versions[0] or list(map(storage_of, self.tensors))
        shared = [] if _are_alone(storages) else list(filter(_shares, self.tensors))
        step, is_donating = chosen(step)
        if is_donating and lazy_mode.is_installed:
            more = values_of(more)
        if not shared and is_donating and not has_company():
            return self._run(step, self._take(), more, also, versions)
        with lock:  # "return f()" in here would leave it outside of the block
            is_ready = is_donating and all(map(make_others_stale, shared))
            if is_ready and all(map(is_plain, set(map(type, self.tensors)))):
                returned = self._run_withdrawn(step, more, also, versions)
            else:
                returned = self._run_apart(step, is_donating, more, also, versions)
        return returned

    def _run_apart(
        self, step: Callable, is_donating: bool, more: Sequence, also: Also, versions: Versions
    ) -> list:
        """Do the work of ``_run``, without donation."""
        arrays = [tensor._array for tensor in self.tensors]  # the old ones must outlive this
        returned = step(list(map(copied, arrays)) if is_donating else arrays, *more)
        values = returned[: len(arrays)]
        also = [*also, *zip(versions[0], repeat("version"), versions[1], strict=False)]
        if not (returned and isinstance(returned[0], Tracer)):  # a trace ends, and is freed
            also = [*also, (self, "returned", values)]
        write_arrays(self.tensors, values, also=also)
        return returned

    def _run_withdrawn(
        self, step: Callable, more: Sequence, also: Also, versions: Versions
    ) -> list:
        """Do the work of ``_run`` while other threads may read: see Note [Other threads]."""
        try:
            classes = withdraw(self.tensors)
            return self._run(step, self._take(_kept_by), more, also, versions, classes)
        finally:
            give_back()

    def _run(
        self,
        step: Callable,
        given: list,
        more: Sequence,
        also: Also,
        versions: Versions,
        classes: Sequence[type] = (),
    ) -> list:
        """Run a step and store its results, in one call of C.

        See Note [Calls that cannot be cut short] in donation.py: ``map`` calls the step when the
        first value is requested, and ``tee`` returns its result twice, whole and one by one.
        Withdrawn tensors get their ``classes`` after their arrays.
        """
        whole, again = tee(map(step, (given,), *zip(more)))
        objects, names, values = zip(*also, strict=True) if also else ((), (), ())
        storages, numbers = versions
        tensors, count = self.tensors, len(self.tensors)
        set_together(
            chain((self,), objects, storages, tensors, tensors if classes else ()),
            chain(
                ("returned",),
                names,
                repeat("version", len(storages)),
                repeat("_kept" if classes else "_array", count),
                repeat("__class__"),
            ),
            chain(whole, values, numbers, islice(chain.from_iterable(again), count), classes),
        )
        returned = self.returned
        if len(returned) > len(self.tensors):
            self.returned = returned[: len(self.tensors)]
        return returned

    def _take(self, array_of: Callable = _array_of) -> list:
        """Return arrays that can be donated, with copies where Note [Donation] requires them."""
        arrays, counts = _holders(self.tensors, array_of)
        if lazy_mode.is_installed and Pending in map(type, arrays):  # others may hold the values
            return [copied(ready(array)) for array in arrays]
        limit = _fewest_holders()
        if all(map(operator.is_, arrays, self.returned)) and max(counts) <= limit:
            return arrays
        for index, array in enumerate(arrays):
            if counts[index] > limit or array is not self.returned[index]:
                arrays[index] = copied(array)
        return arrays
