"""Functions called in another process by its name."""

import sys

import paddle
import pytest
from paddle.distributed import rpc


def total(x, scale=1):
    return x.sum() * scale


def refuse(text):
    raise KeyError(text)


def whoami():
    return rpc.get_current_worker_info().name


rank = paddle.distributed.get_rank()
rpc.init_rpc(f"worker{rank}", master_endpoint=sys.argv[1])
other = f"worker{1 - rank}"
assert [each.name for each in rpc.get_all_worker_infos()] == ["worker0", "worker1"]
assert rpc.rpc_sync(other, whoami) == other
assert rpc.rpc_sync(other, total, (paddle.ones([3]),), {"scale": 2}).item() == 6
many = [rpc.rpc_async(other, divmod, (n, 3)) for n in range(20)]
assert [each.wait() for each in many] == [divmod(n, 3) for n in range(20)]
with pytest.raises(KeyError, match="on purpose"):
    rpc.rpc_sync(other, refuse, ("on purpose",))
rpc.shutdown()
print(f"rank {rank} of 2 is done")
