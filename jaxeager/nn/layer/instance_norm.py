"""Instance normalisation layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.core import dtypes
from jaxeager.nn import functional as F
from jaxeager.nn.errors import RefusedArgumentError
from jaxeager.nn.initializer import Constant
from jaxeager.nn.layer.layer import Layer
from jaxeager.nn.layer.norm import expect_dims

if TYPE_CHECKING:
    from jaxeager.nn.param_attr import ParamAttr
    from jaxeager.tensor.tensor import Tensor


class _InstanceNormBase(Layer):
    """What the instance normalisation layers share."""

    _allowed_dims: tuple[int, ...] = ()

    def __init__(
        self,
        num_features: int,
        epsilon: float = 1e-5,
        momentum: float = 0.9,
        weight_attr: bool | ParamAttr | None = None,
        bias_attr: bool | ParamAttr | None = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ):
        super().__init__()
        if (weight_attr is False) != (bias_attr is False):
            raise RefusedArgumentError(
                "weight_attr and bias_attr must be set to False at the same time in InstanceNorm"
            )
        self._num_features, self._epsilon, self._momentum = num_features, epsilon, momentum
        self._data_format = data_format
        self._dtype = dtypes.get_default_dtype()
        self.scale = self.create_parameter(
            [num_features], weight_attr, self._dtype, default_initializer=Constant(1.0)
        )
        self.bias = self.create_parameter([num_features], bias_attr, self._dtype, is_bias=True)

    def forward(self, input: Tensor) -> Tensor:
        expect_dims(input, self._allowed_dims)
        return F.instance_norm(
            input,
            weight=self.scale,
            bias=self.bias,
            momentum=self._momentum,
            eps=self._epsilon,
            data_format=self._data_format,
        )

    def extra_repr(self) -> str:
        return f"num_features={self._num_features}, epsilon={self._epsilon}"


class InstanceNorm1D(_InstanceNormBase):
    """Normalises sequences channel by channel, sample by sample.

    Args:
        num_features: channels.
        epsilon: added to the variance.
        momentum: has no effect: no averages are kept.
        weight_attr: ParamAttr of ``scale``, float[num_features], ones; False for none.
        bias_attr: ParamAttr of ``bias``, float[num_features], zeros; False for none.
        data_format: "NCL".
        name: has no effect.

    Raises:
        RefusedArgumentError: when just one of weight_attr and bias_attr is False.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.InstanceNorm1D(3)(paddle.ones([4, 3, 2])).sum().item()
        0.0
    """

    _allowed_dims = (2, 3)

    def __init__(
        self,
        num_features: int,
        epsilon: float = 1e-5,
        momentum: float = 0.9,
        weight_attr: bool | ParamAttr | None = None,
        bias_attr: bool | ParamAttr | None = None,
        data_format: str = "NCL",
        name: str | None = None,
    ):
        super().__init__(num_features, epsilon, momentum, weight_attr, bias_attr, data_format, name)


class InstanceNorm2D(_InstanceNormBase):
    """Normalises images channel by channel, sample by sample.

    Args:
        num_features: channels.
        epsilon: added to the variance.
        momentum: has no effect: no averages are kept.
        weight_attr: ParamAttr of ``scale``, float[num_features], ones; False for none.
        bias_attr: ParamAttr of ``bias``, float[num_features], zeros; False for none.
        data_format: "NCHW".
        name: has no effect.

    Raises:
        RefusedArgumentError: when just one of weight_attr and bias_attr is False.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.InstanceNorm2D(3)(paddle.ones([4, 3, 2, 2])).sum().item()
        0.0
    """

    _allowed_dims = (4,)

    def __init__(
        self,
        num_features: int,
        epsilon: float = 1e-5,
        momentum: float = 0.9,
        weight_attr: bool | ParamAttr | None = None,
        bias_attr: bool | ParamAttr | None = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ):
        super().__init__(num_features, epsilon, momentum, weight_attr, bias_attr, data_format, name)


class InstanceNorm3D(_InstanceNormBase):
    """Normalises volumes channel by channel, sample by sample.

    Args:
        num_features: channels.
        epsilon: added to the variance.
        momentum: has no effect: no averages are kept.
        weight_attr: ParamAttr of ``scale``, float[num_features], ones; False for none.
        bias_attr: ParamAttr of ``bias``, float[num_features], zeros; False for none.
        data_format: "NCDHW".
        name: has no effect.

    Raises:
        RefusedArgumentError: when just one of weight_attr and bias_attr is False.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.InstanceNorm3D(3)(paddle.ones([4, 3, 2, 2, 2])).sum().item()
        0.0
    """

    _allowed_dims = (5,)

    def __init__(
        self,
        num_features: int,
        epsilon: float = 1e-5,
        momentum: float = 0.9,
        weight_attr: bool | ParamAttr | None = None,
        bias_attr: bool | ParamAttr | None = None,
        data_format: str = "NCDHW",
        name: str | None = None,
    ):
        super().__init__(num_features, epsilon, momentum, weight_attr, bias_attr, data_format, name)
