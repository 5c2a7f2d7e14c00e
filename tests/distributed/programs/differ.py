"""Calls that differ between two ranks; the first argument says how."""

import sys

import paddle
import paddle.distributed as dist

dist.init_parallel_env()
how, rank = sys.argv[1], dist.get_rank()
SUM, MAX = dist.ReduceOp.SUM, dist.ReduceOp.MAX
first, second = dist.new_group([0, 1]), dist.new_group([0, 1])
x = paddle.ones([4])  # each case has its own length, so that no rank knows its kind


def wide():
    return paddle.ones(x.shape, "int32") if rank else x


def other_shape():
    return x.reshape([1, -1]) if rank else x


AT_ONCE = {
    "op": lambda: dist.all_reduce(x, MAX if rank else SUM),
    "dtype": lambda: dist.all_reduce(wide()),
    "shape": lambda: dist.all_reduce(other_shape()),
    "call": lambda: dist.broadcast(x, 0) if rank else dist.all_reduce(x),
    "group": lambda: dist.all_reduce(x, group=second if rank else first),
    "reduce": lambda: dist.reduce(x, 0, MAX if rank else SUM),
    "reduce_dst": lambda: dist.reduce(x, rank),
    "broadcast_src": lambda: dist.broadcast(x, rank),
    "broadcast_dtype": lambda: dist.broadcast(wide(), 0),
    "all_gather": lambda: dist.all_gather([], wide()),
    "gather_dst": lambda: dist.gather(x, [], rank),
    "scatter_src": lambda: dist.scatter(x, [x, x], rank),
    "scatter_shape": lambda: dist.scatter(other_shape(), None if rank else [x, x]),
    "reduce_scatter": lambda: dist.reduce_scatter(x, [x, x], MAX if rank else SUM),
    "alltoall": lambda: dist.alltoall([], [wide(), wide()]),
    "alltoall_single": lambda: dist.alltoall_single(wide(), wide()),
    "uneven": lambda: dist.alltoall_single(wide(), wide(), sizes(), sizes()),
    "barrier": lambda: dist.barrier() if rank else dist.all_reduce(x),
    "send": lambda: dist.recv(wide(), 0) if rank else dist.send(x, 1),
    "gradients": lambda: gradients(),
}


def sizes():
    return [1, x.shape[0] - 1]


def gradients():
    """Averages gradients that are equally many in all, of other shapes."""
    from jaxeager.distributed.ranks.synchronize import reduce_together

    shapes = ([2, 30], [30, 2]) if rank else ([30, 2], [2, 30])
    reduce_together([paddle.ones(each) for each in shapes], dist.get_group(0), 4)


if how == "at_once":
    for number, (name, call) in enumerate(AT_ONCE.items()):
        x = paddle.ones([2 * number + 6])
        try:
            call()
        except ValueError as error:
            text = str(error).replace(f"{x.shape[0]}", "n")
            print(f"{name}: {text}")
        else:
            print(f"{name}: ended well")
    sys.exit()
for op in (SUM, MAX):
    dist.all_reduce(x, op)
if how == "known":  # both kinds were made before
    dist.all_reduce(x, MAX if rank else SUM)
    print("mixed numbers", x.tolist())
if how == "many":
    dist.all_reduce(x, MAX if rank else SUM)
    for _ in range(200):
        dist.all_reduce(x, SUM)
    print("still there")
if how == "half_new":  # known to one alone, which goes on
    dist.all_reduce(x, SUM if rank else dist.ReduceOp.PROD)
if how == "stuck":  # one is stuck in a call that both knew, the other makes a new one
    dist.all_reduce(paddle.ones([2]), SUM)
    dist.all_reduce(paddle.ones([3]), SUM)
    dist.all_reduce(paddle.ones([3 if rank else 2]), SUM)
    dist.all_gather([], x)
    print("still there")
if how == "unseen":
    task = dist.all_reduce(wide(), sync_op=False)
    paddle.ones([2]).sum().item()
