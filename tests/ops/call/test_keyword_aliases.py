"""Further names of parameters, such as `input=`: every line of the table in ops/call/keywords.py.

The names of each function were recorded from Paddle; `tests/parity/programs/keyword_aliases.py`
runs both libraries.
"""

# The stubs have Paddle's own names alone.
# pyright: reportCallIssue=false, reportOptionalMemberAccess=false

import inspect

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, PermissionDeniedError
from jaxeager.ops.call.keywords import KEYWORDS, Keywords, keywords_of, signature_with_out
from jaxeager.ops.register import FUNCTIONAL, METHODS, PUBLIC
from tests.support.compare import assert_close


def floats(*shape):
    """Return a tensor of distinct numbers above 1."""
    count = int(np.prod(shape))
    return paddle.to_tensor(np.linspace(1.1, 1.9, count, dtype="float32").reshape(shape))


def whole():
    """Return a tensor of integers."""
    return paddle.to_tensor([4, 6, 9])


# The value of a parameter when the line of a function below has no other.
USUAL = {
    "x": lambda: floats(2, 3),
    "y": lambda: floats(2, 3),
    "axis": lambda: 0,
    "keepdim": lambda: True,
    "threshold": lambda: 0.7,
}
WHOLE = {"x": whole, "y": whole}
ADDED = {"index": lambda: paddle.to_tensor([1]), "value": lambda: floats(1, 3)}
POOLED = {"norm_type": lambda: 2, "kernel_size": lambda: 2}
POOLED_TO = {"output_size": lambda: 2}
MAX_POOLED_TO = POOLED_TO | {"return_mask": lambda: True}
OWN = {
    "adaptive_avg_pool1d": POOLED_TO | {"x": lambda: floats(1, 2, 4)},
    "F.adaptive_avg_pool2d": POOLED_TO | {"x": lambda: floats(1, 2, 4, 4)},
    "F.adaptive_avg_pool3d": POOLED_TO | {"x": lambda: floats(1, 2, 4, 4, 4)},
    "F.adaptive_max_pool1d": MAX_POOLED_TO | {"x": lambda: floats(1, 2, 4)},
    "F.adaptive_max_pool2d": MAX_POOLED_TO | {"x": lambda: floats(1, 2, 4, 4)},
    "F.adaptive_max_pool3d": MAX_POOLED_TO | {"x": lambda: floats(1, 2, 4, 4, 4)},
    "conv1d": {"x": lambda: floats(1, 2, 4), "weight": lambda: floats(1, 2, 2)},
    "conv2d": {"x": lambda: floats(1, 2, 4, 4), "weight": lambda: floats(1, 2, 2, 2)},
    "conv3d": {"x": lambda: floats(1, 2, 4, 4, 4), "weight": lambda: floats(1, 2, 2, 2, 2)},
    "cross": {"axis": lambda: 1},
    "F.fold": {
        "x": lambda: floats(1, 4, 9),
        "output_sizes": lambda: [4, 4],
        "kernel_sizes": lambda: 2,
        "strides": lambda: 2,
        "paddings": lambda: 1,
        "dilations": lambda: 1,
    },
    "F.grid_sample": {"x": lambda: floats(1, 1, 2, 2), "grid": lambda: floats(1, 2, 2, 2) - 1.5},
    "F.interpolate": {"x": lambda: floats(1, 1, 2, 2), "scale_factor": lambda: 2},
    "group_norm": {
        "x": lambda: floats(1, 2, 4),
        "num_groups": lambda: 1,
        "epsilon": lambda: 0.5,
    },
    "unfold": {"axis": lambda: 1, "size": lambda: 2, "step": lambda: 1},
    "acos": {"x": lambda: floats(2, 3) - 1},
    "asin": {"x": lambda: floats(2, 3) - 1},
    "atanh": {"x": lambda: floats(2, 3) - 1},
    "bitwise_not": {"x": whole},
    "F.cosine_similarity": {"x1": lambda: floats(2, 3), "x2": lambda: floats(2, 3)},
    "bmm": {"x": lambda: floats(2, 3, 3), "y": lambda: floats(2, 3, 3)},
    "bucketize": {"sorted_sequence": lambda: floats(4)},
    "dot": {"x": lambda: floats(3), "y": lambda: floats(3)},
    "exponential_": {"lam": lambda: 2.0},
    "eye": {"num_rows": lambda: 2, "num_columns": lambda: 3},
    "full": {"shape": lambda: [2], "fill_value": lambda: 3.0},
    "full_like": {"fill_value": lambda: 3.0},
    "isin": {"test_x": lambda: floats(4)},
    "linspace": {"start": lambda: 0.0, "stop": lambda: 1.0, "num": lambda: 3},
    "masked_select": {"mask": lambda: floats(2, 3) > 1.3},
    "matmul": {"y": lambda: floats(3, 2)},
    "msort": {"input": lambda: floats(3)},
    "multinomial": {"x": lambda: paddle.to_tensor([0.0, 1.0])},
    "normal": {"mean": lambda: 0.0, "std": lambda: 0.0, "shape": lambda: [2]},
    "outer": {"x": lambda: floats(3), "y": lambda: floats(3)},
    "quantile": {"q": lambda: 0.4},
    "searchsorted": {"sorted_sequence": lambda: floats(4), "values": lambda: floats(2, 3)},
    "topk": {"k": lambda: 2},
    "true_divide": {"input": lambda: floats(3), "other": lambda: floats(3)},
    "uniform_": {"min": lambda: 2.0, "max": lambda: 2.0},
    "where": {"condition": lambda: floats(2, 3) > 1.3},
    "F.cross_entropy": {"input": lambda: floats(2, 3), "label": lambda: paddle.to_tensor([0, 2])},
    "F.dropout": {"p": lambda: 0.0},
    "F.embedding": {"x": lambda: paddle.to_tensor([1, 0]), "weight": lambda: floats(2, 3)},
    "F.lp_pool1d": POOLED | {"x": lambda: floats(1, 2, 3)},
    "F.lp_pool2d": POOLED | {"x": lambda: floats(1, 1, 2, 3)},
    "F.normalize": {"epsilon": lambda: 0.5},
    "F.one_hot": {"x": lambda: paddle.to_tensor([1, 0]), "num_classes": lambda: 3},
    "F.pad": {"pad": lambda: [1, 0]},
    "F.pairwise_distance": {"epsilon": lambda: 0.5},
    "layer_norm": {"normalized_shape": lambda: [3], "epsilon": lambda: 0.5},
    "broadcast_to": {"shape": lambda: [2, 2, 3]},
    "chunk": {"chunks": lambda: 1},
    "complex": {"real": lambda: floats(3), "imag": lambda: floats(3)},
    "concat": {"x": lambda: [floats(2, 3), floats(1, 3)]},
    "diagonal": {"axis1": lambda: 1, "axis2": lambda: 0},
    "empty": {"shape": lambda: [2]},
    "expand": {"shape": lambda: [2, 2, 3]},
    "flatten": {"start_axis": lambda: 0, "stop_axis": lambda: 1},
    "index_add": ADDED,
    "index_add_": ADDED,
    "index_put": {"indices": lambda: (paddle.to_tensor([1]),), "value": lambda: floats(3)},
    "index_select": {"index": lambda: paddle.to_tensor([1])},
    "ones": {"shape": lambda: [2]},
    "polar": {"abs": lambda: floats(3), "angle": lambda: floats(3)},
    "rand": {"shape": lambda: [2]},
    "repeat_interleave": {"repeats": lambda: 2},
    "reshape": {"shape": lambda: [3, 2]},
    "roll": {"shifts": lambda: 1},
    "stack": {"x": lambda: [floats(2, 3), floats(2, 3)]},
    "standard_normal": {"shape": lambda: [2]},
    "take_along_axis": {"arr": lambda: floats(2, 3), "indices": lambda: paddle.to_tensor([[1]])},
    "tensor_split": {"num_or_indices": lambda: 2},
    "tile": {"repeat_times": lambda: [2, 1]},
    "transpose": {"dim0": lambda: 0, "dim1": lambda: 1},
    "unbind": {"input": lambda: floats(2, 3)},
    "unflatten": {"shape": lambda: [2, 1]},
    "view": {"shape_or_dtype": lambda: [3, 2]},
    "zeros": {"shape": lambda: [2]},
    **dict.fromkeys(
        [
            "bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_or_",
            "bitwise_left_shift_", "bitwise_right_shift", "bitwise_right_shift_", "bitwise_xor",
            "gcd", "gcd_", "lcm", "lcm_",
        ],
        WHOLE,
    ),
}  # fmt: skip
DRAWN = (
    "empty",
    "empty_like",
    "exponential_",
    "rand",
    "randn_like",
    "standard_normal",
)  # their contents cannot be compared


def function_of(name: str):
    """Return the function a line of the table is about."""
    table = FUNCTIONAL if name.startswith("F.") else PUBLIC | METHODS
    if name == "is_tensor":
        return paddle.is_tensor
    return table[name.removeprefix("F.")]


def arguments_of(name: str) -> dict:
    """Return arguments for a function by the parameters' own names."""
    own = OWN.get(name, {})
    required = [
        parameter.name
        for parameter in inspect.signature(function_of(name)).parameters.values()
        if parameter.default is parameter.empty and parameter.kind is not parameter.VAR_POSITIONAL
    ]
    names = {*required, *own, *KEYWORDS[name].renames.values()}
    return {each: own.get(each, USUAL.get(each))() for each in names}  # a KeyError: add it above


def values_of(result) -> list:
    """Return the results of a function as arrays."""
    results = result if isinstance(result, (tuple, list)) else [result]
    return [each.numpy() if hasattr(each, "numpy") else np.asarray(each) for each in results]


def assert_same(got, expected, name: str):
    for one, other in zip(values_of(got), values_of(expected), strict=True):
        assert one.shape == other.shape
        assert one.dtype == other.dtype
        if name not in DRAWN:
            assert_close(one, other, "float32", name)


BY_NAME = [name for name in KEYWORDS if name != "meshgrid"]  # whose tensors have no names


@pytest.mark.parametrize("name", BY_NAME)
def test_every_further_name_is_the_parameter(name):
    function, renames = function_of(name), KEYWORDS[name].renames
    expected = function(**arguments_of(name), **KEYWORDS[name].defaults)
    for alias, own in renames.items():
        arguments = arguments_of(name)
        arguments[alias] = arguments.pop(own)
        assert_same(function(**arguments), expected, name)
    arguments = arguments_of(name)
    last = {own: alias for alias, own in renames.items()}  # of several names for one parameter
    together = {alias: arguments.pop(own) for own, alias in last.items()}
    assert_same(function(**arguments, **together), expected, name)


@pytest.mark.parametrize("name", [n for n in BY_NAME if KEYWORDS[n].out and n[-1] != "_"])
def test_out_becomes_the_result(name):
    function = function_of(name)
    assert "out" in inspect.signature(function).parameters
    expected = function(**arguments_of(name))
    count = len(values_of(expected))
    targets = [paddle.zeros([5]) for _ in range(count)]
    out = tuple(targets) if count > 1 else targets[0]
    assert function(**arguments_of(name), out=out) is out
    assert_same(out, expected, name)


def test_names_mix_with_positions():
    x = floats(2, 3)
    assert paddle.sum(x, dim=1, keepdim=True).shape == [2, 1]
    assert x.add(other=x).tolist() == paddle.add(x, x).tolist()
    assert paddle.topk(x, 1, dim=0)[0].shape == [1, 3]
    assert x.clone().add_(other=x).tolist() == (x + x).tolist()


def test_a_bool_in_the_place_of_dtype_is_keepdim():
    x = floats(2, 3)
    assert paddle.sum(x, 0, True).shape == [1, 3]
    assert x.sum(0, False).shape == [3]
    wide = paddle.sum(x, 0, True, "float64")
    assert (wide.shape, wide.dtype) == ([1, 3], "float64")
    assert paddle.sum(x, 0, "float64", True).shape == [1, 3]
    assert paddle.nn.functional.lp_pool1d(x.unsqueeze(0), 2, 2, None, True).shape == [1, 2, 2]


def test_inplace_is_an_argument():
    x = floats(2, 3) * 1
    expected = paddle.nn.functional.silu(x)
    assert paddle.nn.functional.silu(x, inplace=True) is x
    assert_close(x.numpy(), expected.numpy(), "float32", "silu")
    assert x.inplace_version == 1
    assert not hasattr(paddle.nn.functional, "silu_")


@pytest.mark.parametrize("name", ["bitwise_left_shift_", "bitwise_right_shift_"])
def test_a_function_that_writes_in_place_takes_no_out(name):
    x, out = whole(), whole()
    with pytest.raises(InvalidArgumentError, match="writes into its first operand, so it takes"):
        function_of(name)(x, whole(), True, out)
    assert (x.tolist(), out.tolist()) == ([4, 6, 9], [4, 6, 9])
    assert function_of(name)(x, whole(), out=None) is x


def test_the_graph_is_that_of_the_plain_call():
    x = paddle.to_tensor([1.0, -2.0], stop_gradient=False)
    out = paddle.sum(paddle.abs(input=x), dim=0)
    assert out.grad_fn.name() == "SumGradNode"
    out.backward()
    assert x.grad.tolist() == [1.0, -1.0]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x: paddle.abs(x, tensor=x), "abs() got an unexpected keyword argument 'tensor'"),
        (lambda x: paddle.add(x, x, tensor=x), "add() got an unexpected keyword argument 'tensor'"),
        (lambda x: paddle.sum(x, axis=0, dim=0), "multiple values for argument 'axis': 'dim' is"),
        (lambda x: paddle.add(x, y=x, other=x), "multiple values for argument 'y': 'other' is"),
        (lambda x: paddle.roll(input=x), "roll() missing 1 required argument: 'shifts'"),
        (lambda x: paddle.roll(x), "roll() missing 1 required argument: 'shifts'"),
        (lambda x: paddle.topk(input=x), "topk() missing 1 required positional argument: 'k'"),
        (lambda x: paddle.sum(x, 0, True, True), "sum() got two bools, and takes one: 'keepdim'"),
        (lambda x: paddle.add(x), "missing 1 required positional argument: 'y'"),
        (lambda x: paddle.multiply(other=x), "multiply() missing 1 required argument: 'x'"),
        (lambda x: paddle.square(input=x), "square() got an unexpected keyword argument 'input'"),
    ],
)
def test_wrong_names_are_refused(call, text):
    with pytest.raises(TypeError) as found:
        call(floats(2, 3))
    assert text in str(found.value)


def test_missing_operand_is_named():
    with pytest.raises(
        InvalidTypeError, match=r"argument 'x' \(position 0\) must be Tensor, but got None\."
    ):
        paddle.abs()


def test_median_changes_its_mode_with_the_names():
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 5.0]])
    assert paddle.median(x, axis=1).tolist() == [1.5, 4.0]
    out, places = paddle.median(x, dim=1)
    assert (out.tolist(), places.tolist()) == ([1.0, 3.0], [0, 0])
    assert paddle.median(input=x).item() == 2.0
    assert paddle.median(x, dim=1, mode="avg").tolist() == [1.5, 4.0]


def test_out_takes_history():
    x = paddle.to_tensor([1.0, -2.0], stop_gradient=False)
    out = paddle.zeros([3], "int64")
    assert paddle.abs(x, out=out) is out
    assert out.dtype == "float32"
    assert out.grad_fn.name() == "AbsGradNode"
    out.sum().backward()
    assert x.grad.tolist() == [1.0, -1.0]


def test_out_may_be_an_operand():
    x = paddle.to_tensor([1.0, -2.0], stop_gradient=False)
    y = x * 1
    paddle.abs(y, out=y)
    y.sum().backward()
    assert x.grad.tolist() == [1.0, -1.0]


def test_out_counts_as_a_write():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    factor = paddle.to_tensor([3.0, 4.0])
    z = x * factor
    paddle.abs(x, out=factor)
    with pytest.raises(PermissionDeniedError, match="modified by an inplace operation"):
        z.sum().backward()


def test_out_that_is_a_view_is_written_through():
    base = paddle.zeros([2, 2])
    paddle.add(paddle.ones([2]), paddle.ones([2]), out=base[0])
    assert base.tolist() == [[2.0, 2.0], [0.0, 0.0]]
    with pytest.raises(InvalidArgumentError, match="shares its memory") as found:
        paddle.sum(paddle.ones([2]), out=base[0])
    assert "it is float32[2], the result is float32[]" in str(found.value)
    assert base.inplace_version == 2  # failed calls are not counted


def test_without_a_graph_out_stays_a_parameter():
    weight = paddle.create_parameter([2], "float32")
    with paddle.no_grad():
        paddle.add(weight, paddle.ones([2]), out=weight)
    assert weight.is_leaf
    assert not weight.stop_gradient


def test_out_must_be_tensors():
    x = floats(2, 3)
    with pytest.raises(InvalidTypeError, match="out must be a Tensor, or a tuple of Tensors"):
        paddle.abs(x, out=3)
    with pytest.raises(InvalidArgumentError, match="out must hold 2 tensors"):
        paddle.topk(x, 1, out=paddle.zeros([1]))
    with pytest.raises(InvalidArgumentError, match="must be a tuple with 2 elements"):
        paddle.median(x, out=paddle.zeros([1]))


def test_signatures_show_what_is_required():
    assert str(inspect.signature(paddle.abs)) == "(x, name=None, *, out=None)"
    assert str(inspect.signature(paddle.bitwise_and)) == "(x, y, out=None, name=None)"
    assert str(inspect.signature(paddle.argsort)) == str(
        inspect.signature(paddle.argsort.__wrapped__)
    )
    plain = inspect.signature(lambda x, out=None: x)
    assert signature_with_out(plain, Keywords("out")) == plain


def test_only_public_functions_have_further_names():
    assert keywords_of("abs", None) is None
    assert keywords_of("glu", "paddle") is None
    assert keywords_of("glu", "functional") is KEYWORDS["F.glu"]
