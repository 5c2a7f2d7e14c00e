"""Bessel, gamma and related functions, sinc, divisors, parts of floating numbers."""

from ..probe import array, error_of, facts, leaf, pull
from ..registry import ANYTHING, differs, program

POINTS = [0.5, -1.5, 1e-3, 3.0, -2.25, 12.0]


def _with_gradient(paddle, np, function, *operands):
    tensors = [leaf(paddle, np.array(each, "float32")) for each in operands]
    out = function(*tensors)
    pull(paddle, np, out)
    return [facts(out), out.numpy(), [array(tensor.grad) for tensor in tensors]]


@program(rtol=3e-5, reason="the series of the two libraries differ in the last digits of float32")
def bessel_functions(paddle, np):
    """i0, i0e, i1, i1e: values, gradients, node names, dtypes, 0-D and empty tensors."""
    out = {}
    for name in ("i0", "i0e", "i1", "i1e"):
        function = getattr(paddle, name)
        out[name] = [
            _with_gradient(paddle, np, function, POINTS),
            function(paddle.to_tensor(0.75, dtype="float64")).numpy(),
            facts(function(paddle.to_tensor([1, 2]))),
            facts(function(paddle.zeros([0, 3]))),
        ]
    y = paddle.to_tensor([0.5, 2.0])
    out["in place"] = [y.i0_() is y, y.numpy(), y.inplace_version]
    return out


@differs(
    "i0 is infinite at both infinities, and the gradient of i0e at 0 lies between -1 and 1",
    right={"ends": [float("inf"), float("inf")], "slope": [0.0]},
    paddle_gives={"ends": [float("nan"), float("nan")], "slope": [-0.99999994]},
)
def bessel_ends(paddle, np):
    """i0 of infinities; the kink of i0e."""
    x = leaf(paddle, [0.0])
    paddle.i0e(x).backward()
    ends = paddle.i0(paddle.to_tensor([float("inf"), float("-inf")]))
    return {"ends": ends.tolist(), "slope": x.grad.tolist()}


@program(rtol=3e-5, reason="the series of the two libraries differ in the last digits of float32")
def gamma_functions(paddle, np):
    """gammaln, polygamma, multigammaln: values, gradients, node names, errors."""
    points = [0.5, 1.5, 3.25, 7.0]
    out = {"gammaln": _with_gradient(paddle, np, paddle.gammaln, points)}
    for n in (0, 1, 2, 4):
        function = lambda x, n=n: paddle.polygamma(x, n)  # noqa: E731
        out[f"polygamma {n}"] = _with_gradient(paddle, np, function, points)
    out["poles"] = paddle.polygamma(paddle.to_tensor([0.0, -1.0, -0.5]), 1).numpy()
    out["even"] = paddle.polygamma(paddle.to_tensor([0.0, -1.0, -0.5]), 2).numpy()
    for p in (1, 2, 3):
        function = lambda x, p=p: paddle.multigammaln(x + 1.5, p)  # noqa: E731
        out[f"multigammaln {p}"] = _with_gradient(paddle, np, function, points)
    x = paddle.to_tensor(points)
    out["errors"] = [
        error_of(lambda: paddle.polygamma(x, -1)),
        error_of(lambda: paddle.polygamma(x, 1.5)),
    ]
    out["in place"] = [
        x.clone().gammaln_().numpy(),
        (x + 1).multigammaln_(2).numpy(),
        x.clone().polygamma_(1).numpy(),
        x.clone().polygamma_(0).numpy(),
    ]
    return out


@program(rtol=3e-5, reason="the series of the two libraries differ in the last digits of float32")
def incomplete_gamma_functions(paddle, np):
    """gammaincc, and gammainc where 1 - gammaincc keeps its digits; y alone gets a gradient."""
    x, y = [0.5, 2.0, 1.0, 3.0], [1.0, 2.5, 0.5, 3.0]
    down = _with_gradient(paddle, np, paddle.gammainc, x, y)
    down[0].pop("node")  # Paddle records 1 - gammaincc
    a, b = paddle.to_tensor(x), paddle.to_tensor(y)
    return [
        down,
        _with_gradient(paddle, np, paddle.gammaincc, x, y),
        a.clone().gammainc_(b).numpy(),
        a.clone().gammaincc_(b).numpy(),
        facts(paddle.gammaincc(paddle.zeros([0, 3]), paddle.zeros([0, 3]))),
    ]


@differs(
    "a small lower incomplete gamma function has digits of its own, 1 - gammaincc has none left",
    right=[8.264e-13],
    paddle_gives=[0.0],
)
def small_incomplete_gamma(paddle, np):
    """gammainc(5, 0.01)."""
    out = paddle.gammainc(paddle.to_tensor([5.0]), paddle.to_tensor([0.01]))
    return [float(f"{each:.4g}") for each in out.tolist()]


@differs(
    "operands broadcast; Paddle reads y beyond its end",
    right=[[0.8427, 0.2642, 0.0037], [0.9747, 0.7127, 0.1088]],
    paddle_gives=ANYTHING,
)
def incomplete_gamma_broadcasts(paddle, np):
    """gammainc of a row and a column."""
    x, y = paddle.to_tensor([[0.5, 2.0, 5.0]]), paddle.to_tensor([[1.0], [2.5]])
    values = paddle.gammainc(x, y).tolist()
    return [[round(each, 4) for each in row] for row in values]


@program
def sinc_and_neighbours(paddle, np):
    """sinc: values and gradients away from whole numbers; nan_to_num_, hypot_, ldexp_."""
    found = _with_gradient(paddle, np, paddle.sinc, [0.5, -1.5, 0.25, 0.0])
    found[0].pop("node")  # Paddle records the parts
    x, y = paddle.to_tensor([3.0, 5.0]), paddle.to_tensor([4.0, 12.0])
    special = paddle.to_tensor([float("nan"), float("inf"), float("-inf"), 1.0])
    target = x * 1
    return {
        "sinc": found,
        "complex": paddle.sinc(paddle.to_tensor([0.5 + 0.25j])).numpy(),
        "sinc_": (x / 8).sinc_().numpy(),
        "hypot_": [target.hypot_(y) is target, target.numpy()],
        "ldexp_": (x * 1).ldexp_(paddle.to_tensor([1, -1])).numpy(),
        "nan_to_num_": special.nan_to_num_(nan=0.5, posinf=2.0).numpy(),
        "broadcast": error_of(lambda: (y * 1).hypot_(paddle.ones([2, 2]))),
    }


@differs(
    "sinc is nan where its operand is, as in NumPy, and its gradient at 1e-4 is not 0",
    right={"nan": [float("nan")], "slope": -3.29e-4},
    paddle_gives={"nan": [1.0], "slope": 0.0},
)
def sinc_of_nan(paddle, np):
    """sinc of nan, and its gradient close to 0."""
    x = leaf(paddle, [1e-4])
    paddle.sinc(x).backward()
    nan = paddle.sinc(paddle.to_tensor([float("nan")])).tolist()
    return {"nan": nan, "slope": float(f"{x.grad.item():.3g}") + 0.0}


@program
def parts_of_floats(paddle, np):
    """frexp and nextafter: values, dtypes, gradients, errors."""
    x = leaf(paddle, np.array([0.5, -3.0, 0.0, 8.0, 0.1, 1.9999999], "float32"))
    mantissa, exponent = paddle.frexp(x)
    y = leaf(paddle, np.array([2.5, -1.5, 4.0], "float32"))
    paddle.frexp(y)[0].sum().backward()
    one, other = paddle.to_tensor([0.5, 0.0, 3.0]), paddle.to_tensor([1.0, -1.0, 3.0])
    return {
        "frexp": [mantissa.numpy(), exponent.numpy(), str(exponent.dtype), y.grad.numpy()],
        "float64": [each.numpy() for each in paddle.frexp(paddle.to_tensor(6.5, dtype="float64"))],
        "integers": error_of(lambda: paddle.frexp(paddle.to_tensor([1, 2]))),
        "nextafter": paddle.nextafter(one, other).numpy(),
        "promoted": facts(paddle.nextafter(one, other.astype("float64"))),
        "0-D": paddle.nextafter(paddle.to_tensor(1.0), paddle.to_tensor(2.0)).numpy(),
    }


@program
def divisors(paddle, np):
    """gcd and lcm: signs, zeros, broadcasting, dtypes, in place, further names, errors."""
    x, y = paddle.to_tensor([12, -18, 0, 0]), paddle.to_tensor([8, 27, -5, 0])
    narrow = paddle.to_tensor([4, -6], dtype="int32")
    return {
        "gcd": paddle.gcd(x, y).numpy(),
        "lcm": paddle.lcm(x, y).numpy(),
        "int32": [facts(paddle.gcd(narrow, narrow)), facts(paddle.lcm(narrow, narrow))],
        "broadcast": paddle.gcd(x.reshape([4, 1]), y).numpy(),
        "0-D": paddle.lcm(paddle.to_tensor(4), paddle.to_tensor(6)).numpy(),
        "empty": facts(paddle.gcd(paddle.zeros([0], "int64"), paddle.zeros([0], "int64"))),
        "in place": [x.clone().gcd_(y).numpy(), x.clone().lcm_(y).numpy()],
        "names": paddle.gcd(input=x, other=y).numpy(),
        "shapes": error_of(lambda: paddle.gcd(x, paddle.to_tensor([1, 2, 3]))),
        "grows": error_of(lambda: paddle.lcm_(paddle.to_tensor([4]), y.reshape([4, 1]))),
    }
