"""NAdam: Adam with Nesterov momentum."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import jax.numpy as jnp

from jaxeager.errors import InvalidArgumentError
from jaxeager.optimizer.adam import number
from jaxeager.optimizer.custom import Number
from jaxeager.optimizer.optimizer import Optimizer
from jaxeager.optimizer.rules import Rule, attribute_in, number_in
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    import jax

    from jaxeager.nn.clip import ClipGradBase
    from jaxeager.optimizer.lr.base import LRScheduler
    from jaxeager.optimizer.types import ParametersLike
    from jaxeager.regularizer import WeightDecayRegularizer


class NAdamHyper(NamedTuple):
    """Parameters of the NAdam rule."""

    beta1: float
    beta2: float
    epsilon: float
    momentum_decay: float


def next_powers(powers, hyper: NAdamHyper) -> tuple:
    """Return 0.96 ** step, beta2 ** step and the product of the momenta, for the next step."""
    dtype = powers[0].dtype
    decay, power2 = powers[0] * number_in(dtype, 0.96), powers[1] * attribute_in(dtype, hyper.beta2)
    return decay, power2, powers[2] * _momentum_now(decay, hyper)


def _momentum_now(decay, hyper: NAdamHyper):
    """Return beta1 * (1 - decay ** momentum_decay / 2), the momentum of the step."""
    dtype = decay.dtype
    faded = decay ** attribute_in(dtype, hyper.momentum_decay)
    return attribute_in(dtype, hyper.beta1) * (
        number_in(dtype, 1.0) - number_in(dtype, 0.5) * faded
    )


def nadam(param, grad, slots, powers, rate, hyper: NAdamHyper) -> tuple[jax.Array, tuple]:
    """Compute Adam's step with a first moment that is one step ahead."""
    dtype = param.dtype
    one = number_in(dtype, 1.0)
    beta1, beta2 = attribute_in(dtype, hyper.beta1), attribute_in(dtype, hyper.beta2)
    powers = [power.reshape(()).astype(dtype) for power in powers]
    decay, power2, product = next_powers(powers, hyper)
    now = _momentum_now(decay, hyper)
    ahead = _momentum_now(decay * number_in(dtype, 0.96), hyper)
    moment1 = beta1 * slots[0] + (one - beta1) * grad
    moment2 = beta2 * slots[1] + (one - beta2) * grad * grad
    direction = ahead * moment1 / (one - product * ahead) + (one - now) * grad / (one - product)
    scale = jnp.sqrt(moment2 / (one - power2)) + attribute_in(dtype, hyper.epsilon)
    return param - rate * direction / scale, (moment1, moment2)


def first_powers(hyper: NAdamHyper) -> dict:
    """Return the powers before the first step."""
    return {"momentum_decay_pow": 1.0, "beta2_pow": 1.0, "mu_product": 1.0}


class NAdam(Optimizer):
    """Adam whose running mean of the gradient is one step ahead.

    Args:
        learning_rate: a float, not negative, or an LRScheduler.
        beta1: the decay factor of the first moment, in [0, 1); a Tensor is read at each step.
        beta2: the decay factor of the second moment, in [0, 1); a Tensor is read at each step.
        epsilon: added to the root.
        momentum_decay: the speed at which the momentum grows to ``beta1``; not negative.
        parameters: tensors, or dicts of options with a ``params`` entry (see Optimizer).
        weight_decay: a number (L2), L1Decay or L2Decay, added to the gradient.
        grad_clip: a ClipGradBy... object.
        name: a prefix of the accumulators' names.

    Raises:
        InvalidArgumentError: when a number is None or out of range.

    Example:
        >>> import jaxeager as paddle
        >>> w = paddle.nn.Parameter(paddle.to_tensor([1.0]))
        >>> nadam = paddle.optimizer.NAdam(learning_rate=0.5, parameters=[w])
        >>> w.sum().backward()
        >>> nadam.step()
        >>> [round(v, 4) for v in w.tolist()]
        [0.4718]
    """

    _rule = Rule(
        "nadam",
        nadam,
        ("moment1", "moment2"),
        ("momentum_decay_pow", "beta2_pow", "mu_product"),
        next_powers,
        first_powers,
        spreads_powers=True,
    )
    _beta1 = Number()
    _beta2 = Number()
    _epsilon = Number()
    _momentum_decay = Number()

    def __init__(
        self,
        learning_rate: float | Tensor | LRScheduler = 0.002,
        beta1: float | Tensor = 0.9,
        beta2: float | Tensor = 0.999,
        epsilon: float = 1e-8,
        momentum_decay: float = 0.004,
        parameters: ParametersLike | None = None,
        weight_decay: float | Tensor | WeightDecayRegularizer | None = None,
        grad_clip: ClipGradBase | None = None,
        name: str | None = None,
    ):
        defaults = checked_numbers(learning_rate, beta1, beta2, epsilon)
        refuse_negative("Invalid momentum_decay value", momentum_decay=momentum_decay)
        defaults["momentum_decay"] = momentum_decay
        super().__init__(
            learning_rate, parameters, weight_decay, grad_clip, name, defaults=defaults
        )

    def _hyper(self, group: dict) -> NAdamHyper:
        return NAdamHyper(
            number(group["beta1"]),
            number(group["beta2"]),
            group["epsilon"],
            group["momentum_decay"],
        )

    def _narrow_accumulators(self) -> bool:
        return False


def checked_numbers(learning_rate, beta1, beta2, epsilon) -> dict:
    """Return the parameters of NAdam and RAdam by name; InvalidArgumentError for a bad one."""
    refuse_negative("Invalid learning rate", learning_rate=learning_rate)
    refuse_negative("Invalid epsilon value", epsilon=epsilon)
    for name, value in (("beta1", beta1), ("beta2", beta2)):
        if value is None:
            raise InvalidArgumentError(f"{name} is not set.")
        if not isinstance(value, Tensor) and not 0.0 <= value < 1.0:
            raise InvalidArgumentError(f"Invalid {name}: {value}, expect 0. <= {name} < 1.0.")
    return {"beta1": beta1, "beta2": beta2, "epsilon": epsilon}


def refuse_negative(complaint: str, **number) -> None:
    """Raise InvalidArgumentError when a number is None or negative; a scheduler is accepted."""
    [(name, value)] = number.items()
    if value is None:
        raise InvalidArgumentError(f"{name} is not set.")
    if isinstance(value, (float, int)) and not value >= 0.0:
        raise InvalidArgumentError(f"{complaint}: {value}, expect {name} >= 0.")
