import paddle

x = paddle.to_tensor([8.0, 300.0]).astype("float16")


def energy(x):
    return x.square().mean()  # BUG


print(energy(x))
