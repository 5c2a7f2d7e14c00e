"""Layers of negative log likelihoods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.errors import InvalidArgumentError
from jaxeager.nn import functional as F
from jaxeager.nn.functional.loss_reduction import check_reduction
from jaxeager.nn.layer.layer import Layer
from jaxeager.nn.layer.legacy_reduction import refuse_legacy

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class PoissonNLLLoss(Layer):
    """Layer that computes minus the log likelihood of counts under Poisson distributions.

    Args:
        log_input: the input contains logarithms of the expected counts.
        full: add Stirling's approximation of log(label!).
        epsilon: added to the expected counts before taking their logarithm.
        reduction: "mean", "sum" or "none".
        name: has no effect.

    Raises:
        InvalidArgumentError: for any other reduction, or an epsilon that is not positive.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.PoissonNLLLoss()(paddle.to_tensor([0.0]), paddle.to_tensor([3.0])).item()
        1.0
    """

    @refuse_legacy(2, 4)
    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        epsilon: float = 1e-8,
        reduction: str = "mean",
        name: str | None = None,
    ):
        if epsilon <= 0:
            raise InvalidArgumentError(
                "The value of `epsilon` in PoissonNLLLoss should be positive, but received "
                f"{epsilon:f}, which is not allowed"
            )
        check_reduction(reduction, "PoissonNLLLoss")
        super().__init__()
        self._log_input, self._full, self._epsilon = log_input, full, epsilon
        self._reduction, self._name = reduction, name

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        return F.poisson_nll_loss(
            input,
            label,
            log_input=self._log_input,
            full=self._full,
            epsilon=self._epsilon,
            reduction=self._reduction,
            name=self._name,
        )


class GaussianNLLLoss(Layer):
    """Layer that computes minus the log likelihood of values under normal distributions.

    Args:
        full: add the constant log(2 pi) / 2.
        epsilon: lower bound of the variance.
        reduction: "mean", "sum" or "none".
        name: has no effect.

    Raises:
        InvalidArgumentError: for any other reduction.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.to_tensor([0.0]), paddle.to_tensor([2.0])
        >>> paddle.nn.GaussianNLLLoss()(x, label, paddle.ones([1])).item()
        2.0
    """

    def __init__(
        self,
        full: bool = False,
        epsilon: float = 1e-6,
        reduction: str = "mean",
        name: str | None = None,
    ):
        check_reduction(reduction, "GaussianNLLLoss")
        super().__init__()
        self.full: bool  # type: ignore[misc]  # hides Layer.full, as in Paddle
        self.full, self.epsilon, self.reduction, self.name = full, epsilon, reduction, name

    def forward(self, input: Tensor, label: Tensor, variance: Tensor) -> Tensor:
        return F.gaussian_nll_loss(
            input, label, variance, self.full, self.epsilon, self.reduction, self.name
        )
