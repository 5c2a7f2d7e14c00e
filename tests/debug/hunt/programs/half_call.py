import paddle

x = paddle.to_tensor([300.0])
half = x * 0.5
square = x.square()  # BUG
assert float(square / 300.0 + half) < 1000
