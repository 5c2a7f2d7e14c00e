import paddle
from paddle.autograd import PyLayer


class Within(PyLayer):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return paddle.matmul(grad, paddle.ones([7, 7]))


class Around(PyLayer):
    @staticmethod
    def forward(ctx, x):
        return x + 1

    @staticmethod
    def backward(ctx, grad):
        with paddle.enable_grad():
            again = paddle.ones([2, 2])
            again.stop_gradient = False
            Within.apply(again).sum().backward()
        return grad


x = paddle.ones([2, 2])
x.stop_gradient = False
Around.apply(x).sum().backward()
