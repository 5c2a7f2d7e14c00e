"""Small programs that the debug tools are compared over, on this library and on real Paddle.

A program is a function of the module ``paddle``: it runs forward ops and returns a dict of Tensors.
``loss`` is what backward starts from. Values are simple numbers, so that both libraries compute
the same digits; programs in ``DRAWS`` draw random numbers, and only names and shapes agree.
"""

import numpy as np

PROGRAMS = {}
DRAWS = set()


def program(function):
    """Registers a program under its name."""
    PROGRAMS[function.__name__] = function
    return function


def draws(function):
    """Registers a program whose values are random."""
    DRAWS.add(function.__name__)
    return program(function)


def leaf(paddle, shape, dtype="float32", start=0.5, step=0.25):
    """Returns a Tensor of equally spaced numbers that wants a gradient."""
    count = int(np.prod(shape))
    values = (start + step * np.arange(count)).reshape(shape).astype(dtype)
    return paddle.to_tensor(values, stop_gradient=False)


# ---- arithmetic


@program
def add_and_sum(paddle):
    x, y = leaf(paddle, [2, 3]), leaf(paddle, [2, 3], start=-1.0)
    z = x + y
    return {"x": x, "y": y, "z": z, "loss": z.sum()}


@program
def multiply_twice(paddle):
    x = leaf(paddle, [2, 2])
    y = x * x
    z = y * x
    return {"x": x, "y": y, "z": z, "loss": z.sum()}


@program
def same_operand_twice(paddle):
    x = leaf(paddle, [3])
    y = x + x
    return {"x": x, "y": y, "loss": y.sum()}


@program
def scalars_are_scale(paddle):
    x = leaf(paddle, [4])
    y = 1 - (x * 2 + 1)
    z = -y
    return {"x": x, "y": y, "z": z, "loss": z.sum()}


@program
def divide_and_power(paddle):
    x, y = leaf(paddle, [2, 2], start=1.0), leaf(paddle, [2, 2], start=2.0)
    z = (x / y) ** 2
    return {"x": x, "y": y, "z": z, "loss": z.sum()}


@program
def subtract_with_broadcast(paddle):
    x, y = leaf(paddle, [2, 3]), leaf(paddle, [3])
    z = x - y
    return {"x": x, "y": y, "z": z, "loss": z.sum()}


@program
def promotion_inserts_a_cast(paddle):
    x, y = leaf(paddle, [2, 3]), leaf(paddle, [2, 3], "float64")
    z = x + y
    w = z * z
    return {"x": x, "y": y, "z": z, "w": w, "loss": w.sum()}


@program
def cast_there_and_back(paddle):
    x = leaf(paddle, [2, 2])
    y = x.astype("float64")
    z = (y * y).astype("float32")
    return {"x": x, "y": y, "z": z, "loss": z.sum()}


@program
def a_stopped_input(paddle):
    x = leaf(paddle, [3])
    c = paddle.to_tensor([1.0, 2.0, 3.0])
    z = x * c
    return {"x": x, "c": c, "z": z, "loss": z.sum()}


@program
def zero_dimensional(paddle):
    x = leaf(paddle, [])
    y = x * x
    return {"x": x, "y": y, "loss": y}


@program
def an_empty_tensor(paddle):
    x = leaf(paddle, [0, 3])
    y = x * x
    return {"x": x, "y": y, "loss": y.sum()}


@program
def a_diamond(paddle):
    x = leaf(paddle, [2])
    y = paddle.tanh(x)
    left, right = paddle.exp(y), paddle.sin(y)
    z = left * right
    return {"x": x, "y": y, "left": left, "right": right, "z": z, "loss": z.sum()}


@program
def a_chain_of_ten(paddle):
    x = y = leaf(paddle, [2])
    for _ in range(10):
        y = paddle.tanh(y)
    return {"x": x, "y": y, "loss": y.sum()}


@program
def elementary_functions(paddle):
    x = leaf(paddle, [4])
    y = paddle.sqrt(x) + paddle.log(x) + paddle.abs(x) + paddle.square(x)
    return {"x": x, "y": y, "loss": y.mean()}


@program
def comparisons_and_where(paddle):
    x = leaf(paddle, [4], start=-0.5)
    mask = x > 0
    y = paddle.where(mask, x * 2, x * 3)
    return {"x": x, "mask": mask, "y": y, "loss": y.sum()}


@program
def maximum_and_clip(paddle):
    x, y = leaf(paddle, [3]), leaf(paddle, [3], start=1.0, step=-0.25)
    z = paddle.clip(paddle.maximum(x, y), 0.6, 0.9)
    return {"x": x, "y": y, "z": z, "loss": z.sum()}


# ---- reductions and shapes


@program
def reductions(paddle):
    x = leaf(paddle, [2, 3])
    total, mean, top = x.sum(axis=1), x.mean(), x.max()
    return {"x": x, "total": total, "mean": mean, "top": top, "loss": total.sum() + mean + top}


@program
def reshape_and_transpose(paddle):
    x = leaf(paddle, [2, 3])
    y = paddle.transpose(paddle.reshape(x, [3, 2]), [1, 0])
    z = y * y
    return {"x": x, "y": y, "z": z, "loss": z.sum()}


@program
def squeeze_and_unsqueeze(paddle):
    x = leaf(paddle, [2, 1, 3])
    y = paddle.unsqueeze(paddle.squeeze(x, 1), 0)
    return {"x": x, "y": y, "loss": y.sum()}


@program
def split_uses_one_part(paddle):
    x = leaf(paddle, [2, 3])
    first, _, last = paddle.split(x, 3, axis=1)
    z = first * last
    return {"x": x, "first": first, "last": last, "z": z, "loss": z.sum()}


@program
def concat_and_stack(paddle):
    x, y = leaf(paddle, [2, 2]), leaf(paddle, [2, 2], start=3.0)
    joined = paddle.concat([x, y], axis=0)
    piled = paddle.stack([x, y], axis=0)
    return {"x": x, "joined": joined, "piled": piled, "loss": joined.sum() + piled.sum()}


@program
def basic_indexing(paddle):
    x = leaf(paddle, [3, 4])
    row, part = x[0], x[:, 1:3]
    return {"x": x, "row": row, "part": part, "loss": row.sum() + part.sum()}


@program
def gather_rows(paddle):
    x = leaf(paddle, [4, 2])
    index = paddle.to_tensor([0, 2])
    y = paddle.gather(x, index)
    return {"x": x, "y": y, "loss": (y * y).sum()}


@program
def topk_has_two_outputs(paddle):
    x = leaf(paddle, [2, 4])
    values, indices = paddle.topk(x, 2)
    return {"x": x, "values": values, "indices": indices, "loss": values.sum()}


@program
def cumulative_sum(paddle):
    x = leaf(paddle, [4])
    y = paddle.cumsum(x)
    return {"x": x, "y": y, "loss": (y * y).sum()}


@program
def expand_and_tile(paddle):
    x = leaf(paddle, [1, 2])
    y, z = paddle.expand(x, [3, 2]), paddle.tile(x, [2, 1])
    return {"x": x, "y": y, "z": z, "loss": y.sum() + z.sum()}


# ---- created tensors


@program
def created_tensors(paddle):
    a, b = paddle.ones([2, 2]), paddle.full([2, 2], 3.0)
    c, d = paddle.arange(4, dtype="float32"), paddle.zeros([4])
    a.stop_gradient = False
    y = a * b
    z = c + d
    return {"a": a, "b": b, "c": c, "d": d, "y": y, "z": z, "loss": y.sum()}


@program
def like_another(paddle):
    x = leaf(paddle, [2, 2])
    y = paddle.ones_like(x) * x + paddle.zeros_like(x)
    return {"x": x, "y": y, "loss": y.sum()}


@draws
def drawn_numbers(paddle):
    x, y = paddle.randn([2, 3]), paddle.rand([3, 2])
    x.stop_gradient = False
    y.stop_gradient = False
    z = paddle.matmul(x, y)
    return {"x": x, "y": y, "z": z, "loss": z.sum()}


@draws
def dropout_of_ones(paddle):
    x = paddle.ones([4, 4])
    x.stop_gradient = False
    y = paddle.nn.functional.dropout(x, 0.5)
    return {"x": x, "y": y, "loss": y.sum()}


# ---- networks


@program
def matmul_and_bias(paddle):
    x, w, b = leaf(paddle, [2, 3]), leaf(paddle, [3, 2]), leaf(paddle, [2])
    y = paddle.matmul(x, w) + b
    return {"x": x, "w": w, "b": b, "y": y, "loss": y.sum()}


@program
def functional_linear(paddle):
    x, w, b = leaf(paddle, [2, 3]), leaf(paddle, [3, 2]), leaf(paddle, [2])
    y = paddle.nn.functional.linear(x, w, b)
    return {"x": x, "y": y, "loss": y.sum()}


@program
def softmax_of_rows(paddle):
    x = leaf(paddle, [2, 3])
    y = paddle.nn.functional.softmax(x)
    return {"x": x, "y": y, "loss": (y * y).sum()}


@program
def cross_entropy_of_labels(paddle):
    x = leaf(paddle, [2, 3])
    label = paddle.to_tensor([0, 2])
    loss = paddle.nn.functional.cross_entropy(x, label)
    return {"x": x, "loss": loss}


@program
def layer_norm_without_weight(paddle):
    x = leaf(paddle, [2, 4])
    y = paddle.nn.functional.layer_norm(x, [4])
    return {"x": x, "y": y, "loss": (y * y).sum()}


@program
def activations(paddle):
    x = leaf(paddle, [4], start=-0.5)
    f = paddle.nn.functional
    y = f.relu(x) + f.sigmoid(x) + f.gelu(x)
    return {"x": x, "y": y, "loss": y.sum()}


@program
def embedding_lookup(paddle):
    ids, table = paddle.to_tensor([[0, 2], [1, 1]]), leaf(paddle, [3, 2])
    y = paddle.nn.functional.embedding(ids, table)
    return {"table": table, "y": y, "loss": (y * y).sum()}


@program
def convolution_and_pooling(paddle):
    x, w = leaf(paddle, [1, 1, 4, 4]), leaf(paddle, [2, 1, 3, 3])
    f = paddle.nn.functional
    y = f.max_pool2d(f.relu(f.conv2d(x, w, padding=1)), 2)
    return {"x": x, "w": w, "y": y, "loss": y.sum()}


@program
def two_layer_perceptron(paddle):
    nn = paddle.nn
    half = nn.initializer.Constant(0.5)
    attr = paddle.ParamAttr(initializer=half)
    net = nn.Sequential(nn.Linear(3, 4, weight_attr=attr), nn.Tanh(), nn.Linear(4, 2, attr))
    x = paddle.to_tensor([[1.0, 2.0, 3.0]])
    y = net(x)
    return {"x": x, "y": y, "loss": y.mean()}


@program
def mean_squared_error(paddle):
    x, target = leaf(paddle, [3]), paddle.to_tensor([1.0, 1.0, 1.0])
    loss = paddle.nn.functional.mse_loss(x, target)
    return {"x": x, "loss": loss}


# ---- in place, views, modes


@program
def add_in_place(paddle):
    x, y = leaf(paddle, [2, 2]), leaf(paddle, [2, 2], start=2.0)
    z = x * 2
    z.add_(y)
    return {"x": x, "y": y, "z": z, "loss": z.sum()}


@program
def relu_in_place(paddle):
    x = leaf(paddle, [4], start=-0.5)
    y = x * 1.5
    y = paddle.nn.functional.relu_(y)
    return {"x": x, "y": y, "loss": (y * 2).sum()}


@program
def set_item(paddle):
    x = leaf(paddle, [2, 2])
    y = x * 1.0
    y[0] = 4.0
    return {"x": x, "y": y, "loss": (y * y).sum()}


@program
def detached_branch(paddle):
    x = leaf(paddle, [2])
    y = x * x
    z = y * y.detach()
    return {"x": x, "y": y, "z": z, "loss": z.sum()}


@program
def no_grad_in_the_middle(paddle):
    x = leaf(paddle, [2])
    with paddle.no_grad():
        c = paddle.exp(x)
    y = x * c
    return {"x": x, "c": c, "y": y, "loss": y.sum()}


@program
def clone_of_a_leaf(paddle):
    x = leaf(paddle, [2])
    y = x.clone()
    return {"x": x, "y": y, "loss": (y * y).sum()}


@program
def other_dtypes(paddle):
    x = leaf(paddle, [2], "float64")
    n = paddle.to_tensor([1, 2], dtype="int64")
    b = paddle.to_tensor([True, False])
    y = x * x
    m = n + n
    return {"x": x, "n": n, "b": b, "m": m, "y": y, "loss": y.sum()}


# ---- PyLayers and hooks


def _double(paddle):
    class Double(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    return Double


@program
def a_pylayer(paddle):
    x = leaf(paddle, [2])
    y = _double(paddle).apply(x)
    return {"x": x, "y": y, "loss": (y * y).sum()}


@program
def nested_pylayers(paddle):
    inner = _double(paddle)

    class Outer(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            return inner.apply(x) + 1

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = leaf(paddle, [2])
    y = Outer.apply(x * 1.0)
    return {"x": x, "y": y, "loss": y.sum()}


@program
def a_pylayer_with_two_outputs(paddle):
    class Both(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x, y):
            return x + y, x * 2

        @staticmethod
        def backward(ctx, a, b):
            return a + b * 2, a

    x, y = leaf(paddle, [2]), leaf(paddle, [2], start=1.0)
    a, b = Both.apply(x, y)
    return {"x": x, "y": y, "a": a, "b": b, "loss": (a * b).sum()}


@program
def a_gradient_hook(paddle):
    x = leaf(paddle, [2])
    y = x * x
    y.register_hook(lambda grad: grad * 3)
    return {"x": x, "y": y, "loss": y.sum()}


@program
def a_training_step_of_two_layers(paddle):
    nn = paddle.nn
    attr = paddle.ParamAttr(initializer=nn.initializer.Constant(0.25))
    first = nn.Linear(2, 3, weight_attr=attr)
    second = nn.Linear(3, 2, weight_attr=attr)
    x, label = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), paddle.to_tensor([0, 1])
    hidden = nn.functional.relu(first(x))
    out = second(hidden)
    loss = nn.functional.cross_entropy(out, label)
    return {"x": x, "hidden": hidden, "out": out, "loss": loss}
