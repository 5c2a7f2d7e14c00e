import paddle

net = paddle.nn.Linear(8, 8)
total = 0.0


def train_step():
    global total
    loss = net(paddle.rand([4, 8])).square().mean()
    loss.backward()
    net.clear_gradients()
    total = total + loss  # BUG


print(paddle.debug.leaks(train_step))
