import cProfile
import io
import os
import pstats

import paddle

a, b = paddle.to_tensor([[1, 2]]), paddle.to_tensor([[3, 4]])
recorder = cProfile.Profile()
recorder.enable()
for _ in range(10):
    paddle.multiply(a, b)
recorder.disable()
pstats.Stats(recorder, stream=io.StringIO()).sort_stats("cumulative").dump_stats("profile.out")
text = io.StringIO()
pstats.Stats("profile.out", stream=text).print_stats("multiply")
print(text.getvalue())
os.remove("profile.out")  # it has absolute paths
