"""Random tensors: each draw takes a fresh key of the default generator (arrays/random.py).

Draws over given tensors (random_tensors.py), and those that overwrite one (random_inplace.py), are
rows with the key as an operand. The draws in this file have no operand; their kernels are compiled
once per shape and dtype.
"""

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.ordering import argsort
from jaxeager.arrays.random import as_key, first_key, next_key
from jaxeager.core import dtypes
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, NotFoundError
from jaxeager.kernels.tracing import jit
from jaxeager.ops.call.creation_events import source
from jaxeager.ops.call.dispatch import raw, scalar_of_dtype, wrap
from jaxeager.ops.creation.creation import checked_shape, dtype_or_default
from jaxeager.ops.creation.placement import placed
from jaxeager.ops.elementwise.math import add, multiply
from jaxeager.ops.elementwise.scaling import scale
from jaxeager.ops.elementwise.unary import exp
from jaxeager.ops.register import composite
from jaxeager.ops.rules import fitting
from jaxeager.ops.rules.attrs import as_int
from jaxeager.ops.rules.domains import (
    FINITE,
    NOT_NEGATIVE,
    check_domain,
)

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike, ShapeLike
    from jaxeager.tensor.tensor import Tensor


def key_of(seed: int = 0) -> jax.Array:
    """Return the key of a seed; for 0 a fresh one of the generator."""
    return first_key(seed) if seed else next_key()


def _inexact_dtype(name: str, dtype) -> np.dtype:
    found = dtype_or_default(dtype)
    if found not in dtypes.FLOATS and found.kind != "c":
        raise InvalidTypeError(
            f"{name}(): dtype must be a floating or complex one, but received {found.name}."
        )
    return found


def needs_float(x, what: str = "the operand") -> None:
    """Check the operand of a draw in a kernel.

    Raises:
        ValueError: when it is not floating.
    """
    if not jnp.issubdtype(x.dtype, jnp.floating):
        raise ValueError(f"{what} must have a floating dtype, but has {x.dtype.name}.")


def needs_inexact(x) -> None:
    """Check the operand of a draw that is defined for complex numbers too, in a kernel.

    Raises:
        ValueError: when it is neither floating nor complex.
    """
    if not jnp.issubdtype(x.dtype, jnp.inexact):
        raise ValueError(f"the operand must be floating or complex, but is {x.dtype.name}.")


def drawing_dtype(dtype) -> np.dtype:
    """Return float32 for (b)float16: numbers are drawn with 24 bits and rounded."""
    return np.dtype("float32") if dtype in dtypes.HALF else dtype


@partial(jit, static_argnums=(1, 2))
def _uniform(key, shape, dtype, low, high):
    if dtype.kind == "c":
        part = np.empty(0, dtype).real.dtype
        return jax.lax.complex(*jax.random.uniform(as_key(key), (2, *shape), part, low, high))
    drawn = jax.random.uniform(as_key(key), shape, drawing_dtype(dtype), low, high)
    return drawn.astype(dtype)


def _even(key, shape, dtype, low: float, high: float) -> jax.Array:
    """Return uniform draws from [low, high)."""
    bounds = [scalar_of_dtype(bound, np.dtype("float64")) for bound in (low, high)]
    return _uniform(key, shape, dtype, *bounds)


def draw_uniform(key, shape, dtype) -> jax.Array:
    """Return uniform draws from [0, 1) with at least 24 bits: float32 for (b)float16."""
    return _even(key, shape, drawing_dtype(dtype), 0.0, 1.0)


@partial(jit, static_argnums=(1, 2))
def _normal(key, shape, dtype):
    return jax.random.normal(as_key(key), shape, drawing_dtype(dtype)).astype(dtype)


@partial(jit, static_argnums=(1, 2))
def _randint(key, shape, dtype, low, high):
    return jax.random.randint(as_key(key), shape, low, high, np.int64).astype(dtype)


@partial(jit, static_argnums=(1, 2))
def _permutation(key, count, dtype):
    """Return the numbers below ``count``, shuffled as ``jax.random.permutation`` shuffles them.

    A round sorts them by 32 random bits each; as bits may be equal there are enough rounds for the
    cube of ``count``.
    """
    key, order = as_key(key), jnp.arange(count)
    for _ in range(math.ceil(3 * math.log(max(1, count)) / math.log(2**32 - 1))):
        key, part = jax.random.split(key)
        order = order[argsort(jax.random.bits(part, (count,), np.uint32))]
    return order.astype(dtype)


def check_ends(name: str, low, high) -> None:
    """Raise InvalidArgumentError unless two numbers are finite and in order."""
    for what, end in (("min", low), ("max", high)):
        check_domain(f"{name}: {what}", end, FINITE)
    if low > high:
        raise InvalidArgumentError(
            f"The {name}_random's min must less then max, but received: min = {low}, max = {high}."
        )


@composite(method=False)
@source("uniform")
@placed("out device requires_grad")
def uniform(
    shape: "ShapeLike | int",
    dtype: "DTypeLike | None" = None,
    min: float = 0.0,
    max: float = 1.0,
    seed: int = 0,
    name: str | None = None,
) -> "Tensor":
    """Return numbers drawn evenly from [min, max).

    Args:
        shape: the shape.
        dtype: a floating dtype, the default one; or a complex one, both of whose parts are drawn.
        min: the lower end.
        max: the upper end.
        seed: draw from this seed alone if it is not 0.
        name: accepted for compatibility.

    Returns:
        Tensor of that shape and dtype.

    Raises:
        InvalidTypeError: for a dtype of integers.
        InvalidArgumentError: for ends that are not finite, or ``min`` above ``max``.

    Paddle: draws from (max, min] if ``min`` is larger.

    Example:
        >>> import jaxeager as paddle
        >>> bool((paddle.uniform([4], min=2.0, max=3.0) >= 2.0).all())
        True
    """
    found = _inexact_dtype("uniform", dtype)
    check_ends("uniform", min, max)
    return wrap(_even(key_of(seed), checked_shape(shape), found, float(min), float(max)))


@composite(method=False)
@source("uniform")
@placed("out device requires_grad pin_memory", sizes=True)
def rand(
    shape: "ShapeLike | int", dtype: "DTypeLike | None" = None, name: str | None = None
) -> "Tensor":
    """Return numbers drawn evenly from [0, 1).

    The shape is an int, a list of ints or an int Tensor; ``dtype`` is a floating one, by default
    the default dtype, or a complex one, both of whose parts are drawn.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.rand([2, 3]).shape
        paddle.Size([2, 3])
    """
    found = _inexact_dtype("rand", dtype)
    return wrap(_even(next_key(), checked_shape(shape), found, 0.0, 1.0))


@composite(method=False, aliases="randn")
@source("gaussian")
@placed("out device requires_grad pin_memory", sizes=True)
def standard_normal(
    shape: "ShapeLike | int", dtype: "DTypeLike | None" = None, name: str | None = None
) -> "Tensor":
    """Return numbers drawn from the normal distribution of mean 0 and deviation 1.

    The shape is an int, a list of ints or an int Tensor; ``dtype`` is a floating one, by default
    the default dtype, or a complex one, whose parts have the variance 1/2 each.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.randn([2, 3]).shape
        paddle.Size([2, 3])
    """
    found = _inexact_dtype("standard_normal", dtype)
    return wrap(_normal(next_key(), checked_shape(shape), found))


def _like_dtype(name: str, x, dtype) -> np.dtype:
    return _inexact_dtype(name, raw(x).dtype if dtype is None else dtype)


@composite(method=False)
@source("uniform")
@placed("device requires_grad")
def rand_like(
    input: "Tensor", name: str | None = None, *, dtype: "DTypeLike | None" = None
) -> "Tensor":
    """Return numbers drawn evenly from [0, 1), in another tensor's shape and dtype.

    ``input`` is a floating or complex tensor of any shape, or of any dtype if such a ``dtype`` is
    given.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.rand_like(paddle.ones([2])).shape
        paddle.Size([2])
    """
    found = _like_dtype("rand_like", input, dtype)
    return wrap(_even(next_key(), raw(input).shape, found, 0.0, 1.0))


@composite(method=False)
@source("gaussian")
@placed("device requires_grad")
def randn_like(x: "Tensor", dtype: "DTypeLike | None" = None, name: str | None = None) -> "Tensor":
    """Return normally distributed numbers, in another tensor's shape and dtype.

    ``x`` is a floating or complex tensor of any shape, or of any dtype if such a ``dtype`` is
    given.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.randn_like(paddle.ones([2])).shape
        paddle.Size([2])
    """
    return wrap(_normal(next_key(), raw(x).shape, _like_dtype("randn_like", x, dtype)))


@composite(method=False)
@placed("out")
def normal(
    mean: "complex | Tensor" = 0.0,
    std: "float | Tensor" = 1.0,
    shape: "ShapeLike | int | None" = None,
    name: str | None = None,
) -> "Tensor":
    """Return normally distributed numbers; gradients reach ``mean`` and ``std`` tensors.

    Args:
        mean: a number, or a tensor of means. With a complex one the results are complex, and their
            parts have the variance ``std**2 / 2`` each.
        std: a number, or a tensor of deviations, which must not be negative.
        shape: the shape, if both are numbers.
        name: accepted for compatibility.

    Returns:
        Tensor of ``shape``, or of the shape of the tensors.

    Raises:
        InvalidArgumentError: for a negative deviation or nan; see Note [Checked domains].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.normal(mean=paddle.zeros([3]), std=2.0).shape
        paddle.Size([3])
    """
    check_domain("normal: std", std, NOT_NEGATIVE)
    given: list[Any] = [raw(value) for value in (mean, std) if hasattr(value, "_storage")]
    if not given:
        mean = _number(mean)
        kind = dtypes.default_complex() if isinstance(mean, complex) else None
        return gaussian([1] if shape is None else shape, mean, float(std), dtype=kind)
    dims = jnp.broadcast_shapes(*[array.shape for array in given])
    out = _standard_normal(dims, given[0].dtype)
    out = multiply(out, std) if hasattr(std, "_storage") else scale(out, float(std), None)
    return add(out, mean) if hasattr(mean, "_storage") else scale(out, None, _number(mean))


def _number(mean) -> complex:
    return mean if isinstance(mean, complex) else float(mean)


@source("gaussian")
def _standard_normal(dims: tuple, dtype):
    return wrap(_normal(next_key(), dims, dtype))


@source("gaussian")
def gaussian(
    shape: "ShapeLike | int",
    mean: complex = 0.0,
    std: float = 1.0,
    seed: int = 0,
    dtype: "DTypeLike | None" = None,
    name: str | None = None,
) -> "Tensor":
    """Return normally distributed numbers; for ``paddle.tensor.random``.

    Args:
        shape: the shape.
        mean: their mean.
        std: their standard deviation.
        seed: draw from this seed alone if it is not 0.
        dtype: a floating or complex dtype, the default one.
        name: accepted for compatibility.

    Raises:
        InvalidTypeError: for a dtype of integers.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.tensor.random.gaussian([2], mean=3.0, std=0.0).tolist()
        [3.0, 3.0]
    """
    found = _inexact_dtype("gaussian", dtype)
    out = wrap(_normal(key_of(seed), checked_shape(shape), found))
    return scale(scale(out, std, None), None, mean)


@composite(method=False)
def log_normal(
    mean: "float | Tensor" = 1.0,
    std: "float | Tensor" = 2.0,
    shape: "ShapeLike | int | None" = None,
    name: str | None = None,
) -> "Tensor":
    """Return the exponentials of normally distributed numbers.

    See ``normal`` for the parameters, and for the shape and dtype of the result.

    Example:
        >>> import jaxeager as paddle
        >>> bool((paddle.log_normal(shape=[4]) > 0).all())
        True
    """
    return exp(normal(mean, std, shape))


@composite(method=False)
def randint(
    low: int = 0,
    high: int | None = None,
    shape: "ShapeLike | int" = (1,),
    dtype: "DTypeLike | None" = None,
    name: str | None = None,
) -> "Tensor":
    """Return integers drawn evenly from [low, high), or from [0, low) without ``high``.

    Args:
        low: the smallest integer.
        high: one more than the largest integer.
        shape: the shape.
        dtype: int64 by default.
        name: accepted for compatibility.

    Returns:
        Tensor of that shape and dtype.

    Raises:
        InvalidArgumentError: when there is no integer in the range.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.randint(3, 4, [2]).tolist()
        [3, 3]
    """
    found = np.dtype("int64") if dtype is None else dtypes.to_numpy(dtype)
    _check_kernel("randint", found, ("int32", "int64"))
    return _integers(low, high, checked_shape(shape), found)


def _check_kernel(name: str, dtype: np.dtype, known: tuple[str, ...]) -> None:
    """Check that an op draws in a dtype.

    Raises:
        NotFoundError: for another one.
    """
    if dtype.name not in known:
        raise NotFoundError(
            f"{name} draws {', '.join(known[:-1])} or {known[-1]}, not {dtype.name}. Cast the "
            f"result, as in paddle.{name}(...).astype({dtype.name!r})."
        )


@source("randint")
def _integers(low, high, shape, dtype):
    low, high = (0, low) if high is None else (low, high)
    if low >= high:
        raise InvalidArgumentError(
            f"randint's low must less then high, but received: low = {low}, high = {high}."
        )
    low, high = as_int(int(low), "low"), as_int(int(high), "high")
    fitting.check(low, dtype)
    fitting.check(high - 1, dtype)
    bounds = [scalar_of_dtype(bound, np.dtype("int64")) for bound in (low, high)]
    return wrap(_randint(next_key(), shape, dtype, *bounds))


@composite(method=False)
def randint_like(
    x: "Tensor",
    low: int = 0,
    high: int | None = None,
    dtype: "DTypeLike | None" = None,
    name: str | None = None,
) -> "Tensor":
    """Return integers from [low, high), in another tensor's shape and dtype.

    ``x`` is a tensor of any shape and dtype; ``dtype``, if given, is that of the result. Without
    ``high`` the integers are from [0, low).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.randint_like(paddle.ones([2]), 3, 4).tolist()
        [3.0, 3.0]
    """
    array = raw(x)
    return _integers(
        low, high, array.shape, array.dtype if dtype is None else dtypes.to_numpy(dtype)
    )


@composite(method=False)
@source("randperm")
@placed("out device requires_grad pin_memory")
def randperm(n: int, dtype: "DTypeLike" = "int64", name: str | None = None) -> "Tensor":
    """Return the numbers from 0 to n - 1 in random order.

    They are a tensor [n], int64 unless another ``dtype`` is given.

    Raises:
        InvalidArgumentError: when ``n`` is not above 0.

    Example:
        >>> import jaxeager as paddle
        >>> sorted(paddle.randperm(4).tolist())
        [0, 1, 2, 3]
    """
    count = as_int(n, "n")
    if count < 0:
        raise InvalidArgumentError(f"The input n of randperm must not be negative, but is {n}.")
    found = dtypes.to_numpy(dtype)
    _check_kernel("randperm", found, ("int32", "int64", "float32", "float64"))
    return wrap(_permutation(next_key(), count, found))
