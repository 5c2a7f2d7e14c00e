"""Elementwise functions: values, gradients, and the points where conventions differ."""

from ..probe import leaf
from ..registry import ANYTHING, differs, program


def _sweep(paddle, np, functions, low, high, dtype="float64"):
    """Returns value, gradient and recorded name of each function on points between low and high."""
    out = {}
    points = np.random.default_rng(7).uniform(low, high, (2, 5)).astype(dtype)
    for name, function in functions.items():
        x = leaf(paddle, points)
        y = function(x)
        y.backward(paddle.to_tensor(points * 0.5 + 1))
        out[name] = [y.numpy(), x.grad.numpy(), y.grad_fn.name()]
    return out


def _named(paddle, text):
    return {name: getattr(paddle, name) for name in text.split()}


MATH = "exp expm1 sin cos tan sinh cosh tanh asinh atan abs square sigmoid erf"
POSITIVE = "log log2 log10 log1p sqrt rsqrt reciprocal"


@program
def math_functions(paddle, np):
    """Functions defined everywhere."""
    return _sweep(paddle, np, _named(paddle.Tensor, MATH), -1.5, 1.5)


@program
def math_functions_in_float32(paddle, np):
    """The same in float32."""
    return _sweep(paddle, np, _named(paddle.Tensor, MATH), -1.5, 1.5, "float32")


@program
def math_functions_of_positive_numbers(paddle, np):
    """Logarithms and roots."""
    return _sweep(paddle, np, _named(paddle, POSITIVE), 0.2, 3.0)


@program
def math_functions_inside_the_unit_interval(paddle, np):
    """Inverse functions with a bounded domain."""
    return _sweep(paddle, np, _named(paddle, "asin acos atanh"), -0.9, 0.9)


@program
def steps_and_signs(paddle, np):
    """Rounding functions and sign: values on awkward points, gradient zero."""
    points = np.float32([-2.5, -1.5, -0.5, -0.0, 0.5, 1.5, 2.5, 2.4])
    out = {}
    for name in "floor ceil round trunc sign".split():
        x = leaf(paddle, points)
        y = getattr(paddle, name)(x)
        y.sum().backward()
        out[name] = [y.numpy(), x.grad.numpy(), y.grad_fn.name()]
    return out


@program
def clip_and_scale(paddle, np):
    """clip with either bound missing, scale with its orders, and their gradients."""
    cases = {
        "clip": lambda x: paddle.clip(x, -1.0, 1.0),
        "min": lambda x: paddle.clip(x, min=0.5),
        "max": lambda x: x.clip(max=0.5),
        "scale": lambda x: paddle.scale(x, scale=2.0, bias=1.0),
        "bias first": lambda x: paddle.scale(x, scale=2.0, bias=1.0, bias_after_scale=False),
        "pow": lambda x: paddle.pow(x, 3),
        "lerp": lambda x: paddle.lerp(x, x * 2, 0.25),
    }
    out = {}
    for text, function in cases.items():
        x = leaf(paddle, np.float32([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0]))
        y = function(x)
        y.sum().backward()
        out[text] = [y.numpy(), x.grad.numpy(), y.grad_fn.name()]
    return out


ACTIVATIONS = (
    "relu relu6 leaky_relu elu selu celu gelu silu swish mish sigmoid tanh softplus softsign "
    "hardswish hardsigmoid hardtanh hardshrink softshrink tanhshrink log_sigmoid softmax "
    "log_softmax"
)


@program(rtol=1e-6, reason="Paddle keeps slopes and scales in float32 beside float64 tensors")
def activations(paddle, np):
    """Activation functions with their default attributes."""
    return _sweep(paddle, np, _named(paddle.nn.functional, ACTIVATIONS), -4.0, 4.0)


@program
def activations_in_float32(paddle, np):
    """The same in float32."""
    return _sweep(paddle, np, _named(paddle.nn.functional, ACTIVATIONS), -4.0, 4.0, "float32")


@program
def activations_with_attributes(paddle, np):
    """Activation functions with attributes that are not the defaults."""
    F = paddle.nn.functional
    functions = {
        "leaky_relu": lambda x: F.leaky_relu(x, 0.2),
        "elu": lambda x: F.elu(x, 0.5),
        "celu": lambda x: F.celu(x, 0.5),
        "gelu tanh": lambda x: F.gelu(x, approximate=True),
        "softplus": lambda x: F.softplus(x, beta=2.0, threshold=5.0),
        "hardtanh": lambda x: F.hardtanh(x, -0.5, 2.0),
        "hardshrink": lambda x: F.hardshrink(x, 1.0),
        "softshrink": lambda x: F.softshrink(x, 1.0),
        "softmax axis": lambda x: F.softmax(x, axis=0),
        "log_softmax axis": lambda x: F.log_softmax(x, axis=0),
        "prelu": lambda x: F.prelu(x, paddle.to_tensor([0.3], dtype="float64")),
        "glu": lambda x: F.glu(paddle.concat([x, x * 2], axis=1)),
    }
    return _sweep(paddle, np, functions, -4.0, 4.0)


@program
def gradients_at_corners(paddle, np):
    """Where a derivative jumps or is not defined, jaxeager takes Paddle's value."""
    F = paddle.nn.functional
    cases = {
        "clip at bound": (lambda x: paddle.clip(x, -1.0, 1.0), [-1.0, 1.0]),
        "hardtanh at bound": (F.hardtanh, [-1.0, 1.0]),
        "abs at 0": (paddle.abs, [0.0]),
        "relu at 0": (F.relu, [0.0]),
        "leaky_relu at 0": (F.leaky_relu, [0.0]),
        "relu6 at 0, 6": (F.relu6, [0.0, 6.0]),
        "hardswish at -3, 3": (F.hardswish, [-3.0, 3.0]),
        "elu at 0": (F.elu, [0.0]),
        "celu at 0": (F.celu, [0.0]),
        "selu at 0": (F.selu, [0.0]),
        "hardshrink at .5": (F.hardshrink, [0.5, -0.5]),
        "softshrink at .5": (F.softshrink, [0.5, -0.5]),
        "sqrt at 0": (paddle.sqrt, [0.0]),
        "x ** 0 at 0": (lambda x: x**0, [0.0]),
        "max tie": (paddle.max, [1.0, 2.0, 2.0]),
        "amax tie": (paddle.amax, [1.0, 2.0, 2.0]),
        "min tie": (paddle.min, [1.0, 1.0, 2.0]),
        "maximum tie": (lambda x: paddle.maximum(x, paddle.ones([2])), [1.0, 2.0]),
        "minimum tie": (lambda x: paddle.minimum(x, paddle.ones([2])), [1.0, 0.0]),
        "norm at 0": (paddle.norm, [0.0, 0.0]),
        "remainder": (lambda x: x % 3.0, [7.0]),
    }
    out = {}
    for text, (function, points) in cases.items():
        x = leaf(paddle, np.float32(points))
        function(x).sum().backward()
        out[text] = x.grad.numpy()
    return out


@program
def extreme_values(paddle, np):
    """Values towards the ends of the range: overflow, log of 0, saturated activations, nan."""
    F = paddle.nn.functional
    x = paddle.to_tensor(np.float32([-1e30, -200.0, 0.0, 200.0, 1e30, np.nan]))
    functions = {
        "exp": paddle.exp,
        "log": paddle.log,
        "sqrt": paddle.sqrt,
        "sigmoid": F.sigmoid,
        "tanh": paddle.tanh,
        "softplus": F.softplus,
        "log_sigmoid": F.log_sigmoid,
        "isnan": paddle.isnan,
        "sign": lambda x: paddle.sign(x[:-1]),
        "max": paddle.max,
        "softmax": lambda x: F.softmax(x[0:5]),
    }
    return {name: function(x).numpy() for name, function in functions.items()}


@differs(
    "Paddle's vectorised CPU kernels lose infinities and nan",
    right={"exp": [0.0] * 8, "sqrt": [float("inf")] * 8, "relu": [float("nan")] * 8},
    paddle_gives=ANYTHING,
)
def infinities_and_nan(paddle, np):
    """exp of -inf, sqrt of inf, relu of nan."""
    inf = float("inf")
    return {
        "exp": paddle.exp(paddle.full([8], -inf)).tolist(),
        "sqrt": paddle.sqrt(paddle.full([8], inf)).tolist(),
        "relu": paddle.nn.functional.relu(paddle.full([8], float("nan"))).tolist(),
    }


@program
def nan_in_shrinking_activations(paddle, np):
    """A nan is no small number: it is not set to 0."""
    F = paddle.nn.functional
    x = np.float32([np.nan, 0.2, -3.0, 4.0])
    out = {}
    for name in ("hardshrink", "softshrink", "thresholded_relu", "tanhshrink", "leaky_relu"):
        given = leaf(paddle, x)
        y = getattr(F, name)(given)
        (y * paddle.to_tensor([0.0, 1.0, 2.0, 3.0])).sum().backward()
        out[name] = [y.numpy(), given.grad.numpy()[1:]]
    return out


@program
def logit_without_limits(paddle, np):
    """eps may be None, or not be there."""
    x = leaf(paddle, np.float32([0.1, 0.5, 0.9]))
    y = paddle.logit(x, None) + paddle.logit(x, eps=None) + paddle.logit(x) + paddle.logit(x, 0.2)
    y.sum().backward()
    return [y.numpy(), x.grad.numpy()]


@program()
def digamma_at_its_poles(paddle, np):
    """Infinite at both zeros, nan at whole numbers below; the slope of lgamma at 0."""
    x = paddle.to_tensor([0.0, -0.0, -1.0, float("inf"), float("-inf")])
    zero = paddle.to_tensor([0.0], stop_gradient=False)
    paddle.lgamma(zero).sum().backward()
    return [paddle.digamma(x).numpy(), paddle.polygamma(x, 0).numpy(), zero.grad.numpy()]
