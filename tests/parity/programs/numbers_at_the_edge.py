"""Values at the ends of what a function or a dtype has."""

import cmath
import math

from ..probe import array, leaf
from ..registry import differs, program

LARGE = [math.nan, math.inf, -math.inf, 1e20, -1e20]
LOW, HIGH = -(2**63), 2**63 - 1


def _plain(numbers):
    """Return numbers, with text for nan, which equals nothing."""
    return ["nan" if cmath.isnan(each) else each + 0 for each in numbers]


@program
def casts_that_wrap_around(paddle, np):
    """Numbers that an int32 holds, and narrower dtypes do not; integers into narrower ones."""
    kinds = ("float32", "float64", "float16", "bfloat16")
    narrow = ("int8", "int16", "int32", "int64", "uint8", "bool")
    floats = [300.0, -300.0, -1.5, 0.99, 200.0, -129.0]
    seen = {
        f"{kind} to {dtype}": array(paddle.to_tensor(floats, dtype=kind).astype(dtype))
        for kind in kinds
        for dtype in narrow
    }
    integers = paddle.to_tensor([300, -1, -129, 2**31, 2**40 + 5, -(2**63), 0])
    seen |= {f"int64 to {dtype}": array(integers.astype(dtype)) for dtype in narrow}
    seen["nan to bool"] = array(paddle.to_tensor(LARGE).astype("bool"))
    return seen


@differs(
    "Numbers that the integer dtype does not have: Paddle's CPU has the lowest integer for all",
    right=[
        [0, 2**31 - 1, -(2**31), 2**31 - 1, -(2**31)],
        [0, HIGH, LOW, HIGH, LOW],
        [0, HIGH, LOW, HIGH, LOW],
    ],
    paddle_gives=[[-(2**31)] * 5, [LOW] * 5, [LOW] * 5],
)
def casts_beyond_the_integers(paddle, np):
    """The nearest integer that there is, and 0 for nan; the same in a program."""
    x = paddle.to_tensor(LARGE)

    @paddle.jit.to_static(full_graph=True)
    def program(x):
        return (x * 1).astype("int64")

    return [x.astype("int32").tolist(), x.astype("int64").tolist(), program(x).tolist()]


@program
def complex_powers_of_zero(paddle, np):
    """0 where the real part of the power is positive."""
    z, y = paddle.to_tensor([0j, 0j, 0j]), paddle.to_tensor([1 + 1j, 0.5 + 0j, 2 - 3j])
    base = leaf(paddle, [0j, 1j])
    (base ** (2 + 1j)).real().sum().backward()
    return {
        "tensors": array(paddle.pow(z, y).abs()),
        "number": array((z ** (1 + 1j)).abs()),
        "real": array((paddle.to_tensor([0.0, 1.0]) ** (1 + 1j)).abs()),
        "of a number": array((0.0**y).abs()),
        "grad": array(base.grad),
    }


@differs(
    "the logarithm of 0 makes the gradient of the exponent nan, and 0 ** 0",
    right=[[0j, 1 + 0j], [0j, 0j]],
    paddle_gives=[[0j, "nan"], ["nan", "nan"]],
)
def exponents_of_complex_zeros(paddle, np):
    """0 ** 0 is 1, and 0 ** y stays 0 around y = 2 + 1j; the gradient of 0 ** 0 is taken as 0."""
    y = leaf(paddle, [2 + 1j, 0j])
    powers = paddle.to_tensor([0j, 0j]) ** y
    powers.real().sum().backward()
    return [_plain(powers.tolist()), _plain(y.grad.tolist())]


@differs(
    "erf has no value outside [-1, 1]",
    right=["nan", "nan", "nan", "nan", -math.inf, math.inf],
    paddle_gives=[-math.inf, math.inf, math.inf, -math.inf, -math.inf, math.inf],
)
def erfinv_outside_its_domain(paddle, np):
    x = paddle.to_tensor([-2.0, 1.5, math.inf, -1.0001, -1.0, 1.0])
    return _plain(paddle.erfinv(x).tolist())


@differs(
    "the weights of a cluster without labels: here the loss depends on all, by a gradient of 0",
    right=[[True, True], [True, True]],
    paddle_gives=[[True, True], [False, False]],
)
def gradients_of_clusters_without_labels(paddle, np):
    """Whether each weight has a gradient; those of the second cluster are 0."""
    layer = paddle.nn.AdaptiveLogSoftmaxWithLoss(16, 10, [2, 5])
    layer(paddle.ones([2, 16]), paddle.to_tensor([0, 3]))[1].backward()
    for weight in layer.tail_weights[1]:
        assert weight.grad is None or not weight.grad.any()
    return [[weight.grad is not None for weight in pair] for pair in layer.tail_weights]
