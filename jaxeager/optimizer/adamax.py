"""Adamax: Adam with the largest gradient instead of the second moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax.numpy as jnp

from jaxeager.optimizer.adam import checked_betas, number
from jaxeager.optimizer.custom import Number
from jaxeager.optimizer.optimizer import Optimizer
from jaxeager.optimizer.rules import AdamHyper, Rule, attribute_in, number_in
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    import jax

    from jaxeager.nn.clip import ClipGradBase
    from jaxeager.optimizer.lr.base import LRScheduler
    from jaxeager.optimizer.types import ParametersLike
    from jaxeager.regularizer import WeightDecayRegularizer


def adamax(param, grad, slots, powers, rate, hyper: AdamHyper) -> tuple[jax.Array, tuple]:
    """Compute param - rate / (1 - power of beta1) * moment / (decaying maximum of the gradient)."""
    dtype = param.dtype
    one = number_in(dtype, 1.0)
    beta1, beta2 = attribute_in(dtype, hyper.beta1), attribute_in(dtype, hyper.beta2)
    power = powers[0].reshape(()).astype(dtype)
    moment = beta1 * slots[0] + (one - beta1) * grad
    norm = jnp.maximum(jnp.abs(grad), beta2 * slots[1] + attribute_in(dtype, hyper.epsilon))
    return param - rate / (one - power) * (moment / norm), (moment, norm)


def first_power(hyper: AdamHyper) -> dict:
    """Return the first power of beta1: beta1 itself."""
    return {"beta1_pow_acc": hyper.beta1}


def advance_power(powers, hyper: AdamHyper) -> tuple:
    """Return the power of beta1 for the next step."""
    return (powers[0] * number_in(powers[0].dtype, hyper.beta1),)


class Adamax(Optimizer):
    """Adamax: steps by the running mean of the gradient over the decaying maximum of its size.

    Args:
        learning_rate: a float or an LRScheduler.
        beta1: the decay factor of the moment, in [0, 1); a Tensor is read at each step.
        beta2: the decay factor of the maximum, in [0, 1); a Tensor is read at each step.
        epsilon: added to the old maximum; a Tensor is read at each step.
        parameters: tensors, or dicts of options with a ``params`` entry (see Optimizer).
        weight_decay: a number (L2), L1Decay or L2Decay, added to the gradient.
        grad_clip: a ClipGradBy... object.
        name: a prefix of the accumulators' names.

    Raises:
        InvalidArgumentError: when a beta or epsilon is None or out of range.

    Example:
        >>> import jaxeager as paddle
        >>> w = paddle.nn.Parameter(paddle.to_tensor([1.0, 2.0]))
        >>> adamax = paddle.optimizer.Adamax(learning_rate=0.5, parameters=[w])
        >>> (w * w).sum().backward()
        >>> adamax.step()
        >>> [round(v, 4) for v in w.tolist()]
        [0.5, 1.5]
    """

    _rule = Rule(
        "adamax",
        adamax,
        ("moment", "inf_norm"),
        ("beta1_pow_acc",),
        advance_power,
        first_power,
    )
    _beta1 = Number()
    _beta2 = Number()
    _epsilon = Number()

    def __init__(
        self,
        learning_rate: float | Tensor | LRScheduler = 0.001,
        beta1: float | Tensor = 0.9,
        beta2: float | Tensor = 0.999,
        epsilon: float | Tensor = 1e-8,
        parameters: ParametersLike | None = None,
        weight_decay: float | Tensor | WeightDecayRegularizer | None = None,
        grad_clip: ClipGradBase | None = None,
        name: str | None = None,
    ):
        defaults = checked_betas(beta1, beta2, epsilon)
        super().__init__(
            learning_rate, parameters, weight_decay, grad_clip, name, defaults=defaults
        )

    def _hyper(self, group: dict) -> AdamHyper:
        beta1, beta2, epsilon = group["beta1"], group["beta2"], group["epsilon"]
        return AdamHyper(number(beta1), number(beta2), number(epsilon), False)

    def _narrow_accumulators(self) -> bool:
        return False
