import numpy as np
import paddle

x = paddle.to_tensor(np.random.default_rng(0).random([4, 8]).astype("float32") + 1000)


def variance():
    return (x * x).mean(axis=1) - x.mean(axis=1) ** 2  # BUG


print(paddle.debug.numerics(variance))
