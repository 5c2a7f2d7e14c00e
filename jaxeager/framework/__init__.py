"""paddle.framework: what a program asks of the framework itself, and its files.

Its mode, the state of its random numbers, batches of a reader, ``save`` and ``load`` (io), and the
reader of pickles that cannot run code (restricted_pickle).
"""

from jaxeager.framework import random
from jaxeager.framework.batch import batch
from jaxeager.framework.framework import (
    disable_signal_handler,
    disable_static,
    in_dynamic_mode,
)
from jaxeager.framework.io import load, save
from jaxeager.framework.random import (
    Generator,
    get_cuda_rng_state,
    manual_seed,
    set_cuda_rng_state,
)

__all__ = [
    "Generator", "batch", "disable_signal_handler", "disable_static", "get_cuda_rng_state",
    "in_dynamic_mode", "load", "manual_seed", "random", "save", "set_cuda_rng_state",
]  # fmt: skip
