import paddle

x = paddle.to_tensor([[60.0, 61.0, 70.0]], stop_gradient=False)
weights = (x * 1.0).exp()
share = weights / weights.sum(axis=1, keepdim=True)
(1.0 - share[0, 2]).log().backward()  # BUG
