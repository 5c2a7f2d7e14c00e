"""Layers of the triplet losses."""

from collections.abc import Callable

from jaxeager.nn import functional as F
from jaxeager.nn.functional.reductions import check_reduction
from jaxeager.nn.layer.layer import Layer


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

    def forward(self, input, positive, negative):
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

    def forward(self, input, positive, negative):
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
