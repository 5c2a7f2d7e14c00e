import paddle

net = paddle.nn.Linear(4, 4)
with paddle.debug.capture_step() as step:
    hidden = net(paddle.ones([2, 4])).astype("float16")
    loss = (hidden * 1e-4).square().mean()  # BUG
    loss.backward()
print(paddle.debug.why(net.weight, loss, step))
