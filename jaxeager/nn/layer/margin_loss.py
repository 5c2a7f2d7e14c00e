"""Loss layers with a margin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.nn import functional as F
from jaxeager.nn.functional.loss_reduction import check_reduction, check_reduction_briefly
from jaxeager.nn.layer.layer import Layer
from jaxeager.nn.layer.legacy_reduction import refuse_legacy

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class MarginRankingLoss(Layer):
    """Layer that computes by how much two scores violate the order given by their label.

    Args:
        margin: by how much the score that should be larger should exceed the other.
        reduction: "mean", "sum" or "none".
        name: has no effect.

    Raises:
        InvalidArgumentError: for any other reduction.

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 1.0])
        >>> paddle.nn.MarginRankingLoss()(x, y, paddle.to_tensor([1.0, 1.0])).item()
        1.0
    """

    @refuse_legacy(1, 2)
    def __init__(self, margin: float = 0.0, reduction: str = "mean", name: str | None = None):
        check_reduction(reduction, "MarginRankingLoss")
        super().__init__()
        self.margin, self.reduction, self.name = margin, reduction, name

    def forward(self, input: Tensor, other: Tensor, label: Tensor) -> Tensor:
        return F.margin_ranking_loss(input, other, label, self.margin, self.reduction)


class HingeEmbeddingLoss(Layer):
    """Layer that computes distances for label 1, and by how much pairs of label -1 are too near.

    Args:
        margin: minimum distance of pairs of label -1.
        reduction: "mean", "sum" or "none".
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.to_tensor([0.5, 0.25]), paddle.to_tensor([1.0, -1.0])
        >>> paddle.nn.HingeEmbeddingLoss()(x, label).item()
        0.625
    """

    @refuse_legacy(1, 2)
    def __init__(self, margin: float = 1.0, reduction: str = "mean", name: str | None = None):
        super().__init__()
        self.margin, self.reduction, self.name = margin, reduction, name

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        return F.hinge_embedding_loss(
            input, label, reduction=self.reduction, margin=self.margin, name=self.name
        )


class SoftMarginLoss(Layer):
    """Layer that computes ``log(1 + exp(-label * input))``.

    Args:
        reduction: "mean", "sum" or "none".
        name: has no effect.

    Raises:
        InvalidArgumentError: for any other reduction.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.to_tensor([0.0]), paddle.to_tensor([1.0])
        >>> round(paddle.nn.SoftMarginLoss()(x, label).item(), 4)
        0.6931
    """

    @refuse_legacy(0, 1)
    def __init__(self, reduction: str = "mean", name: str | None = None):
        check_reduction(reduction, "SoftMarginLoss")
        super().__init__()
        self.reduction, self.name = reduction, name

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        return F.soft_margin_loss(input, label, self.reduction, self.name)


class MultiLabelSoftMarginLoss(Layer):
    """Layer that computes the mean over the classes of their binary cross entropies.

    Args:
        weight: float[classes], a factor for each class.
        reduction: "mean", "sum" or "none".
        name: has no effect.

    Raises:
        InvalidArgumentError: for any other reduction.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.to_tensor([[0.0, 0.0]]), paddle.to_tensor([[1.0, 0.0]])
        >>> round(paddle.nn.MultiLabelSoftMarginLoss()(x, label).item(), 4)
        0.6931
    """

    @refuse_legacy(1, 2)
    def __init__(
        self, weight: Tensor | None = None, reduction: str = "mean", name: str | None = None
    ):
        super().__init__()
        check_reduction_briefly(reduction, "MultiLabelSoftMarginloss")
        self.weight, self.reduction, self.name = weight, reduction, name

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        return F.multi_label_soft_margin_loss(
            input, label, weight=self.weight, reduction=self.reduction, name=self.name
        )


class MultiLabelMarginLoss(Layer):
    """Layer that computes by how much the labelled classes fail to lead the other classes by 1.

    Args:
        reduction: "mean", "sum" or "none".
        name: has no effect.

    Raises:
        InvalidArgumentError: for any other reduction.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.to_tensor([[0.0, 0.5]]), paddle.to_tensor([[0, -1]])
        >>> paddle.nn.MultiLabelMarginLoss()(x, label).item()
        0.75
    """

    @refuse_legacy(0, 1)
    def __init__(self, reduction: str = "mean", name: str | None = None):
        super().__init__()
        check_reduction_briefly(reduction, "MultiLabelMarginLoss")
        self.reduction, self.name = reduction, name

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        return F.multi_label_margin_loss(input, label, reduction=self.reduction, name=self.name)


class MultiMarginLoss(Layer):
    """Layer that computes the average margin violation of other classes against the labelled one.

    Args:
        p: the exponent.
        margin: by how much the labelled class should lead.
        weight: float[classes], a factor for each label.
        reduction: "mean", "sum" or "none".
        name: has no effect.

    Raises:
        InvalidArgumentError: for any other reduction.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[0.0, 0.5, -1.0]])
        >>> round(paddle.nn.MultiMarginLoss()(x, paddle.to_tensor([0])).item(), 4)
        0.5
    """

    @refuse_legacy(3, 4)
    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        reduction: str = "mean",
        name: str | None = None,
    ):
        super().__init__()
        check_reduction_briefly(reduction, "MultiMarginLoss")
        self.p, self.margin, self.weight = p, margin, weight
        self.reduction, self.name = reduction, name

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        return F.multi_margin_loss(
            input,
            label,
            p=self.p,
            margin=self.margin,
            weight=self.weight,
            reduction=self.reduction,
            name=self.name,
        )
