"""Draws whose parameters are the elements of tensors: bernoulli, multinomial, gamma and others."""

from functools import partial
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.random import as_key, next_key
from jaxeager.errors import InvalidArgumentError, OutOfRangeError
from jaxeager.ops.call.dispatch import raw, wrap
from jaxeager.ops.elementwise.unary import zero_vjp
from jaxeager.ops.random import rejection
from jaxeager.ops.random.draws import drawing_dtype, needs_float
from jaxeager.ops.register import composite, op
from jaxeager.ops.row import NONDIFF
from jaxeager.ops.rules.attrs import as_whole
from jaxeager.ops.rules.domains import (
    FINITE_NOT_NEGATIVE,
    NOT_NEGATIVE,
    PROBABILITY,
    Domain,
    check_domain,
)
from jaxeager.ops.rules.precision import in_float32
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def probability_samples():
    """Yield probabilities and a key: a matrix, 0-D and zero-size."""
    for shape in ((2, 3), (), (0, 3)):
        yield Sample(values(shape, 0.1, 0.9), jax.random.key(3))


def bernoulli_forward(x, key):
    """Draw 1 with probability x, else 0."""
    drawn = jax.random.uniform(as_key(key), x.shape, drawing_dtype(x.dtype))
    return (drawn < x).astype(x.dtype)


_bernoulli = op(
    "bernoulli",
    bernoulli_forward,
    vjp=NONDIFF,
    nondiff="key",
    public=None,
    samples=probability_samples,
    doc="Draw 1 with the probability each element gives, else 0.",
    example="paddle.bernoulli(paddle.to_tensor([0.2, 0.8]))",
)


@composite(method=False)
def bernoulli(x: "Tensor", p: float | None = None, name: str | None = None) -> "Tensor":
    """Return 1 with the probability in each element of ``x``, else 0.

    Args:
        x: floating tensor of probabilities in [0, 1]. If they are not checked (Note [Checked
            domains]) a number above 1 counts as 1, and one below 0 as 0.
        p: one probability for all elements, instead of ``x``'s values.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape and dtype of ``x``.

    Raises:
        OutOfRangeError: for a number that is not a probability.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.bernoulli(paddle.to_tensor([0.0, 1.0])).tolist()
        [0.0, 1.0]
    """
    check_domain("bernoulli: a probability", x if p is None else p, PROBABILITY, OutOfRangeError)
    if p is not None:
        x = wrap(jnp.full_like(raw(x), p))
    return _bernoulli(x, next_key())


def multinomial_forward(x, key, *, num_samples: int = 1, replacement: bool = False):
    """Draw places: those of the largest log-probabilities plus Gumbel noise.

    With replacement: where a uniform number is among the running sums of the probabilities.
    """
    if x.ndim not in (1, 2):
        raise ValueError(f"the operand must have 1 or 2 dimensions, but has {x.ndim}.")
    if num_samples < 1 or (num_samples > x.shape[-1] and not replacement):
        raise ValueError(
            f"num_samples must be above 0 and, without replacement, no more than the "
            f"{x.shape[-1]} categories, but is {num_samples}."
        )
    if replacement:
        return _drawn_again(x, as_key(key), num_samples)
    logits = jnp.log(x.astype(drawing_dtype(x.dtype)))
    noisy = logits + jax.random.gumbel(as_key(key), x.shape, logits.dtype)
    return jax.lax.top_k(noisy, num_samples)[1].astype(np.int64)


def _drawn_again(x, key, count: int):
    """Draw ``count`` places of each line of [..., n] by its distribution function.

    In float64: float32 would lose probabilities below 6e-8 of the sum next to larger ones.
    """
    wide = jax.dtypes.canonicalize_dtype(np.float64)  # float32 if JAX has no 64 bits
    sums = jnp.cumsum(x.astype(wide), -1)
    drawn = jax.random.uniform(key, (*x.shape[:-1], count), wide) * sums[..., -1:]
    find = jnp.vectorize(partial(jnp.searchsorted, side="right"), signature="(n),(k)->(k)")
    last = x.shape[-1] - 1 - jnp.argmax(jnp.flip(x > 0, -1), -1, keepdims=True)
    return jnp.minimum(find(sums, drawn), last).astype(np.int64)


def multinomial_samples():
    """Yield a vector, a matrix, and draws with replacement."""
    yield Sample(values((4,), 0.1, 0.9), jax.random.key(3))
    yield Sample(values((2, 3), 0.1, 0.9), jax.random.key(3), num_samples=2)
    yield Sample(values((2, 3), 0.1, 0.9), jax.random.key(3), num_samples=5, replacement=True)


_multinomial = op(
    "multinomial",
    multinomial_forward,
    vjp=NONDIFF,
    nondiff="key",
    public=None,
    dtypes="float32 float64",
    samples=multinomial_samples,
    errors=lambda: (
        BadInput((np.ones(2), jax.random.key(3), 3), {}, InvalidArgumentError, "2 categories"),
    ),
    doc="Draw positions with probabilities in proportion to the elements.",
    example="paddle.multinomial(paddle.to_tensor([0.2, 0.8]))",
)


@composite()
def multinomial(
    x: "Tensor", num_samples: int = 1, replacement: bool = False, name: str | None = None
) -> "Tensor":
    """Return places drawn with the probabilities in a vector, or in each row of a matrix.

    Args:
        x: float[n] or float[m, n], not negative; they need not add up to 1, but one must be above
            0, and without replacement ``num_samples`` of them.
        num_samples: the number of draws.
        replacement: whether a place may be drawn again.
        name: accepted for compatibility.

    Returns:
        int64[num_samples] or int64[m, num_samples].

    Raises:
        InvalidArgumentError: when ``num_samples`` exceeds the number of places without replacement;
            and for numbers that are not probabilities, see Note [Checked domains].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.multinomial(paddle.to_tensor([0.0, 3.0, 0.0])).tolist()
        [1]
    """
    check_domain("multinomial: a probability", x, FINITE_NOT_NEGATIVE)
    num_samples = as_whole(num_samples, "num_samples")
    needed = 1 if replacement else num_samples
    if needed <= sum(raw(x).shape[-1:]):  # else the op raises
        what = "multinomial: the number of nonzero probabilities"
        check_domain(what, x, _needs(needed))
    return _multinomial(x, next_key(), num_samples, replacement)


def _needs(count: int) -> Domain:
    """Return the domain of rows with at least ``count`` numbers above 0."""
    text = "must be 1 or more" if count == 1 else f"must be {count} or more, as many as are drawn"
    return Domain(text, count, of=_possible)


def _possible(values):
    return (values > 0).sum(-1)


@real_only
def poisson_forward(x, key):
    """Draw counts of mean x."""
    return rejection.poisson(as_key(key), x).astype(x.dtype)


_poisson = op(
    "poisson",
    poisson_forward,
    vjp=zero_vjp,
    nondiff="key",
    public=None,
    samples=probability_samples,
    formula="dx = 0",
    doc="Draw counts from the Poisson distribution of each element's mean.",
    example="paddle.poisson(paddle.to_tensor([2.0, 8.0]))",
)


@composite(method=False)
def poisson(x: "Tensor", name: str | None = None) -> "Tensor":
    """Return counts drawn from Poisson distributions with the means in ``x``.

    ``x`` is a tensor of real numbers, of any shape; the result has its shape and dtype.

    Raises:
        InvalidArgumentError: for a mean that is negative or not finite; see Note [Checked domains].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.poisson(paddle.to_tensor([0.0])).tolist()
        [0.0]
    """
    check_domain("poisson: a mean", x, FINITE_NOT_NEGATIVE)
    return _poisson(x, next_key())


@in_float32
def standard_gamma_forward(x, key):
    """Draw from the gamma distribution of shape x and rate 1."""
    needs_float(x, "x")
    return rejection.gamma(as_key(key), x)


_standard_gamma = op(
    "standard_gamma",
    standard_gamma_forward,
    vjp=NONDIFF,
    nondiff="key",
    public=None,
    samples=probability_samples,
    errors=lambda: (
        BadInput((np.array([1]), jax.random.key(3)), {}, InvalidArgumentError, "has int64"),
    ),
    dtypes="float32 float64",  # bfloat16 is drawn in float32; it takes long to compile
    doc="Draw from the gamma distribution of each element's shape and of rate 1.",
    example="paddle.standard_gamma(paddle.to_tensor([2.0, 8.0]))",
)


@composite(method=False)
def standard_gamma(x: "Tensor", name: str | None = None) -> "Tensor":
    """Return draws from gamma distributions with the shapes in ``x`` and rate 1.

    There is no gradient, as in Paddle.

    Args:
        x: floating tensor of shapes, which must not be negative.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape and dtype of ``x``.

    Raises:
        InvalidArgumentError: for an integer or complex tensor, a negative shape or nan; see Note
            [Checked domains].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.standard_gamma(paddle.ones([2, 3])).shape
        paddle.Size([2, 3])
    """
    check_domain("standard_gamma: a shape", x, NOT_NEGATIVE)
    return _standard_gamma(x, next_key())


def binomial_forward(count, prob, key):
    """Draw the number of successes of ``count`` trials of probability ``prob``."""
    needs_float(prob, "prob")
    # 64 bits: a count above 2 ** 24 is not exact in fewer.
    trials = jnp.maximum(count.astype(np.float64), 0)
    chance = jnp.clip(prob.astype(np.float64), 0, 1)
    drawn = rejection.binomial(as_key(key), *jnp.broadcast_arrays(trials, chance))
    return drawn.astype(np.int64)


def binomial_samples():
    """Yield broadcasting, 0-D and zero-size."""
    key = jax.random.key(3)
    yield Sample(np.array([[20], [5]]), values((3,), 0.1, 0.9), key)
    yield Sample(np.array(40), values((), 0.1, 0.9), key)
    yield Sample(np.zeros((0, 3), int), values((3,), 0.1, 0.9), key)


_binomial = op(
    "binomial",
    binomial_forward,
    vjp=NONDIFF,
    nondiff="count prob key",
    public=None,
    samples=binomial_samples,
    errors=lambda: (
        BadInput(
            (np.ones(2), np.array([1, 1]), jax.random.key(3)), {}, InvalidArgumentError, "prob must"
        ),
    ),
    dtypes="float32",  # the draw is always made in float64; it takes long to compile
    doc="Draw numbers of successes for given numbers of trials and probabilities.",
    example="paddle.binomial(paddle.to_tensor([10, 20]), paddle.to_tensor([0.5, 0.1]))",
)


@composite(method=False)
def binomial(count: "Tensor", prob: "Tensor", name: str | None = None) -> "Tensor":
    """Return the number of successes in ``count`` trials that succeed with probability ``prob``.

    Args:
        count: tensor of numbers of trials, which must not be negative.
        prob: floating tensor of probabilities in [0, 1] that broadcasts with ``count``.
        name: accepted for compatibility.

    Returns:
        int64 tensor of the broadcast shape.

    Raises:
        InvalidArgumentError: for a ``prob`` that is not floating, shapes that do not broadcast, a
            negative count or a number that is not a probability; see Note [Checked domains].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.binomial(paddle.to_tensor([3, 4]), paddle.to_tensor([0.0, 1.0])).tolist()
        [0, 4]
    """
    check_domain("binomial: a count", count, FINITE_NOT_NEGATIVE)
    check_domain("binomial: a probability", prob, PROBABILITY)
    return _binomial(count, prob, next_key())
