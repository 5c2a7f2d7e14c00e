"""SyncBatchNorm: batch normalization with the statistics of all processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.errors import InvalidArgumentError
from jaxeager.graph.mode import no_grad
from jaxeager.nn import functional as F
from jaxeager.nn.functional.norm import CHANNEL_FIRST, CHANNEL_LAST
from jaxeager.nn.initializer import Constant
from jaxeager.nn.layer.common import untrained
from jaxeager.nn.layer.layer import Layer
from jaxeager.nn.layer.norm import _BatchNormBase

if TYPE_CHECKING:
    from jaxeager.core.types import ParamAttrLike
    from jaxeager.tensor.tensor import Tensor


class SyncBatchNorm(_BatchNormBase):
    """Layer that normalizes each channel over the batch, with the statistics of all processes.

    A program here is one process, so its batch is the whole batch: XLA splits an array over devices
    without splitting the program. Training mode uses the batch's mean and variance and updates
    running averages of them; evaluation mode uses the averages.

    Args:
        num_features: number of channels.
        momentum: share of the old average that each batch keeps.
        epsilon: added to the variance.
        weight_attr: ParamAttr of ``weight``, float[num_features], ones; False for untrained ones.
        bias_attr: ParamAttr of ``bias``, float[num_features], zeros; False for untrained zeros.
        data_format: "NC", "NCL", "NCHW", "NCDHW", "NLC", "NHWC" or "NDHWC".
        name: stem of the names of the averages; shown by repr.

    Raises:
        InvalidArgumentError: if called with any other data_format.

    Paddle: has no such kernel on a CPU.

    Example:
        >>> import jaxeager as paddle
        >>> norm = paddle.nn.SyncBatchNorm(3)
        >>> norm(paddle.ones([4, 3, 2, 2])).sum().item()
        0.0
    """

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ):
        super().__init__(
            num_features, momentum, epsilon, weight_attr, bias_attr, data_format, None, name
        )
        if weight_attr is False:
            self.weight = untrained(self, num_features, Constant(1.0))
        if bias_attr is False:
            self.bias = untrained(self, num_features, Constant(0.0))

    def forward(self, x: Tensor) -> Tensor:
        if self._data_format not in CHANNEL_FIRST + CHANNEL_LAST:
            raise InvalidArgumentError(
                "expected 'NCDHW', 'NDHWC', 'NCL', 'NLC', 'NC', 'NCHW', 'NHWC' for data_format, "
                f"but received {self._data_format!r}"
            )
        return F.batch_norm(
            x,
            self._mean,
            self._variance,
            weight=self.weight,
            bias=self.bias,
            training=self.training,
            momentum=self._momentum,
            epsilon=self._epsilon,
            data_format=self._data_format,
        )

    @classmethod
    def convert_sync_batchnorm(cls, layer: Layer) -> Layer:
        """Convert the BatchNorm1D to BatchNorm3D layers of a model to SyncBatchNorm layers.

        Parameters and averages stay the same objects; other layers stay in place.

        Args:
            layer: the model.

        Returns:
            The model, or a new layer if the model is a batch norm itself.

        Example:
            >>> import jaxeager as paddle
            >>> model = paddle.nn.Sequential(paddle.nn.Linear(2, 3), paddle.nn.BatchNorm1D(3))
            >>> paddle.nn.SyncBatchNorm.convert_sync_batchnorm(model)[1]
            SyncBatchNorm(num_features=3, momentum=0.9, epsilon=1e-05, data_format=NCL)
        """
        result = cls._converted(layer) if isinstance(layer, _BatchNormBase) else layer
        for name, sublayer in list(layer.named_children()):
            result.add_sublayer(name, cls.convert_sync_batchnorm(sublayer))
        return result

    @classmethod
    def _converted(cls, layer: _BatchNormBase) -> SyncBatchNorm:
        made = cls(
            layer._num_features,
            layer._momentum,
            layer._epsilon,
            layer._weight_attr,
            layer._bias_attr,
            layer._data_format,
            layer._name,
        )
        if layer._weight_attr is not False and layer._bias_attr is not False:
            with no_grad():
                made.weight, made.bias = layer.weight, layer.bias
        made._mean, made._variance = layer._mean, layer._variance
        made.training = layer.training
        return made
