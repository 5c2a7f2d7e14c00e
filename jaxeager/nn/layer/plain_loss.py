"""Loss layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.errors import InvalidArgumentError
from jaxeager.nn import functional as F
from jaxeager.nn.layer.layer import Layer
from jaxeager.nn.layer.legacy_reduction import refuse_legacy

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def _check_reduction(layer: Layer, reduction: str, *more: str) -> None:
    allowed = ("mean", "sum", "none", *more)
    if reduction not in allowed:
        raise InvalidArgumentError(
            f"The value of 'reduction' in {type(layer).__name__} should be one of "
            f"{', '.join(map(repr, allowed))}, but received {reduction!r}, which is not allowed."
        )


class CrossEntropyLoss(Layer):
    """Layer that computes the cross entropy of class scores and labels, softmax included.

    Args:
        weight: float[classes], a factor for each class.
        ignore_index: label of samples that are ignored.
        reduction: "mean", "sum" or "none".
        soft_label: labels are distributions over the classes instead of numbers.
        axis: the axis of the classes.
        use_softmax: False if the input is a distribution already.
        label_smoothing: share of each label that is spread over all classes.
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> loss = paddle.nn.CrossEntropyLoss()
        >>> round(loss(paddle.zeros([1, 2]), paddle.to_tensor([0])).item(), 4)
        0.6931
    """

    @refuse_legacy(1, 3, reduction=2)
    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        soft_label: bool = False,
        axis: int = -1,
        use_softmax: bool = True,
        label_smoothing: float = 0.0,
        name: str | None = None,
    ):
        super().__init__()
        _check_reduction(self, reduction)
        self.weight, self.reduction, self.ignore_index = weight, reduction, ignore_index
        self.soft_label, self.axis, self.use_softmax = soft_label, axis, use_softmax
        self.label_smoothing, self.name = label_smoothing, name

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        return F.cross_entropy(
            input,
            label,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            soft_label=self.soft_label,
            axis=self.axis,
            use_softmax=self.use_softmax,
            label_smoothing=self.label_smoothing,
        )


class MSELoss(Layer):
    """Layer that computes the squared difference.

    Args:
        reduction: "mean", "sum" or "none".

    Raises:
        InvalidArgumentError: for any other reduction.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.MSELoss()(paddle.to_tensor([1.0, 3.0]), paddle.to_tensor([1.0, 1.0])).item()
        2.0
    """

    @refuse_legacy(0, 1)
    def __init__(self, reduction: str = "mean"):
        super().__init__()
        _check_reduction(self, reduction)
        self.reduction = reduction

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        return F.mse_loss(input, label, reduction=self.reduction)


class L1Loss(Layer):
    """Layer that computes the absolute difference.

    Args:
        reduction: "mean", "sum" or "none".
        name: has no effect.

    Raises:
        InvalidArgumentError: for any other reduction.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.L1Loss()(paddle.to_tensor([1.0, 3.0]), paddle.to_tensor([1.0, 1.0])).item()
        1.0
    """

    @refuse_legacy(0, 1)
    def __init__(self, reduction: str = "mean", name: str | None = None):
        super().__init__()
        _check_reduction(self, reduction)
        self.reduction, self.name = reduction, name

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        return F.l1_loss(input, label, reduction=self.reduction)


class SmoothL1Loss(Layer):
    """Layer that computes half the squared difference up to ``delta``, a linear function beyond.

    Args:
        reduction: "mean", "sum" or "none".
        delta: where the line begins.
        is_huber: True for Huber's loss; False for Huber's loss divided by delta.
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.SmoothL1Loss()(paddle.to_tensor([3.0]), paddle.to_tensor([0.0])).item()
        2.5
    """

    @refuse_legacy(0, 1)
    def __init__(
        self,
        reduction: str = "mean",
        delta: float = 1.0,
        is_huber: bool = True,
        name: str | None = None,
    ):
        super().__init__()
        _check_reduction(self, reduction)
        self.reduction, self.delta, self.is_huber, self.name = reduction, delta, is_huber, name

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        return F.smooth_l1_loss(
            input, label, reduction=self.reduction, delta=self.delta, is_huber=self.is_huber
        )


class NLLLoss(Layer):
    """Layer that computes minus the log-probability of each label.

    Args:
        weight: float[classes], a factor for each class.
        ignore_index: label of samples that are ignored.
        reduction: "mean", "sum" or "none".
        name: has no effect.

    Raises:
        InvalidArgumentError: for any other reduction.

    Example:
        >>> import jaxeager as paddle
        >>> scores = paddle.to_tensor([[-1.0, -2.0]])
        >>> paddle.nn.NLLLoss()(scores, paddle.to_tensor([1])).item()
        2.0
    """

    @refuse_legacy(1, 3)
    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        name: str | None = None,
    ):
        super().__init__()
        _check_reduction(self, reduction)
        self._weight, self._ignore_index = weight, ignore_index
        self._reduction, self._name = reduction, name

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        return F.nll_loss(
            input,
            label,
            weight=self._weight,
            ignore_index=self._ignore_index,
            reduction=self._reduction,
        )


class BCELoss(Layer):
    """Layer that computes the cross entropy of probabilities and labels between 0 and 1.

    Args:
        weight: a factor for each element.
        reduction: "mean", "sum" or "none".
        name: has no effect.

    Raises:
        InvalidArgumentError: for any other reduction.

    Example:
        >>> import jaxeager as paddle
        >>> loss = paddle.nn.BCELoss()(paddle.to_tensor([0.5]), paddle.to_tensor([1.0]))
        >>> round(loss.item(), 4)
        0.6931
    """

    @refuse_legacy(1, 2)
    def __init__(
        self, weight: Tensor | None = None, reduction: str = "mean", name: str | None = None
    ):
        super().__init__()
        _check_reduction(self, reduction)
        self.weight, self.reduction, self.name = weight, reduction, name

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        return F.binary_cross_entropy(input, label, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(Layer):
    """Layer that computes the cross entropy of ``sigmoid(logit)`` and labels between 0 and 1.

    Args:
        weight: a factor for each element.
        reduction: "mean", "sum" or "none".
        pos_weight: a factor for positive labels, one per class.
        name: has no effect.

    Raises:
        InvalidArgumentError: for any other reduction.

    Example:
        >>> import jaxeager as paddle
        >>> loss = paddle.nn.BCEWithLogitsLoss()(paddle.to_tensor([0.0]), paddle.to_tensor([1.0]))
        >>> round(loss.item(), 4)
        0.6931
    """

    @refuse_legacy(1, 2)
    def __init__(
        self,
        weight: Tensor | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
        name: str | None = None,
    ):
        super().__init__()
        _check_reduction(self, reduction)
        self.weight, self.reduction = weight, reduction
        self.pos_weight, self.name = pos_weight, name

    def forward(self, logit: Tensor, label: Tensor) -> Tensor:
        return F.binary_cross_entropy_with_logits(
            logit,
            label,
            weight=self.weight,
            reduction=self.reduction,
            pos_weight=self.pos_weight,
        )


class KLDivLoss(Layer):
    """Layer that computes the divergence of a distribution from another in log-probabilities.

    Args:
        reduction: "mean", "batchmean", "sum" or "none".
        log_target: whether the labels are log-probabilities too.

    Example:
        >>> import jaxeager as paddle
        >>> p = paddle.to_tensor([[0.5, 0.5]])
        >>> paddle.nn.KLDivLoss("sum")(p.log(), p).item()
        0.0
    """

    @refuse_legacy(0, 1, reduction=0)
    def __init__(self, reduction: str = "mean", log_target: bool = False):
        super().__init__()
        _check_reduction(self, reduction, "batchmean")
        self.reduction, self.log_target = reduction, log_target

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        return F.kl_div(input, label, reduction=self.reduction, log_target=self.log_target)
