"""Checkpoints in Paddle's files that several processes write, and read in other parts."""

import sys
from pathlib import Path

import numpy as np
import paddle
import paddle.distributed as dist
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

# Of a group: only its processes write and read.
group = dist.new_group([1])
if rank == 1:
    dist.save_state_dict(dist.build_sharded_state_dict({"c": c}), f"{folder}/one", group)
    assert sorted(each.name for each in Path(f"{folder}/one").iterdir()) == [
        "0.metadata", "1_0.distcp",
    ]  # fmt: skip
print(f"rank {rank} of {count} is done")
