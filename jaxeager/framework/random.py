"""paddle.framework.random: the state of the random numbers, and separate generators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jaxeager.arrays import random
from jaxeager.arrays.random import get_rng_state, seed, set_rng_state
from jaxeager.core import places
from jaxeager.errors import InvalidArgumentError

if TYPE_CHECKING:
    from jaxeager.core.types import PlaceLike

__all__ = [
    "Generator", "get_cuda_rng_state", "get_rng_state", "manual_seed", "seed", "set_cuda_rng_state",
    "set_rng_state",
]  # fmt: skip


def manual_seed(seed: int) -> random.Generator:
    """Restart the default generator; an alias of ``paddle.seed``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.manual_seed(7).initial_seed()
        7
    """
    return random.seed(seed)


def _manual_program_seed(seed: int) -> None:
    """Do nothing: there is no static program with draws to seed."""


class Generator(random.Generator):
    """A generator of random numbers with its own stream.

    Args:
        device: the device it is for; one generator serves all devices.

    Raises:
        InvalidArgumentError: when this machine has no such device.

    Example:
        >>> import jaxeager as paddle
        >>> a, b = paddle.Generator().manual_seed(3), paddle.Generator().manual_seed(3)
        >>> a.random() == b.random()
        True
    """

    def __init__(self, device: PlaceLike | None = None):
        if device is not None:
            places.as_place(device).device()
        super().__init__()


def _has_gpu() -> bool:
    return places.place_of(places.current_device()).is_gpu_place()


def get_cuda_rng_state() -> list:
    """Return the state of the default generator, as a list of one; without a GPU, an empty list.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.set_cuda_rng_state(paddle.get_cuda_rng_state())
    """
    return get_rng_state() if _has_gpu() else []


def set_cuda_rng_state(state_list: Sequence[Any]) -> None:
    """Restore the result of get_cuda_rng_state.

    Raises:
        InvalidArgumentError: for a list of another length. (Paddle ignores a state if there is no
            GPU.)
    """
    wanted = int(_has_gpu())
    if len(state_list) != wanted:
        raise InvalidArgumentError(
            f"Length of gpu state list should be {wanted}, but it is {len(state_list)}."
        )
    if wanted:
        set_rng_state(list(state_list))
