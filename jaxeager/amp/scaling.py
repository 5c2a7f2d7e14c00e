"""GradScaler on the device: unscaling, found_inf and the next scale, without a host sync."""

import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp

from jaxeager.kernels.tracing import jit, kernel_cache


@jit
def unscale(grads: list, scale: jax.Array) -> tuple[list, jax.Array]:
    """Return gradients divided by the scale, and whether any of them is not finite.

    Args:
        grads: floating arrays of any shapes and dtypes; half precision ones are divided in float32.
        scale: float32[1].

    Returns:
        (gradients of the same dtypes, bool[]).
    """
    unscaled = []
    found_inf = jnp.zeros((), bool)
    for grad in grads:
        wide = jnp.promote_types(grad.dtype, jnp.float32)
        divided = (grad.astype(wide) * (1.0 / scale[0]).astype(wide)).astype(grad.dtype)
        found_inf |= ~jnp.all(jnp.isfinite(divided))
        unscaled.append(divided)
    return unscaled, found_inf


@kernel_cache(maxsize=64)
def update_kernel(
    incr_ratio: float, decr_ratio: float, incr_every_n_steps: int, decr_every_n_nan_or_inf: int
) -> Callable:
    """Return the jitted rule of the scale: (scale, steps, founds) to (scale, steps).

    ``scale`` is float32[1], ``steps`` int32[2]: the numbers of successive good and of bad steps,
    and ``founds`` a list of bool[], one per optimizer. A scale that would overflow does not change.
    """

    def update_loss_scaling(scale, steps, founds):
        is_bad = functools.reduce(jnp.logical_or, founds, jnp.zeros((), bool))
        good = jnp.where(is_bad, 0, steps[0] + 1)
        bad = jnp.where(is_bad, steps[1] + 1, 0)
        grows = (good >= incr_every_n_steps) & (incr_every_n_steps > 0)
        shrinks = (bad >= decr_every_n_nan_or_inf) & (decr_every_n_nan_or_inf > 0)
        grown = scale * incr_ratio
        grown = jnp.where(jnp.isfinite(grown), grown, scale)
        new_scale = jnp.where(shrinks, scale * decr_ratio, jnp.where(grows, grown, scale))
        steps = jnp.stack([jnp.where(grows, 0, good), jnp.where(shrinks, 0, bad)])
        return new_scale.astype(scale.dtype), steps.astype(jnp.int32)

    return jit(update_loss_scaling)
