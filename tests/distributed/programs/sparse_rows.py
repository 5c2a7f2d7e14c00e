"""DataParallel of tables with sparse gradients, compared with one process and the whole batch."""

import numpy as np
import paddle
import paddle.distributed as dist
from paddle import nn

dist.init_parallel_env()
rank, count = dist.get_rank(), dist.get_world_size()


class Words(nn.Layer):
    """A table that is looked up, and another one that only even ranks look up."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(20, 3, sparse=True)
        self.other = nn.Embedding(6, 3, sparse=True)
        self.unused = nn.Embedding(4, 3, sparse=True)
        self.out = nn.Linear(3, 2)

    def forward(self, ids, also=None):
        x = self.table(ids).sum(1)
        return self.out(x if also is None else x + self.other(also))


def made(seed):
    paddle.seed(seed)
    net = Words()
    adam = paddle.optimizer.Adam(0.1, parameters=net.parameters(), lazy_mode=True)
    return net, adam


whole, of_one = made(1)
net, adam = made(1 + rank)
model = paddle.DataParallel(net, find_unused_parameters=True)
for step in range(3):
    draws = np.random.RandomState(step)
    ids = paddle.to_tensor(draws.randint(0, 20, (count, 4, 3)))
    also = paddle.to_tensor(draws.randint(0, 6, (count, 4)))
    losses = [whole(ids[i], also[i] if i % 2 == 0 else None).square().mean() for i in range(count)]
    (sum(losses) / count).backward()
    model(ids[rank], also[rank] if rank % 2 == 0 else None).square().mean().backward()
    assert net.unused.weight.grad is None
    for mine, wanted in ((net.table, whole.table), (net.other, whole.other)):
        found, right = mine.weight.grad, wanted.weight.grad
        assert found.is_selected_rows()
        assert found.rows() == sorted(set(right.rows()))
        np.testing.assert_allclose(
            found.to_dense().numpy(), right.to_dense().numpy(), rtol=1e-5, atol=1e-6
        )
    for each in (adam, of_one):
        each.step()
        each.clear_grad()
    for name, wanted in whole.state_dict().items():
        found = net.state_dict()[name].numpy()
        np.testing.assert_allclose(found, wanted.numpy(), rtol=1e-4, atol=1e-5, err_msg=name)

# A table that one rank also multiplies, so that its gradient is dense there.
paddle.seed(1)
table = nn.Embedding(5, 3, sparse=True)
tied = paddle.DataParallel(table)
loss = tied(paddle.to_tensor([1, 1])).sum()
(loss + table.weight.sum() if rank == 0 else loss).backward()
wanted = np.zeros((5, 3), "float32")
wanted[1] += 2
np.testing.assert_allclose(table.weight.grad.to_dense().numpy(), wanted + 1 / count)
assert table.weight.grad.rows() == list(range(5))
print(f"rank {rank} of {count} is done")
