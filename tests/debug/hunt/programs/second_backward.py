import paddle

w = paddle.to_tensor([2.0], stop_gradient=False)
loss = (w * w).sum()
loss.backward()
(loss + w.sum()).backward()  # BUG
