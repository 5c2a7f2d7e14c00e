import paddle

x = paddle.rand([256, 16])
x.stop_gradient = False
apart = (x.unsqueeze(0) - x.unsqueeze(1)).square()  # BUG
loss = apart.sum(axis=-1).exp().mean()
print(paddle.debug.saved_tensors(loss))
