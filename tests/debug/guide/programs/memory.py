import paddle

kept = paddle.ones([1000, 1000])
cuda = paddle.device.cuda
cuda.reset_max_memory_allocated()
cuda.reset_max_memory_reserved()
print("now", cuda.memory_allocated() // 1000**2, "at most", cuda.max_memory_allocated() // 1000**2)
print("reserved", cuda.memory_reserved() >= 0, cuda.max_memory_reserved() >= 0)
