"""Unpooling layers, which place the maxima of a max pooling back at their positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxeager.nn import functional as F
from jaxeager.nn.layer.family import IMAGES, OWN_LAYOUT, SEQUENCES, VOLUMES, Space, member
from jaxeager.nn.layer.layer import Layer

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


_DOC = """Layer that places the maxima of {pool} back at their positions, with zeros elsewhere.

    Args:
        kernel_size: window of the pooling.
        stride: stride of the pooling; the window's size if None.
        padding: padding of the pooling.
        data_format: {layout}.
        output_size: the size of the result, unless a call specifies it; the smallest possible if
            None.
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> pool = paddle.nn.{pool}(2, return_mask=True)
        >>> x = paddle.to_tensor({x})
        >>> paddle.nn.{name}(2)(*pool(x)).tolist()
        {result}
    """


class _MaxUnPool(Layer):
    """Base of the unpooling layers."""

    _space: Space

    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: str | int | Sequence[int] = 0,
        data_format: str = OWN_LAYOUT,
        output_size: Sequence[int] | None = None,
        name: str | None = None,
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


@member(
    _DOC,
    pool="MaxPool1D",
    x=[[[1.0, 3.0, 2.0, 0.0]]],
    result=[[[0.0, 3.0, 2.0, 0.0]]],
)
class MaxUnPool1D(_MaxUnPool):
    _space = SEQUENCES

    def forward(
        self, x: Tensor, indices: Tensor, output_size: Sequence[int] | None = None
    ) -> Tensor:
        return self._unpool(F.max_unpool1d, x, indices, output_size)


@member(
    _DOC,
    pool="MaxPool2D",
    x=[[[[1.0, 3.0], [2.0, 0.0]]]],
    result=[[[[0.0, 3.0], [0.0, 0.0]]]],
)
class MaxUnPool2D(_MaxUnPool):
    _space = IMAGES

    def forward(
        self, x: Tensor, indices: Tensor, output_size: Sequence[int] | None = None
    ) -> Tensor:
        return self._unpool(F.max_unpool2d, x, indices, output_size)


@member(
    _DOC,
    pool="MaxPool3D",
    x=[[[[[1.0, 3.0], [2.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]]],
    result=[[[[[0.0, 3.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]]],
)
class MaxUnPool3D(_MaxUnPool):
    _space = VOLUMES

    def forward(
        self, x: Tensor, indices: Tensor, output_size: Sequence[int] | None = None
    ) -> Tensor:
        return self._unpool(F.max_unpool3d, x, indices, output_size)
