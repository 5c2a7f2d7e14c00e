"""paddle.nn.init: fills existing tensors, as initializers fill new parameters.

All functions return None and leave versions unchanged, as in Paddle.
"""

from __future__ import annotations

from jaxeager.errors import InvalidArgumentError, InvalidOperandError
from jaxeager.nn.initializer import (
    Constant,
    Dirac,
    Initializer,
    KaimingNormal,
    KaimingUniform,
    Normal,
    Orthogonal,
    TruncatedNormal,
    Uniform,
    XavierNormal,
    XavierUniform,
    calculate_gain,
)
from jaxeager.ops.creation.creation import eye
from jaxeager.tensor import Tensor

__all__ = [
    "calculate_gain", "constant_", "dirac_", "eye_", "kaiming_normal_", "kaiming_uniform_",
    "normal_", "ones_", "orthogonal_", "trunc_normal_", "uniform_", "xavier_normal_",
    "xavier_uniform_", "zeros_",
]  # fmt: skip


def _fill(initializer: Initializer, tensor: Tensor) -> None:
    """Fill a tensor.

    Raises:
        InvalidOperandError: if it is not a Tensor. (Paddle: AssertionError.)
    """
    if not isinstance(tensor, Tensor):
        raise InvalidOperandError(
            f"Only a Tensor can be filled, but received {type(tensor).__name__}."
        )
    initializer(tensor)


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0) -> None:
    """Fill a tensor with draws from a uniform distribution.

    Args:
        tensor: the tensor.
        a: lower bound.
        b: upper bound.

    Raises:
        InvalidOperandError: if it is not a Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.empty([2, 3])
        >>> paddle.nn.init.uniform_(x)
    """
    _fill(Uniform(a, b), tensor)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0) -> None:
    """Fill a tensor with draws from a normal distribution.

    Args:
        tensor: the tensor.
        mean: its mean.
        std: its standard deviation.

    Raises:
        InvalidOperandError: if it is not a Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.empty([2, 3])
        >>> paddle.nn.init.normal_(x)
    """
    _fill(Normal(mean, std), tensor)


def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0
) -> None:
    """Fill a tensor with draws from a truncated normal distribution.

    Args:
        tensor: the tensor.
        mean: its mean.
        std: its standard deviation.
        a: lower bound of the values.
        b: upper bound of the values.

    Raises:
        InvalidOperandError: if it is not a Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.empty([2, 3])
        >>> paddle.nn.init.trunc_normal_(x)
    """
    _fill(TruncatedNormal(mean, std, a, b), tensor)


def constant_(tensor: Tensor, val: float) -> None:
    """Fill a tensor with one number.

    Args:
        tensor: the tensor.
        val: the number.

    Raises:
        InvalidOperandError: if it is not a Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.empty([2, 3])
        >>> paddle.nn.init.constant_(x, 5.0)
    """
    _fill(Constant(val), tensor)


def ones_(tensor: Tensor) -> None:
    """Fill a tensor with ones.

    Args:
        tensor: the tensor.

    Raises:
        InvalidOperandError: if it is not a Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.empty([2, 3])
        >>> paddle.nn.init.ones_(x)
    """
    _fill(Constant(1.0), tensor)


def zeros_(tensor: Tensor) -> None:
    """Fill a tensor with zeros.

    Args:
        tensor: the tensor.

    Raises:
        InvalidOperandError: if it is not a Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.empty([2, 3])
        >>> paddle.nn.init.zeros_(x)
    """
    _fill(Constant(0.0), tensor)


def dirac_(tensor: Tensor, groups: int = 1) -> None:
    """Fill a convolution weight so that it passes its input channels through.

    Args:
        tensor: the tensor.
        groups: number of groups of output channels.

    Raises:
        InvalidOperandError: if it is not a Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.empty([2, 2, 3, 3])
        >>> paddle.nn.init.dirac_(x)
    """
    _fill(Dirac(groups), tensor)


def orthogonal_(tensor: Tensor, gain: float = 1.0) -> None:
    """Fill a tensor with an orthogonal matrix.

    Args:
        tensor: the tensor.
        gain: a factor.

    Raises:
        InvalidOperandError: if it is not a Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.empty([2, 3])
        >>> paddle.nn.init.orthogonal_(x)
    """
    _fill(Orthogonal(gain), tensor)


def xavier_uniform_(
    tensor: Tensor, gain: float = 1.0, fan_in: float | None = None, fan_out: float | None = None
) -> None:
    """Fill a tensor with Glorot and Bengio's uniform initialization.

    Args:
        tensor: the tensor.
        gain: a factor.
        fan_in: number of inputs of each output; from the shape by default.
        fan_out: number of outputs of each input; from the shape by default.

    Raises:
        InvalidOperandError: if it is not a Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.empty([2, 3])
        >>> paddle.nn.init.xavier_uniform_(x)
    """
    _fill(XavierUniform(fan_in, fan_out, gain), tensor)


def xavier_normal_(
    tensor: Tensor, gain: float = 1.0, fan_in: float | None = None, fan_out: float | None = None
) -> None:
    """Fill a tensor with Glorot and Bengio's normal initialization.

    Args:
        tensor: the tensor.
        gain: a factor.
        fan_in: number of inputs of each output; from the shape by default.
        fan_out: number of outputs of each input; from the shape by default.

    Raises:
        InvalidOperandError: if it is not a Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.empty([2, 3])
        >>> paddle.nn.init.xavier_normal_(x)
    """
    _fill(XavierNormal(fan_in, fan_out, gain), tensor)


def kaiming_uniform_(
    tensor: Tensor, a: float = 0.0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
) -> None:
    """Fill a tensor with the uniform initialization of He et al.

    Args:
        tensor: the tensor.
        a: the slope of a leaky ReLU below 0.
        mode: "fan_in" or "fan_out".
        nonlinearity: the activation function that follows.

    Raises:
        InvalidOperandError: if it is not a Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.empty([2, 3])
        >>> paddle.nn.init.kaiming_uniform_(x)
    """
    _fill(KaimingUniform(None, a, nonlinearity, mode), tensor)


def kaiming_normal_(
    tensor: Tensor, a: float = 0.0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
) -> None:
    """Fill a tensor with the normal initialization of He et al.

    Args:
        tensor: the tensor.
        a: the slope of a leaky ReLU below 0.
        mode: "fan_in" or "fan_out".
        nonlinearity: the activation function that follows.

    Raises:
        InvalidOperandError: if it is not a Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.empty([2, 3])
        >>> paddle.nn.init.kaiming_normal_(x)
    """
    _fill(KaimingNormal(None, a, nonlinearity, mode), tensor)


def eye_(tensor: Tensor) -> None:
    """Fill a matrix with ones on its diagonal and zeros elsewhere.

    Args:
        tensor: a matrix.

    Raises:
        InvalidArgumentError: if it is not a matrix. (Paddle: AssertionError.)

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.empty([2, 2])
        >>> paddle.nn.init.eye_(x)
        >>> x.tolist()
        [[1.0, 0.0], [0.0, 1.0]]
    """
    if len(tensor.shape) != 2:
        raise InvalidArgumentError(
            f"Only support 2 dimensional tensor, but got {len(tensor.shape)}."
        )
    rows, columns = tensor.shape
    tensor.set_value(eye(rows, columns, dtype=tensor.dtype))
