"""RMSProp."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import jax.numpy as jnp

from jaxeager.errors import InvalidArgumentError
from jaxeager.optimizer.custom import Number
from jaxeager.optimizer.optimizer import Optimizer
from jaxeager.optimizer.rules import DENSE, Rule, attribute_in, number_in

if TYPE_CHECKING:
    import jax

    from jaxeager.nn.clip import ClipGradBase
    from jaxeager.optimizer.lr.base import LRScheduler
    from jaxeager.optimizer.types import ParametersLike
    from jaxeager.regularizer import WeightDecayRegularizer
    from jaxeager.tensor.tensor import Tensor


class RMSPropHyper(NamedTuple):
    """Parameters of the RMSProp rule."""

    rho: float
    epsilon: float
    momentum: float
    centered: bool


def rmsprop(param, grad, slots, powers, rate, hyper: RMSPropHyper) -> tuple[jax.Array, tuple]:
    """Compute momentum of steps by the gradient over the root of its mean square (or variance)."""
    dtype = param.dtype
    rho = attribute_in(dtype, hyper.rho)
    rest = number_in(dtype, 1.0) - rho
    velocity, mean_square, mean_grad = slots
    mean_square = rho * mean_square + rest * grad * grad
    variance = mean_square
    if hyper.centered:
        mean_grad = rho * mean_grad + rest * grad
        variance = mean_square - mean_grad * mean_grad
    scale = jnp.sqrt(variance + attribute_in(dtype, hyper.epsilon))
    velocity = attribute_in(dtype, hyper.momentum) * velocity + rate * grad / scale
    return param - velocity, (velocity, mean_square, mean_grad)


class RMSProp(Optimizer):
    """RMSProp: steps by the gradient over the root of the running mean of its square.

    Args:
        learning_rate: a float or an LRScheduler.
        rho: the decay factor of the means; not negative.
        epsilon: added under the root; not negative.
        momentum: the decay factor of the last step; not negative.
        centered: divide by the root of the variance: subtract the squared mean of the gradient.
        parameters: tensors, or dicts of options with a ``params`` entry (see Optimizer).
        weight_decay: a number (L2), L1Decay or L2Decay, added to the gradient.
        grad_clip: a ClipGradBy... object.
        name: a prefix of the accumulators' names.

    Raises:
        InvalidArgumentError: when a number is None or negative.

    Example:
        >>> import jaxeager as paddle
        >>> w = paddle.nn.Parameter(paddle.to_tensor([1.0]))
        >>> rmsprop = paddle.optimizer.RMSProp(0.25, rho=0.75, parameters=[w])
        >>> w.sum().backward()
        >>> rmsprop.step()
        >>> [round(v, 4) for v in w.tolist()]
        [0.5]
    """

    _rule = Rule("rmsprop", rmsprop, ("momentum", "mean_square", "mean_grad"), of_rows=DENSE)
    _epsilon = Number()
    _rho = Number()
    _momentum = Number()
    _centered = Number()

    def __init__(
        self,
        learning_rate: float | Tensor | LRScheduler,
        rho: float = 0.95,
        epsilon: float = 1e-6,
        momentum: float = 0.0,
        centered: bool = False,
        parameters: ParametersLike | None = None,
        weight_decay: float | Tensor | WeightDecayRegularizer | None = None,
        grad_clip: ClipGradBase | None = None,
        name: str | None = None,
    ):
        for argument, value in (("rho", rho), ("epsilon", epsilon), ("momentum", momentum)):
            if value is None:
                raise InvalidArgumentError(f"{argument} is not set.")
            if not value >= 0.0:
                raise InvalidArgumentError(
                    f"Invalid value of {argument}, expect {argument} >= 0, but received {value}."
                )
        defaults = {"rho": rho, "epsilon": epsilon, "momentum": momentum, "centered": centered}
        super().__init__(
            learning_rate, parameters, weight_decay, grad_clip, name, defaults=defaults
        )

    def _hyper(self, group: dict) -> RMSPropHyper:
        return RMSPropHyper(
            group["rho"], group["epsilon"], group["momentum"], bool(group["centered"])
        )
