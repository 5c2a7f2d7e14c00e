"""Functions for ``spawn``, which gets them by their module."""

import paddle
import paddle.distributed as dist


def sums(start):
    dist.init_parallel_env()
    x = paddle.to_tensor([start + dist.get_rank()])
    dist.all_reduce(x)
    return x.item()


def fails(text):
    dist.init_parallel_env()
    if dist.get_rank() == 1:
        raise KeyError(text)
    dist.barrier()


if __name__ == "__main__":
    context = dist.spawn(sums, (5.0,), nprocs=2, join=False)
    assert context.join()
    print([queue.get() for queue in context.return_queues])
    try:
        dist.spawn(fails, ("on purpose",), nprocs=2)
    except RuntimeError as error:
        print(error)
