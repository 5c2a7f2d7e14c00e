"""Accumulators: the moments, powers and master weights that an optimizer keeps per parameter.

Note [Shared powers]
Paddle keeps ``beta1 ** step`` and ``beta2 ** step`` per parameter, in arrays of one element. All
parameters that were updated at the same steps have the same powers, so they share one pair here: a
step of Adam returns three arrays per parameter instead of five. When some of them are updated and
others are not (they had no gradient), or a group of them advances by another number, those are
split off with a copy. ``state_dict`` has a pair per parameter, as in Paddle. ``powers_apart`` gives
each parameter its own pair, which a checkpoint fills; equal ones are joined at the next step.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

from jaxeager.arrays.as_array import is_beside
from jaxeager.arrays.sharded import placed
from jaxeager.core import dtypes
from jaxeager.errors import (
    InvalidArgumentError,
    MissingStateError,
    NotFoundError,
    RefusedArgumentError,
)
from jaxeager.graph.atomic import Also, set_each
from jaxeager.graph.views.atomic_writes import write_arrays
from jaxeager.optimizer.fused import working_dtype
from jaxeager.optimizer.rules import Rule
from jaxeager.tensor import Tensor


class Powers:
    """Accumulated powers, one Tensor each, and the names of the parameters that share them."""

    __slots__ = ("members", "tensors")

    def __init__(self, tensors: list[Tensor], members: set[str]):
        self.tensors = tensors
        self.members = members


class Accumulators:
    """The state of an optimizer for each parameter, under Paddle's names.

    Args:
        rule: has the names of the accumulators.
        prefix: the optimizer's ``name``, a prefix of the accumulators' names.

    Attributes:
        masters: float32 copies of parameters of half precision, by the parameters' names.
        waiting: loaded values for parameters that have not made a step yet.
        is_apart: whether equal powers may be apart, so that the next step joins them.
        place: called with the name of each new accumulator, its parameter and itself; returns its
            sharding: distributed/mesh/sharded_optimizers.py. None: that of the parameter.
    """

    def __init__(self, rule: Rule, prefix: str | None):
        self._prefix = f"{prefix}_" if prefix else ""
        self._rule = rule
        self._slots: dict[str, dict[str, Tensor]] = {slot: {} for slot in rule.slots}
        self._powers: dict[str, Powers] = {}
        self._owners: dict[str, str] = {}
        self._shapes: dict[str, tuple[int, ...]] = {}
        self.masters: dict[str, Tensor] = {}
        self.waiting: dict = {}
        self.is_apart = False
        self.place: Callable[[str, Tensor, Tensor], None] | None = None

    # ---- changes as a whole

    def empty(self) -> Accumulators:
        """Return the state before the first step, with the same names and placement."""
        fresh = Accumulators(self._rule, None)
        fresh._prefix, fresh.place = self._prefix, self.place
        return fresh

    def is_new(self) -> bool:
        """Return whether no parameter has accumulators yet."""
        return not (self._owners or any(self._slots.values()))

    def with_rule(self, rule: Rule) -> Accumulators:
        """Return the state before the first step of another rule, with the loaded values."""
        fresh = Accumulators(rule, None)
        fresh._prefix, fresh.place = self._prefix, self.place
        fresh.waiting, fresh.masters = dict(self.waiting), dict(self.masters)
        return fresh

    def draft(self) -> Accumulators:
        """Return a copy to change in several steps; ``commit`` copies its content back."""
        draft = copy.copy(self)
        draft._slots = {slot: dict(tensors) for slot, tensors in self._slots.items()}
        apart = {id(p): Powers(p.tensors, set(p.members)) for p in self._powers.values()}
        draft._powers = {owner: apart[id(powers)] for owner, powers in self._powers.items()}
        draft._owners, draft._shapes = dict(self._owners), dict(self._shapes)
        draft.masters, draft.waiting = dict(self.masters), dict(self.waiting)
        return draft

    def commit(self, draft: Accumulators, also: Also) -> None:
        """Take over the content of a draft, and set other attributes with it: all or nothing."""
        set_each([(self, "__dict__", vars(draft)), *also])

    # ---- creation and look-up

    def add(self, param: Tensor, first: dict, keeps_master: bool, narrow: bool) -> None:
        """Make the accumulators of a parameter, from a loaded state dict when there is one.

        Args:
            param: the parameter.
            first: initial values of accumulators that do not begin at 0 (see Rule.first).
            keeps_master: give it a float32 master copy, to which the accumulators then belong.
            narrow: accumulators of a half precision parameter have its dtype.
        """
        if param.name in self._owners:
            return
        array = param._array
        owner = param.name
        if keeps_master:
            owner = f"{param.name}_fp32_master_0"
            if param.name not in self.masters:
                self._set_master(param.name, array.astype(np.float32))
            _check_master(param.name, self.masters[param.name]._array, array.shape)
        dtype = array.dtype if narrow and not keeps_master else working_dtype(array.dtype)
        for slot in self._rule.slots:
            name = self._name(owner, slot)
            values = _first_values(first.get(slot, 0.0), array, np.dtype(dtype))
            tensor = Tensor.from_array(self._waiting(name, values))
            tensor.name = name
            self._slots[slot][owner] = tensor
            if self.place is not None:
                self.place(slot, param, tensor)
        if keeps_master and self.place is not None:
            self.place("master_weight", param, self.masters[param.name])
        self._owners[param.name] = owner
        self._shapes[owner] = array.shape
        if self._rule.powers:
            dtype = np.dtype(np.int64) if self._rule.counts else working_dtype(array.dtype)
            values = [np.full([1], first.get(power, 0), dtype) for power in self._rule.powers]
            self._add_powers(owner, values, array)

    def add_one(self, slot: str, param: Tensor, values: jax.Array) -> Tensor:
        """Make one accumulator that is not in the rule, unless it exists; return it.

        Args:
            slot: its name.
            param: its parameter.
            values: its initial values, unless others were loaded.
        """
        tensors = self._slots.setdefault(slot, {})
        tensor = tensors.get(param.name)
        if tensor is None:
            name = self._name(param.name, slot)
            tensor = Tensor.from_array(self._waiting(name, values))
            tensor.name = name
            tensors[param.name] = tensor
        return tensor

    def by_name(self) -> dict[str, dict[str, Tensor]]:
        """Return the accumulators themselves: by name, then by the parameter or its copy."""
        found = {slot: dict(tensors) for slot, tensors in self._slots.items()}
        for position, power in enumerate(self._rule.powers):
            found[power] = {owner: p.tensors[position] for owner, p in self._powers.items()}
        return found

    def of_name(self, name: str, owner: str) -> Tensor | None:
        """Return one accumulator itself; None when there is none; ``by_name`` returns all."""
        if name in self._rule.powers:
            powers = self._powers.get(owner)
            return powers and powers.tensors[self._rule.powers.index(name)]
        return self._slots.get(name, {}).get(owner)

    def part_powers(self, params: list[Tensor]) -> None:
        """Give each of these parameters separate powers."""
        if self._rule.powers:
            draft = self.draft()
            draft.split_powers(params, [param.name for param in params])
            self.commit(draft, ())

    def powers_apart(self) -> dict[str, Tensor]:
        """Give each parameter separate powers; return them by name, to be filled."""
        draft = self.draft()
        for shared in {id(p): p for p in self._powers.values()}.values():
            for owner in sorted(shared.members)[1:]:
                arrays = [tensor._array.copy() for tensor in shared.tensors]
                draft._powers[owner] = Powers([Tensor.from_array(a) for a in arrays], {owner})
                draft._powers[min(shared.members)].members.discard(owner)
        draft.is_apart = True
        self.commit(draft, ())
        named = {}
        for position, power in enumerate(self._rule.powers):
            for owner, powers in self._powers.items():
                tensor = powers.tensors[position]
                tensor.name = self._name(owner, power)
                named[tensor.name] = tensor
        return named

    def _add_powers(self, owner: str, values: list[np.ndarray], like: jax.Array) -> None:
        """Give a parameter separate powers; ``share_powers`` joins equal ones."""
        tensors = []
        for power, value in zip(self._rule.powers, values, strict=True):
            name = self._name(owner, power)
            if self._rule.spreads_powers:
                spread = np.broadcast_to(value.reshape(()), self._shapes[owner])
                value = _one_of(name, np.asarray(self._waiting(name, spread)), value)
            else:
                value = np.asarray(self._waiting(name, value))
            tensors.append(Tensor.from_array(_beside(value, like, replicated=True)))
        self._powers[owner] = Powers(tensors, {owner})

    def share_powers(self) -> None:
        """Join equal powers; this waits for the device, so it runs only after a change."""
        shared: dict[tuple, Powers] = {}
        for owner, powers in self._powers.items():
            arrays = [tensor._array for tensor in powers.tensors]
            key = tuple((a.sharding, a.dtype, np.asarray(a).item()) for a in arrays)
            same = shared.setdefault(key, powers)
            same.members.add(owner)
            self._powers[owner] = same
        self.is_apart = False

    def split_powers(self, params: list[Tensor], hypers: list) -> None:
        """Split powers whose members advance differently.

        Args:
            params: the parameters that are updated; others keep their powers.
            hypers: the numbers by which each of them advances.
        """
        moving = {self._owners[p.name]: hyper for p, hyper in zip(params, hypers, strict=True)}
        for powers in {id(p): p for p in self._powers.values()}.values():
            parts: dict[Any, set[str]] = {}
            for owner in powers.members:
                parts.setdefault(moving.get(owner), set()).add(owner)
            for leaving in list(parts.values())[1:]:
                powers.members -= leaving
                arrays = [tensor._array for tensor in powers.tensors]
                apart = Powers([Tensor.from_array(array.copy()) for array in arrays], leaving)
                self._powers.update(dict.fromkeys(leaving, apart))

    def has(self, param: Tensor) -> bool:
        """Return whether a parameter was updated before."""
        return param.name in self._owners

    def slots(self, param: Tensor) -> list[Tensor]:
        """Return a parameter's accumulators, in the rule's order."""
        owner = self._owners[param.name]
        return [self._slots[slot][owner] for slot in self._rule.slots]

    def powers(self, param: Tensor) -> Powers | None:
        """Return the powers a parameter shares with others."""
        return self._powers.get(self._owners[param.name])

    def _name(self, owner: str, slot: str) -> str:
        return f"{owner}_{self._prefix}{slot}_0"

    def parted_name(self, name: str) -> tuple[str, str]:
        """Return the parameter's name and the accumulator's, of a name in the state dict.

        Raises:
            NotFoundError: for a name of no accumulator.
        """
        for slot in sorted({*self._slots, *self._rule.powers}, key=len, reverse=True):
            owner = name.removesuffix(f"_{self._prefix}{slot}_0")
            if owner != name:
                return owner.removesuffix("_fp32_master_0"), f"{slot}_0"
        raise NotFoundError(f"{name!r} is not the name of an accumulator of this optimizer.")

    # ---- state dicts

    def state_dict(self) -> dict:
        """Return every accumulator by name; powers as a tensor per parameter."""
        slots: dict = {}
        for tensors in self._slots.values():
            slots.update({tensor.name: tensor for tensor in tensors.values()})
        powers = self._powers_by_name()
        state = {**powers, **slots} if self._rule.spreads_powers else {**slots, **powers}
        if not state:
            state.update(self.waiting)
        if self.masters:
            state["master_weights"] = dict(self.masters)
        return state

    def _powers_by_name(self) -> dict[str, Tensor]:
        """Return the powers as a tensor per parameter."""
        named = {}
        for position, power in enumerate(self._rule.powers):
            for owner, powers in self._powers.items():
                array = powers.tensors[position]._array
                if self._rule.spreads_powers:
                    array = jnp.broadcast_to(array.reshape(()), self._shapes[owner])
                tensor = Tensor.from_array(array)
                tensor.name = self._name(owner, power)
                named[tensor.name] = tensor
        return named

    def load(self, state: dict, also: Also = ()) -> None:
        """Restore the result of state_dict; a parameter's part is kept until its first step.

        Existing accumulators get the values, so that a captured step continues with them; so do
        powers if the same parameters share them afterwards. After any exception, either all of it
        is restored, or nothing.

        Args:
            state: the state dict.
            also: attributes that change with it: (object, name, value).

        Raises:
            MissingStateError: when an existing accumulator is not in ``state``.
            InvalidArgumentError: when its shape or dtype differ.
        """
        state, draft = dict(state), self.draft()
        self._check_all_present(state)
        masters = state.pop("master_weights", {})
        if not isinstance(masters, dict):
            raise InvalidArgumentError(
                "'master_weights' in the state of an optimizer is a dict of tensors by name, but "
                f"is {type(masters).__name__}."
            )
        kept: list[tuple[Tensor, jax.Array]] = []
        for name, value in masters.items():
            array = _array(value, f"master_weights: {name}")
            known = self.masters.get(name)
            if known is None:
                draft._set_master(name, array)
            else:
                _check_master(name, array, known._array.shape)
                kept.append((known, _beside(array, known._array)))
        draft.waiting = {name: _snapshot(value) for name, value in state.items()}
        slots = [tensor for tensors in self._slots.values() for tensor in tensors.values()]
        kept += [(tensor, draft._waiting(tensor.name, tensor._array)) for tensor in slots]
        for owner, powers in self._powers.items():
            old = [tensor._array for tensor in powers.tensors]
            draft._add_powers(owner, [np.asarray(array) for array in old], old[0])
        draft.share_powers()
        kept += draft._keep_powers(self._powers)
        tensors, arrays = zip(*kept, strict=True) if kept else ((), ())
        write_arrays(list(tensors), arrays, also=[(self, "__dict__", vars(draft)), *also])

    def _check_all_present(self, state: dict) -> None:
        """Raise MissingStateError when an existing accumulator is not in ``state``."""
        for name in self.state_dict():
            if name != "master_weights" and name not in state:
                raise _missing(name, state)

    def _keep_powers(self, before: dict[str, Powers]) -> list[tuple[Tensor, jax.Array]]:
        """Reuse earlier powers in place of those that the same parameters share.

        Returns:
            (tensor, array) of each, with its new value.
        """
        values: dict[int, tuple[Tensor, jax.Array]] = {}
        for owner, powers in list(self._powers.items()):
            old = before[owner]
            if old.members == powers.members:
                self._powers[owner] = old
                for kept, loaded in zip(old.tensors, powers.tensors, strict=True):
                    values[id(kept)] = kept, loaded._array
        return list(values.values())

    def _set_master(self, param_name: str, array) -> None:
        tensor = Tensor.from_array(jax.numpy.asarray(array))
        tensor.name = f"{param_name}_fp32_master_0"
        self.masters[param_name] = tensor

    def _waiting(self, name: str, default) -> Any:
        """Return the loaded array of an accumulator, or its first value when none was loaded."""
        if not self.waiting:
            return default
        if name not in self.waiting:
            raise _missing(name, self.waiting)
        array = _array(self.waiting[name], name)
        del self.waiting[name]
        if array.dtype in dtypes.HALF and default.dtype == np.float32:
            array = array.astype(np.float32)
        if array.shape != default.shape or array.dtype != default.dtype:
            raise RefusedArgumentError(
                f"Variable [ {name} ] needs a tensor of shape {list(default.shape)} and dtype "
                f"{default.dtype}, but the state dict has shape {list(array.shape)} and dtype "
                f"{array.dtype}."
            )
        return _beside(array, default) if isinstance(default, jax.Array) else array


def _missing(name: str, state: dict) -> MissingStateError:
    return MissingStateError(
        f"optimizer Tensor {name} not found in the state dict, which has "
        f"{sorted(map(str, state))[:6]}... Was it saved from another model, or from "
        "an optimizer with another `name`? A process counts the names of its parameters "
        "(linear_0, linear_1, ...): a second model has the names of the first when it is "
        "built within paddle.utils.unique_name.guard()."
    )


def _check_master(name: str, array, shape: tuple[int, ...]) -> None:
    """Raise InvalidArgumentError for a master weight that does not match its parameter."""
    if array.shape != shape or array.dtype != np.float32:
        raise InvalidArgumentError(
            f"The master weight of {name} needs shape {list(shape)} and dtype float32, but the "
            f"state dict has shape {list(array.shape)} and dtype {array.dtype}."
        )


def _first_values(first: Any, like: jax.Array, dtype: np.dtype) -> jax.Array:
    """Return the initial values of an accumulator, where a parameter is (see Rule.first)."""
    if isinstance(first, str):
        return like.astype(dtype).copy()
    blocks = np.asarray(first, dtype)
    shape = blocks.shape + like.shape
    return _beside(np.broadcast_to(blocks.reshape(blocks.shape + (1,) * like.ndim), shape), like)


def _one_of(name: str, values: np.ndarray, default: np.ndarray) -> np.ndarray:
    """Return the single value of an accumulator with equal elements, as [1]."""
    if not values.size:
        return default
    if np.ptp(values):
        raise InvalidArgumentError(
            f"Variable [ {name} ] needs the same value in every element, but the state dict has "
            f"values from {values.min()} to {values.max()}."
        )
    return values.reshape(-1)[:1]


def _beside(value, like: jax.Array, replicated: bool = False) -> jax.Array:
    """Return a value as an array where ``like`` is, committed only if ``like`` is."""
    if isinstance(value, jax.Array):
        if not like.committed:
            return value
        return value if is_beside(value, like) else placed(value, like.sharding)
    value = np.array(value)
    if not like.committed:
        return jax.device_put(value)
    sharding = like.sharding
    if replicated and isinstance(sharding, NamedSharding):
        sharding = NamedSharding(sharding.mesh, PartitionSpec())
    return jax.device_put(value, sharding)


def _snapshot(value):
    """Return a tensor that is not changed by later steps of its optimizer."""
    if not isinstance(value, Tensor):
        return value
    tensor = Tensor.from_array(value._array)
    tensor.name = value.name
    return tensor


def _array(value, name: str):
    """Return the array of a Tensor, or a NumPy array as it is.

    Raises:
        InvalidArgumentError: for a value that is not an array of numbers.
    """
    if isinstance(value, Tensor):
        return value._array
    try:
        array = np.asarray(value)
    except ValueError:  # ragged lists
        array = np.array(None)
    if array.dtype.name not in dtypes.NAMES:
        raise InvalidArgumentError(
            f"Variable [ {name} ] in the state of an optimizer must be a tensor or an array, but "
            f"is {type(value).__name__}."
        )
    return array
