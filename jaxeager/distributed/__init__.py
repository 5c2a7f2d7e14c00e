"""paddle.distributed: processes that train together, and tensors over many devices.

A process that a launcher starts together with others is a rank: ``communication`` has the calls
between ranks, ``DataParallel`` and ``fleet`` the ways to share work. A process started alone is
rank 0 of 1, and sums are over one value. Tensors on several devices of one process use
``ProcessMesh``, ``shard_tensor`` and the related functions.
"""

import importlib

from jaxeager.distributed import (
    auto_parallel,
    checkpoint,
    collective,
    communication,
    fleet,
    flex_checkpoint,
    parallel_helper,
    rpc,
    sharding,
)
from jaxeager.distributed.auto_parallel.intermediate.parallelize import parallelize
from jaxeager.distributed.auto_parallel.intermediate.pipeline_parallel import SplitPoint
from jaxeager.distributed.auto_parallel.intermediate.tensor_parallel import (
    ColWiseParallel,
    ConvParallel,
    PrepareLayerInput,
    PrepareLayerOutput,
    RowWiseParallel,
    SequenceParallelBegin,
    SequenceParallelDisable,
    SequenceParallelEnable,
    SequenceParallelEnd,
)
from jaxeager.distributed.auto_parallel.strategy import Strategy
from jaxeager.distributed.checkpoint import (
    load_merged_state_dict,
    load_state_dict,
    save_state_dict,
)
from jaxeager.distributed.communication import (
    P2POp,
    ReduceOp,
    all_gather,
    all_gather_object,
    all_reduce,
    alltoall,
    alltoall_single,
    barrier,
    batch_isend_irecv,
    broadcast,
    broadcast_object_list,
    destroy_process_group,
    gather,
    get_backend,
    get_group,
    irecv,
    is_initialized,
    isend,
    recv,
    recv_object_list,
    reduce,
    reduce_scatter,
    scatter,
    scatter_object_list,
    send,
    send_object_list,
    stream,
    wait,
)
from jaxeager.distributed.fleet.base.topology import ParallelMode
from jaxeager.distributed.flex_checkpoint.dcp.sharded_weight import (
    ShardedStateDict,
    ShardedWeight,
    build_sharded_state_dict,
)
from jaxeager.distributed.launch.main import launch
from jaxeager.distributed.mesh.dist_model import DistModel, to_static
from jaxeager.distributed.mesh.local_functions import LocalLayer, local_map
from jaxeager.distributed.mesh.placements import (
    DistAttr,
    Partial,
    Placement,
    ProcessMesh,
    ReduceType,
    Replicate,
    Shard,
    get_mesh,
    set_mesh,
)
from jaxeager.distributed.mesh.sharded_data import shard_dataloader
from jaxeager.distributed.mesh.sharded_optimizers import (
    ShardingStage1,
    ShardingStage2,
    ShardingStage3,
    shard_optimizer,
    shard_scaler,
)
from jaxeager.distributed.mesh.sharded_tensors import (
    dtensor_from_fn,
    reshard,
    shard_layer,
    shard_tensor,
    unshard_dtensor,
)
from jaxeager.distributed.ranks.data_parallel import DataParallel
from jaxeager.distributed.ranks.environment import (
    ParallelEnv,
    get_rank,
    get_world_size,
    in_auto_parallel_align_mode,
    init_parallel_env,
    is_available,
    new_group,
    restart_process_group,
    shutdown_process_group,
)
from jaxeager.distributed.sharding import group_sharded_parallel, save_group_sharded_model
from jaxeager.distributed.spawn import spawn

parallel = importlib.import_module("jaxeager.distributed.parallel")

__all__ = [
    "ColWiseParallel", "ConvParallel", "DataParallel", "DistAttr", "DistModel", "LocalLayer",
    "P2POp", "ParallelEnv",
    "ParallelMode", "Partial", "Placement", "PrepareLayerInput", "PrepareLayerOutput",
    "ProcessMesh", "ReduceOp", "ReduceType", "Replicate", "RowWiseParallel",
    "SequenceParallelBegin", "SequenceParallelDisable", "SequenceParallelEnable",
    "SequenceParallelEnd", "Shard", "ShardedStateDict", "ShardedWeight", "ShardingStage1",
    "ShardingStage2", "ShardingStage3", "SplitPoint", "Strategy", "all_gather", "all_gather_object",
    "all_reduce", "alltoall", "alltoall_single", "auto_parallel", "barrier", "batch_isend_irecv",
    "broadcast", "broadcast_object_list", "build_sharded_state_dict", "checkpoint", "collective",
    "communication", "destroy_process_group", "dtensor_from_fn", "fleet", "flex_checkpoint",
    "gather", "get_backend", "get_group", "get_mesh", "get_rank", "get_world_size",
    "group_sharded_parallel", "in_auto_parallel_align_mode", "init_parallel_env", "irecv",
    "is_available", "is_initialized", "isend", "launch", "load_merged_state_dict",
    "load_state_dict", "local_map", "new_group", "parallel",
    "parallel_helper", "parallelize", "recv", "recv_object_list", "reduce", "reduce_scatter",
    "reshard", "restart_process_group", "rpc", "save_group_sharded_model",
    "save_state_dict", "scatter", "scatter_object_list", "send", "send_object_list", "set_mesh",
    "shard_dataloader", "shard_layer", "shard_optimizer", "shard_scaler", "shard_tensor",
    "sharding", "shutdown_process_group", "spawn", "stream", "to_static", "unshard_dtensor", "wait",
]  # fmt: skip
