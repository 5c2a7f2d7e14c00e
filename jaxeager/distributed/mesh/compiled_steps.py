"""A step of training as one XLA program: forward, backward and the optimizer's update.

Note [Steps as one program]
    The same Layer, tape and optimizer run once under JAX's tracing, and the tensors they read and
    write become the arguments and results of a function: parameters, buffers, the optimizer's
    state, the learning rate and a random key. XLA then sees the whole step: it partitions it over
    the devices according to the shardings of the arguments, and combines the messages of several
    ops, which are separate when the ops run one by one. Results keep the shardings from before the
    step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jax

from jaxeager.arrays import random
from jaxeager.arrays.sharded import is_spread
from jaxeager.errors import InvalidArgumentError
from jaxeager.graph.mode import grad_mode
from jaxeager.kernels.memory_bound import jitted
from jaxeager.ops.call.wrapping import wrap
from jaxeager.optimizer import Optimizer
from jaxeager.optimizer.fused import placed_when_run
from jaxeager.optimizer.plan import Plan, settings_of
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from jax.stages import Compiled


class CompiledStep:
    """A function of Tensors, with the other tensors it reads and writes, as one XLA program.

    Args:
        function: a function of the batch; returns Tensors. It may call ``backward()``.
        state: the other tensors that it reads and writes: parameters and buffers.
        optimizer: the optimizer whose step follows, or None. The function has then called
            ``backward()``, and gradients are None again after the step.

    Raises:
        InvalidArgumentError: for an optimizer with a custom step, such as LBFGS.
    """

    def __init__(
        self, function: Callable, state: Sequence[Tensor], optimizer: Optimizer | None = None
    ):
        self._function = function
        self._state = list(state)
        self._optimizer = optimizer
        self._plan: Plan | None = None
        if optimizer is not None:
            self._plan = _plan_of(optimizer)
            known = {id(tensor) for tensor in self._state}
            self._state += [t for t in self._plan.buffers.tensors if id(t) not in known]
        self._kernel = jitted(self._step)

    def __call__(self, *batch: object) -> Any:
        """Run the step on a batch of Tensors; return the result of the function."""
        out, arrays = self._kernel(*self._arguments(batch))
        for tensor, array in zip(self._state, arrays, strict=True):
            tensor._array = array
        for _ in range(self._draws):  # the draws of the step from the state of the generator
            random.default_generator.next_words()
        return jax.tree.map(wrap, out)

    def compiled(self, *batch: object) -> Compiled:
        """Return the step for such a batch as ``jax.stages.Compiled``, with its HLO and memory."""
        return self._kernel.lower(*self._arguments(batch)).compile()

    def _arguments(self, batch: tuple) -> tuple:
        rate = None if self._optimizer is None else self._optimizer._rate_array()
        arrays = [tensor._array for tensor in self._state]
        self._shardings = [array.sharding if is_spread(array) else None for array in arrays]
        given = jax.tree.map(_array_of, batch, is_leaf=_is_tensor)
        return arrays, given, rate, random.default_generator.get_state()

    def _step(self, arrays: list, batch: tuple, rate: jax.Array | None, key: jax.Array) -> tuple:
        """Run the step on traced arrays."""
        before = [(tensor, tensor._array) for tensor in self._state]
        grads = [(meta, meta.grad) for tensor in self._state if (meta := tensor._meta) is not None]
        try:
            for tensor, array in zip(self._state, arrays, strict=True):
                tensor._array = array
            for meta, _ in grads:
                meta.grad = None
            with random.drawing_from(key) as stream:
                out = self._function(*jax.tree.map(wrap, batch))
            self._draws = stream.draws
            if self._plan is not None:
                self._update(rate)
            found = [tensor._array for tensor in self._state]
            pairs = zip(found, self._shardings, strict=True)
            placed = [placed_when_run(array, sharding) for array, sharding in pairs]
            return jax.tree.map(_array_of, out, is_leaf=_is_tensor), placed
        finally:
            for tensor, array in before:
                tensor._array = array
            for meta, grad in grads:
                meta.grad = grad

    def _update(self, rate: jax.Array | None) -> None:
        assert self._plan is not None
        buffers = self._plan.buffers.tensors
        grads = []
        for param in self._plan.params:
            if param.grad is None:
                raise InvalidArgumentError(
                    f"The parameter {param.name} got no gradient in the step; give the optimizer "
                    "only the parameters that the loss depends on."
                )
            grads.append(param.grad._array)
        new: Any = self._plan.run
        moved = new.plain([each._array for each in buffers], grads, rate, None)
        for tensor, array in zip(buffers, moved, strict=True):
            tensor._array = array


def _plan_of(optimizer: Optimizer) -> Plan:
    """Return the plan of a step of all parameters that need a gradient."""
    if optimizer._updates_by_hand:
        raise InvalidArgumentError(
            f"{type(optimizer).__name__} defines its own step, which cannot be one XLA program."
        )
    params = enumerate(optimizer._params)
    settings = [settings_of(index, param) for index, param in params if not param.stop_gradient]
    options = [optimizer._options(group) for group in optimizer._groups]
    return optimizer._prepare(settings, options)


def _is_tensor(value: object) -> bool:
    return isinstance(value, Tensor)


def _array_of(value: Any) -> Any:
    return value._array if _is_tensor(value) else value


def no_gradients(function: Callable) -> Callable:
    """Return a function that records no graph."""

    def run(*batch: Any) -> Any:
        before, grad_mode.enabled = grad_mode.enabled, False
        try:
            return function(*batch)
        finally:
            grad_mode.enabled = before

    return run
