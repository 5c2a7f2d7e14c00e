"""Gradient descent with momentum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxeager.core.ignored_arguments import unheeded
from jaxeager.errors import InvalidArgumentError
from jaxeager.optimizer import rules
from jaxeager.optimizer.custom import Number
from jaxeager.optimizer.groups import as_regularizer
from jaxeager.optimizer.optimizer import Optimizer
from jaxeager.regularizer import L2Decay
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from jaxeager.nn.clip import ClipGradBase
    from jaxeager.optimizer.lr.base import LRScheduler
    from jaxeager.optimizer.types import ParametersLike
    from jaxeager.regularizer import WeightDecayRegularizer


class Momentum(Optimizer):
    """``velocity = momentum * velocity + grad; param -= learning_rate * velocity``.

    L2 decay is part of the rule: it is added after ``rescale_grad``. L1 decay is added before.

    Args:
        learning_rate: a float or an LRScheduler.
        momentum: the decay factor of the velocity.
        parameters: tensors, or dicts of options with a ``params`` entry (see Optimizer).
        use_nesterov: step by ``grad + momentum * velocity``.
        weight_decay: a number (L2), L1Decay or L2Decay.
        grad_clip: a ClipGradBy... object.
        multi_precision: keep float32 master copies of half precision parameters.
        rescale_grad: factor of each gradient.
        use_multi_tensor: has no effect, and warns: every step is one call over all parameters.
        name: a prefix of the accumulators' names.

    Example:
        >>> import jaxeager as paddle
        >>> w = paddle.nn.Parameter(paddle.to_tensor([1.0]))
        >>> momentum = paddle.optimizer.Momentum(0.125, momentum=0.5, parameters=[w])
        >>> w.sum().backward()
        >>> momentum.step()
        >>> momentum.step()
        >>> w.tolist()
        [0.6875]
    """

    _rule = rules.MOMENTUM
    _momentum = Number()
    _use_nesterov = Number()
    _rescale_grad = Number()

    def __init__(
        self,
        learning_rate: float | Tensor | LRScheduler = 0.001,
        momentum: float = 0.9,
        parameters: ParametersLike | None = None,
        use_nesterov: bool = False,
        weight_decay: float | Tensor | WeightDecayRegularizer | None = None,
        grad_clip: ClipGradBase | None = None,
        multi_precision: bool = False,
        rescale_grad: float = 1.0,
        use_multi_tensor: bool = False,
        name: str | None = None,
    ):
        unheeded(
            "Momentum",
            "every step is one call over all parameters",
            use_multi_tensor=(use_multi_tensor, False),
        )
        if momentum is None:
            raise InvalidArgumentError("momentum is not set.")
        defaults = {
            "momentum": momentum,
            "use_nesterov": use_nesterov,
            "rescale_grad": rescale_grad,
        }
        super().__init__(
            learning_rate, parameters, weight_decay, grad_clip, name, multi_precision, defaults
        )

    def _hyper(self, group: dict) -> rules.MomentumHyper:
        return rules.MomentumHyper(
            group["momentum"], bool(group["use_nesterov"]), group["rescale_grad"], 0.0
        )

    def _set_group_regularizer(self, param: Tensor, weight_decay) -> None:
        """Remove the optimizer's L2 decay from a group whose weight decay is None."""
        if weight_decay is None and isinstance(self.regularization, L2Decay):
            weight_decay = 0.0
        super()._set_group_regularizer(param, weight_decay)

    def _entry_hyper(self, param: Tensor, hyper: Any, regularizer) -> tuple[tuple, tuple | None]:
        regularizer = as_regularizer(self.regularization if regularizer is None else regularizer)
        if isinstance(regularizer, L2Decay):
            return hyper._replace(decay=regularizer.rule()[1]), None
        return hyper, None if regularizer is None else regularizer.rule()
