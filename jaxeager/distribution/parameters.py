"""Readers of parameters, and small formulas that several distributions share."""

import numbers
from typing import Any

import numpy as np

import jaxeager as paddle
from jaxeager.errors import InvalidTypeError
from jaxeager.ops.rules.domains import Domain, check_domain


def number_or_tensor(name: str, value):
    """Return a real number as a 0-D tensor of the default dtype, a tensor unchanged.

    Raises:
        InvalidTypeError: for any other type.
    """
    if isinstance(value, numbers.Real):
        return paddle.full([], value, dtype=paddle.get_default_dtype())  # type: ignore[arg-type]
    if not isinstance(value, paddle.Tensor):
        raise InvalidTypeError(f"Expected type of {name} is Real|Variable, but got {type(value)}")
    return value


def check_parameters(distribution, domain: Domain, **parameters) -> None:
    """Raise for a parameter outside its domain; see ops/rules/domains.py, Note [Checked domains].

    Raises:
        InvalidArgumentError: it names the parameter, its class and the value.
    """
    for name, value in parameters.items():
        check_domain(f"The parameter `{name}` of {type(distribution).__name__}", value, domain)


def location_and_scale(loc, scale):
    """Return two numbers or tensors as tensors of one shape."""
    loc, scale = number_or_tensor("loc", loc), number_or_tensor("scale", scale)
    return (loc, scale) if loc.shape == scale.shape else paddle.broadcast_tensors([loc, scale])


def dtype_name(tensor) -> str:
    """Return the name of a tensor's dtype, without the module."""
    return str(tensor.dtype).rpartition(".")[2]


def limits_of(tensor) -> Any:
    """Return the machine limits of a tensor's dtype: eps, min, max and so on."""
    return paddle.finfo(tensor.dtype)


def shape_of(*tensors) -> tuple:
    """Return the shape that tensors broadcast to."""
    shape = tuple(tensors[0].shape)
    for tensor in tensors[1:]:
        shape = tuple(paddle.broadcast_shape(list(shape), list(tensor.shape)))
    return shape


def spread(value, shape):
    """Return the tensor broadcast to a shape, the same object if it already has it."""
    return value if tuple(value.shape) == tuple(shape) else paddle.broadcast_to(value, list(shape))


def sum_rightmost(value, rank: int):
    """Return the sum over the last ``rank`` dimensions."""
    return value.sum(list(range(-rank, 0))) if rank > 0 else value


def xlogy(x, y):
    """Return x log y, and 0 where both are 0; the gradients are 0 there too."""
    both = (x == 0) & (y == 0)
    return x * paddle.log(paddle.where(both, paddle.ones_like(y), y))


def inside(condition, value, outside: float):
    """Return the value where the condition holds, else a constant without gradient."""
    condition, value = paddle.broadcast_tensors([condition, value])
    return paddle.where(condition, value, paddle.full_like(value, outside))


def open_uniform(shape, dtype):
    """Return uniform draws above 0 and below 1, whose logarithms are finite."""
    return paddle.uniform(list(shape), dtype=dtype, min=float(np.finfo("float32").tiny))


def check_same_class(p, q) -> None:
    """Raise unless the second distribution is of the class of the first.

    Raises:
        InvalidTypeError: when it is not.
    """
    if not isinstance(q, type(p)) and not isinstance(p, type(q)):
        raise InvalidTypeError(f"Expected type of other is {type(p).__name__}, but got {type(q)}")
