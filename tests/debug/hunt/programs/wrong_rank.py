import paddle
import paddle.distributed as dist

dist.init_parallel_env()
x = paddle.ones([4])
if dist.get_rank() == 0:
    dist.all_reduce(x)
else:
    dist.broadcast(x, 0)  # BUG
