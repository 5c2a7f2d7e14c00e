"""LarsMomentumOptimizer: momentum whose steps are scaled to the length of each parameter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import jax.numpy as jnp

from jaxeager.errors import RefusedArgumentError
from jaxeager.optimizer.optimizer import Optimizer
from jaxeager.optimizer.rules import DENSE, Rule, attribute_in
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    import jax

    from jaxeager.nn.clip import ClipGradBase
    from jaxeager.optimizer.lr.base import LRScheduler
    from jaxeager.optimizer.types import ParametersLike
    from jaxeager.regularizer import WeightDecayRegularizer


class LarsHyper(NamedTuple):
    """Parameters of the rule."""

    momentum: float
    coefficient: float
    decay: float
    epsilon: float
    rescale_grad: float


def lars_momentum(param, grad, slots, powers, rate, hyper: LarsHyper) -> tuple[jax.Array, tuple]:
    """Add the scaled gradient to the velocity; without decay, or of zeros, it is not scaled."""
    momentum, coefficient, decay, epsilon, rescale = (
        attribute_in(param.dtype, each) for each in hyper
    )
    grad = grad * rescale
    if hyper.decay > 0:
        length, slope = (jnp.sqrt(jnp.sum(each * each)) for each in (param, grad))
        known = (length > 0) & (slope > 0)
        whole = jnp.where(known, slope + decay * length + epsilon, jnp.ones_like(slope))
        rate = jnp.where(known, rate * coefficient * length / whole, rate)
    velocity = momentum * slots[0] + rate * (grad + decay * param)
    return param - velocity, (velocity,)


class LarsMomentumOptimizer(Optimizer):
    """Momentum with a learning rate per parameter, for large batches (LARS).

    The rate is ``learning_rate * lars_coeff * |param| / (|grad| + decay * |param| + epsilon)``, or
    ``learning_rate`` where there is no decay or one of the lengths is 0; then
    ``velocity = momentum * velocity + rate * (grad + decay * param); param -= velocity``.

    Args:
        learning_rate: a float or an LRScheduler.
        momentum: the decay factor of the velocity.
        lars_coeff: how far a step goes, in lengths of the parameter.
        lars_weight_decay: the decay coefficient of the rule.
        parameter_list: tensors, or dicts of options with a ``params`` entry (see Optimizer).
        regularization: L1Decay or L2Decay, which is added to the gradient before.
        grad_clip: a ClipGradBy... object.
        name: a prefix of the accumulators' names.
        exclude_from_weight_decay: a parameter with one of these texts in its name has no decay.
        epsilon: added to the divisor.
        multi_precision: keep float32 master copies of half precision parameters.
        rescale_grad: factor of each gradient.

    Raises:
        RefusedArgumentError: without a momentum.

    Example:
        >>> import jaxeager as paddle
        >>> w = paddle.nn.Parameter(paddle.to_tensor([3.0, 4.0]))
        >>> lars = paddle.incubate.optimizer.LarsMomentumOptimizer(
        ...     0.5, 0.9, lars_coeff=0.1, lars_weight_decay=1e-8, parameter_list=[w]
        ... )
        >>> (w * w).sum().backward()
        >>> lars.step()
        >>> [round(v, 4) for v in w.tolist()]
        [2.85, 3.8]
    """

    _rule = Rule("lars_momentum", lars_momentum, ("velocity",), of_rows=DENSE)

    def __init__(
        self,
        learning_rate: float | Tensor | LRScheduler,
        momentum: float,
        lars_coeff: float = 0.001,
        lars_weight_decay: float = 0.0005,
        parameter_list: ParametersLike | None = None,
        regularization: WeightDecayRegularizer | None = None,
        grad_clip: ClipGradBase | None = None,
        name: str | None = None,
        exclude_from_weight_decay: Sequence[str] | None = None,
        epsilon: float = 0,
        multi_precision: bool = False,
        rescale_grad: float = 1.0,
    ):
        if momentum is None:
            raise RefusedArgumentError("momentum is not set.")
        self._exclude_from_weight_decay = list(exclude_from_weight_decay or ())
        self._numbers = LarsHyper(
            float(momentum),
            float(lars_coeff),
            float(lars_weight_decay),
            float(epsilon),
            float(rescale_grad),
        )
        super().__init__(
            learning_rate, parameter_list, regularization, grad_clip, name, multi_precision
        )

    def _hyper(self, group: dict) -> LarsHyper:
        return self._numbers

    def _entry_hyper(self, param: Tensor, hyper: Any, regularizer) -> tuple[tuple, tuple | None]:
        hyper, decay = super()._entry_hyper(param, hyper, regularizer)
        if any(text in param.name for text in self._exclude_from_weight_decay):
            hyper = hyper._replace(decay=0.0)
        return hyper, decay
