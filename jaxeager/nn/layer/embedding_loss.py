"""Loss layers for pairs and triplets of embeddings."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from jaxeager.errors import InvalidArgumentError
from jaxeager.nn import functional as F
from jaxeager.nn.functional.loss_reduction import check_reduction
from jaxeager.nn.layer.layer import Layer
from jaxeager.nn.layer.legacy_reduction import refuse_legacy

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class TripletMarginLoss(Layer):
    """Layer that computes the triplet margin loss.

    It is the amount by which negatives fail to be further away than positives plus a margin.

    Args:
        margin: by how much negatives should be further away.
        p: exponent of the distance norm.
        epsilon: added to the difference.
        swap: measure the negative from the positive where that is nearer.
        reduction: "mean", "sum" or "none".
        name: has no effect.

    Raises:
        InvalidArgumentError: for any other reduction.

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([[0.0, 0.0]]), paddle.to_tensor([[3.0, 4.0]])
        >>> round(paddle.nn.TripletMarginLoss()(x, y, x).item(), 3)
        6.0
    """

    @refuse_legacy(4, 5)
    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        epsilon: float = 1e-6,
        swap: bool = False,
        reduction: str = "mean",
        name: str | None = None,
    ):
        super().__init__()
        check_reduction(reduction, "TripletMarginLoss")
        self.margin, self.p, self.epsilon, self.swap = margin, p, epsilon, swap
        self.reduction, self.name = reduction, name

    def forward(self, input: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_loss(
            input,
            positive,
            negative,
            margin=self.margin,
            p=self.p,
            epsilon=self.epsilon,
            swap=self.swap,
            reduction=self.reduction,
            name=self.name,
        )


class TripletMarginWithDistanceLoss(Layer):
    """Layer that computes the triplet margin loss with any distance, as ``TripletMarginLoss`` does.

    Paddle: there, the layer stores its distance_function but measures by the 2-norm.

    Args:
        distance_function: maps two tensors to distances; the 2-norm of the difference if None.
        margin: by how much negatives should be further away.
        swap: measure the negative from the positive where that is nearer.
        reduction: "mean", "sum" or "none".
        name: has no effect.

    Raises:
        InvalidArgumentError: for any other reduction.

    Example:
        >>> import jaxeager as paddle
        >>> loss = paddle.nn.TripletMarginWithDistanceLoss(lambda x, y: (x - y).abs().sum(-1))
        >>> x, y = paddle.to_tensor([[0.0, 0.0]]), paddle.to_tensor([[3.0, 4.0]])
        >>> loss(x, y, x).item()
        8.0
    """

    def __init__(
        self,
        distance_function: Callable | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
        name: str | None = None,
    ):
        super().__init__()
        check_reduction(reduction, "TripletMarginWithDistanceLoss")
        self.margin, self.swap = margin, swap
        self.reduction, self.distance_function, self.name = reduction, distance_function, name

    def forward(self, input: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_with_distance_loss(
            input,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
            name=self.name,
        )


class CosineEmbeddingLoss(Layer):
    """Layer that computes the loss of pairs that should be parallel (1) or dissimilar (-1).

    Args:
        margin: the cosine allowed for pairs of label -1, in [-1, 1].
        reduction: "mean", "sum" or "none".
        name: has no effect.

    Raises:
        InvalidArgumentError: for any other margin or reduction.

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([[3.0, 4.0]]), paddle.to_tensor([[4.0, -3.0]])
        >>> paddle.nn.CosineEmbeddingLoss()(x, y, paddle.to_tensor([1])).item()
        1.0
    """

    @refuse_legacy(1, 2)
    def __init__(self, margin: float = 0, reduction: str = "mean", name: str | None = None):
        if not -1 <= margin <= 1:
            raise InvalidArgumentError(
                "The value of 'margin' should be in the interval of [-1, 1], but received "
                f"{margin:f}, which is not allowed."
            )
        if reduction not in ("sum", "mean", "none"):
            raise InvalidArgumentError(
                "The value of 'reduction' should be 'sum', 'mean' or 'none', but received "
                f"{reduction}, which is not allowed."
            )
        super().__init__()
        self.margin, self.reduction, self.name = margin, reduction, name

    def forward(self, input1: Tensor, input2: Tensor, label: Tensor) -> Tensor:
        return F.cosine_embedding_loss(
            input1, input2, label, margin=self.margin, reduction=self.reduction, name=self.name
        )
