"""Adagrad."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import jax.numpy as jnp

from jaxeager.errors import RefusedArgumentError
from jaxeager.optimizer.custom import Number
from jaxeager.optimizer.optimizer import Optimizer
from jaxeager.optimizer.rules import DENSE, Rule, always, attribute_in

if TYPE_CHECKING:
    import jax

    from jaxeager.nn.clip import ClipGradBase
    from jaxeager.optimizer.lr.base import LRScheduler
    from jaxeager.optimizer.types import ParametersLike
    from jaxeager.regularizer import WeightDecayRegularizer
    from jaxeager.tensor.tensor import Tensor


class AdagradHyper(NamedTuple):
    """Parameters of the Adagrad rule."""

    epsilon: float
    initial_accumulator_value: float


def adagrad(param, grad, slots, powers, rate, hyper: AdagradHyper) -> tuple[jax.Array, tuple]:
    """Compute param - rate * grad / (sqrt(sum of squares) + epsilon)."""
    moment = slots[0] + grad * grad
    step = rate * grad / (jnp.sqrt(moment) + attribute_in(param.dtype, hyper.epsilon))
    return param - step, (moment,)


def first_moment(hyper: AdagradHyper) -> dict:
    """Return the initial value of the sum of squares."""
    return {"moment": hyper.initial_accumulator_value}


class Adagrad(Optimizer):
    """Steps by the gradient over the root of the sum of all its squares so far.

    Args:
        learning_rate: a float or an LRScheduler.
        epsilon: added to the root.
        parameters: tensors, or dicts of options with a ``params`` entry (see Optimizer).
        weight_decay: a number (L2), L1Decay or L2Decay, added to the gradient.
        grad_clip: a ClipGradBy... object.
        name: a prefix of the accumulators' names.
        initial_accumulator_value: the initial value of the sum.

    Raises:
        InvalidArgumentError: when ``learning_rate`` or ``epsilon`` is None.

    Example:
        >>> import jaxeager as paddle
        >>> w = paddle.nn.Parameter(paddle.to_tensor([1.0, 2.0]))
        >>> adagrad = paddle.optimizer.Adagrad(learning_rate=0.5, parameters=[w])
        >>> (w * w).sum().backward()
        >>> adagrad.step()
        >>> [round(v, 4) for v in w.tolist()]
        [0.5, 1.5]
    """

    _rule = Rule(
        "adagrad",
        adagrad,
        ("moment",),
        first=first_moment,
        of_rows=DENSE,
        leaves_others=always,
    )
    _epsilon = Number()
    initial_accumulator_value = Number()

    def __init__(
        self,
        learning_rate: float | Tensor | LRScheduler,
        epsilon: float = 1e-6,
        parameters: ParametersLike | None = None,
        weight_decay: float | Tensor | WeightDecayRegularizer | None = None,
        grad_clip: ClipGradBase | None = None,
        name: str | None = None,
        initial_accumulator_value: float = 0.0,
    ):
        if epsilon is None:
            raise RefusedArgumentError("epsilon is not set.")
        defaults = {"epsilon": epsilon, "initial_accumulator_value": initial_accumulator_value}
        super().__init__(
            learning_rate, parameters, weight_decay, grad_clip, name, defaults=defaults
        )

    def _hyper(self, group: dict) -> AdagradHyper:
        return AdagradHyper(group["epsilon"], group["initial_accumulator_value"])
