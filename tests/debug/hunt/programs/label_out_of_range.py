import paddle

net = paddle.nn.Linear(4, 3)
labels = paddle.to_tensor([0, 1, 3])
loss = paddle.nn.functional.cross_entropy(net(paddle.ones([3, 4])), labels)  # BUG
loss.backward()
