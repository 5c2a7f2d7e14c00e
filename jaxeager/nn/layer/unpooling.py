"""Unpooling layers: what max pooling chose, put back where it was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxeager.nn import functional as F
from jaxeager.nn.layer.layer import Layer

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class _MaxUnPool(Layer):
    """What the unpooling layers share."""

    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None,
        padding: str | int | Sequence[int],
        data_format: str,
        output_size: Sequence[int] | None,
        name: str | None,
    ):
        super().__init__()
        self.ksize, self.stride, self.padding = kernel_size, stride, padding
        self.data_format, self.output_size, self.name = data_format, output_size, name

    def _unpool(self, function, x, indices, output_size):
        return function(
            x,
            indices,
            self.ksize,
            self.stride,
            self.padding,
            self.data_format,
            output_size or self.output_size,
        )

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class MaxUnPool1D(_MaxUnPool):
    """Puts what MaxPool1D chose back where it was, zeros elsewhere.

    Args:
        kernel_size: the pooling's window.
        stride: the pooling's stride; the window's size when None.
        padding: the pooling's padding.
        data_format: "NCL".
        output_size: the size of the result, unless a call names one; the smallest possible when
            None.
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> pool = paddle.nn.MaxPool1D(2, return_mask=True)
        >>> x = paddle.to_tensor([[[1.0, 3.0, 2.0, 0.0]]])
        >>> paddle.nn.MaxUnPool1D(2)(*pool(x)).tolist()
        [[[0.0, 3.0, 2.0, 0.0]]]
    """

    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: str | int | Sequence[int] = 0,
        data_format: str = "NCL",
        output_size: Sequence[int] | None = None,
        name: str | None = None,
    ):
        super().__init__(kernel_size, stride, padding, data_format, output_size, name)

    def forward(
        self, x: Tensor, indices: Tensor, output_size: Sequence[int] | None = None
    ) -> Tensor:
        return self._unpool(F.max_unpool1d, x, indices, output_size)


class MaxUnPool2D(_MaxUnPool):
    """Puts what MaxPool2D chose back where it was, zeros elsewhere.

    Args:
        kernel_size: the pooling's window.
        stride: the pooling's stride; the window's size when None.
        padding: the pooling's padding.
        data_format: "NCHW".
        output_size: the size of the result, unless a call names one; the smallest possible when
            None.
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> pool = paddle.nn.MaxPool2D(2, return_mask=True)
        >>> x = paddle.to_tensor([[[[1.0, 3.0], [2.0, 0.0]]]])
        >>> paddle.nn.MaxUnPool2D(2)(*pool(x)).tolist()
        [[[[0.0, 3.0], [0.0, 0.0]]]]
    """

    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: str | int | Sequence[int] = 0,
        data_format: str = "NCHW",
        output_size: Sequence[int] | None = None,
        name: str | None = None,
    ):
        super().__init__(kernel_size, stride, padding, data_format, output_size, name)

    def forward(
        self, x: Tensor, indices: Tensor, output_size: Sequence[int] | None = None
    ) -> Tensor:
        return self._unpool(F.max_unpool2d, x, indices, output_size)


class MaxUnPool3D(_MaxUnPool):
    """Puts what MaxPool3D chose back where it was, zeros elsewhere.

    Args:
        kernel_size: the pooling's window.
        stride: the pooling's stride; the window's size when None.
        padding: the pooling's padding.
        data_format: "NCDHW".
        output_size: the size of the result, unless a call names one; the smallest possible when
            None.
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> pool = paddle.nn.MaxPool3D(2, return_mask=True)
        >>> paddle.nn.MaxUnPool3D(2)(*pool(paddle.ones([1, 1, 2, 2, 2]))).sum().item()
        1.0
    """

    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: str | int | Sequence[int] = 0,
        data_format: str = "NCDHW",
        output_size: Sequence[int] | None = None,
        name: str | None = None,
    ):
        super().__init__(kernel_size, stride, padding, data_format, output_size, name)

    def forward(
        self, x: Tensor, indices: Tensor, output_size: Sequence[int] | None = None
    ) -> Tensor:
        return self._unpool(F.max_unpool3d, x, indices, output_size)
