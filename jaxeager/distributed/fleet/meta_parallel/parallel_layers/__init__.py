"""paddle.distributed.fleet.meta_parallel.parallel_layers: an older module of its layers."""

from jaxeager.distributed.fleet.layers.mpu.mp_layers import (
    ColumnParallelLinear,
    ParallelCrossEntropy,
    RowParallelLinear,
    VocabParallelEmbedding,
)
from jaxeager.distributed.fleet.layers.mpu.random import (
    RNGStatesTracker,
    get_rng_state_tracker,
    model_parallel_random_seed,
)
from jaxeager.distributed.fleet.meta_parallel.pipeline_layer import (
    LayerDesc,
    PipelineLayer,
    SharedLayerDesc,
)

__all__ = [
    "ColumnParallelLinear", "LayerDesc", "ParallelCrossEntropy", "PipelineLayer",
    "RNGStatesTracker", "RowParallelLinear", "SharedLayerDesc", "VocabParallelEmbedding",
    "get_rng_state_tracker", "model_parallel_random_seed",
]  # fmt: skip
