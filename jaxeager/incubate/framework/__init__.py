"""paddle.incubate.framework: several states of the random numbers, by their numbers."""

from jaxeager.incubate.framework import random
from jaxeager.incubate.framework.random import (
    get_rng_state,
    register_rng_state_as_index,
    set_rng_state,
)

__all__ = ["get_rng_state", "random", "register_rng_state_as_index", "set_rng_state"]
