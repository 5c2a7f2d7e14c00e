"""paddle.tensor.random: random tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxeager.arrays.random import drawing_from_seed
from jaxeager.ops.random.draws import gaussian
from jaxeager.tensor.names import functions
from jaxeager.tensor.tensor import Tensor

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike

_TABLE = """
    bernoulli bernoulli_ binomial exponential_ log_normal log_normal_ multinomial normal normal_
    poisson rand rand_like randint randint_like randn randn_like random_ randperm standard_gamma
    standard_normal uniform uniform_
""".split()

__all__ = [*_TABLE, "gaussian", "gaussian_", "uniform_random_batch_size_like"]

_FOUND = functions(_TABLE)
globals().update(_FOUND)


def gaussian_(
    x: Tensor, mean: float = 0.0, std: float = 1.0, seed: int = 0, name: str | None = None
) -> Tensor:
    """Fill a tensor with normal random numbers, and return it.

    Args:
        x: float tensor, which is overwritten.
        mean: of the numbers.
        std: their standard deviation.
        seed: draw from this seed, when it is not 0.
        name: a name.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.tensor.random import gaussian_
        >>> x = paddle.zeros([3])
        >>> gaussian_(x) is x
        True
    """
    with drawing_from_seed(seed):
        return _FOUND["normal_"](x, mean, std)


def uniform_random_batch_size_like(
    input: Tensor,
    shape: Sequence[int],
    dtype: DTypeLike = "float32",
    input_dim_idx: int = 0,
    output_dim_idx: int = 0,
    min: float = -1.0,
    max: float = 1.0,
    seed: int = 0,
) -> Tensor:
    """Return uniform random numbers in a shape that has one length of another tensor.

    Args:
        input: the other tensor.
        shape: of the tensor.
        dtype: a floating dtype.
        input_dim_idx: the axis of the other tensor.
        output_dim_idx: the axis that has its length.
        min: the lower end of the range.
        max: the end of the range.
        seed: not 0 for the same numbers in each call.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.tensor.random import uniform_random_batch_size_like
        >>> uniform_random_batch_size_like(paddle.zeros([4, 2]), [-1, 3]).shape
        paddle.Size([4, 3])
    """
    wanted = list(shape)
    wanted[output_dim_idx] = input.shape[input_dim_idx]
    return _FOUND["uniform"](wanted, dtype, min, max, seed)
