"""Ways in which ranks fail one another; the first argument says which."""

import os
import signal
import sys
import time

import paddle
import paddle.distributed as dist

dist.init_parallel_env()
how, rank, x = sys.argv[1], dist.get_rank(), paddle.ones([4])
dist.all_reduce(x)
if how == "killed":
    for step in range(1000):
        if step == 3 and rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        dist.all_reduce(x)  # killed meanwhile
if how == "raises":
    if rank == 1:
        raise ValueError("on purpose")
    dist.all_reduce(x)
if how == "exits":
    if rank == 1:
        sys.exit(7)
    dist.all_reduce(x)
if how == "late":
    if rank == 1:
        time.sleep(600)
    dist.all_reduce(x)
if how == "gone" and rank == 0:
    dist.all_reduce(x)
if how == "other_shape":
    dist.all_reduce(paddle.ones([8]) if rank else x)
if how == "other_call":
    dist.all_reduce(x) if rank else dist.all_gather([], x)
