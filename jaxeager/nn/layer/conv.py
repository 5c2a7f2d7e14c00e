"""Convolution layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxeager.core import dtypes
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.nn import functional as F
from jaxeager.nn.initializer import Normal
from jaxeager.nn.layer.common import required
from jaxeager.nn.layer.family import IMAGES, OWN_LAYOUT, SEQUENCES, VOLUMES, Space, member
from jaxeager.nn.layer.layer import Layer

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike, ParamAttrLike, PlaceLike
    from jaxeager.tensor.tensor import Tensor

_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")

_DOC = """Convolution of {things} with trained kernels.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        kernel_size: size of the kernel, an int or one per dimension.
        stride: stride of the kernel.
        padding: an int, ints, pairs, "SAME" or "VALID".
        dilation: distance of the kernel's elements.
        groups: number of channel groups, which are convolved separately.
        bias: False for no bias, as ``bias_attr=False``.
        padding_mode: "zeros", "reflect", "replicate" or "circular".
        device: device of the parameters.
        dtype: their dtype; the default dtype if None.
        weight_attr: ParamAttr of ``weight``, float[out_channels, in_channels / groups, {axes}];
            normal with standard deviation sqrt(2 / fan_in) by default.
        bias_attr: ParamAttr of ``bias``, float[out_channels], zeros by default; False for no bias.
        data_format: {layouts}.

    Raises:
        InvalidArgumentError: if sizes, groups, padding or formats do not match.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.{name}(3, 4, 3)(paddle.ones({shape})).shape
        paddle.Size({result})
    """


def _as_list(value, dims: int, what: str) -> list[int]:
    """Return one int per spatial dimension."""
    if isinstance(value, int):
        return [value] * dims
    values = list(value)
    if len(values) != dims:
        raise InvalidArgumentError(f"The {what}'s length must be {dims}. Received: {values}.")
    return values


class _ConvNd(Layer):
    """Base of all convolution layers: sizes, checks, ``weight`` and ``bias``.

    Programs may subclass it; they pass ``transposed`` and ``dims``, as in Paddle.
    """

    _space: Space
    _use_cudnn = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Sequence[int],
        transposed: bool,
        dims: int,
        stride: int | Sequence[int] = 1,
        padding: str | int | Sequence[int] | Sequence[int | Sequence[int]] = 0,
        padding_mode: str = "zeros",
        output_padding: int | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
        data_format: str = "NCHW",
        device: PlaceLike | None = None,
        dtype: DTypeLike | None = None,
    ):
        super().__init__()
        self._space, self._transposed = (SEQUENCES, IMAGES, VOLUMES)[dims - 1], transposed
        self._dtype = dtypes.get_default_dtype() if dtype is None else dtypes.to_numpy(dtype).name
        self._in_channels, self._out_channels, self._groups = in_channels, out_channels, groups
        self._kernel_size = _as_list(kernel_size, self._space.dims, "kernel_size")
        self._stride = _as_list(stride, self._space.dims, "stride")
        self._dilation = _as_list(dilation, self._space.dims, "dilation")
        self._padding, self._padding_mode = padding, padding_mode
        self.output_padding, self._data_format = output_padding, data_format
        self._param_attr, self._bias_attr, self._device = weight_attr, bias_attr, device
        self._check()
        self._make_parameters(weight_attr, bias_attr, device)

    @property
    def _channel_dim(self) -> int:
        """Return the axis of the channels in the input."""
        return 1 if self._data_format.startswith("NC") else self._space.dims + 1

    @property
    def _op_type(self) -> str:
        """Return Paddle's name of the op."""
        of_each = self._groups == self._in_channels and self._groups > 1 and not self._transposed
        is_depthwise = of_each and self._space.dims == 2 and self._out_channels % self._groups == 0
        return f"{'depthwise_' * is_depthwise}conv{self._space.dims}d"

    @property
    def _padding_algorithm(self) -> str:
        """Return "SAME", "VALID", or "EXPLICIT" for a padding given as numbers."""
        return self._padding.upper() if isinstance(self._padding, str) else "EXPLICIT"

    @property
    def _updated_padding(self) -> list[int]:
        """Return the padding done by the op, one or two numbers per dimension; it is settable."""
        if self._padding_mode != "zeros" or isinstance(self._padding, str):
            return [0] * self._space.dims
        if isinstance(self._padding, int):
            return [self._padding] * self._space.dims
        values: list = list(self._padding)
        if all(isinstance(each, int) for each in values):
            return values
        if len(values) == self._space.dims + 2:  # with those of batch and channels
            del values[self._channel_dim], values[0]
        return [number for pair in values for number in pair]

    @_updated_padding.setter
    def _updated_padding(self, padding) -> None:
        self._padding = padding

    def _check(self) -> None:
        title = type(self).__name__
        if self._groups <= 0:
            raise InvalidArgumentError(f"groups of {title} must be positive, got {self._groups}.")
        if self._in_channels % self._groups:
            raise InvalidArgumentError(
                f"in_channels must be divisible by groups. {title} received "
                f"in_channels={self._in_channels} and groups={self._groups}."
            )
        if self._padding_mode not in _PADDING_MODES:
            raise InvalidArgumentError(
                f"padding_mode must be one of {', '.join(_PADDING_MODES)}, but got "
                f"padding_mode='{self._padding_mode}'."
            )
        if self._data_format not in self._space.layouts:
            raise InvalidArgumentError(
                f"data_format must be one of {', '.join(self._space.layouts)}, but got "
                f"data_format='{self._data_format}'."
            )
        if isinstance(self._padding, str) and self._padding.upper() not in ("SAME", "VALID"):
            raise InvalidArgumentError(
                f"Unknown padding: '{self._padding}'. It can only be 'SAME' or 'VALID'."
            )
        if self._padding_mode != "zeros" and not isinstance(self._padding, int):
            raise InvalidTypeError(
                f"With padding_mode='{self._padding_mode}' padding must be an int, but received "
                f"{self._padding!r}."
            )

    def _make_parameters(self, weight_attr, bias_attr, device) -> None:
        ends = [self._out_channels, self._in_channels // self._groups]
        default = None
        if self._transposed:
            ends = [self._in_channels, self._out_channels // self._groups]
        else:
            fan_in = self._in_channels
            for size in self._kernel_size:
                fan_in *= size
            default = Normal(0.0, (2.0 / fan_in) ** 0.5 if fan_in else 0.0)
        self.weight = required(
            self.create_parameter(
                [*ends, *self._kernel_size],
                weight_attr,
                self._dtype,
                default_initializer=default,
                device=device,
            ),
            "Conv",
        )
        self.bias = self.create_parameter(
            [self._out_channels], bias_attr, self._dtype, is_bias=True, device=device
        )

    def _padded(self, x):
        """Return the input padded by this layer's padding_mode, and the padding left for the op."""
        if self._padding_mode == "zeros":
            return x, self._padding
        sides = [self._padding] * (2 * self._space.dims)
        return F.pad(x, sides, mode=self._padding_mode, data_format=self._data_format), 0

    def _convolve(self, function, x):
        x, padding = self._padded(x)
        return function(
            x,
            self.weight,
            bias=self.bias,
            stride=self._stride,
            padding=padding,
            dilation=self._dilation,
            groups=self._groups,
            data_format=self._data_format,
        )

    def _takes(self) -> str:
        return f"its input must have {self._in_channels} channels ({self._data_format})"

    def extra_repr(self) -> str:
        parts = [f"{self._in_channels}, {self._out_channels}, kernel_size={self._kernel_size}"]
        ones = [1] * self._space.dims
        for name, value, default in (
            ("stride", self._stride, ones),
            ("padding", self._padding, 0),
            ("padding_mode", self._padding_mode, "zeros"),
            ("output_padding", self.output_padding, 0),
            ("dilation", self._dilation, ones),
            ("groups", self._groups, 1),
        ):
            if value != default:
                parts.append(f"{name}={value}")
        return ", ".join([*parts, f"data_format={self._data_format}"])


class _Conv(_ConvNd):
    """Base of Conv1D, Conv2D and Conv3D."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: str | int | Sequence[int] | Sequence[int | Sequence[int]] = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
        *,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: PlaceLike | None = None,
        dtype: DTypeLike | None = None,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
        data_format: str = OWN_LAYOUT,
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            False,
            self._space.dims,
            stride,
            padding,
            padding_mode=padding_mode,
            dilation=dilation,
            groups=groups,
            weight_attr=weight_attr,
            bias_attr=bias_attr if bias else False,
            data_format=data_format,
            device=device,
            dtype=dtype,
        )


@member(_DOC, shape=[2, 3, 8], result=[2, 4, 6])
class Conv1D(_Conv):
    _space = SEQUENCES

    def forward(self, x: Tensor) -> Tensor:
        return self._convolve(F.conv1d, x)


@member(_DOC, shape=[2, 3, 8, 8], result=[2, 4, 6, 6])
class Conv2D(_Conv):
    _space = IMAGES

    def forward(self, x: Tensor) -> Tensor:
        return self._convolve(F.conv2d, x)


@member(_DOC, shape=[2, 3, 4, 5, 6], result=[2, 4, 2, 3, 4])
class Conv3D(_Conv):
    _space = VOLUMES

    def forward(self, x: Tensor) -> Tensor:
        return self._convolve(F.conv3d, x)
