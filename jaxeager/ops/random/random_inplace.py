"""Random draws that overwrite a tensor: the gradient of the old value is 0."""

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.as_array import on_device
from jaxeager.arrays.random import as_key, next_key
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, OutOfRangeError
from jaxeager.ops.call.dispatch import raw, wrap
from jaxeager.ops.elementwise.unary import log1p, zero_vjp
from jaxeager.ops.random.draws import check_ends, draw_uniform, key_of, needs_float, needs_inexact
from jaxeager.ops.random.random_tensors import probability_samples
from jaxeager.ops.register import composite, op
from jaxeager.ops.row import ROWS
from jaxeager.ops.rules.attrs import Scalar, as_int
from jaxeager.ops.rules.domains import (
    CHANCE_OF_SUCCESS,
    NOT_NEGATIVE,
    POSITIVE,
    PROBABILITY,
    check_domain,
)
from jaxeager.ops.rules.precision import in_float32
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, values

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def uniform_inplace_forward(x, key, *, min: Scalar = 0.0, max: Scalar = 1.0):
    """Draw uniformly from [min, max), in the shape of x."""
    needs_float(x)
    return jax.random.uniform(as_key(key), x.shape, x.dtype, min, max)


def gaussian_inplace_forward(x, key, *, mean: Scalar = 0.0, std: Scalar = 1.0):
    """Draw from the normal distribution, in the shape of x."""
    needs_inexact(x)
    return mean + std * jax.random.normal(as_key(key), x.shape, x.dtype)


def exponential_forward(x, key, *, lam: Scalar = 1.0):
    """Draw from the exponential distribution, in the shape of x."""
    needs_float(x)
    return jax.random.exponential(as_key(key), x.shape, x.dtype) / lam


def cauchy_forward(x, key):
    """Draw from the Cauchy distribution of median 0 and scale 1, in the shape of x."""
    needs_float(x)
    return jax.random.cauchy(as_key(key), x.shape, x.dtype)


def log_uniform_forward(x, key):
    """Draw logarithms of uniform numbers from (0, 1], in the shape of x."""
    needs_float(x)
    return -jax.random.exponential(as_key(key), x.shape, x.dtype)


def float_errors():
    """Yield an integer tensor."""
    key = jax.random.key(3)
    yield BadInput((np.array([1, 2]), key), {}, InvalidArgumentError, "a floating dtype")


def complex_errors():
    """Yield an integer tensor, for a draw that also accepts complex ones."""
    key = jax.random.key(3)
    yield BadInput((np.array([1, 2]), key), {}, InvalidArgumentError, "floating or complex")


def _overwrite(
    name: str, forward, doc: str, example: str, moves_version: bool = True, is_complex: bool = False
):
    return op(
        name,
        in_float32(forward),
        vjp=zero_vjp,
        nondiff="key",
        inplace=True,
        moves_version=moves_version,
        public=None,
        samples=probability_samples,
        formula="dx = 0: nothing of the old value is left",
        doc=doc,
        example=example,
        dtypes=WITH_COMPLEX if is_complex else "float32 float64 bfloat16",
        errors=complex_errors if is_complex else float_errors,
    )


_overwrite(
    "uniform_inplace",
    uniform_inplace_forward,
    "Overwrite a tensor with even draws.",
    "paddle.ones([2]).uniform_()",
)
_overwrite(
    "gaussian_inplace",
    gaussian_inplace_forward,
    "Overwrite a tensor with normal draws.",
    "paddle.ones([2]).normal_()",
    is_complex=True,
)
_overwrite(
    "exponential",
    exponential_forward,
    "Overwrite a tensor with exponential draws.",
    "paddle.ones([2]).exponential_()",
    moves_version=False,
)
_overwrite(
    "cauchy_inplace",
    cauchy_forward,
    "Overwrite a tensor with draws from the Cauchy distribution; the first step of cauchy_.",
    "paddle.ones([2]).cauchy_()",
)
_overwrite(
    "log_uniform_inplace",
    log_uniform_forward,
    "Overwrite a tensor with logarithms of even draws; the first step of geometric_.",
    "paddle.ones([2]).geometric_(0.5)",
)

# Integers of up to this many bits are exact in a floating dtype: the default range of random_.
WHOLE_BITS = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}


def random_forward(x, key, *, low: int = 0, high: int = 0):
    """Draw integers from [low, high), in the shape and dtype of x."""
    if not (jnp.issubdtype(x.dtype, jnp.floating) or jnp.issubdtype(x.dtype, jnp.integer)):
        raise ValueError(f"the operand must be of integers or floats, but is {x.dtype.name}.")
    if low >= high:
        raise ValueError(f"random_ draws from [from_, to), but received [{low}, {high}).")
    return jax.random.randint(as_key(key), x.shape, low, high, np.int64).astype(x.dtype)


def random_samples():
    """Yield ranges, 0-D and zero-size."""
    for sample in probability_samples():
        yield Sample(*sample.inputs, low=-3, high=200)
    yield Sample(values((4,)), jax.random.key(3), low=5, high=6)


def random_errors():
    """Yield an empty range, and a tensor of bools."""
    x, key, bad = values((2,)), jax.random.key(3), InvalidArgumentError
    yield BadInput((x, key, 5, 5), {}, bad, "but received [5, 5)")
    yield BadInput((x > 0, key, 0, 5), {}, bad, "integers or floats, but is bool")


op(
    "random",
    random_forward,
    vjp=zero_vjp,
    nondiff="key",
    inplace=True,
    public=None,
    dtypes="float32 float64 bfloat16 int32 int64",
    samples=random_samples,
    errors=random_errors,
    formula="dx = 0: nothing of the old value is left",
    doc="Overwrite a tensor with integers.",
    example="paddle.ones([2]).random_(0, 5)",
)


@composite()
def uniform_(
    x: "Tensor", min: float = 0.0, max: float = 1.0, seed: int = 0, name: str | None = None
) -> "Tensor":
    """Overwrite ``x`` with numbers drawn evenly from [min, max), and return it.

    ``x`` is a floating tensor of any shape.

    Raises:
        InvalidArgumentError: for ends that are not finite, or ``min`` above ``max``.

    Example:
        >>> import jaxeager as paddle
        >>> bool((paddle.zeros([4]).uniform_(1.0, 2.0) >= 1.0).all())
        True
    """
    check_ends("uniform", min, max)
    return ROWS["uniform_inplace"].inplace_function(x, key_of(seed), min, max)


@composite()
def normal_(
    x: "Tensor", mean: complex = 0.0, std: float = 1.0, name: str | None = None
) -> "Tensor":
    """Overwrite ``x`` with normally distributed numbers, and return it.

    ``x`` is a floating tensor of any shape, or a complex one, whose parts get the variance
    ``std**2 / 2`` each.

    Raises:
        InvalidArgumentError: for a negative deviation or nan.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.zeros([2]).normal_(mean=3.0, std=0.0).tolist()
        [3.0, 3.0]
    """
    check_domain("normal_: std", std, NOT_NEGATIVE)
    return ROWS["gaussian_inplace"].inplace_function(x, next_key(), mean, std)


@composite()
def exponential_(x: "Tensor", lam: float = 1.0, name: str | None = None) -> "Tensor":
    """Overwrite ``x`` with exponentially distributed numbers of rate ``lam``, and return it.

    The in-place version does not change, as in Paddle; nor do values of ``x`` saved for backward.

    ``x`` is a floating tensor of any shape.

    Raises:
        InvalidArgumentError: for a rate that is not above 0.

    Example:
        >>> import jaxeager as paddle
        >>> bool((paddle.zeros([4]).exponential_() >= 0.0).all())
        True
    """
    check_domain("exponential_: lam, the rate,", lam, POSITIVE)
    return ROWS["exponential"].inplace_function(x, next_key(), lam)


@composite()
def log_normal_(
    x: "Tensor", mean: float = 1.0, std: float = 2.0, name: str | None = None
) -> "Tensor":
    """Overwrite ``x`` with exponentials of normally distributed numbers, and return it.

    ``x`` is a floating tensor of any shape.

    Example:
        >>> import jaxeager as paddle
        >>> bool((paddle.zeros([4]).log_normal_() > 0.0).all())
        True
    """
    return normal_(x, mean, std).exp_()


@composite()
def cauchy_(
    x: "Tensor", loc: "float | Tensor" = 0, scale: "float | Tensor" = 1, name: str | None = None
) -> "Tensor":
    """Overwrite ``x`` with draws from the Cauchy distribution, and return it.

    Args:
        x: floating tensor.
        loc: the median; a number, or a Tensor that broadcasts with ``x``.
        scale: the half width at half maximum; likewise.
        name: accepted for compatibility.

    Raises:
        InvalidArgumentError: for an integer or complex tensor, or a negative scale.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.zeros([4]).cauchy_(loc=2.0, scale=0.0).tolist()
        [2.0, 2.0, 2.0, 2.0]
    """
    check_domain("cauchy_: scale", scale, NOT_NEGATIVE)
    drawn = ROWS["cauchy_inplace"].inplace_function(x, next_key())
    return _add_to(_multiply_by(drawn, scale), loc)


def _number_like(value, x):
    """Return a number as a 0-D tensor of the dtype of x, or a Tensor cast to that dtype."""
    if hasattr(value, "_storage"):
        return value.astype(x.dtype)
    return wrap(on_device(value, raw(x).dtype))


def _multiply_by(x, factor):
    return ROWS["multiply"].inplace_function(x, _number_like(factor, x))


def _add_to(x, summand):
    return ROWS["add"].inplace_function(x, _number_like(summand, x))


@composite()
def geometric_(x: "Tensor", probs: "float | Tensor", name: str | None = None) -> "Tensor":
    """Overwrite ``x`` with geometric waiting times, before they are rounded up.

    As in Paddle the numbers are not integers: they have the exponential distribution of rate
    ``-log(1 - probs)``. Rounded up, they are the number of trials until the first success.

    Args:
        x: floating tensor.
        probs: probability of success, in (0, 1]; a number, or a Tensor that broadcasts with ``x``.
        name: accepted for compatibility.

    Raises:
        InvalidArgumentError: for an integer or complex tensor, or a number outside of (0, 1].

    Example:
        >>> import jaxeager as paddle
        >>> bool((paddle.zeros([4]).geometric_(0.5).ceil() >= 0.0).all())
        True
    """
    check_domain("geometric_: a probability", probs, CHANCE_OF_SUCCESS)
    drawn = ROWS["log_uniform_inplace"].inplace_function(x, next_key())
    rate = log1p(-_number_like(probs, x))
    return ROWS["divide"].inplace_function(drawn, rate)


@composite()
def bernoulli_(x: "Tensor", p: "float | Tensor" = 0.5, name: str | None = None) -> "Tensor":
    """Overwrite ``x`` with 1 with probability ``p``, else 0, and return it.

    Args:
        x: floating tensor.
        p: the probability; a number, or a Tensor that broadcasts with ``x``.
        name: accepted for compatibility.

    Raises:
        InvalidArgumentError: for an integer or complex tensor.
        OutOfRangeError: for a number that is not a probability.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.zeros([3]).bernoulli_(paddle.to_tensor([0.0, 1.0, 0.0])).tolist()
        [0.0, 1.0, 0.0]
    """
    array = raw(x)
    if not jnp.issubdtype(array.dtype, jnp.floating):
        raise InvalidArgumentError(
            f"bernoulli_(): the tensor must have a floating dtype, but has {array.dtype.name}."
        )
    check_domain("bernoulli_: a probability", p, PROBABILITY, OutOfRangeError)
    ones = wrap(draw_uniform(next_key(), array.shape, array.dtype) < raw(_number_like(p, x)))
    fill = ROWS["masked_fill"].inplace_function
    fill(x, ones, _number_like(1, x))
    return fill(x, ones.logical_not(), _number_like(0, x))


@composite(public=None)
def random_(
    x: "Tensor", from_: int = 0, to: int | None = None, *, generator: None = None
) -> "Tensor":
    """Overwrite ``x`` with integers drawn evenly from [from_, to), and return it.

    Args:
        x: tensor of integers or floats.
        from_: the smallest integer; without ``to`` it is the end, and 0 the smallest.
        to: one more than the largest. Without both, the integers from 0 that the dtype holds
            exactly.
        generator: must be None.

    Raises:
        InvalidArgumentError: when there is no integer in the range.
        InvalidTypeError: when ``generator`` is given, or an end is not an integer.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.zeros([3]).random_(4, 5).tolist()
        [4.0, 4.0, 4.0]
    """
    if generator is not None:
        raise InvalidTypeError(f"random_(): generator must be None, but received {generator!r}.")
    low, high = as_int(from_, "from_"), to
    if high is None and low == 0:
        high = _whole_numbers(raw(x).dtype)
    elif high is None:
        low, high = 0, low
    return ROWS["random"].inplace_function(x, next_key(), low, as_int(high, "to"))


def _whole_numbers(dtype: np.dtype) -> int:
    bits = WHOLE_BITS.get(dtype.name)
    return 2**bits if bits else int(np.iinfo(dtype).max) if dtype.kind in "iu" else 1
