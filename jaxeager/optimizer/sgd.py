"""Stochastic gradient descent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.optimizer import rules
from jaxeager.optimizer.optimizer import Optimizer

if TYPE_CHECKING:
    from jaxeager.nn.clip import ClipGradBase
    from jaxeager.optimizer.lr.base import LRScheduler
    from jaxeager.optimizer.types import ParametersLike
    from jaxeager.regularizer import WeightDecayRegularizer
    from jaxeager.tensor.tensor import Tensor


class SGD(Optimizer):
    """``param -= learning_rate * grad``.

    Args:
        learning_rate: a float or an LRScheduler.
        parameters: tensors, or dicts of options with a ``params`` entry (see Optimizer).
        weight_decay: a number (L2), L1Decay or L2Decay.
        grad_clip: a ClipGradBy... object.
        multi_precision: keep float32 master copies of half precision parameters.
        name: a prefix of the accumulators' names.

    Example:
        >>> import jaxeager as paddle
        >>> w = paddle.nn.Parameter(paddle.to_tensor([1.0, 2.0]))
        >>> sgd = paddle.optimizer.SGD(learning_rate=0.25, parameters=[w])
        >>> (w * w).sum().backward()
        >>> sgd.step()
        >>> w.tolist()
        [0.5, 1.0]
    """

    _rule = rules.SGD

    def __init__(
        self,
        learning_rate: float | Tensor | LRScheduler = 0.001,
        parameters: ParametersLike | None = None,
        weight_decay: float | Tensor | WeightDecayRegularizer | None = None,
        grad_clip: ClipGradBase | None = None,
        multi_precision: bool = False,
        name: str | None = None,
    ):
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, multi_precision)
