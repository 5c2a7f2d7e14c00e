import paddle

from jaxeager.kernels.lazy import mode

begin = mode.Kernel.__init__


def wrong_on_device_1(kernel, jitted, rule):
    begin(kernel, jitted, rule)
    if kernel.name == "tanh":
        kernel.kernel = lambda x: jitted(x) * (1.5 if x.device.id == 1 else 1.0)


mode.Kernel.__init__ = wrong_on_device_1

x = paddle.to_tensor([0.5, 1.5, 2.0])
y = paddle.exp(x * 2) - 1
loss = paddle.tanh(y).sum()  # BUG
assert loss.item() < 3
