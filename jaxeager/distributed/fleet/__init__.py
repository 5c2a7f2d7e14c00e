"""paddle.distributed.fleet: training on many processes."""

from jaxeager.distributed import auto_parallel as auto
from jaxeager.distributed.fleet import (
    base,
    layers,
    meta_optimizers,
    meta_parallel,
    recompute,
    utils,
)
from jaxeager.distributed.fleet.base.distributed_strategy import DistributedStrategy
from jaxeager.distributed.fleet.base.role_maker import (
    PaddleCloudRoleMaker,
    Role,
    UserDefinedRoleMaker,
)
from jaxeager.distributed.fleet.base.topology import CommunicateTopology, HybridCommunicateGroup
from jaxeager.distributed.fleet.base.util_factory import UtilBase
from jaxeager.distributed.fleet.data_generator import (
    MultiSlotDataGenerator,
    MultiSlotStringDataGenerator,
)
from jaxeager.distributed.fleet.fleet import Fleet, fleet
from jaxeager.distributed.fleet.model import (
    distributed_model,
    distributed_optimizer,
    distributed_scaler,
)

util = fleet.util

# The methods of the one Fleet, which Paddle also has as functions.
all_reduce = fleet.all_reduce
barrier_worker = fleet.barrier_worker
get_hybrid_communicate_group = fleet.get_hybrid_communicate_group
init = fleet.init
is_coordinator = fleet.is_coordinator
is_first_worker = fleet.is_first_worker
is_server = fleet.is_server
is_worker = fleet.is_worker
local_device_ids = fleet.local_device_ids
local_rank = rank_in_node = fleet.local_rank
node_num = fleet.node_num
server_endpoints = fleet.server_endpoints
server_index = fleet.server_index
server_num = fleet.server_num
stop_worker = fleet.stop_worker
worker_endpoints = fleet.worker_endpoints
worker_index = rank = fleet.worker_index
worker_num = nranks = world_size = fleet.worker_num
world_device_ids = fleet.world_device_ids

__all__ = [
    "CommunicateTopology", "DistributedStrategy", "Fleet", "HybridCommunicateGroup",
    "MultiSlotDataGenerator", "MultiSlotStringDataGenerator",
    "PaddleCloudRoleMaker", "Role", "UserDefinedRoleMaker", "UtilBase", "all_reduce", "auto",
    "barrier_worker", "base", "distributed_model", "distributed_optimizer", "distributed_scaler",
    "fleet", "get_hybrid_communicate_group", "init", "is_coordinator", "is_first_worker",
    "is_server", "is_worker", "layers", "local_device_ids", "local_rank", "meta_optimizers",
    "meta_parallel",
    "node_num", "nranks", "rank", "rank_in_node", "recompute", "server_endpoints", "server_index",
    "server_num", "stop_worker", "util", "utils", "worker_endpoints", "worker_index", "worker_num",
    "world_device_ids", "world_size",
]  # fmt: skip
