"""Every call between processes, on 2 or 4 of them; each rank knows what it must get."""

import numpy as np
import paddle
import paddle.distributed as dist
from paddle.distributed.communication import stream
from paddle.distributed.communication.batch_isend_irecv import _coalescing_manager

early = paddle.ones([2])  # before init_parallel_env, as programs do
dist.init_parallel_env()
rank, count = dist.get_rank(), dist.get_world_size()
others = list(range(count))
DTYPES = "bool uint8 int64 bfloat16 float32 complex64".split()
if count > 2:  # which runs less often
    DTYPES += "int8 int16 int32 float16 float64".split()


def tensor(*values, dtype="float32"):
    return paddle.to_tensor(np.array(values), dtype=dtype)


def same(found, wanted):
    """Compares a tensor with nested lists; exactly, as all values are small whole numbers."""
    np.testing.assert_array_equal(np.array(found.astype("complex64").tolist()), wanted)


def check_places():
    assert early.place == paddle.ones([1]).place == paddle.CPUPlace()
    for each in (early + 1, paddle.rand([2]), paddle.to_tensor(1.0), paddle.arange(3)):
        assert {d.process_index for d in each._array.devices()} == {rank}


def check_reductions():
    for dtype in DTYPES:
        x = tensor(1, 0, rank + 1, dtype=dtype)
        before = x.inplace_version
        dist.all_reduce(x)
        assert x.inplace_version == before
        assert str(x.dtype) == f"paddle.{dtype}"
        total = sum(r + 1 for r in others)
        same(x, [1, 0, 1] if dtype == "bool" else [count, 0, total])
    one = {"MAX": count, "MIN": 1, "PROD": int(np.prod(np.arange(1, count + 1)))}
    for name, wanted in (one | {"AVG": (count + 1) / 2}).items():
        for shape in ([], [1], [2, 3]) if count > 2 or name == "MAX" else ([2, 3],):
            x = paddle.full(shape, rank + 1.0)
            dist.all_reduce(x, getattr(dist.ReduceOp, name))
            same(x, np.full(shape, wanted))
        x = paddle.full([2], rank + 1.0)
        dist.reduce(x, 1, getattr(dist.ReduceOp, name))
        same(x, [wanted, wanted] if rank == 1 else [rank + 1.0] * 2)
    x = tensor(-7 - rank, dtype="int32")
    dist.all_reduce(x, dist.ReduceOp.AVG)
    same(x, [int(-7 - (count - 1) / 2)])
    empty = paddle.zeros([0, 3])
    dist.all_reduce(empty)
    assert list(empty.shape) == [0, 3]


def check_gathers():
    for dtype in DTYPES:
        found = []
        dist.all_gather(found, tensor(rank % 2, 1, dtype=dtype))
        assert [str(each.dtype) for each in found] == [f"paddle.{dtype}"] * count
        for r in others:
            same(found[r], [r % 2, 1])
    whole = paddle.zeros([2 * count, 3])
    dist.all_gather(whole, paddle.full([2, 3], float(rank)))
    same(whole, np.repeat(others, 2)[:, None] * np.ones(3))
    stacked = paddle.zeros([count, 2])
    stream.all_gather(stacked, paddle.full([2], float(rank)), use_calc_stream=True)
    same(stacked, np.repeat(np.array(others), 2).reshape(count, 2))
    scalars = []
    dist.all_gather(scalars, paddle.to_tensor(float(rank)))
    assert [each.item() for each in scalars] == others
    into = [paddle.zeros([1]) for _ in others]
    dist.gather(tensor(rank), into if rank == 1 else None, dst=1)
    assert [each.item() for each in into] == (others if rank == 1 else [0] * count)


def check_scatters():
    for src in range(count):
        x = tensor(rank, -0.0)
        dist.broadcast(x, src)
        same(x, [src, 0])
        assert np.signbit(x.numpy()[1])
        parts = [tensor(10 * r + src) for r in others] if rank == src else None
        x = paddle.zeros([1])
        dist.scatter(x, parts, src)
        same(x, [10 * rank + src])
    for op, wanted in (("SUM", sum), ("MAX", max), ("AVG", lambda v: sum(v) / len(v))):
        x = paddle.zeros([1])
        dist.reduce_scatter(x, [tensor(10 * r + rank) for r in others], getattr(dist.ReduceOp, op))
        same(x, [wanted([10 * rank + r for r in others])])
    x = paddle.zeros([2])
    dist.reduce_scatter(x, paddle.arange(2 * count, dtype="float32"))
    same(x, [count * 2 * rank, count * (2 * rank + 1)])


def check_alltoall():
    found = []
    dist.alltoall(found, [tensor(10 * rank + r) for r in others])
    assert [each.item() for each in found] == [10 * r + rank for r in others]
    x = paddle.zeros([count])
    dist.alltoall_single(x, tensor(*[10 * rank + r for r in others]))
    same(x, [10 * r + rank for r in others])
    gives, gets = [r + 1 for r in others], [rank + 1] * count
    given = paddle.concat([paddle.full([r + 1, 2], 10.0 * rank + r) for r in others])
    x = paddle.zeros([sum(gets), 2])
    dist.alltoall_single(x, given, gives, gets)
    same(x[:, 0], np.repeat([10 * r + rank for r in others], rank + 1))
    none = [0] * count  # all rows of each go to the last
    gives = [*none[1:], 3]
    gets = [3] * count if rank == count - 1 else none
    x = paddle.zeros([sum(gets)])
    dist.alltoall_single(x, paddle.full([3], float(rank)), gives, gets)
    same(x, np.repeat(others, 3) if sum(gets) else [])


def check_point_to_point():
    after, before = (rank + 1) % count, (rank - 1) % count
    x = paddle.zeros([3], "int64")
    if rank % 2:
        dist.recv(x, before)
        dist.send(tensor(rank, 2, 3, dtype="int64"), after)
    else:
        dist.send(tensor(rank, 2, 3, dtype="int64"), after)
        dist.recv(x, before)
    same(x, [before, 2, 3])
    # All send first, and then receive: no rank waits for another one for ever.
    y = paddle.zeros([70000])
    tasks = [dist.isend(paddle.full([70000], float(rank)), after), dist.irecv(y, before)]
    assert all(task.wait() for task in tasks)
    assert y.unique().tolist() == [before]
    z = paddle.zeros([1])
    calls = [
        dist.P2POp(dist.irecv, z, before),
        dist.P2POp(dist.isend, tensor(rank), after),
    ]
    for task in dist.batch_isend_irecv(calls):
        task.wait()
    same(z, [before])
    tasks = []
    with _coalescing_manager(None, tasks):
        tasks.append(dist.isend(tensor(10 * rank), after))
        tasks.append(dist.irecv(z, before))
    for task in tasks:
        task.wait()
    same(z, [10 * before])
    for number in range(3):  # in the order in which they were sent
        if rank == 0:
            dist.send(tensor(number), 1)
        if rank == 1:
            dist.recv(z, 0)
            same(z, [number])


def check_objects():
    found = ["kept"]
    dist.all_gather_object(found, {"rank": rank, "text": "x" * 100 * rank})
    assert found == ["kept", *({"rank": r, "text": "x" * 100 * r} for r in others)]
    values = [rank, {"of": rank}]
    dist.broadcast_object_list(values, 1)
    assert values == [1, {"of": 1}]
    got = []
    dist.scatter_object_list(got, [("for", r) for r in others] if rank == 0 else None, 0)
    assert got == [("for", rank)]
    if rank == 0:
        dist.send_object_list([1, "two"], 1)
    if rank == 1:
        got = [None, None]
        dist.recv_object_list(got, 0)
        assert got == [1, "two"]


def check_groups():
    halves = [dist.new_group([r, r + 1]) for r in range(0, count, 2)]
    own = halves[rank // 2]
    assert (own.rank, own.nranks, dist.get_rank(own), dist.get_world_size(own)) == (
        rank % 2, 2, rank % 2, 2,
    )  # fmt: skip
    x = tensor(rank)
    dist.all_reduce(x, group=own)
    same(x, [4 * (rank // 2) + 1])
    dist.broadcast(x.fill_(float(rank)), own.ranks[1], group=own)
    same(x, [own.ranks[1]])
    backward = dist.new_group(others[::-1])
    x = []
    dist.all_gather(x, tensor(rank), backward)
    assert [each.item() for each in x] == others
    alone = dist.new_group([1])
    y = tensor(rank)
    if rank == 1:
        dist.all_reduce(y, group=alone)
    else:
        import warnings

        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            assert dist.all_reduce(y, group=alone) is None
        assert f"rank {rank} is not in group {alone.name}" in str(told[0].message)
    same(y, [rank])
    dist.barrier()
    dist.barrier(own)


def check_tasks():
    x, y = tensor(rank), paddle.full([100000], float(rank))
    first, second = dist.all_reduce(x, sync_op=False), dist.all_reduce(y, sync_op=False)
    assert second.wait()
    assert first.is_completed()
    same(x, [sum(others)])
    assert y.unique().tolist() == [sum(others)]


for check in (
    check_places, check_reductions, check_gathers, check_scatters, check_alltoall,
    check_point_to_point, check_objects, check_groups, check_tasks,
):  # fmt: skip
    check()
paddle.set_flags({"FLAGS_check_collectives": True})
check_point_to_point()
check_groups()
dist.destroy_process_group()
print(f"rank {rank} of {count} is done")
