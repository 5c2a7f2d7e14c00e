"""Draws from the likeliest places, as in decoders of language models."""

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.ordering import argsort
from jaxeager.arrays.random import as_key, next_key
from jaxeager.errors import InvalidArgumentError, UnimplementedError
from jaxeager.ops.call.dispatch import raw
from jaxeager.ops.indexing.search import topk
from jaxeager.ops.register import composite, op
from jaxeager.ops.row import NONDIFF
from jaxeager.ops.rules.domains import NOT_NEGATIVE, check_domain
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


@real_only
def top_p_forward(x, ps, key, threshold=None, *, is_truncated: bool = True):
    """Draw a place from each row among the likeliest, whose probabilities add up to ps."""
    if x.ndim != 2 or ps.size != x.shape[0]:
        raise ValueError(f"x must be [n, m] and ps [n, 1], but they are {x.shape} and {ps.shape}.")
    order = argsort(-x)
    shares = jnp.take_along_axis(x, order, -1).astype(np.float32)
    before = jnp.cumsum(shares, axis=-1) - shares
    is_first = jnp.arange(x.shape[-1]) == 0  # there is always one place to draw
    allowed = is_first | (before < ps.reshape(-1, 1)) if is_truncated else shares >= 0
    if threshold is not None:
        allowed &= is_first | (shares >= threshold.reshape(-1, 1))
    drawn = jax.random.categorical(
        as_key(key), jnp.where(allowed, jnp.log(jnp.maximum(shares, 0)), -jnp.inf), axis=-1
    )
    places = jnp.take_along_axis(order, drawn[:, None], -1)
    return jnp.take_along_axis(x, places, -1), places.astype(np.int64)


def top_p_samples():
    """Yield a draw among few places, among all of them, and one with a threshold."""
    x = values((2, 4), 0.05, 0.45)
    ps = np.array([[0.4], [0.9]])
    yield Sample(x, ps, jax.random.key(3))
    yield Sample(x, ps, jax.random.key(3), is_truncated=False)
    yield Sample(x, ps, jax.random.key(3), np.array([[0.2], [0.1]]))


_top_p = op(
    "top_p_sampling",
    top_p_forward,
    vjp=NONDIFF,
    outputs="out ids",
    public=None,
    samples=top_p_samples,
    errors=lambda: (
        BadInput((np.ones(3), np.ones(1), jax.random.key(3)), {}, InvalidArgumentError, "must be"),
    ),
    dtypes="float32",
    doc="Draw a position in each row from the likeliest ones, whose probabilities add up to ps.",
)


def _key(seed, topp_seed):
    """Return the key of a draw: the generator's next one, or that of a seed."""
    if topp_seed is not None:
        raise UnimplementedError(
            "top_p_sampling: a topp_seed for each row is not supported. Pass one seed=... instead."
        )
    return next_key() if seed == -1 else jax.random.key(seed)


@composite(public=None)
def top_p_sampling(
    x: "Tensor",
    ps: "Tensor",
    threshold: "Tensor | None" = None,
    topp_seed: None = None,
    seed: int = -1,
    k: int = 0,
    mode: str = "truncated",
    return_top: bool = False,
    name: str | None = None,
) -> "tuple[Tensor, Tensor] | tuple[Tensor, Tensor, Tensor, Tensor]":
    """Return a draw from the likeliest places of each row: those that add up to ``ps``.

    Paddle: runs on GPUs only.

    Args:
        x: float[n, m], probabilities.
        ps: float[n, 1] or float[n]: the total probability of the places that may be drawn.
        threshold: float[n, 1]: places of a lower probability are not drawn, except the likeliest.
        topp_seed: must be None.
        seed: the seed of this draw; -1 takes the generator's state.
        k: the number of likeliest places that ``return_top`` returns.
        mode: "truncated"; "non-truncated" draws among all places.
        return_top: whether the ``k`` likeliest are returned as well.
        name: accepted for compatibility.

    Returns:
        float[n, 1], the probabilities of the drawn places, and int64[n, 1], the places; with
        ``return_top`` also float[n, k] and int64[n, k], the likeliest and their places.

    Raises:
        InvalidArgumentError: for shapes that do not fit, another mode, or a number that is not a
            probability.
        UnimplementedError: when ``topp_seed`` is given.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[0.1, 0.7, 0.2]])
        >>> scores, ids = x.top_p_sampling(paddle.to_tensor([[0.5]]))
        >>> ids.tolist()
        [[1]]
    """
    if mode not in ("truncated", "non-truncated"):
        raise InvalidArgumentError(
            f"mode must be 'truncated' or 'non-truncated', but received {mode!r}."
        )
    check_domain("top_p_sampling: a probability", x, NOT_NEGATIVE)
    check_domain("top_p_sampling: ps", ps, NOT_NEGATIVE)
    drawn = _top_p(x, ps, _key(seed, topp_seed), threshold, mode == "truncated")
    if not return_top:
        return drawn
    scores, places = drawn
    top = topk(x.detach(), k if k > 0 else raw(x).shape[-1])
    return scores, places, top.values, top.indices
