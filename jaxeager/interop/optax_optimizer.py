"""OptaxOptimizer: a gradient transformation of optax as an Optimizer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from jaxeager.errors import (
    InvalidArgumentError,
    InvalidTypeError,
    NotFoundError,
    PreconditionNotMetError,
)
from jaxeager.graph.atomic import Also
from jaxeager.graph.views.atomic_writes import write_arrays
from jaxeager.interop.foreign_layer import path_name
from jaxeager.kernels.memory_bound import jitted
from jaxeager.optimizer import Optimizer
from jaxeager.optimizer.lr import LRScheduler
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from jaxeager.nn.clip import ClipGradBase

_PREFIX = "optax."


class OptaxOptimizer(Optimizer):
    """An Optimizer that updates parameters with a gradient transformation of optax.

    A step is one XLA call over all parameters. The transformation sees them as a dict by name, so
    masks and labels (``optax.masked``, ``optax.multi_transform``) refer to names. A parameter
    without a gradient has zeros in that dict and is not written.

    Args:
        transformation: an ``optax.GradientTransformation``, such as ``optax.adamw(1e-3)``.
        parameters: tensors of different names.
        learning_rate: a float or an LRScheduler, for a transformation without its own, such as
            ``optax.scale_by_adam()``: its updates are then multiplied by the rate and subtracted.
            By default they are added unchanged; ``get_lr`` and ``set_lr`` are then those of
            ``optax.inject_hyperparams``, if the transformation has it.
        grad_clip: a ClipGradBy... object, applied first.

    Raises:
        InvalidTypeError: when it is not a gradient transformation.
        InvalidArgumentError: when two parameters have the same name, or they are in groups.

    Example:
        >>> import pytest
        >>> optax = pytest.importorskip("optax")
        >>> import jaxeager as paddle
        >>> w = paddle.nn.Parameter(paddle.to_tensor([1.0, 2.0]))
        >>> optimizer = paddle.interop.OptaxOptimizer(optax.sgd(0.5), parameters=[w])
        >>> w.sum().backward()
        >>> optimizer.step()
        >>> optimizer.clear_grad()
        >>> w.tolist()
        [0.5, 1.5]
    """

    def __init__(
        self,
        transformation: Any,
        parameters: Sequence[Tensor],
        learning_rate: float | LRScheduler | None = None,
        grad_clip: ClipGradBase | None = None,
    ):
        if not callable(getattr(transformation, "init", None)):
            raise InvalidTypeError(
                "OptaxOptimizer takes a gradient transformation of optax, but got "
                f"{type(transformation).__name__}."
            )
        has_rate = learning_rate is not None
        super().__init__(learning_rate if has_rate else 1.0, parameters, None, grad_clip)
        if self._has_groups:
            raise InvalidArgumentError(
                "OptaxOptimizer takes tensors, not groups of them: use optax.multi_transform to "
                "update tensors in different ways, by name."
            )
        self._names = [param.name for param in self._params]
        self._has_rate = has_rate
        self._transformation = transformation
        self._optax_state: object = None
        self._kernel = jitted(_step_of(transformation, has_rate))

    # ---- the step

    def _update(self, settings: list, grads: list[Tensor], also: Also) -> None:
        clip = self._grad_clip
        if clip is not None:
            pairs = [(self._params[i], g) for (i, *_), g in zip(settings, grads, strict=True)]
            grads = [grad for _, grad in clip(pairs)]
        given = {index: grad._array for (index, *_), grad in zip(settings, grads, strict=True)}
        values = {n: param._array for n, param in zip(self._names, self._params, strict=True)}
        arrays = {
            name: given.get(index) if index in given else jnp.zeros_like(values[name])
            for index, name in enumerate(self._names)
        }
        skip = self._auxiliary_vars.get("found_inf")
        rate = self._rate_array() if self._has_rate else None
        found, state = self._kernel(values, arrays, self._state_of_optax(), rate, skip)
        written = [self._params[index] for index in given]
        also = (*(self._auxiliary_vars.get("also") or ()), *also, (self, "_optax_state", state))
        write_arrays(written, [found[self._names[index]] for index in given], also=also)

    def _state_of_optax(self) -> object:
        if self._optax_state is None:
            values = [param._array for param in self._params]
            named = dict(zip(self._names, values, strict=True))
            self._optax_state = self._transformation.init(named)
        return self._optax_state

    # ---- the learning rate

    def get_lr(self) -> float:
        """Return the learning rate.

        Raises:
            PreconditionNotMetError: when the transformation does not expose it.
        """
        if self._has_rate:
            return super().get_lr()
        return float(self._hyperparameters()["learning_rate"])

    def set_lr(self, value: float) -> None:
        """Set the learning rate that ``get_lr`` returns."""
        if self._has_rate:
            super().set_lr(value)
            return
        rates = self._hyperparameters()
        rates["learning_rate"] = jnp.asarray(value, jnp.asarray(rates["learning_rate"]).dtype)

    def _hyperparameters(self) -> dict:
        found = getattr(self._state_of_optax(), "hyperparams", {})
        if "learning_rate" not in found:
            raise PreconditionNotMetError(
                "The transformation has no learning rate to read or set. Give OptaxOptimizer the "
                "learning_rate (and optax.scale_by_adam() in place of optax.adam(rate)), or make "
                "it with optax.inject_hyperparams(optax.adam)(learning_rate=rate)."
            )
        return found

    # ---- state

    def state_dict(self) -> dict:
        """Return optax's state, a Tensor per array under its path, and the scheduler's."""
        pairs, _ = jax.tree_util.tree_flatten_with_path(self._state_of_optax())
        state: dict[str, object] = {
            _PREFIX + path_name(path): Tensor.from_array(jnp.asarray(array))
            for path, array in pairs
        }
        if isinstance(self._learning_rate, LRScheduler):
            state["LR_Scheduler"] = self._learning_rate.state_dict()
        return state

    def set_state_dict(self, state_dict: dict) -> None:
        """Restore what ``state_dict`` returned, or what ``paddle.load`` read.

        Raises:
            NotFoundError: when an array of the state is missing.
            InvalidArgumentError: when one has another shape.
        """
        pairs, structure = jax.tree_util.tree_flatten_with_path(self._state_of_optax())
        found = []
        for path, old in pairs:
            name = _PREFIX + path_name(path)
            if name not in state_dict:
                raise NotFoundError(f"The state of optax lacks {name}.")
            value = state_dict[name]
            array = jnp.asarray(getattr(value, "_array", value), jnp.asarray(old).dtype)
            if array.shape != jnp.shape(old):
                raise InvalidArgumentError(
                    f"{name} has shape {list(array.shape)}, but {list(jnp.shape(old))} is needed."
                )
            found.append(array)
        if isinstance(self._learning_rate, LRScheduler) and "LR_Scheduler" in state_dict:
            self._learning_rate.set_state_dict(state_dict["LR_Scheduler"])
        self._optax_state = jax.tree.unflatten(structure, found)

    load_state_dict = set_state_dict


def _step_of(transformation: Any, has_rate: bool):
    """Return the step function: (parameters, gradients, state, rate, skip)."""

    def optax_step(
        values: dict, grads: dict, state: object, rate: jax.Array, skip: jax.Array | None
    ):
        grads = {name: grads[name].astype(values[name].dtype) for name in values}
        updates, after = transformation.update(grads, state, values)
        scale = (lambda u: -rate.astype(u.dtype) * u) if has_rate else (lambda u: u)
        found = {n: (v + scale(updates[n])).astype(v.dtype) for n, v in values.items()}
        if skip is None:
            return found, after
        return jax.tree.map(
            lambda old, new: jnp.where(skip, old, new), (values, state), (found, after)
        )

    return optax_step
