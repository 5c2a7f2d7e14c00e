import paddle

net = paddle.nn.Sequential(*[paddle.nn.Linear(8, 8) for _ in range(4)])
for _ in range(20):
    x = paddle.ones([4, 8])
    for layer in net:
        x = layer(x)
        if x.abs().max() > 1e6:  # BUG
            raise SystemExit("diverged")
    x.mean().backward()
