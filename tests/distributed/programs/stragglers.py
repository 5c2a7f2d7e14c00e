"""Training whose last rank is slower, for the reasons that the argument names.

Then it checks what one rank sees of the calls between ranks.
"""

import os
import sys
import time

import paddle
import paddle.distributed as dist
import paddle.nn.functional as F

reasons = sys.argv[1].split(",")
dist.init_parallel_env()
rank = dist.get_rank()
slow = reasons if rank == dist.get_world_size() - 1 else []


class Numbers(paddle.io.Dataset):
    def __init__(self):
        self.rows = paddle.rand([64, 16]).numpy()

    def __getitem__(self, index):
        if "dataset" in slow:
            time.sleep(0.1)  # a slow disk
        return self.rows[index]

    def __len__(self):
        return len(self.rows)


def batches():
    for batch in paddle.io.DataLoader(Numbers(), batch_size=2):
        if "generator" in slow:
            time.sleep(0.2)  # a slow generator
        yield batch


net = paddle.DataParallel(paddle.nn.Linear(16, 4))
sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
wide = paddle.rand([600 if "matmul" in slow else 8] * 2)
for step, batch in zip(range(5), batches(), strict=False):
    if "sleep" in slow:
        time.sleep(0.4)  # a planted sleep
    wide = F.normalize(wide @ wide)  # a matrix of another size
    if "death" in slow and step == 3:
        os.kill(os.getpid(), 9)
    loss = net(batch).mean()
    loss.backward()
    sgd.step()
    sgd.clear_grad()
    dist.all_reduce(loss)

# ---- what one rank sees

x = paddle.ones([1000])
dist.barrier()
with paddle.debug.profile() as seen:
    if rank == 1:
        time.sleep(1.5)  # much longer than a busy machine delays the others
    dist.all_reduce(x)
    dist.broadcast(x, 0)
rows = {row.name: row for row in seen.rank_calls}
assert sorted(rows) == ["all_reduce", "broadcast"], rows
row = rows["all_reduce"]
assert (row.calls, row.bytes, row.frame.file) == (1, 4000, __file__)
assert row.waited_ns is not None
assert row.waited_ns + row.transferred_ns == row.total_ns
assert row.bandwidth > 0
if rank == 0:
    assert row.waited_ns > 100_000_000, row
    assert row.stopped_ns > 100_000_000, row
assert "dist.all_reduce(x)" in seen.rank_calls_text()
assert " stopped for other ranks, " in seen.table()

with paddle.profiler.Profiler(on_trace_ready=lambda p: None) as timed:
    task = dist.all_reduce(x, sync_op=False)
    y = (paddle.rand([300, 300]) @ paddle.rand([300, 300])).sum()
    task.wait()
timed.summary(views=paddle.profiler.SummaryView.DistributedView)
print(f"rank {rank} is done")
