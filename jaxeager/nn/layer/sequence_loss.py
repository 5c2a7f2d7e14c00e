"""Loss layers for sequences with unknown alignment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.nn import functional as F
from jaxeager.nn.layer.layer import Layer

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class CTCLoss(Layer):
    """Layer that computes minus the log probability that the outputs over time read as a label.

    Args:
        blank: the class that reads as nothing.
        reduction: "mean", "sum" or "none".
        zero_infinity: whether infinite losses count as 0.

    Example:
        >>> import jaxeager as paddle
        >>> loss, one = paddle.nn.CTCLoss(), paddle.to_tensor([1])
        >>> round(loss(paddle.zeros([1, 1, 2]), paddle.to_tensor([[1]]), one, one).item(), 4)
        0.6931
    """

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False):
        super().__init__()
        self.blank, self.reduction, self.zero_infinity = blank, reduction, zero_infinity

    def forward(
        self,
        log_probs: Tensor,
        labels: Tensor,
        input_lengths: Tensor,
        label_lengths: Tensor,
        norm_by_times: bool = False,
    ) -> Tensor:
        return F.ctc_loss(
            log_probs,
            labels,
            input_lengths,
            label_lengths,
            self.blank,
            self.reduction,
            norm_by_times=norm_by_times,
            zero_infinity=self.zero_infinity,
        )


class RNNTLoss(Layer):
    """Layer that computes minus the log probability that a transducer emits a label.

    Args:
        blank: the class that advances in time.
        fastemit_lambda: by how much to enlarge the gradients of emitted labels.
        reduction: "mean", "sum" or "none".
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> loss, one = paddle.nn.RNNTLoss(), paddle.to_tensor([1])
        >>> scores = paddle.nn.functional.log_softmax(paddle.zeros([1, 1, 2, 2]))
        >>> round(loss(scores, paddle.to_tensor([[1]]), one, one).item(), 4)
        1.3863
    """

    def __init__(
        self,
        blank: int = 0,
        fastemit_lambda: float = 0.001,
        reduction: str = "mean",
        name: str | None = None,
    ):
        super().__init__()
        self.blank, self.reduction = blank, reduction
        self.fastemit_lambda, self.name = fastemit_lambda, name

    def forward(
        self, input: Tensor, label: Tensor, input_lengths: Tensor, label_lengths: Tensor
    ) -> Tensor:
        return F.rnnt_loss(
            input,
            label,
            input_lengths,
            label_lengths,
            blank=self.blank,
            fastemit_lambda=self.fastemit_lambda,
            reduction=self.reduction,
            name=self.name,
        )
