"""Derivatives of derivatives that Paddle 3.3.1 has no rule for, or gets wrong.

The right answers are those of nested `jax.grad`.
"""

from ..probe import attempt, leaf
from ..registry import differs

UNAVAILABLE = "RuntimeError"


def _outcome(call):
    """Returns the values that a call returns as a list, or the class of its error."""
    found = attempt(call)
    return found["error"] if isinstance(found, dict) else found.flatten().tolist()


def _second(paddle, function, value):
    """Returns the derivative of a weighted sum of the derivative of a function's sum."""
    x = leaf(paddle, value)
    (first,) = paddle.grad(function(x).sum(), [x], create_graph=True)
    weights = paddle.arange(1, 1 + value.size, dtype="float64").reshape(value.shape)
    return paddle.grad((first * weights).sum(), [x])[0]


def _nth(paddle, function, value, count):
    """Returns the count-th derivative of a function's sum."""
    x = leaf(paddle, value)
    y = function(x)
    for _ in range(count):
        (y,) = paddle.grad(y.sum(), [x], create_graph=True)
    return y


ELEMENTWISE = {
    "gelu": [0.7284507275, 0.9430068788],
    "softmax": [-0.2121812198, 0.2121812198],
    "log_softmax": [-1.7241953221, 1.7241953221],
    "erf": [-0.6187565458, -1.9355696091],
    "tan": [0.6778725996, 5.7593985306],
    "atan": [-0.505007996, -1.2612044502],
    "asin": [0.3455884077, 3.843906113],
    "sinh": [0.3045202934, 1.5171674037],
    "cosh": [1.0453385141, 2.5103380113],
    "expm1": [1.3498588076, 4.0275054149],
    "log1p": [-0.5917159763, -0.6920415225],
    "log2": [-16.0299448988, -5.8885511873],
    "reciprocal": [74.0740740741, 11.6618075802],
    "pow": [1.3693063938, 6.274950199],
    "logsumexp": [-0.2402607457, 0.2402607457],
    "max": [0.0, 8.4],
    "cumsum": [3.6, 8.4],
    "prod": [2.0, 1.0],
    "cumprod": [2.0, 1.0],
    "norm": [0.158473281, -0.0679171204],
    "mish": [0.563394659, 0.7079528312],
    "swish": [0.4779977682, 0.7824411894],
}


@differs(
    "Paddle has no second-order rule for these ops",
    right=ELEMENTWISE,
    paddle_gives=dict.fromkeys(ELEMENTWISE, UNAVAILABLE),
)
def second_derivatives_of_functions_without_a_rule(paddle, np):
    """Every differentiable op has derivatives of every order."""
    F = paddle.nn.functional
    powers = paddle.to_tensor(np.float64([1.5, 2.5]))
    functions = {
        "gelu": F.gelu,
        "softmax": lambda x: F.softmax(x) ** 2,
        "log_softmax": lambda x: F.log_softmax(x) ** 2,
        "erf": paddle.erf,
        "tan": paddle.tan,
        "atan": paddle.atan,
        "asin": paddle.asin,
        "sinh": paddle.sinh,
        "cosh": paddle.cosh,
        "expm1": paddle.expm1,
        "log1p": paddle.log1p,
        "log2": paddle.log2,
        "reciprocal": paddle.reciprocal,
        "pow": lambda x: paddle.pow(x, powers),
        "logsumexp": paddle.logsumexp,
        "max": lambda x: (x**3).max(),
        "cumsum": lambda x: paddle.cumsum(x**3),
        "prod": paddle.prod,
        "cumprod": lambda x: paddle.cumprod(x, 0),
        "norm": paddle.norm,
        "mish": F.mish,
        "swish": F.swish,
    }
    value = np.float64([0.3, 0.7])
    return {
        text: _outcome(lambda f=function: _second(paddle, f, value))
        for text, function in functions.items()
    }


MATRICES = {
    "flatten": [1.8, 8.4, 3.6, 21.6],
    "strided_slice": [1.8, 8.4, 0.0, 0.0],
    "einsum": [5.6, 16.0, 17.2, 31.4],
    "roll": [0.243, 14.406, 0.144, 78.732],
    "tril": [1.8, 0.0, 3.6, 21.6],
    "dot": [2.2, 9.2, 0.6, 2.8],
    "topk": [0.0, 8.4, 0.0, 21.6],
    "sort": [1.8, 8.4, 3.6, 21.6],
    "cross_entropy": [-0.1201303729, 0.1201303729, -0.1108564366, 0.1108564366],
}


@differs(
    "Paddle has no second-order rule for these ops",
    right=MATRICES,
    paddle_gives=dict.fromkeys(MATRICES, UNAVAILABLE),
)
def second_derivatives_of_matrices_without_a_rule(paddle, np):
    """The same for functions of a matrix."""
    functions = {
        "flatten": lambda x: paddle.flatten(x**3),
        "strided_slice": lambda x: (x**3)[::2],
        "einsum": lambda x: paddle.einsum("ij,jk->ik", x**2, x),
        "roll": lambda x: paddle.roll(x**3, 1) ** 2,
        "tril": lambda x: paddle.tril(x**3),
        "dot": lambda x: paddle.dot(x[0], x[1] * x[0]),
        "topk": lambda x: paddle.topk(x**3, 1)[0],
        "sort": lambda x: paddle.sort(x**3),
        "cross_entropy": lambda x: paddle.nn.functional.cross_entropy(x, paddle.to_tensor([0, 1])),
    }
    value = np.float64([[0.3, 0.7], [0.2, 0.9]])
    return {
        text: _outcome(lambda f=function: _second(paddle, f, value))
        for text, function in functions.items()
    }


THIRD = {
    "divide": [2.1007667799, 0.7183822033],
    "sqrt": [7.6072577431, 0.9147157724],
    "rsqrt": [-126.7876290521, -6.5336840889],
    "softplus": [-0.036396184, -0.0745787884],
    "square": [0.0, 0.0],
    "elu": [0.0, 0.0],
    "relu": [6.0, 6.0],
}


@differs(
    "Paddle's second-order rules have no third order",
    right=THIRD,
    paddle_gives=dict.fromkeys(THIRD, UNAVAILABLE),
)
def third_derivatives_without_a_rule(paddle, np):
    """Third derivatives of ops that Paddle differentiates twice."""
    F = paddle.nn.functional
    functions = {
        "divide": lambda x: x / (x + 1.0),
        "sqrt": paddle.sqrt,
        "rsqrt": paddle.rsqrt,
        "softplus": F.softplus,
        "square": paddle.square,
        "elu": F.elu,
        "relu": lambda x: F.relu(x) * x * x,
    }
    value = np.float64([0.3, 0.7])
    return {
        text: _outcome(lambda f=function: _nth(paddle, f, value, 3))
        for text, function in functions.items()
    }


FOURTH = {
    "pow": [36.0, 84.0],
    "sin": [0.2955202067, 0.6442176872],
    "cos": [0.9553364891, 0.7648421873],
    "sigmoid": [0.0703720122, 0.1238421412],
}


@differs(
    "Paddle's third-order rules have no fourth order",
    right=FOURTH,
    paddle_gives=dict.fromkeys(FOURTH, UNAVAILABLE),
)
def fourth_derivatives(paddle, np):
    """Fourth derivatives."""
    functions = {
        "pow": lambda x: x**5,
        "sin": paddle.sin,
        "cos": paddle.cos,
        "sigmoid": paddle.nn.functional.sigmoid,
    }
    value = np.float64([0.3, 0.7])
    return {
        text: _outcome(lambda f=function: _nth(paddle, f, value, 4))
        for text, function in functions.items()
    }


CONSTANT = "add scale relu abs sum reshape identity leaky_relu clip concat".split()


@differs(
    "Paddle says that x does not appear in a constant derivative, whose derivative is zero",
    right={name: [0.0, 0.0] for name in CONSTANT},
    paddle_gives=dict.fromkeys(CONSTANT, "ValueError"),
)
def second_derivatives_of_linear_functions(paddle, np):
    """The derivative of a constant derivative is zero."""
    F = paddle.nn.functional
    functions = {
        "add": lambda x: x + x,
        "scale": lambda x: x * 3,
        "relu": F.relu,
        "abs": paddle.abs,
        "sum": lambda x: x.sum(),
        "reshape": lambda x: x.reshape([2, 1]),
        "identity": lambda x: x,
        "leaky_relu": F.leaky_relu,
        "clip": lambda x: x.clip(0.0, 1.0),
        "concat": lambda x: paddle.concat([x, x]),
    }

    def second(function):
        x = leaf(paddle, np.float64([0.3, 0.7]))
        (first,) = paddle.grad(function(x), [x], create_graph=True)
        return paddle.grad(first, [x])[0]

    return {text: _outcome(lambda f=f: second(f)) for text, f in functions.items()}


@differs(
    "Paddle loses a path of the third derivative of silu when the forward output is gone",
    right=[0.8233867835, 0.3912205947, -0.2749950664, -0.2062173644],
    paddle_gives=[0.8233867835, 0.3912205947, -0.0924396168, -0.2422930997],
)
def derivatives_of_silu_whose_output_is_gone(paddle, np):
    """Higher derivatives do not depend on who holds the forward output."""
    x = leaf(paddle, np.float64([0.7]))
    y, found = paddle.nn.functional.silu(x), []
    for _ in range(4):
        (y,) = paddle.grad(y, [x], create_graph=True)
        found.append(y.item())
    return found


IN_PLACE = {
    "sin_": [1.235266002, 0.8422389764],
    "cos_": [-0.6588762434, -2.6706241792],
    "multiply_": [1.47, 4.2],
    "pow_": [1.00842, 7.203],
    "square_": [1.372, 5.88],
    "log_": [2.8571428571, -4.0816326531],
}


@differs(
    "Paddle's in-place ops save a copy of their operand that has no history",
    right=IN_PLACE,
    paddle_gives=IN_PLACE
    | {
        "sin_": [1.235266002, 1.7646657172],
        "cos_": [-0.6588762434, -0.9412517764],
        "multiply_": [1.47, 2.8],
        "pow_": [1.00842, 1.4406],
        "square_": [1.372, 1.96],
        "log_": [2.8571428571, 4.0816326531],
    },
)
def second_derivatives_through_in_place_ops(paddle, np):
    """An in-place op has the derivatives of the op that is not."""
    functions = {
        "sin_": lambda y, x: y.sin_(),
        "cos_": lambda y, x: y.cos_(),
        "multiply_": lambda y, x: y.multiply_(x),
        "pow_": lambda y, x: y.pow_(3),
        "square_": lambda y, x: y.square_(),
        "log_": lambda y, x: y.log_(),
    }
    out = {}
    for text, function in functions.items():
        x = leaf(paddle, np.float64([0.7]))
        (first,) = paddle.grad(function(x * x, x), [x], create_graph=True)
        out[text] = [first.item(), paddle.grad(first, [x])[0].item()]
    return out


@differs(
    "Paddle has no second-order rule for an assignment",
    right=[4.2],
    paddle_gives="RuntimeError",
)
def second_derivative_through_an_assignment(paddle, np):
    """y[0] = v passes second derivatives to v."""
    x = leaf(paddle, np.float64([0.7]))
    y = x * x
    y[0] = (x * x * x)[0]

    def second():
        (first,) = paddle.grad(y, [x], create_graph=True)
        return paddle.grad(first, [x])[0]

    return _outcome(second)
