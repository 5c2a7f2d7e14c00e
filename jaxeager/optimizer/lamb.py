"""Lamb: Adam with a step scaled to the length of the parameter."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import jax.numpy as jnp

from jaxeager.errors import InvalidTypeError
from jaxeager.optimizer.adam import checked_betas, number
from jaxeager.optimizer.custom import Number
from jaxeager.optimizer.optimizer import Optimizer
from jaxeager.optimizer.rules import (
    DENSE,
    MOMENTS,
    POWERS,
    Rule,
    attribute_in,
    first_powers,
    number_in,
)
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    import jax

    from jaxeager.nn.clip import ClipGradBase
    from jaxeager.optimizer.lr.base import LRScheduler
    from jaxeager.optimizer.types import ParametersLike


class LambHyper(NamedTuple):
    """Parameters of the Lamb rule."""

    beta1: float
    beta2: float
    epsilon: float
    decay: float
    always_adapt: bool


def lamb(param, grad, slots, powers, rate, hyper: LambHyper) -> tuple[jax.Array, tuple]:
    """Compute Adam's direction plus decay, scaled to the parameter; without decay, Adam's step."""
    dtype = param.dtype
    one = number_in(dtype, 1.0)
    beta1, beta2 = attribute_in(dtype, hyper.beta1), attribute_in(dtype, hyper.beta2)
    power1, power2 = (power.reshape(()).astype(dtype) for power in powers)
    moment1 = beta1 * slots[0] + (one - beta1) * grad
    moment2 = beta2 * slots[1] + (one - beta2) * grad * grad
    scale = jnp.sqrt(moment2 / (one - power2)) + attribute_in(dtype, hyper.epsilon)
    step = moment1 / (one - power1) / scale + attribute_in(dtype, hyper.decay) * param
    if hyper.decay > 0 or hyper.always_adapt:
        wanted, length = jnp.sqrt(jnp.sum(param * param)), jnp.sqrt(jnp.sum(step * step))
        known = (wanted > 0) & (length > 0)
        rate = rate * jnp.where(known, wanted / jnp.where(known, length, one), one)
    return param - rate * step, (moment1, moment2)


def advance_powers(powers, hyper: LambHyper) -> tuple:
    """Return the powers of the betas for the next step."""
    betas = (hyper.beta1, hyper.beta2)
    return tuple(p * attribute_in(p.dtype, beta) for p, beta in zip(powers, betas, strict=True))


class Lamb(Optimizer):
    """Adam with steps scaled to the length of the parameter; for very large batches.

    Args:
        learning_rate: a float or an LRScheduler.
        lamb_weight_decay: the decay coefficient; a parameter without decay takes Adam's own step.
        beta1: the decay factor of the first moment, in [0, 1); a Tensor is read at each step.
        beta2: the decay factor of the second moment, in [0, 1); a Tensor is read at each step.
        epsilon: added to the root; a Tensor is read at each step.
        parameters: tensors, or dicts of options with a ``params`` entry (see Optimizer).
        grad_clip: a ClipGradBy... object.
        exclude_from_weight_decay_fn: a function from a parameter to whether it has no decay.
        multi_precision: keep float32 master copies of half precision parameters.
        always_adapt: a parameter without decay gets scaled steps too.
        name: a prefix of the accumulators' names.

    Raises:
        InvalidArgumentError: when a beta or epsilon is None or out of range.
        InvalidTypeError: when ``exclude_from_weight_decay_fn`` cannot be called.

    Paddle: ``exclude_from_weight_decay_fn`` is called when a step is prepared, not at every step.

    Example:
        >>> import jaxeager as paddle
        >>> w = paddle.nn.Parameter(paddle.to_tensor([3.0, 4.0]))
        >>> lamb = paddle.optimizer.Lamb(0.5, lamb_weight_decay=0.0, parameters=[w])
        >>> w.sum().backward()
        >>> lamb.step()
        >>> [round(v, 4) for v in w.tolist()]
        [2.5, 3.5]
    """

    _rule = Rule("lamb", lamb, MOMENTS, POWERS, advance_powers, first_powers, of_rows=DENSE)
    _beta1 = Number()
    _beta2 = Number()
    _epsilon = Number()
    _lamb_weight_decay = Number()
    _exclude_from_weight_decay_fn = Number()

    def __init__(
        self,
        learning_rate: float | Tensor | LRScheduler = 0.001,
        lamb_weight_decay: float = 0.01,
        beta1: float | Tensor = 0.9,
        beta2: float | Tensor = 0.999,
        epsilon: float | Tensor = 1e-6,
        parameters: ParametersLike | None = None,
        grad_clip: ClipGradBase | None = None,
        exclude_from_weight_decay_fn: Callable[[Tensor], bool] | None = None,
        multi_precision: bool = False,
        always_adapt: bool = False,
        name: str | None = None,
    ):
        exclude = exclude_from_weight_decay_fn
        if exclude is not None and not callable(exclude):
            raise InvalidTypeError(
                f"exclude_from_weight_decay_fn should be a function, but is {exclude!r}."
            )
        self.always_adapt = always_adapt
        defaults = {
            **checked_betas(beta1, beta2, epsilon),
            "lamb_weight_decay": lamb_weight_decay,
            "exclude_from_weight_decay_fn": exclude,
        }
        super().__init__(
            learning_rate, parameters, None, grad_clip, name, multi_precision, defaults
        )

    def _hyper(self, group: dict) -> LambHyper:
        return LambHyper(
            number(group["beta1"]),
            number(group["beta2"]),
            number(group["epsilon"]),
            float(group["lamb_weight_decay"]),
            bool(self.always_adapt),
        )

    def _functions(self) -> tuple:
        return tuple([group["exclude_from_weight_decay_fn"] for group in self._groups])

    def _entry_hyper(self, param: Tensor, hyper: Any, regularizer) -> tuple[tuple, tuple | None]:
        hyper, decay = super()._entry_hyper(param, hyper, regularizer)
        exclude = self._group(param)["exclude_from_weight_decay_fn"]
        if exclude is not None and exclude(param):
            hyper = hyper._replace(decay=0.0)
        return hyper, decay

    def _narrow_accumulators(self) -> bool:
        return False
