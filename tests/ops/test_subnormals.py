"""Numbers below the range that XLA computes in: see Note [Subnormal numbers].

The first half tests right results all the same; the second half is the table of
docs/where-paddle-differs.md, compared with the behaviour of a CPU.
"""

import numpy as np
import pytest

import jaxeager as paddle
from tests.support.leaves import leaf

F = paddle.nn.functional
on_cpu = pytest.mark.skipif(
    paddle.get_device() != "cpu", reason="an accelerator has its own rules for subnormal numbers"
)
LEAST = {"float32": 2.0**-126, "float64": 2.0**-1022}
TINY = {"float32": 1e-20, "float64": 1e-160}  # whose squares are subnormal
SUBNORMAL = {"float32": 1e-40, "float64": 1e-310}
DTYPES = pytest.mark.parametrize("dtype", ["float32", "float64"])


def pair(dtype):
    return np.array([[1.0, 3.0]]) * TINY[dtype]


LENGTHS = {
    "norm": lambda x: paddle.norm(x),
    "norm of an axis": lambda x: paddle.linalg.norm(x, 2, axis=1),
    "norm fro": lambda x: paddle.linalg.norm(x, "fro"),
    "dist": lambda x: paddle.dist(x, paddle.zeros_like(x)),
    "cdist": lambda x: paddle.cdist(x, paddle.zeros_like(x)),
    "pdist": lambda x: paddle.pdist(paddle.concat([x, paddle.zeros_like(x)])),
    "pairwise_distance": lambda x: F.pairwise_distance(x, paddle.zeros_like(x), epsilon=0.0),
}


@DTYPES
@pytest.mark.parametrize("length", LENGTHS.values(), ids=LENGTHS)
def test_a_length_of_tiny_numbers_and_its_slope(length, dtype):
    x = leaf(pair(dtype), dtype)
    found = length(x)
    np.testing.assert_allclose(found.numpy().ravel(), 10**0.5 * TINY[dtype], rtol=1e-6)
    found.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.array([[1, 3]]) / 10**0.5, rtol=1e-6)


@pytest.mark.parametrize("order", [3.0, 1.5, 0.5, -1.0, -2.0])
@pytest.mark.parametrize("size", [1e-25, 1e-12, 1.0, 1e12, 1e30])
def test_a_norm_of_any_order_in_the_whole_range(order, size):
    x = leaf(np.array([1.0, 3.0, 2.0]) * size)
    found = paddle.norm(x, order)
    np.testing.assert_allclose(found.item(), np.linalg.norm([1, 3, 2], order) * size, rtol=1e-5)
    found.backward()
    share = np.array([1.0, 3.0, 2.0]) / np.linalg.norm([1, 3, 2], order)
    np.testing.assert_allclose(x.grad.numpy(), share ** (order - 1), rtol=1e-5)


def test_norms_of_zeros_infinities_and_nan():
    x = leaf([[0.0, 0.0], [np.inf, 1.0], [np.nan, 1.0], [1e-20, 0.0]])
    found = paddle.norm(x, 2, axis=1)
    np.testing.assert_allclose(found.numpy(), [0, np.inf, np.nan, 1e-20], rtol=1e-6)
    found[0].backward()
    assert not x.grad.numpy()[0].any()
    assert paddle.norm(paddle.zeros([0, 3])).item() == 0
    assert paddle.norm(paddle.zeros([0, 3]), 3, axis=0).tolist() == [0, 0, 0]


@on_cpu
def test_the_norm_of_many_elements_that_are_flushed_and_one_that_is_not():
    x = np.full(2**20, 1e-19, np.float32)  # the squares are subnormal, their sum is not
    x[0] = 1e-17
    wanted = np.linalg.norm(x.astype(np.float64))
    np.testing.assert_allclose(paddle.norm(paddle.to_tensor(x)).item(), wanted, rtol=1e-5)


def test_functions_of_norms_keep_tiny_numbers():
    x = leaf(pair("float32"))
    unit = np.array([[1, 3]]) / 10**0.5
    np.testing.assert_allclose(F.normalize(x, epsilon=1e-30).numpy(), unit, rtol=1e-6)
    shorter = paddle.renorm(x, 2.0, 0, 1e-21)
    np.testing.assert_allclose(shorter.numpy(), unit * 1e-21, rtol=1e-5)
    x.grad = x.detach().clone()
    norm = paddle.nn.utils.clip_grad_norm_([x], 1.0)
    np.testing.assert_allclose(norm.item(), 10**0.5 * 1e-20, rtol=1e-6)
    x.grad = paddle.full([1, 2], 1e30)
    norm = paddle.nn.utils.clip_grad_norm_([x], 1.0)
    np.testing.assert_allclose(norm.item(), 2**0.5 * 1e30, rtol=1e-6)
    np.testing.assert_allclose(x.grad.numpy(), 0.5**0.5, rtol=1e-6)


@pytest.mark.parametrize("far", [-50.0, -95.0, -1000.0, -1e30])
def test_the_logarithm_of_a_share_has_a_slope(far):
    x = leaf([0.0, far])
    logs = paddle.log(F.softmax(x))
    logs[1].backward()
    np.testing.assert_allclose(x.grad.numpy(), [-1, 1], rtol=1e-6)
    assert logs.numpy()[1] == pytest.approx(max(far, -87.3365), rel=1e-5)


def test_shares_that_are_exactly_zero_or_nan():
    shares = F.softmax(leaf([[0.0, -np.inf], [np.nan, 0.0]])).numpy()
    np.testing.assert_array_equal(shares, [[1, 0], [np.nan, np.nan]])


@DTYPES
def test_a_share_is_never_below_the_least_normal_number(dtype):
    shares = F.softmax(leaf([0.0, -1e4], dtype)).numpy()
    assert shares.tolist() == [1.0, LEAST[dtype]]


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_a_subnormal_number_is_not_zero(dtype):
    part = np.dtype(dtype).type(0).real.dtype
    numbers = np.array([SUBNORMAL[part.name], 0, -SUBNORMAL[part.name], -0.0, 1]).astype(part)
    x = paddle.to_tensor((numbers * np.array(1j if part != dtype else 1, dtype)).astype(dtype))
    true = [True, False, True, False, True]
    assert x.astype("bool").tolist() == true
    assert paddle.count_nonzero(x).item() == 3
    assert paddle.nonzero(x).flatten().tolist() == [0, 2, 4]
    assert paddle.logical_not(x).tolist() == [not each for each in true]
    assert paddle.logical_and(x, x).tolist() == true
    assert paddle.any(x[:2].astype("bool")).item()
    assert bool(x[0])


@DTYPES
def test_the_parts_of_subnormal_numbers(dtype):
    numbers = np.array([1, -30, 2.5e-5, 117]) * SUBNORMAL[dtype]
    parts = [each.numpy() for each in paddle.frexp(paddle.to_tensor(numbers.astype(dtype)))]
    for found, wanted in zip(parts, np.frexp(numbers.astype(dtype)), strict=True):
        np.testing.assert_array_equal(found, wanted)


# Functions that copy numbers copy them bit by bit.
KEPT = {
    "assign": paddle.assign,
    "clone": lambda x: x.clone(),
    "reshape": lambda x: x.reshape([2, 2]),
    "transpose": lambda x: x.reshape([2, 2]).t(),
    "concat": lambda x: paddle.concat([x, x])[:4],
    "flip": lambda x: paddle.flip(paddle.flip(x, 0), 0),
    "roll": lambda x: paddle.roll(x, 4),
    "x[...]": lambda x: x[0:4],
    "gather": lambda x: paddle.gather(x, paddle.arange(4)),
    "where": lambda x: paddle.where(paddle.ones([4], "bool"), x, -x),
    "pad": lambda x: F.pad(x, [1, 1])[1:5],
    "embedding": lambda x: F.embedding(paddle.arange(4), x.unsqueeze(1)),
    "abs": lambda x: paddle.copysign(paddle.abs(x), x),
    "nan_to_num": paddle.nan_to_num,
    "dropout(p=0)": lambda x: F.dropout(x, 0.0),
}


def written(x):
    out = paddle.zeros([4], x.dtype)
    out[:] = x
    return out


KEPT["x[...] = y"] = written


@on_cpu
@DTYPES
@pytest.mark.parametrize("function", KEPT.values(), ids=KEPT)
def test_functions_that_only_move_numbers_keep_subnormals(function, dtype):
    numbers = np.array([1, -1, 30, 0], dtype) * SUBNORMAL[dtype]
    numbers = numbers.astype(dtype)
    found = function(paddle.to_tensor(numbers)).numpy().ravel()
    np.testing.assert_array_equal(np.sort(found), np.sort(numbers))


# Functions that compute take them for 0, and return 0: (function, its result, the right one).
X = SUBNORMAL["float32"]
FLUSHED = {
    "x + 0": (lambda x: x + 0.0, 0, X),
    "x * 1e30": (lambda x: x * 1e30, 0, 1e-10),
    "1e-20 ** 2": (lambda x: (x * 0 + 1e-20) ** 2, 0, 1e-40),
    "x == 0": (lambda x: x == 0, True, False),
    "x > 0": (lambda x: x > 0, False, True),
    "sign": (paddle.sign, 0, 1),
    "relu": (F.relu, 0, X),
    "exp(-95)": (lambda x: paddle.exp(x * 0 - 95), 0, 5.5e-42),
    "sigmoid(-95)": (lambda x: F.sigmoid(x * 0 - 95), 0, 5.5e-42),
    "log": (paddle.log, -np.inf, -92.1),
    "log2": (paddle.log2, -np.inf, -132.9),
    "log10": (paddle.log10, -np.inf, -40),
    "log1p": (paddle.log1p, 0, X),
    "lgamma": (paddle.lgamma, np.inf, 92.1),
    "sqrt": (paddle.sqrt, 0, 1e-20),
    "rsqrt": (paddle.rsqrt, np.inf, 1e20),
    "sum": (paddle.sum, 0, 8 * X),
    "max": (paddle.max, 0, X),
    "std": (lambda x: paddle.std(paddle.stack([x, x + 1e-20]), 0), 0, 7.1e-21),
    "hypot": (lambda x: paddle.hypot(x + 1e-20, x + 1e-20), 0, 1.4e-20),
    "matmul": (lambda x: paddle.matmul(x.reshape([8, 1]), x[:1].reshape([1, 1]) + 1e20), 0, 1e-20),
    "prod": (lambda x: paddle.prod(paddle.stack([x, x + 1e20]), 0), 0, 1e-20),
    "x % 3e-41": (lambda x: x % 3e-41, np.nan, 1e-41),
    "x / x": (lambda x: x / x, np.nan, 1),
    "x * log(x)": (lambda x: x * paddle.log(x), np.nan, -9.2e-39),
    "ldexp": (lambda x: paddle.ldexp(x, paddle.full([8], 100)), 0, 1.27e-10),
    "astype(float64)": (lambda x: x.astype("float64"), 0, X),
}


@on_cpu
@pytest.mark.parametrize(("function", "found", "right"), FLUSHED.values(), ids=FLUSHED)
def test_functions_that_compute_take_subnormals_for_zero(function, found, right):
    x = paddle.to_tensor(np.full(8, X, np.float32))
    np.testing.assert_array_equal(function(x).numpy().ravel()[0], found)
    assert found != right


@on_cpu
def test_the_order_of_subnormal_numbers():
    x = paddle.to_tensor(np.array([3e-39, -1e-40, 1e-40, 0], np.float32))
    assert paddle.argsort(x).tolist() == [1, 3, 2, 0]  # read from the bits
    assert paddle.kthvalue(x, 1)[1].item() == 1
    assert paddle.topk(x, 1)[1].item() == 0
    assert paddle.argmin(x).item() == 0
    assert paddle.searchsorted(paddle.to_tensor([0.0, 1e-40]), x).tolist() == [0] * 4
