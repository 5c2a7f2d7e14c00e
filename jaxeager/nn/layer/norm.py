"""Normalization layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxeager.core import dtypes
from jaxeager.errors import InvalidArgumentError
from jaxeager.nn import functional as F
from jaxeager.nn.initializer import Constant
from jaxeager.nn.layer.common import name_text
from jaxeager.nn.layer.family import IMAGES, OWN_LAYOUT, SEQUENCES, VOLUMES, Space, member
from jaxeager.nn.layer.layer import Layer
from jaxeager.nn.param_attr import ParamAttr

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike, ParamAttrLike, PlaceLike
    from jaxeager.tensor.tensor import Tensor


_BATCH_NORM_DOC = """Layer that normalizes {things} over the batch, channel by channel.

    Training mode uses the batch's mean and variance and updates running averages of them;
    evaluation mode uses the averages. In training, a batch of one element per channel is returned
    unchanged: see ``F.batch_norm``.

    Args:
        num_features: number of channels.
        momentum: share of the old average that each batch keeps.
        epsilon: added to the variance.
        weight_attr: ParamAttr of ``weight``, float[num_features], ones; False for none.
        bias_attr: ParamAttr of ``bias``, float[num_features], zeros; False for none.
        data_format: {layouts}.
        use_global_stats: True to use the averages in training too; False to never use them.
        name: stem of the names of the averages; shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> norm = paddle.nn.{name}(3)
        >>> norm(paddle.ones({shape})).sum().item()
        0.0
        >>> list(norm.state_dict())
        ['weight', 'bias', '_mean', '_variance']
    """


def expect_dims(input, allowed: tuple[int, ...]) -> None:
    """Raise if the input does not have one of these numbers of dimensions."""
    if input.ndim not in allowed:
        wanted = " or ".join(f"{dims}D" for dims in allowed)
        raise InvalidArgumentError(
            f"expected {wanted} input (got {input.ndim}D input of shape {list(input.shape)})"
        )


def _scale_and_shift(
    layer: Layer,
    shape: list[int],
    weight_attr: ParamAttrLike | None,
    bias_attr: ParamAttrLike | None,
    device: PlaceLike | None = None,
) -> tuple:
    """Create a layer's scale (ones) and shift (zeros); None for an attr that is False."""
    weight = layer.create_parameter(
        shape, weight_attr, layer._dtype, default_initializer=Constant(1.0), device=device
    )
    bias = layer.create_parameter(shape, bias_attr, layer._dtype, is_bias=True, device=device)
    return weight, bias


class _BatchNormBase(Layer):
    """Base of the batch normalization layers.

    As in Paddle, ``_mean`` and ``_variance`` are untrained parameters, so ``parameters()`` and
    ``state_dict()`` contain them.
    """

    _space: Space
    _allowed_dims: tuple[int, ...] = ()
    _in_place = _fuse_with_relu = False  # features of Paddle's op

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
        data_format: str = OWN_LAYOUT,
        use_global_stats: bool | None = None,
        name: str | None = None,
    ):
        super().__init__()
        self._num_features, self._momentum, self._epsilon = num_features, momentum, epsilon
        self._data_format, self._use_global_stats = data_format, use_global_stats
        self._weight_attr, self._bias_attr, self._name = weight_attr, bias_attr, name
        # As in Paddle, float16 statistics are kept in float32, to not lose small steps.
        default = dtypes.get_default_dtype()
        self._dtype = "float32" if default == "float16" else default
        shape = [num_features]
        self.weight, self.bias = _scale_and_shift(self, shape, weight_attr, bias_attr)
        self._mean = self._statistic(shape, name and f"{name}_mean", 0.0)
        self._variance = self._statistic(shape, name and f"{name}_variance", 1.0)

    def _statistic(self, shape, name, value):
        attr = ParamAttr(name=name, initializer=Constant(value), trainable=False)
        return self.create_parameter(shape, attr, self._dtype)

    def _check_input_dim(self, input: Tensor) -> None:
        """Raise for an input with the wrong number of dimensions; subclasses override it."""
        expect_dims(input, self._allowed_dims)

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        return F.batch_norm(
            input,
            self._mean,
            self._variance,
            weight=self.weight,
            bias=self.bias,
            training=self.training,
            momentum=self._momentum,
            epsilon=self._epsilon,
            data_format=self._data_format,
            use_global_stats=self._use_global_stats,
        )

    def _takes(self) -> str:
        return f"its input must have {self._num_features} channels ({self._data_format})"

    def extra_repr(self) -> str:
        text = (
            f"num_features={self._num_features}, momentum={self._momentum}, epsilon={self._epsilon}"
        )
        if self._data_format != "NCHW":
            text += f", data_format={self._data_format}"
        return text + name_text(self._name)


@member(
    _BATCH_NORM_DOC,
    things="vectors and sequences",
    layouts='"NCL" or "NC" or "NLC"',
    shape=[4, 3],
)
class BatchNorm1D(_BatchNormBase):
    _space = SEQUENCES
    _allowed_dims = (2, 3)


@member(_BATCH_NORM_DOC, shape=[4, 3, 2, 2])
class BatchNorm2D(_BatchNormBase):
    _space = IMAGES
    _allowed_dims = (4,)


@member(_BATCH_NORM_DOC, shape=[4, 3, 2, 2, 2])
class BatchNorm3D(_BatchNormBase):
    _space = VOLUMES
    _allowed_dims = (5,)


class BatchNorm(Layer):
    """Older form of BatchNorm1D to BatchNorm3D, with an optional activation.

    Normalizes over the batch, channel by channel, for any number of dimensions.

    Args:
        num_channels: number of channels.
        act: name of an activation in nn.functional, or None.
        is_test: start in evaluation mode.
        momentum: share of the old average that each batch keeps.
        epsilon: added to the variance.
        param_attr: ParamAttr of ``weight``, float[num_channels], ones; False for none.
        bias_attr: ParamAttr of ``bias``, float[num_channels], zeros; False for none.
        dtype: dtype of the parameters.
        data_layout: "NCHW" or "NHWC".
        in_place: has no effect; XLA reuses memory by itself.
        moving_mean_name: name of the running mean.
        moving_variance_name: name of the running variance.
        do_model_average_for_mean_and_var: whether averaging optimizers include the averages.
        use_global_stats: use the running averages in training too.
        trainable_statistics: use the batch's statistics in evaluation too.

    Raises:
        InvalidArgumentError: if ``act`` does not exist.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.BatchNorm(3, act="relu")(paddle.ones([4, 3, 2, 2])).sum().item()
        0.0
    """

    _in_place = _fuse_with_relu = False  # features of Paddle's op

    def __init__(
        self,
        num_channels: int,
        act: str | None = None,
        is_test: bool = False,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        param_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
        dtype: DTypeLike = "float32",
        data_layout: str = "NCHW",
        in_place: bool = False,
        moving_mean_name: str | None = None,
        moving_variance_name: str | None = None,
        do_model_average_for_mean_and_var: bool = True,
        use_global_stats: bool = False,
        trainable_statistics: bool = False,
    ):
        super().__init__()
        if act is not None and not hasattr(F, act):
            raise InvalidArgumentError(f"There is no activation '{act}' in nn.functional.")
        self._act, self._momentum, self._epsilon = act, momentum, epsilon
        self._param_attr, self._bias_attr, self._is_test = param_attr, bias_attr, is_test
        self.training = not is_test
        self._data_layout, self._use_global_stats = data_layout, use_global_stats
        self._trainable_statistics = trainable_statistics
        self._dtype = "float32" if dtype == "float16" else dtypes.to_numpy(dtype).name
        shape = [num_channels]
        self.weight, self.bias = _scale_and_shift(self, shape, param_attr, bias_attr)
        averaged = do_model_average_for_mean_and_var
        self._mean = self._statistic(shape, moving_mean_name, 0.0, averaged)
        self._variance = self._statistic(shape, moving_variance_name, 1.0, averaged)

    def _statistic(self, shape, name, value, averaged):
        attr = ParamAttr(
            name=name, initializer=Constant(value), trainable=False, do_model_average=averaged
        )
        return self.create_parameter(shape, attr, self._dtype)

    def forward(self, input: Tensor) -> Tensor:
        training = self.training or self._trainable_statistics
        output = F.batch_norm(
            input,
            self._mean,
            self._variance,
            weight=self.weight,
            bias=self.bias,
            training=training,
            momentum=self._momentum,
            epsilon=self._epsilon,
            data_format=self._data_layout,
            use_global_stats=True if self._use_global_stats else None,
        )
        return output if self._act is None else getattr(F, self._act)(output)


class LayerNorm(Layer):
    """Layer that normalizes over the last dimensions.

    Args:
        normalized_shape: these dimensions, or one int for the last.
        epsilon: added to the variance.
        elementwise_affine: False for neither weight nor bias.
        bias: False for no bias.
        device: device of the parameters.
        dtype: their dtype; the default dtype if None.
        weight_attr: ParamAttr of ``weight``, float[n], ones; False for none.
        bias_attr: ParamAttr of ``bias``, float[n], zeros; False for none.
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.LayerNorm(2)(paddle.to_tensor([[1.0, 3.0]])).round().tolist()
        [[-1.0, 1.0]]
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        epsilon: float = 1e-5,
        *,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: PlaceLike | None = None,
        dtype: DTypeLike | None = None,
        weight_attr: bool | ParamAttr | None = None,
        bias_attr: bool | ParamAttr | None = None,
        name: str | None = None,
    ):
        super().__init__()
        if isinstance(normalized_shape, int):
            normalized_shape = [normalized_shape]
        self._normalized_shape, self._epsilon = list(normalized_shape), epsilon
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        self._dtype = dtypes.get_default_dtype() if dtype is None else dtypes.to_numpy(dtype).name
        size = 1
        for dim in self._normalized_shape:
            size *= dim
        self.weight, self.bias = _scale_and_shift(
            self,
            [size],
            weight_attr if elementwise_affine else False,
            bias_attr if elementwise_affine and bias else False,
            device,
        )

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self._normalized_shape, self.weight, self.bias, self._epsilon)

    def extra_repr(self) -> str:
        return f"normalized_shape={self._normalized_shape}, epsilon={self._epsilon}"


class GroupNorm(Layer):
    """Layer that normalizes over groups of channels, sample by sample.

    Args:
        num_groups: number of groups; they must divide the channels.
        num_channels: number of channels.
        epsilon: added to the variance.
        affine: False for neither weight nor bias.
        device: device of the parameters.
        dtype: their dtype; the default dtype if None.
        weight_attr: ParamAttr of ``weight``, float[num_channels], ones; False for none.
        bias_attr: ParamAttr of ``bias``, float[num_channels], zeros; False for none.
        data_format: "NCHW", "NHWC" and the like.
        name: has no effect.

    Raises:
        InvalidArgumentError: for a data_format that does not exist.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.GroupNorm(2, 4)(paddle.ones([1, 4, 2, 2])).sum().item()
        0.0
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        epsilon: float = 1e-5,
        *,
        affine: bool = True,
        device: PlaceLike | None = None,
        dtype: DTypeLike | None = None,
        weight_attr: bool | ParamAttr | None = None,
        bias_attr: bool | ParamAttr | None = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ):
        super().__init__()
        if data_format not in ("NC", "NCL", "NCHW", "NCDHW", "NLC", "NHWC", "NDHWC"):
            raise InvalidArgumentError(f"unsupported data layout:{data_format}")
        self._num_groups, self._num_channels = num_groups, num_channels
        self._epsilon, self._data_format = epsilon, data_format
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        self._dtype = dtypes.get_default_dtype() if dtype is None else dtypes.to_numpy(dtype).name
        attrs = (weight_attr, bias_attr) if affine else (False, False)
        self.weight, self.bias = _scale_and_shift(self, [num_channels], *attrs, device)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(
            input,
            self._num_groups,
            epsilon=self._epsilon,
            weight=self.weight,
            bias=self.bias,
            data_format=self._data_format,
        )

    def _takes(self) -> str:
        return f"its input must have {self._num_channels} channels ({self._data_format})"

    def extra_repr(self) -> str:
        return (
            f"num_groups={self._num_groups}, num_channels={self._num_channels}, "
            f"epsilon={self._epsilon}"
        )
