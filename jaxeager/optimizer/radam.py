"""RAdam: Adam that starts once the variance of its steps is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax.numpy as jnp

from jaxeager.optimizer.adam import number
from jaxeager.optimizer.custom import Number
from jaxeager.optimizer.nadam import checked_numbers
from jaxeager.optimizer.optimizer import Optimizer
from jaxeager.optimizer.rules import AdamHyper, Rule, attribute_in, number_in
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    import jax

    from jaxeager.nn.clip import ClipGradBase
    from jaxeager.optimizer.lr.base import LRScheduler
    from jaxeager.optimizer.types import ParametersLike
    from jaxeager.regularizer import WeightDecayRegularizer


def next_powers(powers, hyper: AdamHyper) -> tuple:
    """Return beta1 ** step, beta2 ** step and step * beta2 ** step / (1 - beta2 ** step)."""
    dtype = powers[0].dtype
    beta1, beta2 = attribute_in(dtype, hyper.beta1), attribute_in(dtype, hyper.beta2)
    power1, power2 = powers[0] * beta1, powers[1] * beta2
    rho = (powers[2] * (beta2 - power2) + power2) / (number_in(dtype, 1.0) - power2)
    return power1, power2, rho


def radam(param, grad, slots, powers, rate, hyper: AdamHyper) -> tuple[jax.Array, tuple]:
    """Compute a step of momentum at first, later one of Adam, rectified."""
    dtype = param.dtype
    one, two, four = (number_in(dtype, value) for value in (1.0, 2.0, 4.0))
    beta1, beta2 = attribute_in(dtype, hyper.beta1), attribute_in(dtype, hyper.beta2)
    power1, power2, rho = next_powers([p.reshape(()).astype(dtype) for p in powers], hyper)
    moment1 = beta1 * slots[0] + (one - beta1) * grad
    moment2 = beta2 * slots[1] + (one - beta2) * grad * grad
    most = two / (one - beta2) - one
    length = most - two * rho
    enough = length > number_in(dtype, 5.0)
    safe = jnp.where(enough, length, number_in(dtype, 6.0))
    rectified = jnp.sqrt(
        (safe - four) * (safe - two) * most / ((most - four) * (most - two) * safe)
    )
    scale = jnp.sqrt(one - power2) / (jnp.sqrt(moment2) + attribute_in(dtype, hyper.epsilon))
    step = rate * (moment1 / (one - power1))
    return param - jnp.where(enough, step * rectified * scale, step), (moment1, moment2)


def first_powers(hyper: AdamHyper) -> dict:
    """Return the powers before the first step."""
    return {"beta1_pow": 1.0, "beta2_pow": 1.0, "rho": 1.0}


class RAdam(Optimizer):
    """Adam that steps like momentum until it has seen enough gradients, and is rectified later.

    Args:
        learning_rate: a float, not negative, or an LRScheduler.
        beta1: the decay factor of the first moment, in [0, 1); a Tensor is read at each step.
        beta2: the decay factor of the second moment, in [0, 1); a Tensor is read at each step.
        epsilon: added to the root.
        parameters: tensors, or dicts of options with a ``params`` entry (see Optimizer).
        weight_decay: a number (L2), L1Decay or L2Decay, added to the gradient.
        grad_clip: a ClipGradBy... object.
        name: a prefix of the accumulators' names.

    Raises:
        InvalidArgumentError: when a number is None or out of range.

    Example:
        >>> import jaxeager as paddle
        >>> w = paddle.nn.Parameter(paddle.to_tensor([1.0]))
        >>> radam = paddle.optimizer.RAdam(learning_rate=0.5, parameters=[w])
        >>> w.sum().backward()
        >>> radam.step()
        >>> [round(v, 4) for v in w.tolist()]
        [0.5]
    """

    _rule = Rule(
        "radam",
        radam,
        ("moment1", "moment2"),
        ("beta1_pow", "beta2_pow", "rho"),
        next_powers,
        first_powers,
        spreads_powers=True,
    )
    _beta1 = Number()
    _beta2 = Number()
    _epsilon = Number()

    def __init__(
        self,
        learning_rate: float | Tensor | LRScheduler = 0.001,
        beta1: float | Tensor = 0.9,
        beta2: float | Tensor = 0.999,
        epsilon: float = 1e-8,
        parameters: ParametersLike | None = None,
        weight_decay: float | Tensor | WeightDecayRegularizer | None = None,
        grad_clip: ClipGradBase | None = None,
        name: str | None = None,
    ):
        defaults = checked_numbers(learning_rate, beta1, beta2, epsilon)
        super().__init__(
            learning_rate, parameters, weight_decay, grad_clip, name, defaults=defaults
        )

    def _hyper(self, group: dict) -> AdamHyper:
        return AdamHyper(number(group["beta1"]), number(group["beta2"]), group["epsilon"], False)

    def _narrow_accumulators(self) -> bool:
        return False
