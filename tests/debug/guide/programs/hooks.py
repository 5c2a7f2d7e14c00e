import paddle


def of_node(name):
    def hook(outputs, inputs):
        print(name, inputs[0].tolist(), [each.tolist() for each in outputs])
        return list(outputs)

    return hook


def of_tensor(grad):
    print("d", grad.tolist())
    return grad


a, b = paddle.full([1], 2.0), paddle.full([1], 5.0)
a.stop_gradient = b.stop_gradient = False
c, d = a * b, a * b
e = c * d
f = e + d
e.grad_fn._register_post_hook(of_node("multiply"))
f.grad_fn._register_post_hook(of_node("add"))
d.register_hook(of_tensor)
print(paddle.grad([f], [a], [paddle.ones([1]) * 3], allow_unused=True)[0].tolist())
