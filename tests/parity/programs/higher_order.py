"""Derivatives of derivatives: create_graph, gradient penalties, names of higher nodes."""

from ..probe import array, attempt, leaf
from ..registry import program
from .partial_grad import values


def derivatives(paddle, y, x, count):
    """Returns the first `count` derivatives of y.sum() with respect to x, as arrays."""
    found = []
    for k in range(count):
        (y,) = paddle.grad(y.sum(), [x], create_graph=k + 1 < count)
        found.append(y.numpy())
    return found


@program
def derivatives_of_a_power(paddle, np):
    """Three derivatives of x**4."""
    x = leaf(paddle, np.float64([2.0, -1.5]))
    return derivatives(paddle, x**4, x, 3)


@program
def derivatives_of_products(paddle, np):
    """Polynomials written as products, as deep as Paddle goes."""
    x = leaf(paddle, np.float64([2.0, -1.5]))
    return [
        derivatives(paddle, x * x * x, x, 3),
        derivatives(paddle, (x * x + 1.0) * (x * 3 - x * x), x, 3),
    ]


@program
def second_derivatives_of_functions(paddle, np):
    """Second derivatives of functions of one tensor."""
    F = paddle.nn.functional
    functions = {
        "exp": paddle.exp,
        "log": paddle.log,
        "sqrt": paddle.sqrt,
        "rsqrt": paddle.rsqrt,
        "square": paddle.square,
        "sin": paddle.sin,
        "cos": paddle.cos,
        "tanh": paddle.tanh,
        "sigmoid": F.sigmoid,
        "silu": F.silu,
        "softplus": F.softplus,
        "elu": F.elu,
        "celu": F.celu,
    }
    out = {}
    for text, function in functions.items():
        x = leaf(paddle, np.float64([0.3, 0.7, 1.9]))
        y = function(x)
        out[text] = derivatives(paddle, y, x, 2)
    return out


@program
def third_derivatives_of_functions(paddle, np):
    """Third derivatives where Paddle has them."""
    F = paddle.nn.functional
    functions = {
        "exp": paddle.exp,
        "log": paddle.log,
        "sin": paddle.sin,
        "cos": paddle.cos,
        "tanh": paddle.tanh,
        "sigmoid": F.sigmoid,
    }
    out = {}
    for text, function in functions.items():
        x = leaf(paddle, np.float64([0.3, 0.7]))
        y = function(x)
        out[text] = derivatives(paddle, y, x, 3)
    return out


@program
def second_derivatives_through_shapes(paddle, np):
    """x cubed through ops that move elements about."""
    F = paddle.nn.functional
    functions = {
        "sum": lambda y: y.sum(axis=0),
        "mean": lambda y: y.mean(),
        "reshape": lambda y: y.reshape([4]),
        "transpose": lambda y: y.T,
        "concat": lambda y: paddle.concat([y, y * 2]),
        "stack": lambda y: paddle.stack([y, y * 2]),
        "split": lambda y: paddle.split(y, 2)[0],
        "unbind": lambda y: paddle.unbind(y)[1],
        "expand": lambda y: paddle.expand(y, [3, 2, 2]),
        "tile": lambda y: paddle.tile(y, [2, 1]),
        "slice": lambda y: y[0],
        "gather": lambda y: paddle.gather(y, paddle.to_tensor([1, 1])),
        "squeeze": lambda y: y.unsqueeze(0).squeeze(0),
        "pad": lambda y: F.pad(y, [1, 1, 1, 1]),
        "flip": lambda y: paddle.flip(y, [0]),
        "cast": lambda y: y.astype("float32"),
        "scale": lambda y: y * 2 + 1,
        "clone": lambda y: y.clone(),
        "add_n": lambda y: paddle.add_n([y, y]),
        "index_select": lambda y: paddle.index_select(y, paddle.to_tensor([1])),
    }
    out = {}
    for text, function in functions.items():
        x = leaf(paddle, np.float64([[0.3, 0.7], [0.2, 0.9]]))
        out[text] = derivatives(paddle, function(x**3) ** 2, x, 2)
    return out


@program
def second_derivatives_of_two_tensors(paddle, np):
    """The mixed second derivatives of functions of two tensors."""
    functions = {
        "add": lambda x, w: (x + w) ** 3,
        "subtract": lambda x, w: (x - w) ** 3,
        "multiply": lambda x, w: x * w * x,
        "divide": lambda x, w: x * x / w,
        "matmul": lambda x, w: paddle.matmul(x, w) ** 2,
        "bmm": lambda x, w: paddle.bmm(x.unsqueeze(0), w.unsqueeze(0)) ** 2,
        "maximum": lambda x, w: paddle.maximum(x, w) ** 3,
        "minimum": lambda x, w: paddle.minimum(x, w) ** 3,
        "where": lambda x, w: paddle.where(x > 0.5, x, w) ** 3,
        "outer": lambda x, w: paddle.outer(x[0], w[0]) ** 2,
    }
    out = {}
    for text, function in functions.items():
        x = leaf(paddle, np.float64([[0.3, 0.7], [0.2, 0.9]]))
        w = leaf(paddle, np.float64([[1.2, 0.4], [0.8, 1.7]]))
        first = paddle.grad(function(x, w).sum(), [x, w], create_graph=True)
        second = [paddle.grad(d.sum(), [x, w], retain_graph=True) for d in first]
        out[text] = [values(first), *map(values, second)]
    return out


@program
def broadcasting_in_second_derivatives(paddle, np):
    """Operands of other shapes get gradients of their own shape, at every order."""
    x, b = leaf(paddle, np.float64([[0.3, 0.7], [0.2, 0.9]])), leaf(paddle, np.float64([1.5, 2.5]))
    out = []
    for y in (x * b * b, (x + b) ** 3, x / b):
        first = paddle.grad(y.sum(), [x, b], create_graph=True)
        out.append([values(first), values(paddle.grad((first[1] ** 2).sum(), [x, b]))])
    return out


@program
def seeds_that_want_gradients(paddle, np):
    """grad_outputs may be part of a graph: the result is linear in them."""
    x, s = leaf(paddle, [2.0, 3.0]), leaf(paddle, [5.0, 7.0])
    (d,) = paddle.grad(x * x, x, s, create_graph=True)
    (ds,) = paddle.grad(d, s, retain_graph=True)
    (dx,) = paddle.grad(d, x)
    return values([d, ds, dx])


@program
def forward_mode_by_two_reverses(paddle, np):
    """The double-backward trick: a Jacobian times a vector."""
    x = leaf(paddle, np.float64([0.5, 1.5]))
    u = paddle.zeros([2], dtype="float64")
    u.stop_gradient = False
    y = paddle.sin(x) * x.sum()
    (g,) = paddle.grad(y, x, u, create_graph=True)
    (jvp,) = paddle.grad(g, u, paddle.to_tensor(np.float64([1.0, 2.0])))
    return [jvp.numpy()]


@program
def hessian_vector_products(paddle, np):
    """Two orders through a small network."""
    nn = paddle.nn
    w = leaf(paddle, np.linspace(-0.5, 0.9, 6).reshape(2, 3))
    v = leaf(paddle, np.linspace(0.3, -0.8, 3).reshape(3, 1))
    data = paddle.to_tensor(np.float64([[1.0, 2.0], [-0.5, 0.25]]))
    loss = (nn.functional.sigmoid(paddle.matmul(paddle.tanh(data @ w), v)) ** 2).mean()
    first = paddle.grad(loss, [w, v], create_graph=True)
    along = (first[0] * 0.5).sum() + (first[1] * 2.0).sum()
    return [values(first), values(paddle.grad(along, [w, v]))]


@program
def gradient_penalty(paddle, np):
    """A penalty on the gradient with respect to the data reaches the parameters."""
    layer, last = paddle.nn.Linear(2, 3), paddle.nn.Linear(3, 1)
    for k, parameter in enumerate([*layer.parameters(), *last.parameters()]):
        shape = parameter.shape
        made = np.linspace(-1.0, 0.5 + k, int(np.prod(shape)), dtype="float32").reshape(shape)
        parameter.set_value(made)
    data = leaf(paddle, [[1.0, 2.0], [0.3, -0.4]])
    score = last(paddle.tanh(layer(data)))
    (slope,) = paddle.grad(score.sum(), [data], create_graph=True)
    norm = paddle.sqrt((slope * slope).sum(axis=1))
    (((norm - 1.0) ** 2).mean() + score.mean()).backward()
    gradients = [array(p.grad) for p in (*layer.parameters(), *last.parameters())]
    return [slope.numpy(), gradients, data.grad.numpy()]


@program
def backward_of_a_derivative(paddle, np):
    """backward through a recorded gradient adds to every leaf it depends on."""
    x, w = leaf(paddle, [2.0]), leaf(paddle, [3.0])
    y = w * x * x
    (d,) = paddle.grad(y, x, create_graph=True)
    ((d - 1.0) ** 2).backward()
    return [d.numpy(), x.grad.numpy(), w.grad.numpy()]


@program
def first_and_second_order_together(paddle, np):
    """A loss and the square of its gradient in one backward."""
    x = leaf(paddle, np.float64([0.5]))
    y = paddle.exp(x * x)
    (d,) = paddle.grad(y, x, create_graph=True)
    (y + d * d).backward()
    return [d.numpy(), x.grad.numpy()]


@program
def hooks_under_create_graph(paddle, np):
    """What a hook makes of a gradient is part of the graph of the gradient."""
    x, k = leaf(paddle, np.float64([2.0])), leaf(paddle, np.float64([10.0]))
    a = x * x
    a.register_hook(lambda grad: grad * k)
    (d,) = paddle.grad(a * a, x, create_graph=True)
    return [d.numpy(), values(paddle.grad(d, [x, k]))]


@program
def intermediates_of_derivatives(paddle, np):
    """Second derivatives with respect to intermediates."""
    x = leaf(paddle, np.float64([0.7]))
    a = paddle.sin(x)
    b = a * a * x
    (d,) = paddle.grad(b, a, create_graph=True)
    return [d.numpy(), values(paddle.grad(d, [a, x]))]


@program
def unused_in_a_second_derivative(paddle, np):
    """A first derivative that does not depend on an input, with allow_unused."""
    x, w, v = leaf(paddle, [2.0]), leaf(paddle, [3.0]), leaf(paddle, [4.0])
    (d,) = paddle.grad(x * x * w, x, create_graph=True)
    return values(paddle.grad(d, [x, w, v], allow_unused=True))


@program
def saved_in_place_before_a_second_derivative(paddle, np):
    """A write into what the second derivative needs is noticed."""
    x = leaf(paddle, [2.0])
    a = x * 1.0
    y = a * a * a
    (d,) = paddle.grad(y, x, create_graph=True)
    a.scale_(3.0)
    return attempt(lambda: paddle.grad(d, x))["error"]


@program
def create_graph_under_no_grad(paddle, np):
    """Under no_grad a gradient is not recorded, whatever create_graph says."""
    x = leaf(paddle, [2.0])
    y = x * x * x
    with paddle.no_grad():
        (d,) = paddle.grad(y, x, create_graph=True)
    return [d.numpy(), d.grad_fn is None or d.is_leaf]


@program
def recorded_gradients_free_their_graph(paddle, np):
    """The graph of a gradient is freed by its own backward; the first graph can go on."""
    x = leaf(paddle, [2.0])
    y = x * x * x
    (d,) = paddle.grad(y, x, create_graph=True)
    d.backward(retain_graph=True)
    d.backward()
    return [x.grad.numpy(), attempt(lambda: d.backward())["error"]]


@program
def names_of_second_order_nodes(paddle, np):
    """The node of a first derivative is the op's DoubleGradNode."""
    F = paddle.nn.functional
    functions = {
        "exp": paddle.exp,
        "tanh": paddle.tanh,
        "sin": paddle.sin,
        "cos": paddle.cos,
        "sqrt": paddle.sqrt,
        "rsqrt": paddle.rsqrt,
        "log": paddle.log,
        "square": paddle.square,
        "sigmoid": F.sigmoid,
        "silu": F.silu,
        "softplus": F.softplus,
        "pow": lambda x: x**4,
        "elu": F.elu,
    }
    out = {}
    for text, function in functions.items():
        x = leaf(paddle, np.float64([0.3, 0.7]))
        y = function(x)
        (d,) = paddle.grad(y, x, create_graph=True)
        out[text] = d.grad_fn.name()
    return out


@program
def names_of_third_order_nodes(paddle, np):
    """The node of a second derivative is the op's TripleGradNode."""
    out = {}
    for text, function in {"pow": lambda x: x**4, "sin": paddle.sin, "cos": paddle.cos}.items():
        x = leaf(paddle, np.float64([0.3, 0.7]))
        (d,) = paddle.grad(function(x), x, create_graph=True)
        (d,) = paddle.grad(d, x, create_graph=True)
        out[text] = d.grad_fn.name()
    return out
