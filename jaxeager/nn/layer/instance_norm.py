"""Instance normalization layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.core import dtypes
from jaxeager.errors import RefusedArgumentError
from jaxeager.nn import functional as F
from jaxeager.nn.initializer import Constant
from jaxeager.nn.layer.family import IMAGES, OWN_LAYOUT, SEQUENCES, VOLUMES, Space, member
from jaxeager.nn.layer.layer import Layer
from jaxeager.nn.layer.norm import expect_dims

if TYPE_CHECKING:
    from jaxeager.nn.param_attr import ParamAttr
    from jaxeager.tensor.tensor import Tensor


_DOC = """Layer that normalizes {things} channel by channel, sample by sample.

    Args:
        num_features: number of channels.
        epsilon: added to the variance.
        momentum: has no effect: no averages are kept.
        weight_attr: ParamAttr of ``scale``, float[num_features], ones; False for none.
        bias_attr: ParamAttr of ``bias``, float[num_features], zeros; False for none.
        data_format: {layout}.
        name: has no effect.

    Raises:
        RefusedArgumentError: if just one of weight_attr and bias_attr is False.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.{name}(3)(paddle.ones({shape})).sum().item()
        0.0
    """


class _InstanceNormBase(Layer):
    """Base of the instance normalization layers."""

    _space: Space
    _allowed_dims: tuple[int, ...] = ()

    def __init__(
        self,
        num_features: int,
        epsilon: float = 1e-5,
        momentum: float = 0.9,
        weight_attr: bool | ParamAttr | None = None,
        bias_attr: bool | ParamAttr | None = None,
        data_format: str = OWN_LAYOUT,
        name: str | None = None,
    ):
        super().__init__()
        if (weight_attr is False) != (bias_attr is False):
            raise RefusedArgumentError(
                "weight_attr and bias_attr must be set to False at the same time in InstanceNorm"
            )
        self._num_features, self._epsilon, self._momentum = num_features, epsilon, momentum
        self._data_format = data_format
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        self._dtype = dtypes.get_default_dtype()
        self.scale = self.create_parameter(
            [num_features], weight_attr, self._dtype, default_initializer=Constant(1.0)
        )
        self.bias = self.create_parameter([num_features], bias_attr, self._dtype, is_bias=True)

    def _check_input_dim(self, input: Tensor) -> None:
        """Raise for an input with the wrong number of dimensions; subclasses override it."""
        expect_dims(input, self._allowed_dims)

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
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


@member(_DOC, shape=[4, 3, 2])
class InstanceNorm1D(_InstanceNormBase):
    _space = SEQUENCES
    _allowed_dims = (2, 3)


@member(_DOC, shape=[4, 3, 2, 2])
class InstanceNorm2D(_InstanceNormBase):
    _space = IMAGES
    _allowed_dims = (4,)


@member(_DOC, shape=[4, 3, 2, 2, 2])
class InstanceNorm3D(_InstanceNormBase):
    _space = VOLUMES
    _allowed_dims = (5,)
