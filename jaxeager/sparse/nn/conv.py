"""Conv2D, Conv3D, SubmConv2D, SubmConv3D, MaxPool3D: layers of sparse images."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxeager.errors import InvalidArgumentError, RefusedArgumentError, UnimplementedError
from jaxeager.nn.functional.window_arguments import numbers
from jaxeager.nn.initializer import Normal
from jaxeager.nn.layer.family import IMAGES, OWN_LAYOUT, VOLUMES, Space, member
from jaxeager.nn.layer.layer import Layer
from jaxeager.sparse.nn import functional as F

if TYPE_CHECKING:
    from jaxeager.core.types import ParamAttrLike
    from jaxeager.sparse.tensors import SparseTensor


_IMAGES = IMAGES._replace(layouts=("NHWC",), things="image", axes="height, width")
_VOLUMES = VOLUMES._replace(layouts=("NDHWC",), things="volume", axes="depth, height, width")

_DOC = """Convolution of a sparse {things}, at each place whose window has an entry.

    Args:
        in_channels: channels.
        out_channels: filters.
        kernel_size: an int, or ({axes}).
        stride: an int, or one per dimension.
        padding: an int, one or two per dimension, pairs, "SAME" or "VALID".
        dilation: an int, or one per dimension.
        groups: 1.
        padding_mode: "zeros".
        weight_attr: ParamAttr of ``weight``,
            float[{axes}, in_channels, out_channels].
        bias_attr: ParamAttr of ``bias``, float[out_channels]; False for none.
        data_format: {layout}.

    Shape:
        SparseCooTensor [batch, {axes}, in_channels] to [.., out_channels].

    Raises:
        InvalidArgumentError: for other groups, padding modes and layouts.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_coo_tensor({indices}, [[2.0]], {shape})
        >>> paddle.sparse.nn.{name}(1, 4, 3, padding=1)(x).shape
        paddle.Size({result})
    """

_SUBM_DOC = """Convolution of a sparse {things} at the places of its entries.

    Args:
        in_channels: channels.
        out_channels: filters.
        kernel_size: an odd int, or ({axes}).
        stride: has no effect.
        padding: has no effect: the filter is centered.
        dilation: an int, or one per dimension.
        groups: 1.
        padding_mode: "zeros".
        key: has no effect: the pairs of entries are computed at each call.
        weight_attr: ParamAttr of ``weight``,
            float[{axes}, in_channels, out_channels].
        bias_attr: ParamAttr of ``bias``, float[out_channels]; False for none.
        data_format: {layout}.
        backend: "igemm" or None; the same here.

    Shape:
        SparseCooTensor [batch, {axes}, in_channels] to [.., out_channels].

    Raises:
        InvalidArgumentError: for other groups, padding modes, layouts and backends.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_coo_tensor({indices}, [[2.0]], {shape})
        >>> paddle.sparse.nn.{name}(1, 4, 3)(x).nnz()
        1
    """


class _SparseConv(Layer):
    """The base of the convolutions: sizes, checks, ``weight`` and ``bias``."""

    _space: Space

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: str | int | Sequence[int] | Sequence[int | Sequence[int]] = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
        padding_mode: str = "zeros",
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
        data_format: str = OWN_LAYOUT,
    ):
        super().__init__()
        (layout,) = self._space.layouts
        data_format = layout if data_format is None else data_format
        if padding_mode != "zeros":
            raise RefusedArgumentError(
                f"Currently, only support padding_mode='zeros', but received {padding_mode!r}."
            )
        if groups != 1:
            raise RefusedArgumentError(f"Currently, only support groups=1, but received {groups}.")
        if data_format != layout:
            raise InvalidArgumentError(
                f"data_format must be one of {{'{layout}'}}, but got data_format='{data_format}'"
            )
        self._in_channels, self._out_channels = in_channels, out_channels
        self._kernel_size = list(numbers(kernel_size, self._space.dims, "kernel_size"))
        self._stride = list(numbers(stride, self._space.dims, "stride"))
        self._dilation = list(numbers(dilation, self._space.dims, "dilation"))
        self._padding, self._padding_mode = padding, padding_mode
        self._groups, self._data_format = groups, data_format
        deviation = math.sqrt(2.0 / (math.prod(self._kernel_size) * in_channels))
        self.weight = self.create_parameter(
            [*self._kernel_size, in_channels, out_channels],
            weight_attr,
            default_initializer=Normal(0.0, deviation),
        )
        self.bias = self.create_parameter([out_channels], bias_attr, is_bias=True)

    def _convolve(self, function, x, **more):
        return function(
            x,
            self.weight,
            self.bias,
            self._stride,
            self._padding,
            self._dilation,
            self._groups,
            self._data_format,
            **more,
        )

    def extra_repr(self) -> str:
        parts = [f"{self._in_channels}, {self._out_channels}, kernel_size={self._kernel_size}"]
        ones = [1] * self._space.dims
        for name, value, default in (
            ("stride", self._stride, ones),
            ("padding", self._padding, 0),
            ("dilation", self._dilation, ones),
        ):
            if value != default:
                parts.append(f"{name}={value}")
        return ", ".join([*parts, f"data_format={self._data_format}"])


@member(_DOC, indices=[[0], [1], [1]], shape=[1, 3, 3, 1], result=[1, 3, 3, 4])
class Conv2D(_SparseConv):
    _space = _IMAGES

    def forward(self, x: SparseTensor) -> SparseTensor:
        return self._convolve(F.conv2d, x)


@member(_DOC, indices=[[0], [1], [1], [1]], shape=[1, 3, 3, 3, 1], result=[1, 3, 3, 3, 4])
class Conv3D(_SparseConv):
    _space = _VOLUMES

    def forward(self, x: SparseTensor) -> SparseTensor:
        return self._convolve(F.conv3d, x)


class _SubmConv(_SparseConv):
    """The base of SubmConv2D and SubmConv3D."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: str | int | Sequence[int] | Sequence[int | Sequence[int]] = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
        padding_mode: str = "zeros",
        key: str | None = None,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
        data_format: str = OWN_LAYOUT,
        backend: str | None = None,
    ):
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups,
            padding_mode, weight_attr, bias_attr, data_format,
        )  # fmt: skip
        self._key = _checked_backend(backend, key)


@member(_SUBM_DOC, indices=[[0], [1], [1]], shape=[1, 3, 3, 1])
class SubmConv2D(_SubmConv):
    _space = _IMAGES

    def forward(self, x: SparseTensor) -> SparseTensor:
        return self._convolve(F.subm_conv2d, x, key=self._key)


@member(_SUBM_DOC, indices=[[0], [1], [1], [1]], shape=[1, 3, 3, 3, 1])
class SubmConv3D(_SubmConv):
    _space = _VOLUMES

    def forward(self, x: SparseTensor) -> SparseTensor:
        return self._convolve(F.subm_conv3d, x, key=self._key)


def _checked_backend(backend, key):
    """Return the key of a submanifold convolution.

    Raises:
        InvalidArgumentError: for an unknown backend.
    """
    if backend not in (None, "igemm"):
        raise InvalidArgumentError(f"The value of 'backend' must be None or 'igemm', got {backend}")
    return key


class MaxPool3D(Layer):
    """A layer that computes the largest entry of a sparse volume in each window that has one.

    Args:
        kernel_size: an int, or (depth, height, width).
        stride: an int, or one per dimension; the window's size by default.
        padding: an int, one or two per dimension, pairs, "SAME" or "VALID".
        return_mask: False (Paddle ignores it).
        ceil_mode: whether incomplete windows at the end count (Paddle ignores it).
        data_format: "NDHWC".
        name: ignored.

    Shape:
        SparseCooTensor [batch, depth, height, width, channels] to the same, with smaller space.

    Raises:
        UnimplementedError: for return_mask.

    Example:
        >>> import jaxeager as paddle
        >>> indices = [[0, 0]] + [[0, 1]] * 3
        >>> x = paddle.sparse.sparse_coo_tensor(indices, [[2.0], [5.0]], [1, 4, 4, 4, 1])
        >>> paddle.sparse.nn.MaxPool3D(2)(x).values().tolist()
        [[5.0]]
    """

    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: str | int | Sequence[int] = 0,
        return_mask: bool = False,
        ceil_mode: bool = False,
        data_format: str = "NDHWC",
        name: str | None = None,
    ):
        super().__init__()
        if return_mask:
            raise UnimplementedError("MaxPool3D of sparse volumes has no return_mask.")
        self.ksize, self.stride, self.padding = kernel_size, stride, padding
        self.return_mask, self.ceil_mode, self.data_format = return_mask, ceil_mode, data_format
        self.name = name

    def forward(self, x: SparseTensor) -> SparseTensor:
        return F.max_pool3d(
            x, self.ksize, self.stride, self.padding, self.ceil_mode, self.data_format
        )

    def extra_repr(self) -> str:
        return f"kernel_size={self.ksize}, stride={self.stride}, padding={self.padding}"
