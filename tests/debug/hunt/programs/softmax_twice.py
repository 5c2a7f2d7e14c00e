import paddle
import paddle.nn.functional as F

net = paddle.nn.Sequential(paddle.nn.Linear(8, 8), paddle.nn.Dropout(0.5), paddle.nn.Linear(8, 1))
sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
x, label = paddle.rand([16, 8]), paddle.rand([16, 1])
with paddle.debug.gradient_report(net, sgd) as report:
    for _ in range(4):
        scores = F.softmax(net[0](x))
        F.cross_entropy(scores, paddle.zeros([16], "int64")).backward()  # BUG
        sgd.step()
        sgd.clear_grad()
print(report)
