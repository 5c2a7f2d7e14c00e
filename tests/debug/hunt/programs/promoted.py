import os

import numpy as np
import paddle

net = paddle.nn.Linear(64, 64)
weights = paddle.to_tensor(np.linspace(0.5, 1.5, 64, dtype=os.environ.get("DTYPE", "float64")))
for _ in range(5):
    loss = net(paddle.ones([8, 64]))
    loss = (loss * weights).mean()  # BUG
    loss.backward()
