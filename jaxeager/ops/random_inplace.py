"""Random draws that overwrite a tensor: the gradient of the old value is 0."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.attrs import Scalar
from jaxeager.ops.precision import in_float32
from jaxeager.ops.random import key_of, probability_samples
from jaxeager.ops.row import ROWS, composite, op
from jaxeager.ops.samples import BadInput
from jaxeager.ops.unary import zero_vjp
from jaxeager.random import next_key


def _needs_float(x) -> None:
    if not jnp.issubdtype(x.dtype, jnp.floating):
        raise ValueError(f"the operand must have a floating dtype, but has {x.dtype.name}.")


def uniform_inplace_forward(x, key, *, min: Scalar = 0.0, max: Scalar = 1.0):
    """Draws evenly from [min, max), in the shape of x."""
    _needs_float(x)
    return jax.random.uniform(key, x.shape, x.dtype, min, max)


def gaussian_inplace_forward(x, key, *, mean: Scalar = 0.0, std: Scalar = 1.0):
    """Draws from the normal distribution, in the shape of x."""
    _needs_float(x)
    return mean + std * jax.random.normal(key, x.shape, x.dtype)


def exponential_forward(x, key, *, lam: Scalar = 1.0):
    """Draws from the exponential distribution, in the shape of x."""
    _needs_float(x)
    return jax.random.exponential(key, x.shape, x.dtype) / lam


def float_errors():
    """Yields an integer tensor."""
    key = jax.random.key(3)
    yield BadInput((np.array([1, 2]), key), {}, InvalidArgumentError, "a floating dtype")


def _overwrite(name: str, forward, doc: str, example: str):
    return op(
        name,
        in_float32(forward),
        vjp=zero_vjp,
        nondiff="key",
        inplace=True,
        public=None,
        samples=probability_samples,
        errors=float_errors,
        formula="dx = 0: nothing of the old value is left",
        doc=doc,
        example=example,
    )


_overwrite(
    "uniform_inplace",
    uniform_inplace_forward,
    "Overwrites a tensor with even draws.",
    "paddle.ones([2]).uniform_()",
)
_overwrite(
    "gaussian_inplace",
    gaussian_inplace_forward,
    "Overwrites a tensor with normal draws.",
    "paddle.ones([2]).normal_()",
)
_overwrite(
    "exponential",
    exponential_forward,
    "Overwrites a tensor with exponential draws.",
    "paddle.ones([2]).exponential_()",
)
ROWS["exponential"].moves_version = False


@composite()
def uniform_(x, min=0.0, max=1.0, seed=0, name=None):
    """Overwrites ``x`` with numbers drawn evenly from [min, max), and returns it.

    Example:
        >>> import jaxeager as paddle
        >>> bool((paddle.zeros([4]).uniform_(1.0, 2.0) >= 1.0).all())
        True
    """
    return ROWS["uniform_inplace"].inplace_function(x, key_of(seed), min, max)


@composite()
def normal_(x, mean=0.0, std=1.0, name=None):
    """Overwrites ``x`` with normally distributed numbers, and returns it.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.zeros([2]).normal_(mean=3.0, std=0.0).tolist()
        [3.0, 3.0]
    """
    return ROWS["gaussian_inplace"].inplace_function(x, next_key(), mean, std)


@composite()
def exponential_(x, lam=1.0, name=None):
    """Overwrites ``x`` with exponentially distributed numbers of rate ``lam``, and returns it.

    The in-place version stays, as in Paddle; what backward has saved of ``x`` stays too.

    Example:
        >>> import jaxeager as paddle
        >>> bool((paddle.zeros([4]).exponential_() >= 0.0).all())
        True
    """
    return ROWS["exponential"].inplace_function(x, next_key(), lam)


@composite()
def log_normal_(x, mean=1.0, std=2.0, name=None):
    """Overwrites ``x`` with exponentials of normally distributed numbers, and returns it.

    Example:
        >>> import jaxeager as paddle
        >>> bool((paddle.zeros([4]).log_normal_() > 0.0).all())
        True
    """
    return normal_(x, mean, std).exp_()
