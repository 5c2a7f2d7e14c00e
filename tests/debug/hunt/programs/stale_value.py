import paddle

x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
y = x * 1.0
z = y.square()
y.add_(paddle.ones([2]))  # BUG
z.sum().backward()
