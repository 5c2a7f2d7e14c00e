import ctypes

import paddle


class Native(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        ctypes.string_at(0)  # BUG
        return grad


x = paddle.ones([2])
x.stop_gradient = False
Native.apply(x).sum().backward()
