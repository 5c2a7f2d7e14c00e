import paddle


class Swish(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * paddle.nn.functional.sigmoid(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensor()
        s = paddle.nn.functional.sigmoid(x)
        return grad * s * (1 + x * s)  # it should be (1 + x * (1 - s))


paddle.seed(0)
net = paddle.nn.Linear(4, 8)
with paddle.debug.capture_step() as step:
    loss = Swish.apply(net(paddle.randn([3, 4]))).sum()  # BUG
print(paddle.debug.audit(loss, step=step))
