"""Programs with gradients of gradients, which debug tools are compared over; see corpus.py.

Each returns its tensors: ``first`` is a gradient that ``create_graph`` made, and ``loss`` is what
the second backward starts from.
"""

from corpus import leaf

PROGRAMS = {}


def program(function):
    """Registers a program under its name."""
    PROGRAMS[function.__name__] = function
    return function


def _squared_gradient(function):
    """Returns a program: the squares of the gradient of a function's sum, summed."""

    def run(paddle):
        x = leaf(paddle, [3])
        y = function(paddle, x)
        (first,) = paddle.grad(y.sum(), x, create_graph=True)
        return {"x": x, "y": y, "first": first, "loss": (first * first).sum()}

    return run


PROGRAMS |= {
    "square_by_multiply": _squared_gradient(lambda paddle, x: x * x),
    "cube_by_multiply": _squared_gradient(lambda paddle, x: x * x * x),
    "hyperbolic_tangent": _squared_gradient(lambda paddle, x: paddle.tanh(x)),
    "power": _squared_gradient(lambda paddle, x: x**3),
    "square": _squared_gradient(lambda paddle, x: paddle.square(x)),
    "exponential": _squared_gradient(lambda paddle, x: paddle.exp(x)),
    "sine": _squared_gradient(lambda paddle, x: paddle.sin(x)),
    "square_root": _squared_gradient(lambda paddle, x: paddle.sqrt(x)),
    "logarithm": _squared_gradient(lambda paddle, x: paddle.log(x)),
    "sigmoid": _squared_gradient(lambda paddle, x: paddle.nn.functional.sigmoid(x)),
    "mean_of_squares": _squared_gradient(lambda paddle, x: (x * x).mean()),
    "scaled_and_shifted": _squared_gradient(lambda paddle, x: (x * 2 + 1) ** 2),
    "difference": _squared_gradient(lambda paddle, x: (x - x.exp()) ** 2),
    "quotient": _squared_gradient(lambda paddle, x: x.exp() / x),
    "joined": _squared_gradient(lambda paddle, x: paddle.concat([x, x * 2]).exp()),
    "reshaped": _squared_gradient(lambda paddle, x: x.reshape([3, 1]) * x.reshape([3, 1])),
    "sliced": _squared_gradient(lambda paddle, x: x[1:] * x[1:]),
    "flipped": _squared_gradient(lambda paddle, x: paddle.flip(x * x, [0]) * x),
    "cloned": _squared_gradient(lambda paddle, x: x.clone() ** 2),
    "divided_by_a_number": _squared_gradient(lambda paddle, x: (x / 2) ** 2),
    "taken_apart": _squared_gradient(lambda paddle, x: paddle.add_n(paddle.unbind(x * x))),
    "stacked": _squared_gradient(lambda paddle, x: paddle.stack([x, x * x]) ** 2),
    "cast_and_back": _squared_gradient(
        lambda paddle, x: (x.astype("float64") ** 2).astype("float32")
    ),
}


@program
def split_in_parts(paddle):
    x = leaf(paddle, [3])
    left, _, right = paddle.split(x, 3)
    (first,) = paddle.grad((left * right).sum(), x, create_graph=True)
    return {"x": x, "first": first, "loss": (first * first).sum()}


@program
def matrix_product(paddle):
    x, w = leaf(paddle, [2, 3]), leaf(paddle, [3, 2])
    y = paddle.matmul(x, w)
    first, second = paddle.grad((y * y).sum(), [x, w], create_graph=True)
    loss = (first * first).sum() + second.sum()
    return {"x": x, "w": w, "first": first, "second": second, "loss": loss}


@program
def convolution(paddle):
    x, w = leaf(paddle, [1, 1, 3, 3]), leaf(paddle, [1, 1, 2, 2])
    y = paddle.nn.functional.conv2d(x, w)
    first, second = paddle.grad((y * y).sum(), [x, w], create_graph=True)
    return {"x": x, "w": w, "first": first, "second": second, "loss": (first * first).sum()}


@program
def one_of_two_inputs(paddle):
    x, y = leaf(paddle, [3]), leaf(paddle, [3], start=1.0)
    (first,) = paddle.grad((x * y * y).sum(), y, create_graph=True)
    return {"x": x, "y": y, "first": first, "loss": first.sum()}


@program
def a_pylayer(paddle):
    class Cube(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensor()
            return grad * x * x * 3

    x = leaf(paddle, [3])
    y = Cube.apply(x)
    (first,) = paddle.grad(y.sum(), x, create_graph=True)
    return {"x": x, "y": y, "first": first, "loss": (first * first).sum()}


@program
def gradient_penalty(paddle):
    half = paddle.ParamAttr(initializer=paddle.nn.initializer.Constant(0.5))
    x = leaf(paddle, [2, 3])
    y = paddle.nn.Linear(3, 1, weight_attr=half)(x).tanh()
    (first,) = paddle.grad(y.sum(), x, create_graph=True)
    return {"x": x, "y": y, "first": first, "loss": y.sum() + (first.norm() - 1) ** 2}


@program
def a_gradient_hook(paddle):
    x = leaf(paddle, [3])
    y = x * x
    y.register_hook(lambda grad: grad * 2)
    (first,) = paddle.grad(y.exp().sum(), x, create_graph=True)
    return {"x": x, "y": y, "first": first, "loss": (first * first).sum()}


@program
def a_gradient_to_start_from(paddle):
    x, v = leaf(paddle, [3]), leaf(paddle, [3], start=1.0)
    (first,) = paddle.grad(x * x, x, v, create_graph=True)
    return {"x": x, "v": v, "first": first, "loss": (first * first).sum()}


@program
def of_an_intermediate(paddle):
    x = leaf(paddle, [3])
    y = x.exp()
    (first,) = paddle.grad((y * y).sum(), y, create_graph=True)
    return {"x": x, "y": y, "first": first, "loss": (first * first).sum()}


@program
def value_and_gradient(paddle):
    x, w = leaf(paddle, [3]), leaf(paddle, [3], start=1.0)
    y = (x * w).tanh()
    (first,) = paddle.grad(y.sum(), x, create_graph=True)
    return {"x": x, "w": w, "y": y, "first": first, "loss": (y * first).sum()}


@program
def three_times(paddle):
    x = leaf(paddle, [3])
    (first,) = paddle.grad((x**4).sum(), x, create_graph=True)
    (second,) = paddle.grad(first.sum(), x, create_graph=True)
    return {"x": x, "first": first, "second": second, "loss": (second * second).sum()}


@program
def three_times_by_multiply(paddle):
    x = leaf(paddle, [3])
    (first,) = paddle.grad((x * x).sum(), x, create_graph=True)
    (second,) = paddle.grad((first * x).sum(), x, create_graph=True)
    return {"x": x, "first": first, "second": second, "loss": (second * second).sum()}
