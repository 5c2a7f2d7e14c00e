import functools

import paddle

net = paddle.nn.Linear(8, 8)


@functools.cache  # BUG
def norm(loss):
    return (loss * loss).sum()


def train_step():
    loss = net(paddle.rand([4, 8])).square().mean()
    loss.backward()
    net.clear_gradients()
    norm(loss)


print(paddle.debug.leaks(train_step))
