"""paddle.distributed.fleet.layers.mpu: layers whose weights processes share."""

from jaxeager.distributed.fleet.layers.mpu import mp_layers, mp_ops, random
from jaxeager.distributed.fleet.layers.mpu.mp_layers import (
    ColumnParallelLinear,
    ParallelCrossEntropy,
    RowParallelLinear,
    VocabParallelEmbedding,
)
from jaxeager.distributed.fleet.layers.mpu.random import (
    RNGStatesTracker,
    dropout,
    get_rng_state_tracker,
    model_parallel_random_seed,
)

__all__ = [
    "ColumnParallelLinear", "ParallelCrossEntropy", "RNGStatesTracker", "RowParallelLinear",
    "VocabParallelEmbedding", "dropout", "get_rng_state_tracker", "model_parallel_random_seed",
    "mp_layers", "mp_ops", "random",
]  # fmt: skip
