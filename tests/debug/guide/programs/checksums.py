import paddle

x = paddle.ones([2, 2])
x.stop_gradient = False
paddle.exp(x).sum().backward()
