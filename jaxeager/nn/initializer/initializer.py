"""Initializer, the base class of all initializers; fans, gains and the global defaults."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from jaxeager.core import dtypes, places
from jaxeager.errors import (
    InvalidArgumentError,
    InvalidTypeError,
    RefusedArgumentError,
    RefusedTypeError,
)
from jaxeager.graph.views.shared_writes import write_array
from jaxeager.kernels.size_limit import check_size
from jaxeager.kernels.tracing import explained

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class Initializer:
    """Base class of objects that fill a parameter with its first values.

    A subclass defines ``compute(shape, dtype)``, which returns a NumPy or JAX array of that shape,
    or, as in Paddle, ``forward(param, block=None)``, which writes into an existing tensor.

    Example:
        >>> import jaxeager as paddle
        >>> class Threes(paddle.nn.initializer.Initializer):
        ...     def compute(self, shape, dtype):
        ...         return 3 * paddle.ones(shape, dtype).numpy()
        >>> paddle.nn.Linear(2, 1, weight_attr=Threes()).weight.tolist()
        [[3.0], [3.0]]
    """

    _op_name = ""  # Paddle's name of the op that fills with it, if there is one

    def __init__(self):
        pass

    def compute(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray | jax.Array:
        """Return the first values of a parameter of this shape and dtype."""
        raise NotImplementedError(
            f"{type(self).__name__} defines neither compute(shape, dtype) nor forward(param)."
        )

    def __call__(self, param: Tensor, block: object = None) -> Any:
        """Write the first values into ``param``; its version does not change.

        Args:
            param: a Tensor of any shape.
            block: unused; Paddle's static graph passes one.
        """
        return self.forward(param, block)

    def forward(self, param: Tensor, block: object = None) -> Any:
        """Do what a call of the initializer does; subclasses override it."""
        array = param._array
        write_array(param, initial_array(self, array.shape, array.dtype))

    def _compute_fans(self, param: Tensor) -> tuple[int, int]:
        """Return (fan_in, fan_out) of a parameter; for user-defined initializers."""
        return compute_fans(tuple(param.shape))


@explained("A parameter")
def initial_array(initializer, shape, dtype: np.dtype) -> jax.Array:
    """Return the array that an initializer with ``compute`` returns for a shape and dtype.

    Raises:
        InvalidTypeError: if it is not such an initializer, or the shape is not made of integers.
        RefusedArgumentError: if a dimension is negative.
        InvalidArgumentError: if the initializer's array has another shape.
    """
    if not callable(getattr(initializer, "compute", None)):
        raise InvalidTypeError(
            "An initializer must be an instance of nn.initializer.Initializer, but received "
            f"{initializer!r} of type {type(initializer).__name__}."
        )
    shape = checked_shape(shape)
    check_size(f"A parameter from {type(initializer).__name__}", shape, dtype)
    array = initializer.compute(shape, dtype)
    if tuple(array.shape) != shape:
        raise InvalidArgumentError(
            f"{type(initializer).__name__} gave values of shape {list(array.shape)} for a "
            f"parameter of shape {list(shape)}. The two must be the same: reshape the values, or "
            "create the parameter with their shape."
        )
    return jax.device_put(array.astype(dtype), places.current_device())


def checked_shape(shape) -> tuple[int, ...]:
    """Return a parameter's shape as a tuple of non-negative ints."""
    try:
        dims = tuple(operator.index(dim) for dim in shape)
    except TypeError:
        raise InvalidTypeError(
            f"The shape of a parameter must be a list of integers, but received {shape!r}."
        ) from None
    if any(dim < 0 for dim in dims):
        raise RefusedArgumentError(
            f"No dimension of a parameter may be negative, but received the shape {list(dims)}."
        )
    return dims


def check_floating(initializer: Initializer, dtype: np.dtype) -> None:
    """Raise InvalidTypeError if random values cannot have this dtype."""
    if not dtypes.is_floating(dtype):
        raise InvalidTypeError(
            f"{type(initializer).__name__} fills floating parameters only, but received dtype "
            f"{dtype.name}. Use Constant or Assign for other dtypes."
        )


def compute_fans(shape: tuple[int, ...]) -> tuple[int, int]:
    """Return (fan_in, fan_out): [in, out] for a matrix, [out, in, *kernel] for a convolution."""
    if len(shape) < 2:
        size = math.prod(shape)
        return size, size
    if len(shape) == 2:
        return shape
    receptive = math.prod(shape[2:])
    return shape[1] * receptive, shape[0] * receptive


_GAINS = {
    "sigmoid": 1,
    "linear": 1,
    "conv1d": 1,
    "conv2d": 1,
    "conv3d": 1,
    "conv1d_transpose": 1,
    "conv2d_transpose": 1,
    "conv3d_transpose": 1,
    "tanh": 5.0 / 3,
    "relu": math.sqrt(2.0),
    "selu": 3.0 / 4,
}


def calculate_gain(nonlinearity: str, param: bool | float | None = None) -> float:
    """Return the factor for weights that keeps the scale of signals through a function.

    Args:
        nonlinearity: sigmoid, linear, conv1d to conv3d and their transposes, tanh, relu,
            leaky_relu or selu.
        param: the negative slope of leaky_relu, 0.01 when None.

    Raises:
        InvalidArgumentError: for any other name.
        RefusedTypeError: when param is not a number.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.initializer.calculate_gain("leaky_relu", 1.0)
        1.0
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if not isinstance(slope, (bool, int, float)):
            raise RefusedTypeError(f"The slope of leaky_relu must be a number, received {slope!r}.")
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity not in _GAINS:
        raise InvalidArgumentError(
            f"nonlinearity function {nonlinearity} is not supported now. The supported are "
            f"{', '.join([*_GAINS, 'leaky_relu'])}."
        )
    return _GAINS[nonlinearity]


_global_weight: Initializer | None = None
_global_bias: Initializer | None = None


def set_global_initializer(
    weight_init: Initializer | None, bias_init: Initializer | None = None
) -> None:
    """Set the initializers of all layers built from now on, unless a ParamAttr names another.

    Args:
        weight_init: for weights; None restores each layer's own default.
        bias_init: the same for biases.

    Raises:
        InvalidTypeError: if one of them is not an initializer.

    Example:
        >>> import jaxeager as paddle
        >>> constant = paddle.nn.initializer.Constant
        >>> paddle.nn.initializer.set_global_initializer(constant(2.0), constant(3.0))
        >>> layer = paddle.nn.Linear(1, 1)
        >>> layer.weight.item(), layer.bias.item()
        (2.0, 3.0)
        >>> paddle.nn.initializer.set_global_initializer(None)
    """
    global _global_weight, _global_bias
    for name, value in (("weight_init", weight_init), ("bias_init", bias_init)):
        if not (value is None or isinstance(value, Initializer)):
            raise InvalidTypeError(
                f"{name} of set_global_initializer must be an Initializer or None, but received "
                f"{value!r}."
            )
    _global_weight, _global_bias = weight_init, bias_init


def global_initializer(is_bias: bool) -> Initializer | None:
    """Return what set_global_initializer set for biases or for weights."""
    return _global_bias if is_bias else _global_weight
