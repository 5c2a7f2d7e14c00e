import paddle

net = paddle.nn.Sequential(paddle.nn.Linear(8, 8), paddle.nn.Dropout(0.5), paddle.nn.Linear(8, 1))
sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
x, label = paddle.rand([16, 8]), paddle.rand([16, 1])
with paddle.debug.gradient_report(net, sgd) as report:
    for _ in range(4):
        (net(x) - label).square().mean().backward()  # BUG
        sgd.step()
print(report)
