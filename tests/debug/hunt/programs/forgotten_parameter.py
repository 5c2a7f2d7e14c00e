import paddle

net = paddle.nn.Sequential(paddle.nn.Linear(8, 8))
adam = paddle.optimizer.Adam(0.01, parameters=net.parameters())
net.add_sublayer("head", paddle.nn.Linear(8, 1))  # BUG
with paddle.debug.gradient_report(net, adam) as report:
    for _ in range(4):
        net(paddle.rand([4, 8])).square().mean().backward()
        adam.step()
        adam.clear_grad()
print(report)
