"""Adadelta."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import jax.numpy as jnp

from jaxeager.errors import InvalidArgumentError
from jaxeager.optimizer.custom import Number
from jaxeager.optimizer.optimizer import Optimizer
from jaxeager.optimizer.rules import Rule, attribute_in, number_in

if TYPE_CHECKING:
    import jax

    from jaxeager.nn.clip import ClipGradBase
    from jaxeager.optimizer.lr.base import LRScheduler
    from jaxeager.optimizer.types import ParametersLike
    from jaxeager.regularizer import WeightDecayRegularizer
    from jaxeager.tensor.tensor import Tensor


class AdadeltaHyper(NamedTuple):
    """Parameters of the Adadelta rule."""

    epsilon: float
    rho: float


def adadelta(param, grad, slots, powers, rate, hyper: AdadeltaHyper) -> tuple[jax.Array, tuple]:
    """Step by the gradient times the ratio of the running roots of steps and of gradients."""
    dtype = param.dtype
    epsilon, rho = attribute_in(dtype, hyper.epsilon), attribute_in(dtype, hyper.rho)
    rest = number_in(dtype, 1.0) - rho
    squared_grad = rho * slots[0] + rest * grad * grad
    update = -jnp.sqrt((slots[1] + epsilon) / (squared_grad + epsilon)) * grad
    squared_update = rho * slots[1] + rest * update * update
    return param + rate * update, (squared_grad, squared_update)


class Adadelta(Optimizer):
    """Adadelta: steps whose size follows from running means of squared gradients and steps.

    Args:
        learning_rate: a float or an LRScheduler.
        epsilon: added to both means.
        rho: the decay factor of the means.
        parameters: tensors, or dicts of options with a ``params`` entry (see Optimizer).
        weight_decay: a number (L2), L1Decay or L2Decay, added to the gradient.
        grad_clip: a ClipGradBy... object.
        name: a prefix of the accumulators' names.

    Raises:
        InvalidArgumentError: when ``learning_rate``, ``epsilon`` or ``rho`` is None.

    Example:
        >>> import jaxeager as paddle
        >>> w = paddle.nn.Parameter(paddle.to_tensor([1.0]))
        >>> adadelta = paddle.optimizer.Adadelta(1.0, epsilon=0.25, rho=0.75, parameters=[w])
        >>> w.sum().backward()
        >>> adadelta.step()
        >>> [round(v, 4) for v in w.tolist()]
        [0.2929]
    """

    _rule = Rule("adadelta", adadelta, ("_avg_squared_grad", "_avg_squared_update"))
    _epsilon = Number()
    _rho = Number()

    def __init__(
        self,
        learning_rate: float | Tensor | LRScheduler = 0.001,
        epsilon: float = 1e-6,
        rho: float = 0.95,
        parameters: ParametersLike | None = None,
        weight_decay: float | Tensor | WeightDecayRegularizer | None = None,
        grad_clip: ClipGradBase | None = None,
        name: str | None = None,
    ):
        for argument, value in (("epsilon", epsilon), ("rho", rho)):
            if value is None:
                raise InvalidArgumentError(f"{argument} is not set.")
        defaults = {"epsilon": epsilon, "rho": rho}
        super().__init__(
            learning_rate, parameters, weight_decay, grad_clip, name, defaults=defaults
        )

    def _hyper(self, group: dict) -> AdadeltaHyper:
        return AdadeltaHyper(group["epsilon"], group["rho"])
