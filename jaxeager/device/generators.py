"""The random state, as in paddle.device: of one device, not a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax

from jaxeager.arrays import random

if TYPE_CHECKING:
    from jaxeager.core.types import PlaceLike


def manual_seed(seed: int) -> None:
    """Restart the default generator; see ``paddle.seed``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.device.manual_seed(7)
    """
    random.seed(seed)


def get_rng_state(device: PlaceLike | None = None) -> jax.Array:
    """Return the state of the default generator, which serves every device.

    Example:
        >>> import jaxeager as paddle
        >>> state = paddle.device.get_rng_state()
        >>> a = paddle.rand([2]).tolist()
        >>> paddle.device.set_rng_state(state)
        >>> a == paddle.rand([2]).tolist()
        True
    """
    return random.get_rng_state()[0]


def set_rng_state(new_state: jax.Array, device: PlaceLike | None = None) -> None:
    """Restore what get_rng_state returned.

    Args:
        new_state: the state.
        device: accepted for compatibility: one generator serves every device.
    """
    random.set_rng_state([new_state])
