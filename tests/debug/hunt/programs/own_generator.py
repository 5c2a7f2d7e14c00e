import numpy as np
import paddle

net = paddle.nn.Linear(3, 2)
noise = np.random.default_rng()


def train_step():
    x = paddle.to_tensor(noise.normal(size=[4, 3]).astype("float32"))  # BUG
    net(x).mean().backward()


print(paddle.debug.determinism(train_step, net))
