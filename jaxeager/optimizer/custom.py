"""User-defined optimizers, in the way of Paddle's: one parameter after the other.

Note [Optimizers of the user's own]
    A subclass of Optimizer, or of one of its kinds, may define ``_append_optimize_op(block,
    param_and_grad)``. It is called for each parameter, not recorded, in Paddle's order: the
    gradients are clipped, weight decay is added to them, ``_create_accumulators(block,
    parameters)`` makes missing accumulators, then the updates run, then ``_finish_update(block,
    pairs)``. ``block`` is None here: it belongs to static graphs. The step is no longer one XLA
    call, so it costs as much as its ops. Accumulators are the optimizer's own (state.py): they are
    in ``state_dict``, and loaded ones are kept until their first step. Powers are then separate for
    each parameter, because each update advances its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from jaxeager.core import dtypes
from jaxeager.errors import NotFoundError, UnimplementedError
from jaxeager.graph.mode import no_grad
from jaxeager.optimizer.rules import UNWRITTEN, Rule
from jaxeager.optimizer.state import Accumulators
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jaxeager.core.types import DTypeLike, PlaceLike
    from jaxeager.regularizer import WeightDecayRegularizer


class Number:
    """A parameter of an optimizer as Paddle's attribute of it: ``_beta1``.

    A new value applies to all groups of parameters, from the next step on. As in Paddle, one that
    is set before ``Optimizer.__init__`` is replaced there.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self.name, self.key = name, name.removeprefix("_")

    def __get__(self, optimizer: Any, owner: type | None = None) -> Any:
        if optimizer is None:
            return self
        if "_groups" in vars(optimizer):
            return optimizer._default_dict[self.key]
        try:
            return vars(optimizer)[self.name]
        except KeyError:
            raise AttributeError(
                f"{type(optimizer).__name__} has no {self.name} before Optimizer.__init__"
            ) from None

    def __set__(self, optimizer: Any, value: Any) -> None:
        if "_groups" not in vars(optimizer):
            vars(optimizer)[self.name] = value
            return
        for numbers in (optimizer._default_dict, *optimizer._groups):
            numbers[self.key] = value


class UpdatesByHand:
    """A base of Optimizer: see Note [Optimizers of the user's own].

    Attributes:
        _updates_by_hand: whether a subclass updates its parameters itself, or has no update.
    """

    _updates_by_hand = True
    _rule: Rule
    _state: Accumulators
    _default_dict: dict[str, Any]
    _auxiliary_vars: dict[str, Any]
    regularization: WeightDecayRegularizer | None
    get_lr: Callable[[], float]
    append_regularization_ops: Callable[..., list]
    _groups: list[dict]
    _group: Callable[[Tensor], dict]
    _hyper: Callable[[dict], tuple]
    _add_accumulators: Callable[[list, list], None]
    _update_by_rule: Callable[[Tensor, Tensor], None]

    def __init_subclass__(cls, **given: object) -> None:
        """Set the names of accumulators, as Paddle does: ``_moment1_acc_str``."""
        super().__init_subclass__(**given)
        is_own = cls._append_optimize_op is not UpdatesByHand._append_optimize_op
        cls._updates_by_hand = is_own or cls._rule is UNWRITTEN
        for name in (*cls._rule.slots, *cls._rule.powers):
            setattr(cls, f"_{name.removesuffix('_acc')}_acc_str".replace("__", "_"), name)

    # ---- methods for subclasses

    def _append_optimize_op(self, block: object, param_and_grad: tuple[Tensor, Tensor]) -> None:
        """Update one parameter, by the rule of the class if it has one.

        Raises:
            UnimplementedError: if it has none.
        """
        if self._rule is UNWRITTEN:
            raise UnimplementedError(
                f"{type(self).__name__} has no rule to update a parameter: define "
                "_append_optimize_op(self, block, param_and_grad), or use a subclass such as Adam."
            )
        self._update_by_rule(*param_and_grad)

    def _create_accumulators(self, block: object, parameters: list[Tensor]) -> None:
        """Make the accumulators of parameters; by default those of the class's rule, if any.

        Called before every step, with the parameters that have gradients.
        """
        if self._rule is not UNWRITTEN:
            hypers = [self._hyper(self._group(param)) for param in parameters]
            self._add_accumulators(parameters, hypers)
            self._state.part_powers(parameters)

    def _finish_update(self, block: object, parameters_and_grads: list) -> None:
        """Do nothing; a subclass can act here after all updates of a step."""

    # ---- the step

    @no_grad()
    def _step_by_hand(self, pairs: list[tuple[Tensor, Tensor]]) -> None:
        """Update parameters with their gradients."""
        skip = self._auxiliary_vars.get("found_inf")
        if skip is not None and bool(skip):
            return
        for group in self._groups:
            members = [pair for pair in pairs if self._group(pair[0]) is group]
            if not members:
                continue
            if group["grad_clip"] is not None:
                members = group["grad_clip"](members)
            members = self.append_regularization_ops(members, self.regularization)
            self._create_accumulators(None, [param for param, _ in members])
            for pair in members:
                self._append_optimize_op(None, pair)
            self._finish_update(None, members)

    # ---- methods for Paddle's updates

    @property
    def _accumulators(self) -> dict[str, dict[str, Tensor]]:
        """Return the accumulators: by name, then by the name of the parameter or its copy."""
        return self._state.by_name()

    @property
    def _already_create_accumulator(self) -> set[str]:
        """Return the names of the known parameters; a subclass adds to it."""
        return self.__dict__.setdefault("_known_parameters", set())

    @property
    def _master_weights(self) -> dict[str, Tensor]:
        """Return the float32 copies of half precision parameters, by the parameter's name."""
        return dict(self._state.masters)

    def _add_accumulator(
        self,
        name: str,
        param: Tensor,
        dtype: DTypeLike | None = None,
        fill_value: float = 0.0,
        shape: Sequence[int] | None = None,
        type: object = None,  # Paddle's name
        device: PlaceLike | None = None,
    ) -> Tensor:
        """Make an accumulator of a parameter, or return the existing one.

        Args:
            name: the name of the accumulator.
            param: the parameter.
            dtype: the dtype of the accumulator; the parameter's when None.
            fill_value: its first value.
            shape: the shape of the accumulator; the parameter's when None.
            type: has no effect.
            device: its device; that of the parameter when None.
        """
        if device is not None:
            raise UnimplementedError(
                f"The accumulator {name} is created on the device of its parameter; leave "
                "device out."
            )
        array = param._array
        values = jnp.full(
            array.shape if shape is None else tuple(shape),
            fill_value,
            array.dtype if dtype is None else dtypes.to_numpy(dtype),
            device=array.sharding if array.committed else None,
        )
        return self._state.add_one(name, param, values)

    def _get_accumulator(self, name: str, param: Tensor) -> Tensor:
        """Return the accumulator of a parameter itself, not a copy.

        Raises:
            NotFoundError: when there is none.
        """
        found = self._state.of_name(name, param.name)
        if found is None:
            raise NotFoundError(f"Accumulator {name} does not exist for parameter {param.name}")
        return found

    def _get_accumulator_master(self, name: str, param: Tensor) -> Tensor:
        """Return an accumulator of a parameter, or of its float32 copy if it has one."""
        return self._get_accumulator(name, self._master_weights.get(param.name, param))

    def _global_learning_rate(self) -> Tensor:
        """Return the learning rate as a float32 tensor of one element."""
        return Tensor.from_array(jnp.asarray(self.get_lr(), jnp.float32))

    def _create_param_lr(self, param_and_grad: tuple[Tensor, Tensor]) -> Tensor:
        """Return the learning rate of a parameter: with the factor of its attributes."""
        factor = getattr(param_and_grad[0], "optimize_attr", None) or {}
        rate = self.get_lr() * factor.get("learning_rate", 1.0)
        return Tensor.from_array(jnp.asarray(rate, jnp.float32))

    def _is_dtype_fp16_or_bf16(self, dtype: DTypeLike) -> bool:
        """Return whether a dtype is one of half precision."""
        return dtypes.to_numpy(dtype) in dtypes.HALF
