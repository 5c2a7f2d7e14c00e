import paddle

x = paddle.to_tensor([[0.5, 0.5], [1.0, 0.0]])


def entropy(p):
    return -(p * p.log()).sum(axis=1)  # BUG


print(entropy(x).mean())
