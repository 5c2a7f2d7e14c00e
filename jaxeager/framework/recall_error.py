"""paddle.framework.recall_error: texts by which a service recognizes why training stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

AADIFF_ERROR = "PaddleRecall error(101): AAdiff"
LOSS_NAN_ERROR = "PaddleRecall error(102): LossNan"
SHARDING_PAD_NON_ZERO_ERROR = "PaddleRecall error(103): ShardingPadNonZero"
LOSS_INF_ERROR = "PaddleRecall error(104): LossInf"


def check_naninf(tensor: Tensor) -> str | None:
    """Return the text for a tensor with nan or infinity in it, None for a finite one.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.framework.recall_error import check_naninf
        >>> check_naninf(paddle.to_tensor([1.0, float("inf")]))
        'PaddleRecall error(104): LossInf'
    """
    if tensor.isfinite().all().item():
        return None
    return LOSS_NAN_ERROR if tensor.isnan().any().item() else LOSS_INF_ERROR
