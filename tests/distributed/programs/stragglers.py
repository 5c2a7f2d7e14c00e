"""Training whose last rank is slower, for a reason that the argument names."""

import os
import sys
import time

import paddle
import paddle.distributed as dist
import paddle.nn.functional as F

how = sys.argv[1]
dist.init_parallel_env()
is_slow = dist.get_rank() == dist.get_world_size() - 1


class Numbers(paddle.io.Dataset):
    def __init__(self):
        self.rows = paddle.rand([64, 16]).numpy()

    def __getitem__(self, index):
        if how == "dataset" and is_slow:
            time.sleep(0.1)  # a slow disk
        return self.rows[index]

    def __len__(self):
        return len(self.rows)


def batches():
    for batch in paddle.io.DataLoader(Numbers(), batch_size=2):
        if how == "generator" and is_slow:
            time.sleep(0.2)  # a slow generator
        yield batch


net = paddle.DataParallel(paddle.nn.Linear(16, 4))
sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
wide = paddle.rand([1500 if how == "matmul" and is_slow else 8] * 2)
for step, batch in zip(range(10), batches(), strict=False):
    if how == "sleep" and is_slow:
        time.sleep(0.2)  # a planted sleep
    if how == "matmul":
        wide = F.normalize(wide @ wide)  # a matrix of another size
    if how == "killed" and step == 5 and is_slow:
        os.kill(os.getpid(), 9)
    loss = net(batch).mean()
    loss.backward()
    sgd.step()
    sgd.clear_grad()
    dist.all_reduce(loss)
print(f"rank {dist.get_rank()} is done")
