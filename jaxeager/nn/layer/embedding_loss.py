"""Layers of the losses of embeddings, in pairs and triplets."""

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
    """Computes how far negatives are not further away than positives by a margin.

    Args:
        margin: by how much they should be further.
        p: exponent of the norm that measures distances.
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
    """Computes how far negatives are not further away than positives, by any distance.

    Paddle: the layer keeps its distance_function there and measures by the 2-norm regardless.

    Args:
        distance_function: of two tensors, their distances; the 2-norm of the difference when None.
        margin: by how much negatives should be further.
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
    """Computes how far vectors of label 1 are from parallel, and those of label -1 from apart.

    Args:
        margin: the cosine that pairs of label -1 may have, in [-1, 1].
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
