import os

import paddle

paddle.seed(1)
net = paddle.nn.Linear(4, 8)
x = paddle.ones([3, 4])
for _ in range(3):
    hidden = net(x) * float(os.environ.get("SCALE", "1.01"))  # BUG
    hidden.square().mean().backward()
