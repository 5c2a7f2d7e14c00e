"""Gradients where a derivative jumps, ties, or is not defined: Paddle's, unless that is nan for no
reason."""

from ..probe import grads, leaf
from ..registry import differs, program

INF, NAN = float("inf"), float("nan")


def slopes(paddle, np, function, *points, weights=None):
    """Returns the value of a function of float64 leaves, and the gradients of its (weighed) sum."""
    leaves = [leaf(paddle, np.array(each, "float64")) for each in points]
    out = function(*leaves)
    out.backward(None if weights is None else paddle.to_tensor(np.array(weights, "float64")))
    return [out.numpy(), *grads(*leaves)]


def each(paddle, np, functions, *points):
    """Returns the slopes of several functions at the same points."""
    return {text: slopes(paddle, np, function, *points) for text, function in functions.items()}


@program
def limits_at_their_bounds(paddle, np):
    """clip counts its bounds as inside, hardtanh and hardsigmoid as outside."""
    F = paddle.nn.functional
    low, high = paddle.to_tensor(-1.0, "float64"), paddle.to_tensor(1.0, "float64")
    functions = {
        "clip": lambda x: paddle.clip(x, -1.0, 1.0),
        "clip below": lambda x: paddle.clip(x, min=-1.0),
        "clip above": lambda x: paddle.clip(x, max=1.0),
        "clip by tensors": lambda x: paddle.clip(x, low, high),
        "hardtanh": F.hardtanh,
        "hardtanh wide": lambda x: F.hardtanh(x, -3.0, 2.0),
    }
    return each(paddle, np, functions, [-3.0, -1.0, 0.0, 1.0, 2.0, NAN])


@program
def corners_of_activations(paddle, np):
    """relu and its kin at their corners."""
    F = paddle.nn.functional
    functions = {
        "relu": F.relu,
        "relu6": F.relu6,
        "leaky_relu": F.leaky_relu,
        "elu": F.elu,
        "celu": F.celu,
        "hardswish": F.hardswish,
        "thresholded_relu": F.thresholded_relu,
        "hardshrink": F.hardshrink,
        "softshrink": F.softshrink,
        "softsign": F.softsign,
        "softplus": lambda x: F.softplus(x, 1.0, 6.0),
    }
    return each(paddle, np, functions, [-3.0, -0.5, 0.0, 0.5, 1.0, 3.0, 6.0])


@program(rtol=1e-7, reason="Paddle's constants of selu and hardsigmoid are float32 numbers")
def corners_with_short_constants(paddle, np):
    """selu takes the slope from below at 0; hardsigmoid is flat at its ends."""
    F = paddle.nn.functional
    return [
        slopes(paddle, np, F.selu, [0.0, -1.0, 1.0]),
        slopes(paddle, np, lambda x: F.hardsigmoid(x, 0.25, 0.5), [-2.0, 0.0, 2.0]),
    ]


@program
def prelu_at_zero(paddle, np):
    """At 0 the input gets the slope of the negative side, the weight gets nothing."""
    prelu = paddle.nn.functional.prelu
    return slopes(paddle, np, prelu, [[0.0, -2.0, 3.0]], [0.25, 0.5, 0.75])


@program
def steps_and_signs_have_no_slope(paddle, np):
    """abs at 0, and functions that are flat between their steps."""
    functions = {
        name: getattr(paddle, name) for name in "abs sign floor ceil round trunc frac".split()
    }
    return each(paddle, np, functions, [-1.5, -1.0, 0.0, 0.5, 2.0])


@program
def norms_at_zero(paddle, np):
    """A norm of nothing has the gradient 0; the largest element of a tie is every one of them."""
    norm = paddle.norm
    zeros = {str(p): slopes(paddle, np, lambda x, p=p: norm(x, p), [0.0, 0.0]) for p in (1, 2, 3)}
    return {
        **zeros,
        "fro": slopes(paddle, np, lambda x: norm(x, "fro"), [[0.0, 0.0]]),
        "inf": slopes(paddle, np, lambda x: norm(x, INF), [2.0, -2.0, 1.0]),
        "-inf": slopes(paddle, np, lambda x: norm(x, -INF), [2.0, -1.0, 1.0]),
        "0": slopes(paddle, np, lambda x: norm(x, 0), [2.0, 0.0, 1.0]),
    }


@program(rtol=1e-9, reason="Paddle adds 1e-12 to what it divides by")
def distances_at_equality(paddle, np):
    """dist of equal points, and of points that agree in one place."""
    cases = {
        "equal": lambda x, y: paddle.dist(x, x * 1.0 + y * 0.0),
        "one place": lambda x, y: paddle.dist(x, y, 1),
        "largest ties": lambda x, y: paddle.dist(x, y + 1.0, INF),
        "order 0": lambda x, y: paddle.dist(x, y, 0),
    }
    return each(paddle, np, cases, [1.0, 2.0], [1.0, 3.0])


@program
def powers_of_zero(paddle, np):
    """x ** c at 0, for c = 0, 1, 2, 0.5, -1, -1.5; and of negative numbers."""
    powers = [0, 1, 2, 3, 0.5, -1, -1.5]
    return {str(c): slopes(paddle, np, lambda x, c=c: x**c, [0.0, -2.0, 3.0]) for c in powers}


@program
def exponents_of_zero(paddle, np):
    """d exponent of 0 ** y is 0 for y >= 0; of a negative base it is nan, there is no slope."""
    bases = [0.0, 0.0, 0.0, -1.0, -2.0, -2.0, 0.0, 1.0]
    exponents = [0.0, 2.0, -1.0, 0.0, 2.0, 0.5, 0.5, 0.0]
    return [
        slopes(paddle, np, lambda x, y: x**y, bases, exponents),
        slopes(paddle, np, lambda y: 0.0**y, [0.0, 2.0, -1.0]),
        slopes(paddle, np, lambda y: (-2.0) ** y, [2.0]),
    ]


@program
def ties_of_reductions(paddle, np):
    """max, min, amax and amin share the gradient between equals; nan reaches every element."""
    out = {}
    for name in "max min amax amin".split():
        function = getattr(paddle, name)
        out[name] = slopes(paddle, np, function, [1.0, 2.0, 2.0, 1.0, 1.5])
        out[f"{name} over an axis"] = slopes(
            paddle, np, lambda x, f=function: f(x, axis=1), [[3.0, 3.0], [1.0, 2.0]]
        )
    for name in ("max", "min"):
        out[f"{name} with nan"] = slopes(paddle, np, getattr(paddle, name), [1.0, NAN, 2.0])
    return out


@program
def ties_of_pairs(paddle, np):
    """maximum and minimum share, fmax and fmin give all to x; what nan does to each."""
    functions = {name: getattr(paddle, name) for name in "maximum minimum fmax fmin".split()}
    x, y = [1.0, 2.0, 3.0, NAN, 1.0, NAN], [1.0, 3.0, 2.0, 1.0, NAN, NAN]
    return each(paddle, np, functions, x, y)


@program
def ties_of_sorting(paddle, np):
    """sort keeps the order of equals; a running extreme is the latest of them."""
    weights = [1.0, 2.0, 4.0]
    return [
        slopes(paddle, np, paddle.sort, [3.0, 1.0, 1.0], weights=weights),
        slopes(paddle, np, lambda x: paddle.cummax(x, 0)[0], [1.0, 1.0, 0.0], weights=weights),
        slopes(paddle, np, lambda x: paddle.cummin(x, 0)[0], [1.0, 1.0, 2.0], weights=weights),
        slopes(paddle, np, lambda x: paddle.kthvalue(x, 2)[0], [2.0, 1.0, 1.5, 2.5]),
        slopes(paddle, np, lambda x: paddle.mode(x)[0], [2.0, 1.0, 1.0, 2.0, 1.0]),
    ]


@program
def medians(paddle, np):
    """An even count has two middles, equal elements share, the lower middle takes all."""
    return [
        slopes(paddle, np, paddle.median, [1.0, 2.0, 3.0, 4.0]),
        slopes(paddle, np, lambda x: paddle.median(x, mode="min"), [1.0, 2.0, 3.0, 4.0]),
        slopes(paddle, np, paddle.median, [2.0, 2.0, 2.0, 1.0]),
        slopes(paddle, np, paddle.median, [1.0, NAN, 3.0]),
    ]


@program
def ends_of_roots_and_logarithms(paddle, np):
    """At the end of its domain a root or logarithm is infinitely steep; outside it is nan."""
    names = "sqrt rsqrt log log2 log10 log1p reciprocal".split()
    return each(paddle, np, {n: getattr(paddle, n) for n in names}, [0.0, -1.0, 1.0, INF])


@program
def ends_of_inverse_functions(paddle, np):
    """asin, acos, atanh, acosh, erfinv and logit at the ends of their domains."""
    out = each(
        paddle, np, {n: getattr(paddle, n) for n in "asin acos atanh".split()}, [-1.0, 0.0, 1.0]
    )
    out["acosh"] = slopes(paddle, np, paddle.acosh, [1.0, 2.0, INF])
    out["erfinv"] = slopes(paddle, np, paddle.erfinv, [-1.0, 0.0, 1.0])
    out["logit"] = slopes(paddle, np, paddle.logit, [0.0, 1.0, 0.5])
    out["logit, eps"] = slopes(
        paddle, np, lambda x: paddle.logit(x, 0.25), [0.0, 0.25, 0.5, 0.75, 1.0]
    )
    return out


@program
def remainders_and_steps(paddle, np):
    """The divisor's gradient is minus the quotient, rounded down; heaviside, copysign."""
    return [
        slopes(paddle, np, lambda x, y: x % y, [7.0, 6.0, -6.0, 0.0], [3.0, 3.0, 3.0, 3.0]),
        slopes(paddle, np, paddle.heaviside, [0.0, 1.0, -1.0], [0.5, 0.5, 0.5]),
        slopes(paddle, np, paddle.copysign, [0.0, 1.0, -1.0, 1.0], [1.0, -2.0, -1.0, 0.0]),
        slopes(paddle, np, paddle.nan_to_num, [NAN, INF, -INF, 1.0]),
    ]


@program
def losses_at_equality(paddle, np):
    """l1_loss at equality is flat; smooth_l1_loss and margin losses at their corners."""
    F = paddle.nn.functional
    functions = {
        "l1": lambda x, y: F.l1_loss(x, y, "none"),
        "mse": lambda x, y: F.mse_loss(x, y, "none"),
        "smooth_l1": lambda x, y: F.smooth_l1_loss(x, y, "none", 1.0),
    }
    return each(paddle, np, functions, [1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 1.0])


@program
def losses_of_certain_probabilities(paddle, np):
    """Probabilities of 0 and 1, and labels of 0."""
    F = paddle.nn.functional
    label = paddle.to_tensor(np.array([0.0, 1.0, 0.5], "float64"))
    bce = F.binary_cross_entropy
    return [
        slopes(paddle, np, lambda x: bce(x, label, reduction="none"), [0.0, 1.0, 0.5]),
        slopes(paddle, np, lambda x: F.kl_div(x, label, "none"), [-1.0, -2.0, 0.0]),
        slopes(paddle, np, lambda x: F.softmax(x)[1], [-INF, 1.0, 2.0]),
        slopes(paddle, np, lambda x: F.log_softmax(x)[1], [-INF, 1.0, 2.0]),
        slopes(paddle, np, paddle.logsumexp, [-INF, 1.0, 2.0]),
    ]


@program
def ties_of_pooling(paddle, np):
    """Max pooling gives the gradient to the first of equals, average pooling to all."""
    F = paddle.nn.functional
    image = [[[[1.0, 1.0, 2.0, 0.0], [1.0, 1.0, 2.0, 2.0]]]]
    return [
        slopes(paddle, np, lambda x: F.max_pool2d(x, 2), image),
        slopes(paddle, np, lambda x: F.max_pool2d(x, 2, return_mask=True)[0], image),
        slopes(paddle, np, lambda x: F.avg_pool2d(x, 2), image),
        slopes(paddle, np, lambda x: F.maxout(x, 2), [[[[1.0]], [[1.0]]]]),
    ]


@program
def products_of_zeros_in_a_row(paddle, np):
    """cumprod differentiates exactly through zeros."""
    return slopes(paddle, np, lambda x: paddle.cumprod(x, 0), [2.0, 0.0, 3.0, 0.0, 5.0])


@program
def slopes_that_do_not_exist(paddle, np):
    """nan where no number is right: an angle at the origin, a share of nothing, 0 / 0."""
    one = [1.0]
    return [
        slopes(paddle, np, paddle.atan2, [0.0, 0.0], [0.0, 1.0])[1:],
        slopes(paddle, np, paddle.logsumexp, [-INF, -INF])[1:],
        slopes(paddle, np, paddle.var, one)[1:],
        slopes(paddle, np, paddle.std, one)[1:],
        slopes(paddle, np, lambda x, y: x / y, [0.0, 1.0], [0.0, 0.0])[1:],
    ]


@program
def boundaries_of_size(paddle, np):
    """Gradients of 0-D tensors, and of tensors with no elements, have their shape."""
    out = {}
    for text, shape in {"0-D": (), "one": (1,), "none": (0, 3)}.items():
        x = leaf(paddle, np.full(shape, 0.5))
        y = paddle.sin(x) * x + paddle.nn.functional.relu(x)
        y.backward()
        out[text] = [y.numpy(), x.grad.numpy()]
    x, w = leaf(paddle, np.zeros((0, 3))), leaf(paddle, np.ones((3, 2)))
    paddle.matmul(x, w).sum().backward()
    out["matmul of none"] = grads(x, w)
    x = leaf(paddle, np.ones((2, 3)))
    x[:, 3:].sum().backward()
    out["an empty slice"] = grads(x)
    return out


@program
def integers_and_bools_take_gradients(paddle, np):
    """A leaf of whole numbers gets a gradient of its dtype."""
    i = leaf(paddle, np.array([1, -2, 3]))
    (i * 3).backward()
    j = leaf(paddle, np.array([1, 2], "int32"))
    j.astype("float64").sum().backward()
    x = leaf(paddle, np.array([1.5, 2.5]))
    x.astype("int64").backward()
    b = leaf(paddle, np.array([True, False]))
    b.astype("float32").sum().backward()
    return grads(i, j, x, b)


@differs(
    "Paddle cannot add two gradients of integers",
    right=[4, 4],
    paddle_gives="NotImplementedError",
)
def integers_used_twice(paddle, np):
    """An integer leaf that is used twice gets the sum of both gradients."""
    i = leaf(paddle, np.array([1, -2]))
    try:
        (i * 3 + i).backward()
    except NotImplementedError:
        return "NotImplementedError"
    return i.grad.tolist()


# ---- where Paddle's is nan and a finite one is right


@differs(
    "Paddle divides the product by the factor, 0 / 0",
    right=[[3.0, 0.0], [0.0, 0.0, 0.0], [6.0, 0.0, 0.0]],
    paddle_gives=[[NAN, 0.0], [NAN, NAN, 0.0], [NAN, 0.0, 0.0]],
)
def products_with_zeros(paddle, np):
    """d prod / d x_j is the product of the others."""
    points = [[0.0, 3.0], [0.0, 0.0, 3.0], [0.0, 2.0, 3.0]]
    return [slopes(paddle, np, paddle.prod, each)[1].tolist() for each in points]


@differs(
    "Paddle multiplies the infinite slope of the root by 0: but std has its minimum there",
    right=[0.0, 0.0, 0.0],
    paddle_gives=[NAN, NAN, NAN],
)
def std_of_constants(paddle, np):
    """std is a norm of the deviations, and like a norm of 0 it has the gradient 0."""
    return slopes(paddle, np, paddle.std, [2.0, 2.0, 2.0])[1].tolist()


@differs(
    "Paddle multiplies the infinite slope of the root by 0: but hypot has its minimum there",
    right=[[0.0, 0.6], [0.0, 0.8]],
    paddle_gives=[[NAN, 0.6], [NAN, 0.8]],
)
def hypot_of_zeros(paddle, np):
    """hypot is the norm of a pair."""
    return [each.tolist() for each in slopes(paddle, np, paddle.hypot, [0.0, 3.0], [0.0, 4.0])[1:]]


@differs(
    "Paddle multiplies an infinite power of 0 by 0",
    right=[0.0, 0.0],
    paddle_gives=[NAN, 0.0],
)
def norm_of_a_negative_order_at_zero(paddle, np):
    """The norm of order -1 of (x, 2) grows like |x| at 0, whose slope there is 0."""
    return slopes(paddle, np, lambda x: paddle.norm(x, -1), [0.0, 2.0])[1].tolist()


@differs(
    "Paddle multiplies infinity by 0",
    right=dict.fromkeys("gelu swish mish celu hardswish silu".split(), 1.0),
    paddle_gives=dict.fromkeys("gelu swish mish celu hardswish silu".split(), NAN),
)
def smooth_activations_at_infinity(paddle, np):
    """They approach x, so their slope approaches 1."""
    names = "gelu swish mish celu hardswish silu".split()
    functions = {name: getattr(paddle.nn.functional, name) for name in names}
    found = {name: slopes(paddle, np, function, [INF])[1] for name, function in functions.items()}
    return {name: grad.item() for name, grad in found.items()}


@differs(
    "Paddle treats the first -inf as the smallest number, which does not depend on x",
    right=[1.0, 1.0],
    paddle_gives=[0.0, 1.0],
)
def logcumsumexp_that_starts_at_minus_infinity(paddle, np):
    """The first running log-sum is the first element itself."""
    found = slopes(paddle, np, lambda x: paddle.logcumsumexp(x, 0), [-INF, 1.0])
    return found[1].tolist()
