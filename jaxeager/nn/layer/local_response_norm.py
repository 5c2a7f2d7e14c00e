"""LocalResponseNorm: normalization over neighboring channels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.nn import functional as F
from jaxeager.nn.layer.common import name_text
from jaxeager.nn.layer.layer import Layer

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class LocalResponseNorm(Layer):
    """Layer that divides by a power of the mean square of neighboring channels.

    Args:
        size: number of neighboring channels.
        alpha: factor of the mean square.
        beta: the power.
        k: added to the mean square.
        data_format: "NCL", "NLC", "NCHW", "NHWC", "NCDHW" or "NDHWC".
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.LocalResponseNorm(3)(paddle.ones([1, 4, 2, 2])).shape
        paddle.Size([1, 4, 2, 2])
    """

    def __init__(
        self,
        size: int,
        alpha: float = 0.0001,
        beta: float = 0.75,
        k: float = 1.0,
        data_format: str = "NCHW",
        name: str | None = None,
    ):
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k
        self.data_format, self.name = data_format, name

    def forward(self, input: Tensor) -> Tensor:
        return F.local_response_norm(
            input, self.size, self.alpha, self.beta, self.k, self.data_format
        )

    def extra_repr(self) -> str:
        text = f"size={self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
        if self.data_format != "NCHW":
            text += f", data_format={self.data_format}"
        return text + name_text(self.name)
