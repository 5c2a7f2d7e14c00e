"""BatchNorm and SyncBatchNorm of sparse images: over their entries, channel by channel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError
from jaxeager.nn.layer.norm import BatchNorm1D
from jaxeager.nn.layer.sync_batch_norm import SyncBatchNorm as DenseSyncBatchNorm
from jaxeager.sparse.tensors import checked

if TYPE_CHECKING:
    from jaxeager.core.types import ParamAttrLike
    from jaxeager.sparse.tensors import SparseTensor


def _normalised(layer, x):
    """Normalize the entries as a batch of vectors.

    Raises:
        InvalidArgumentError: when the entries are not vectors of channels.
    """
    if checked(x, "nn.BatchNorm").dense_dim() != 1:
        raise InvalidArgumentError(
            "a sparse batch norm takes entries that are vectors of channels, but received shape "
            f"{list(x.shape)} with {x.dense_dim()} dense dimensions."
        )
    values = paddle.nn.functional.batch_norm(
        x._values,
        layer._mean,
        layer._variance,
        weight=layer.weight,
        bias=layer.bias,
        training=layer.training,
        momentum=layer._momentum,
        epsilon=layer._epsilon,
        data_format="NC",
        use_global_stats=layer._use_global_stats,
    )
    return x.like(values)


class BatchNorm(BatchNorm1D):
    """Batch normalization of the entries of a sparse image over batch and space, per channel.

    Elements that are not stored are ignored. Training mode uses the mean and variance of the
    entries, and keeps a running average of them; evaluation mode uses that average.

    Args:
        num_features: channels.
        momentum: the share of the old average that each batch keeps.
        epsilon: added to the variance.
        weight_attr: ParamAttr of ``weight``, float[num_features], ones; False for none.
        bias_attr: ParamAttr of ``bias``, float[num_features], zeros; False for none.
        data_format: "NDHWC" or "NHWC".
        use_global_stats: True: use the average in training too; False: never use it.
        name: prefix of the names of the averages; shown by repr.

    Shape:
        SparseCooTensor [..., num_features] with channels as entries, to one of the same shape.

    Raises:
        InvalidArgumentError: when called with another data_format.

    Example:
        >>> import jaxeager as paddle
        >>> indices = [[0, 0], [0, 1], [1, 1]]
        >>> x = paddle.sparse.sparse_coo_tensor(indices, [[1.0], [3.0]], [1, 2, 2, 1])
        >>> norm = paddle.sparse.nn.BatchNorm(1, data_format="NHWC")
        >>> [round(value, 3) for value in norm(x).values().flatten().tolist()]
        [-1.0, 1.0]
    """

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
        data_format: str = "NDHWC",
        use_global_stats: bool | None = None,
        name: str | None = None,
    ):
        super().__init__(
            num_features,
            momentum,
            epsilon,
            weight_attr,
            bias_attr,
            data_format,
            use_global_stats,
            name,
        )

    def forward(self, input: SparseTensor) -> SparseTensor:
        if self._data_format not in ("NDHWC", "NHWC"):
            raise InvalidArgumentError(
                'sparse BatchNorm only support layout of "NDHWC" and "NHWC", but got '
                f"{self._data_format}"
            )
        return _normalised(self, input)


class SyncBatchNorm(DenseSyncBatchNorm):
    """Batch normalization of the entries of a sparse image over all processes.

    jaxeager runs a program in one process, so this is BatchNorm with other defaults.

    Args:
        num_features: channels.
        momentum: how much of the old average each batch keeps.
        epsilon: added to the variance.
        weight_attr: ParamAttr of ``weight``, float[num_features], ones; False for ones that are not
            trained.
        bias_attr: ParamAttr of ``bias``, float[num_features], zeros; False for zeros that are not
            trained.
        data_format: shown by repr; the channels are the entries.
        name: prefix of the names of the averages; shown by repr.

    Shape:
        SparseCooTensor [..., num_features] with channels as entries, to one of the same shape.

    Paddle: there is no such kernel on a CPU.

    Example:
        >>> import jaxeager as paddle
        >>> indices = [[0, 0], [0, 1], [1, 1]]
        >>> x = paddle.sparse.sparse_coo_tensor(indices, [[1.0], [3.0]], [1, 2, 2, 1])
        >>> norm = paddle.sparse.nn.SyncBatchNorm(1)
        >>> [round(value, 3) for value in norm(x).values().flatten().tolist()]
        [-1.0, 1.0]
    """

    def forward(self, x: SparseTensor) -> SparseTensor:
        return _normalised(self, x)

    @classmethod
    def _converted(cls, layer):
        """Return the sparse or the dense synchronized layer for a batch norm."""
        if isinstance(layer, (BatchNorm, SyncBatchNorm)):
            return super()._converted(layer)
        return DenseSyncBatchNorm._converted(layer)
