"""SpectralNorm: a weight divided by its largest singular value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxeager.core import dtypes
from jaxeager.errors import RefusedArgumentError
from jaxeager.nn.initializer import Normal
from jaxeager.nn.layer.common import untrained
from jaxeager.nn.layer.layer import Layer
from jaxeager.ops.nn.spectral_norm import spectral_norm

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike
    from jaxeager.tensor.tensor import Tensor


class SpectralNorm(Layer):
    """Layer that divides a weight by its largest singular value, estimated by power iteration.

    The iteration starts at ``weight_u`` and ``weight_v`` at each call; it does not update them, and
    gradients do not pass through it.

    Args:
        weight_shape: the weight's shape.
        dim: the axis of the rows of the matrix.
        power_iters: number of iterations.
        eps: added to the vectors' lengths.
        dtype: dtype of the vectors.

    Raises:
        InvalidArgumentError: for an empty weight, or a nonexistent axis.

    Paddle: accepts only ``dim`` 0 and 1, and its gradient is that of a different function.

    Example:
        >>> import jaxeager as paddle
        >>> norm = paddle.nn.SpectralNorm([2, 3], power_iters=5)
        >>> norm(paddle.ones([2, 3])).round().tolist()
        [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
        >>> list(norm.state_dict())
        ['weight_u', 'weight_v']
    """

    def __init__(
        self,
        weight_shape: Sequence[int],
        dim: int = 0,
        power_iters: int = 1,
        eps: float = 1e-12,
        dtype: DTypeLike = "float32",
    ):
        super().__init__()
        self._power_iters, self._eps, self._dim = power_iters, eps, dim
        self._dtype = dtypes.to_numpy(dtype).name
        self._weight_shape = list(weight_shape)
        count = 1
        for size in self._weight_shape:
            count *= size
        if count <= 0:
            raise RefusedArgumentError(
                "Any dimension of `weight_shape` cannot be equal to 0. Received "
                f"{self._weight_shape}."
            )
        if not 0 <= dim < len(self._weight_shape):
            raise RefusedArgumentError(
                "The input `dim` should be less than the length of `weight_shape`, but received "
                f"dim={dim}"
            )
        height = self._weight_shape[dim]
        self.weight_u = untrained(self, height, Normal(0, 1))
        self.weight_v = untrained(self, count // height, Normal(0, 1))

    def forward(self, x: Tensor) -> Tensor:
        return spectral_norm(
            x, self.weight_u, self.weight_v, self._dim, self._power_iters, self._eps
        )
