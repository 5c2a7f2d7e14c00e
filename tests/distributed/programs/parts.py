"""Checkpoints in Paddle's files that several processes write, and read in other parts."""

import sys
from pathlib import Path

import numpy as np
import paddle
import paddle.distributed as dist
from paddle.distributed.flex_checkpoint.dcp.full_param import full_param
from paddle.distributed.flex_checkpoint.dcp.sharded_weight import ShardedWeight

folder = sys.argv[1]
dist.init_parallel_env()
rank, count = dist.get_rank(), dist.get_world_size()
values = np.arange(8.0 * count, dtype="float32").reshape(2 * count, 4)
rows = ShardedWeight(
    "x", paddle.to_tensor(values[2 * rank : 2 * rank + 2]), (2, 4), values.shape, (2 * rank, 0)
)
everywhere = {name: paddle.full([2], float(at)) for at, name in enumerate("abc")}
dist.save_state_dict({"x": rows, **dist.build_sharded_state_dict(everywhere)}, folder)
assert sorted(each.name for each in Path(folder).iterdir()) == [
    "0.metadata", *(f"{each}_0.distcp" for each in range(count)),
]  # fmt: skip

column = paddle.zeros([2 * count, 1])
part = ShardedWeight("x", column, (2 * count, 1), values.shape, (0, rank % 4))
c = paddle.zeros([2])
dist.load_state_dict({"x": part, **dist.build_sharded_state_dict({"c": c})}, folder)
np.testing.assert_array_equal(column.numpy()[:, 0], values[:, rank % 4])
assert c.tolist() == [2.0, 2.0]
whole = paddle.zeros([2 * count, 4])
dist.load_state_dict(dist.build_sharded_state_dict({"x": whole}), folder)
np.testing.assert_array_equal(whole.numpy(), values)


# Weights of gate and up, which each process has next to each other in its part, under other names.
def in_shares(parts):
    pieces = [np.split(each, count, 1) for each in parts]
    return np.concatenate([each for share in zip(*pieces, strict=True) for each in share], 1)


def own_columns(name, whole):
    width = whole.shape[1] // count
    mine = paddle.to_tensor(whole[:, rank * width : (rank + 1) * width])
    return ShardedWeight(name, mine, (3, width), whole.shape, (0, rank * width))


gate = np.arange(12.0 * count, dtype="float32").reshape(3, 4 * count)
fused, config = in_shares([gate, gate + 100]), {"aoa_statements": ["gate^T, up^T -> w, fused_ffn"]}
separate = {"gate": paddle.to_tensor(gate.T), "up": paddle.to_tensor(gate.T + 100)}
dist.save_state_dict(
    dist.build_sharded_state_dict(separate),
    f"{folder}/separate",
    async_save="jaxeager" in sys.modules,
)
filled = own_columns("w", np.zeros_like(fused))
dist.load_state_dict({"w": filled}, f"{folder}/separate", aoa_config=config)
np.testing.assert_array_equal(filled.local_tensor, own_columns("w", fused).local_tensor)
if "jaxeager" in sys.modules:  # Paddle cuts the whole weight as if one process had it
    config["aoa_config_reverse"] = True
    full = dict(full_param({"w": own_columns("w", fused)}, config))
    np.testing.assert_array_equal(full["gate"], gate.T)
    np.testing.assert_array_equal(full["up"], gate.T + 100)

# Of a group: only its processes write and read.
group = dist.new_group([1])
if rank == 1:
    dist.save_state_dict(dist.build_sharded_state_dict({"c": c}), f"{folder}/one", group)
    assert sorted(each.name for each in Path(f"{folder}/one").iterdir()) == [
        "0.metadata", "1_0.distcp",
    ]  # fmt: skip
print(f"rank {rank} of {count} is done")
