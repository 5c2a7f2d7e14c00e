"""paddle.distributed.fleet.meta_parallel: networks whose work processes share."""

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
from jaxeager.distributed.fleet.meta_parallel import sharding
from jaxeager.distributed.fleet.meta_parallel.layer_spec import (
    LayerSpec,
    build_spec_layer,
    get_spec_layer,
    import_spec_layer,
)
from jaxeager.distributed.fleet.meta_parallel.meta_parallel_base import (
    MetaParallelBase,
    SegmentParallel,
    ShardingParallel,
    TensorParallel,
)
from jaxeager.distributed.fleet.meta_parallel.pipeline_layer import (
    LayerDesc,
    LocalSharedLayerDesc,
    PipelineLayer,
    SharedLayerDesc,
)
from jaxeager.distributed.fleet.meta_parallel.pipeline_parallel import (
    NoPipelineParallel,
    PipelineDatasetPreprocessor,
)
from jaxeager.distributed.fleet.meta_parallel.stages import PipelineParallel

__all__ = [
    "ColumnParallelLinear", "LayerDesc", "LayerSpec", "LocalSharedLayerDesc",
    "MetaParallelBase", "NoPipelineParallel", "ParallelCrossEntropy",
    "PipelineDatasetPreprocessor", "PipelineLayer", "PipelineParallel",
    "RNGStatesTracker", "RowParallelLinear",
    "SegmentParallel", "ShardingParallel", "SharedLayerDesc", "TensorParallel",
    "VocabParallelEmbedding", "build_spec_layer", "get_rng_state_tracker", "get_spec_layer",
    "import_spec_layer", "model_parallel_random_seed",
]  # fmt: skip
