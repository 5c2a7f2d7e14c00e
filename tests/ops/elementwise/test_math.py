"""Elementwise arithmetic beyond the table: boundary gradients, nodes, dtypes, composites."""

import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, UnimplementedError
from jaxeager.ops.row import ROWS
from tests.support.leaves import leaf, leaf64
from tests.support.recorded import recorded

NAN, INF = float("nan"), float("inf")


# The values of Paddle 3.3.1 where the derivative is one-sided, infinite or not defined.
BOUNDARY = {
    "abs": (paddle.abs, [0.0, -1.0, 2.0], [0, -1, 1]),
    "sqrt": (paddle.sqrt, [0.0], [INF]),
    "rsqrt": (paddle.rsqrt, [0.0], [-INF]),
    "log": (paddle.log, [0.0], [INF]),
    "reciprocal": (paddle.reciprocal, [0.0], [-INF]),
    "pow 0": (lambda x: x**0, [0.0, 1.0], [0, 0]),
    "pow 1": (lambda x: x**1, [0.0], [1]),
    "pow 2": (lambda x: x**2, [0.0, -1.0], [0, -2]),
    "pow .5": (lambda x: x**0.5, [0.0, -1.0], [INF, NAN]),
    "pow 1.5": (lambda x: x**1.5, [0.0], [0]),
    "pow -1": (lambda x: x**-1, [0.0], [-INF]),
    "clip": (lambda x: paddle.clip(x, 0.0, 1.0), [0.0, 1.0, -1.0, 2.0, NAN], [1, 1, 0, 0, 0]),
    "clip low": (lambda x: paddle.clip(x, 1.0), [0.0, 1.0, 2.0], [0, 1, 1]),
    "round": (paddle.round, [0.5, 1.2], [0, 0]),
    "sign": (paddle.sign, [0.0, 3.0], [0, 0]),
    "logit": (lambda x: paddle.logit(x, 0.1), [0.1, 0.9, 0.05], [1 / 0.09, 1 / 0.09, 0]),
    "logit 0": (paddle.logit, [0.0, 1.0, 1.5], [INF, INF, NAN]),
    "acos": (paddle.acos, [1.0], [-INF]),
    "asin": (paddle.asin, [1.0], [INF]),
    "acosh": (paddle.acosh, [1.0], [INF]),
    "angle": (paddle.angle, [-1.0, 0.0, 1.0], [0, 0, 0]),
    "nan_to_num": (paddle.nan_to_num, [NAN, INF, 1.0], [0, 0, 1]),
}


@pytest.mark.parametrize("case", BOUNDARY.values(), ids=BOUNDARY)
def test_boundary_gradients_are_paddles(case):
    function, values, expected = case
    x = leaf64(values)
    function(x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-12)


BOUNDARY_OF_TWO = {
    "maximum": (paddle.maximum, [1, 2, 1, NAN], [1, 1, 2, 1], [0.5, 1, 0, 0], [0.5, 0, 1, 0]),
    "minimum": (paddle.minimum, [1, 2, 1, NAN], [1, 1, 2, 1], [0.5, 0, 1, 0], [0.5, 1, 0, 0]),
    "fmax": (paddle.fmax, [1, NAN, 1, NAN], [1, 1, NAN, NAN], [1, 0, 1, 1], [0, 1, 0, 0]),
    "fmin": (paddle.fmin, [1, NAN, 1, NAN], [1, 1, NAN, NAN], [1, 0, 1, 1], [0, 1, 0, 0]),
    "remainder": (paddle.remainder, [7, -7, 1], [3, 3, 0], [1, 1, 1], [-2, 3, -INF]),
    "pow": (paddle.pow, [0, 0, -1, 0, -2], [2, 0, 0, 1, 2], [0, 0, 0, 1, -4], [0, 0, NAN, 0, NAN]),
    "heaviside": (paddle.heaviside, [0, 1, -1], [0.5, 0.5, 0.5], [0, 0, 0], [1, 0, 0]),
    "copysign": (paddle.copysign, [1, -1, 0], [-1, 1, 1], [-1, -1, 0], [0, 0, 0]),
    "copysign 0": (paddle.copysign, [1, -1], [0.0, -0.0], [1, 1], [0, 0]),
    "atan2": (paddle.atan2, [0, 1], [0, 2], [NAN, 0.4], [NAN, -0.2]),
    "divide": (paddle.divide, [1], [0], [INF], [-INF]),
    "logaddexp": (paddle.logaddexp, [1], [1], [0.5], [0.5]),
}


@pytest.mark.parametrize("case", BOUNDARY_OF_TWO.values(), ids=BOUNDARY_OF_TWO)
def test_boundary_gradients_of_two_operands_are_paddles(case):
    function, first, second, dx, dy = case
    x, y = leaf64(first), leaf64(second)
    function(x, y).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), dx, rtol=1e-12)
    np.testing.assert_allclose(y.grad.numpy(), dy, rtol=1e-12)


X = leaf64([0.3, 0.6])
Y = leaf64([0.2, 0.5])
Z = leaf([0.3 + 0.2j], "complex128")
RECORDED = {
    "add alpha": (lambda: paddle.add(X, Y, alpha=2), "Add(leaf,Scale(leaf))"),
    "subtract alpha": (lambda: paddle.subtract(X, Y, alpha=2), "Subtract(leaf,Scale(leaf))"),
    "add": (lambda: paddle.add(X, Y), "Add(leaf,leaf)"),
    "pow number": (lambda: paddle.pow(X, 2), "Pow(leaf)"),
    "pow tensor": (lambda: paddle.pow(X, Y), "ElementwisePow(leaf,leaf)"),
    "neg": (lambda: paddle.neg(X), "Scale(leaf)"),
    "deg2rad": (lambda: paddle.deg2rad(X), "Scale(leaf)"),
    "clone": (lambda: X.clone(), "Assign(leaf)"),
    "assign": (lambda: paddle.assign(X), "Assign(leaf)"),
    "assign out": (lambda: paddle.assign(X, paddle.zeros([2])), "AssignOut(leaf)"),
    "add_n": (lambda: paddle.add_n([X, Y]), "AddNFinal(leaf,leaf)"),
    "add_n of one": (lambda: paddle.add_n(X), "AddNFinal(leaf)"),
    "frac": (lambda: paddle.frac(X), "Subtract(leaf,Trunc(leaf))"),
    "lerp": (lambda: paddle.lerp(X, Y, 0.5), "Lerp(leaf,leaf)"),
    "nan_to_num": (lambda: paddle.nan_to_num(X), "Where(None,Where(None,Where(None,leaf)))"),
    "hypot": (lambda: paddle.hypot(X, Y), "Sqrt(Add(Pow(leaf),Pow(leaf)))"),
    "polar": (
        lambda: paddle.polar(X, Y),
        "Complex(Multiply(leaf,Cos(leaf)),Multiply(leaf,Sin(leaf)))",
    ),
    "logaddexp": (
        lambda: paddle.logaddexp(X, Y),
        "Add(Log1p(Exp(Scale(Abs(Subtract(leaf,leaf))))),Maximum(leaf,leaf))",
    ),
    "cast": (lambda: paddle.cast(X, "float64"), "Cast(leaf)"),
    "real": (lambda: paddle.real(Z), "Real(leaf)"),
    "fill_": (lambda: (X * 1).fill_(2.0), "Fill(Scale(leaf))"),
    "scale_": (lambda: (X * 1).scale_(2.0), "Scale(Scale(leaf))"),
    "pow_": (lambda: (X * 1).pow_(2.0), "Pow(Scale(leaf))"),
    "clip_": (lambda: (X * 1).clip_(0.0, 0.5), "Clip(Scale(leaf))"),
    "lerp_": (lambda: (X * 1).lerp_(Y, 0.5), "Lerp(Scale(leaf),leaf)"),
    "add_ alpha": (lambda: (X * 1).add_(Y, alpha=2), "Add(Scale(leaf),Scale(leaf))"),
    "divide_": (lambda: (X * 1).divide_(Y), "Divide(Scale(leaf),leaf)"),
    # Paddle leaves Scale(leaf), and with it a gradient: see gradients_of_overwritten_values.
    "floor_divide_": (lambda: (X * 1).floor_divide_(Y), "Overwrite(Scale(leaf))"),
}


@pytest.mark.parametrize("case", RECORDED.values(), ids=RECORDED)
def test_the_recorded_graph_is_that_of_paddle(case):
    call, expected = case
    assert recorded(call()) == expected


INTS, BOOLS = paddle.to_tensor([1, 2]), paddle.to_tensor([True, False])
DTYPES = {
    "int / int": (lambda: paddle.divide(INTS, INTS), "float32", [1.0, 1.0]),
    "int ** int": (lambda: paddle.pow(INTS, 3), "int64", [1, 8]),
    "bool ** int": (lambda: paddle.pow(BOOLS, 2), "int64", [1, 0]),
    "int ** float": (lambda: paddle.pow(INTS, 0.5), "float32", [1.0, 2**0.5]),
    "scale int": (lambda: paddle.scale(INTS, 2.5, 1.5), "int64", [3, 5]),
    "scale int first": (lambda: paddle.scale(INTS, 2.5, 1.5, False), "int64", [4, 6]),
    "clip int": (lambda: paddle.clip(INTS, 0, 1), "int64", [1, 1]),
    "clip int by float": (lambda: paddle.clip(INTS, 0.5, 1.5), "float32", [1.0, 1.5]),
    "abs int8": (lambda: paddle.abs(paddle.to_tensor([-3], dtype="int8")), "int8", [3]),
    "floor int": (lambda: paddle.floor(INTS), "int64", [1, 2]),
    "sin int": (lambda: paddle.sin(INTS), "float32", [np.sin(1.0), np.sin(2.0)]),
    "atan2 int": (lambda: paddle.atan2(INTS, INTS), "float64", [np.pi / 4, np.pi / 4]),
    "trunc int": (
        lambda: paddle.divide(paddle.to_tensor([-7]), paddle.to_tensor([2]), rounding_mode="trunc"),
        "int64",
        [-3],
    ),
    "floor of int": (
        lambda: paddle.divide(paddle.to_tensor([-7]), paddle.to_tensor([2]), rounding_mode="floor"),
        "int64",
        [-4],
    ),
    "float // 0": (
        lambda: paddle.floor_divide(paddle.to_tensor([1.0, -1.0, 0.0]), 0.0),
        "float32",
        [INF, -INF, NAN],
    ),
    "cast wraps": (
        lambda: paddle.cast(paddle.to_tensor([1.7, -1.7, 300.0]), "uint8"),
        "uint8",
        [1, 255, 44],
    ),
    "cast complex": (lambda: paddle.cast(Z, "float32"), "float32", [0.3]),
    "assign floats": (lambda: paddle.assign([1.0, 2.0]), "float64", [1.0, 2.0]),
    "assign number": (lambda: paddle.assign(3), "int64", [3]),
    "neg uint8": (lambda: paddle.neg(paddle.to_tensor([1], dtype="uint8")), "uint8", [255]),
}


@pytest.mark.parametrize("case", DTYPES.values(), ids=DTYPES)
def test_dtype_and_value(case):
    call, dtype, expected = case
    out = call()
    assert out.dtype == dtype
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-6)


ERRORS = {
    "scale act": (lambda: paddle.scale(X, act="foo"), UnimplementedError, "act='foo'.*one of"),
    "scale_ act": (lambda: X.clone().scale_(act="relu"), UnimplementedError, "scale_.*act='relu'"),
    "clip order": (lambda: paddle.clip(X, 2.0, 1.0), InvalidArgumentError, "greater than or equal"),
    "clip_ dtype": (lambda: INTS.clone().clip_(0.5), InvalidTypeError, "would change the dtype"),
    "rounding": (
        lambda: paddle.divide(X, Y, rounding_mode="up"), InvalidArgumentError, "'floor' or 'trunc'"
    ),
    "negative power": (lambda: paddle.pow(INTS, -1), InvalidArgumentError, "to the power -1"),
    "pow_ tensor": (lambda: (X * 1).pow_(Y), InvalidTypeError, "must be a number"),
    "lerp of ints": (lambda: paddle.lerp(INTS, INTS, 0.5), InvalidArgumentError, "floating dtype"),
    "add_n of none": (lambda: paddle.add_n([]), InvalidTypeError, "it is empty"),
    "increment": (lambda: paddle.increment(X * 1), InvalidArgumentError, "should be 1"),
    "assign text": (lambda: paddle.assign("a"), InvalidTypeError, "takes a Tensor"),
    "int and float": (lambda: paddle.add(INTS, X), InvalidTypeError, "Type promotion only support"),
    "leaf": (lambda: leaf64([1.0]).scale_(2.0), InvalidArgumentError, "can't use inplace strategy"),
}  # fmt: skip


@pytest.mark.parametrize("case", ERRORS.values(), ids=ERRORS)
def test_wrong_input_says_what_is_wrong(case):
    call, error, text = case
    with pytest.raises(error, match=text):
        call()


def test_a_new_number_never_compiles_again():
    x = paddle.ones([3])
    for name, numbers in (("scale", (2.0, 3.0, -1.5)), ("clip", (0.1, 0.2, 0.3))):
        function = getattr(paddle, name)
        function(x, 0.5)
        kernels = list(ROWS[name].forward_kernels.values())
        before = [kernel._cache_size() for kernel in kernels]
        for number in numbers:
            function(x, number)
        assert [kernel._cache_size() for kernel in ROWS[name].forward_kernels.values()] == before


@pytest.mark.parametrize(
    "copy",
    [
        paddle.clone,
        paddle.assign,
        lambda x: paddle.cast(x, x.dtype),
        lambda x: paddle.clip(x),
        lambda x: paddle.pow(x, 1),
        lambda x: paddle.add_n([x]),
        lambda x: paddle.scale(x, None, None),
        paddle.conj,
    ],
)
def test_an_op_that_changes_no_value_still_copies(copy):
    # An optimizer donates a parameter's buffer: no other tensor may be living in it.
    x = paddle.to_tensor([1.0, 2.0])
    copied = copy(x)._array
    assert copied.unsafe_buffer_pointer() != x._array.unsafe_buffer_pointer()
    np.testing.assert_array_equal(np.asarray(copied), [1.0, 2.0])


def test_assign_writes_into_its_output():
    x, out = leaf64([1.0, 2.0]), paddle.zeros([2])
    assert paddle.assign(x, output=out) is out
    assert out.inplace_version == 1
    (out * out).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [2.0, 4.0])


def test_increment_keeps_the_tensor():
    x = paddle.zeros([1])
    assert paddle.increment(x, 2.0) is x
    assert (x.tolist(), x.inplace_version) == ([2.0], 1)


def test_half_precision_rounds_once():
    x = paddle.to_tensor(np.linspace(-3, 3, 31), dtype="bfloat16")
    exact = np.asarray(x._array, np.float32)
    for function, reference in ((paddle.stanh, lambda v: 1.7159 * np.tanh(0.67 * v)),):
        expected = jnp.asarray(reference(exact)).astype(jnp.bfloat16)
        np.testing.assert_array_equal(function(x)._array, expected)


def test_composites_compute_what_numpy_computes():
    a, b = np.array([1.5, -2.25, 3.0]), np.array([2.0, 0.5, -1.0])
    x, y = paddle.to_tensor(a), paddle.to_tensor(b)
    pairs = [
        (paddle.hypot(x, y), np.hypot(a, b)),
        (paddle.logaddexp(x, y), np.logaddexp(a, b)),
        (paddle.ldexp(x, paddle.to_tensor([1, 2, 3])), np.ldexp(a, [1, 2, 3])),
        (paddle.frac(x), a - np.trunc(a)),
        (paddle.deg2rad(x), np.deg2rad(a)),
        (paddle.rad2deg(x), np.rad2deg(a)),
        (paddle.polar(x, y), a * np.exp(1j * b)),
        (paddle.sgn(paddle.to_tensor([3 + 4j, 0j])), [0.6 + 0.8j, 0]),
        (paddle.subtract(x, y, alpha=3), a - 3 * b),
        (paddle.neg(x), -a),
        (paddle.lerp(x, y, 0.25), a + 0.25 * (b - a)),
    ]
    for out, expected in pairs:
        np.testing.assert_allclose(out.numpy(), expected, rtol=1e-6)
    assert paddle.positive(x) is x


def test_inplace_functions_return_what_they_wrote():
    for call, expected in (
        (lambda x: x.add_(paddle.to_tensor([1.0]), alpha=2), 5.5),
        (lambda x: x.subtract_(paddle.to_tensor([1.0])), 2.5),
        (lambda x: x.neg_(), -3.5),
        (lambda x: x.frac_(), 0.5),
        (lambda x: x.clip_(0.0, 1.0), 1.0),
        (lambda x: x.lerp_(paddle.to_tensor([4.5]), 0.5), 4.0),
        (lambda x: x.divide_(paddle.to_tensor([2.0]), rounding_mode="floor"), 1.0),
        (lambda x: x.divide_(paddle.to_tensor([2.0]), rounding_mode="trunc"), 1.0),
        (lambda x: x.zero_(), 0.0),
    ):
        x = paddle.to_tensor([3.5])
        assert call(x) is x
        assert x.tolist() == [expected]
        assert x.inplace_version == 1


def test_integers_are_truncated_exactly():
    x = paddle.to_tensor([2**31 - 1, -7, 7, -6, 1, -(2**53) - 1])
    y = paddle.to_tensor([1, 2, -2, 2, -3, 1])
    expected = [2**31 - 1, -3, -3, -3, 0, -(2**53) - 1]
    assert paddle.divide(x, y, rounding_mode="trunc").tolist() == expected
    found = paddle.divide(x.astype("int8"), y.astype("int8"), rounding_mode="trunc")
    assert found.dtype == paddle.int8


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
def test_negative_powers_of_integers_are_rounded_towards_zero(dtype):
    base = paddle.to_tensor([-3, -2, -1, -1, 0, 1, 2, 3], dtype=dtype)
    power = paddle.to_tensor([-2, -1, -3, -4, -1, -2, -7, 3], dtype=dtype)
    assert paddle.pow(base, power).tolist() == [0, 0, -1, 1, 0, 1, 0, 27]
    assert (3**power).tolist() == [0, 0, 0, 0, 0, 0, 0, 27]


@pytest.mark.parametrize(("dtype", "size"), [("int8", 120), ("int32", 50000), ("int64", 2**40)])
def test_hypot_of_integers_is_computed_in_the_default_dtype(dtype, size):
    """Their squares do not fit into the dtype."""
    found = paddle.hypot(paddle.to_tensor([size], dtype), paddle.to_tensor([3], dtype))
    assert found.dtype == paddle.float32
    np.testing.assert_allclose(found.numpy(), np.hypot([float(size)], [3.0]), rtol=1e-6)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
def test_divisors_of_the_least_number_end(dtype):
    """Its absolute value is not in the dtype: the loop did not end."""
    least = np.iinfo(dtype).min
    x, y = np.array([least, least, 6], dtype), np.array([12, least, least], dtype)
    for name in ("gcd", "lcm"):
        found = getattr(paddle, name)(paddle.to_tensor(x), paddle.to_tensor(y))
        assert found.tolist() == getattr(np, name)(x, y).tolist()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("number", [3, 7.0, 49])
def test_quotients_by_one_number_are_rounded_once(dtype, number):
    """XLA multiplied by 1 / number: the last digit of a third of them was wrong."""
    x = np.arange(1, 1000, dtype=dtype)
    right = x / np.asarray(number, dtype)
    operand = leaf(x, dtype)
    found = [operand / number, operand / paddle.to_tensor(number, dtype)]
    found.append(operand.reshape([27, 37]) / paddle.full([37], number, dtype))
    for quotient in found:
        np.testing.assert_array_equal(quotient.numpy().ravel(), right)
    found[0].backward(paddle.to_tensor(x))
    np.testing.assert_array_equal(operand.grad.numpy(), right)


def test_the_mean_of_integers_whose_sum_is_the_least_number():
    """It has no absolute value: the mean had the wrong sign."""
    least = -(2**63)
    assert paddle.mean(paddle.to_tensor([least + 1, -1, 0, 0, 0])).item() == -1844674407370955161


@pytest.mark.parametrize("dtype", ["int64", "int8", "float32"])
def test_signs_of_numbers_of_any_dtype(dtype):
    assert paddle.sign(paddle.to_tensor([-3, 0, 2], dtype=dtype)).tolist() == [-1, 0, 1]
