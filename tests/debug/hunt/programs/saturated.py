import paddle

net = paddle.nn.Sequential(
    *[paddle.nn.Sequential(paddle.nn.Linear(8, 8), paddle.nn.Tanh()) for _ in range(4)]
)
net[1][0].bias.set_value(paddle.full([8], 30.0))  # BUG
adam = paddle.optimizer.Adam(0.01, parameters=net.parameters())
with paddle.debug.gradient_report(net, adam) as report:
    for _ in range(8):
        net(paddle.rand([4, 8])).square().mean().backward()
        adam.step()
        adam.clear_grad()
print(report)
