import paddle

start = paddle.full([3, 2], 1.5)
start.stop_gradient = False
middle = start**2
kept = middle**2  # its node needs middle
middle[0:1] = 4.0
(kept + middle**2).sum().backward()
