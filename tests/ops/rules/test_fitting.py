"""Numbers next to tensors of integers that cannot hold them."""

import operator

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, JaxEagerError
from jaxeager.ops.rules import fitting
from tests.support.often import every

WHOLE = "uint8 int8 int16 int32 int64".split()
FAR = [2**40, 2**63, 2**64 - 1, 2**70, -(2**70), 10**400]
COMPARISONS = "eq ne lt le gt ge".split()
REFUSING = "add sub mul floordiv mod and_ or_ xor lshift rshift".split()


def assign(x, key, value):
    x[key] = value


CALLS = {
    "setitem": lambda x, n: assign(x, 0, n),
    "setitem_list": lambda x, n: assign(x, [0], n),
    "setitem_mask": lambda x, n: assign(x, x > 0, n),
    "fill_": lambda x, n: x.fill_(n),
    "fill_diagonal_": lambda x, n: x.reshape([1, 2]).fill_diagonal_(n),
    "full": lambda x, n: paddle.full([2], n, x.dtype),
    "full_like": lambda x, n: paddle.full_like(x, n),
    "pow": lambda x, n: paddle.pow(x, n),
    "scale": lambda x, n: paddle.scale(x, n),
    "maximum": lambda x, n: paddle.maximum(x, n),
    "masked_fill": lambda x, n: paddle.masked_fill(x, x > 0, n),
    "index_fill": lambda x, n: paddle.index_fill(x, paddle.to_tensor([0]), 0, n),
    "put_along_axis": lambda x, n: paddle.put_along_axis(x, paddle.to_tensor([0]), n, 0),
    "pad": lambda x, n: paddle.nn.functional.pad(x.reshape([1, 1, 2]), [1, 1], value=n),
    "arange": lambda x, n: paddle.arange(n, n + 2, dtype=x.dtype),
    "to_tensor": lambda x, n: paddle.to_tensor([n], dtype=x.dtype),
    "iadd": operator.iadd,
    "clip": lambda x, n: paddle.clip(x, 0, abs(n)),
}


def is_ours(call):
    """Run a call; return whether it succeeded, or raised an error of the library."""
    try:
        call()
    except JaxEagerError:
        return True
    return True  # any other exception ends the test


@pytest.mark.parametrize("number", FAR, ids=lambda n: f"{n.bit_length()}bits{'-' * (n < 0)}")
@pytest.mark.parametrize("dtype", every(2, ["uint8", "int32", "int64", "bool", "bfloat16"]))
def test_no_number_ends_in_a_foreign_error(dtype, number):
    for name in [*COMPARISONS, *REFUSING, "truediv", "pow"]:
        act = getattr(operator, name)
        assert is_ours(lambda act=act: act(paddle.ones([2]).astype(dtype), number))
        assert is_ours(lambda act=act: act(number, paddle.ones([2]).astype(dtype)))
    for act in CALLS.values():
        assert is_ours(lambda act=act: act(paddle.ones([2]).astype(dtype), number))


@pytest.mark.parametrize("number", [2**70, -(2**70)])
@pytest.mark.parametrize("name", [n for n in CALLS if n not in ("clip", "to_tensor", "pow")])
def test_numbers_of_more_than_64_bits_are_refused(name, number):
    x = paddle.ones([2], "int64")
    with pytest.raises(InvalidArgumentError, match="does not fit into int64"):
        CALLS[name](x, number)
    assert x.tolist() == [1, 1]


@pytest.mark.parametrize("name", REFUSING)
def test_operators_refuse_what_int32_cannot_hold(name):
    act = getattr(operator, name)
    with pytest.raises(InvalidArgumentError, match="does not fit into int32"):
        act(paddle.ones([2], "int32"), 2**40)
    with pytest.raises(InvalidArgumentError, match="does not fit into int32"):
        act(2**40, paddle.ones([2], "int32"))


@pytest.mark.parametrize("dtype", [*WHOLE, "uint32", "uint64"])
@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_with_numbers_out_of_reach_are_right(name, dtype):
    info = np.iinfo(dtype)
    values = [info.min, 0, 1, info.max]
    x = paddle.to_tensor(np.array(values, dtype))
    act = getattr(operator, name)
    for number in (info.max, info.min, info.max + 1, info.min - 1, 2**70, -(2**70), 10**400):
        assert act(x, number).tolist() == [act(value, number) for value in values]
        assert act(number, x).tolist() == [act(number, value) for value in values]


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64"])
def test_bits_take_as_many_as_there_are(dtype):
    size = 8 * np.dtype(dtype).itemsize
    x = paddle.to_tensor([5, 6], dtype=dtype)
    assert (x & (2**size - 1)).tolist() == [5, 6]
    assert (x & ~1).tolist() == [4, 6]
    assert ((x | (2**size - 1)) + 1).tolist() == [0, 0]
    with pytest.raises(InvalidArgumentError, match="does not fit"):
        x & 2**size


@pytest.mark.parametrize("dtype", WHOLE)
def test_clip_with_bounds_out_of_reach(dtype):
    x = paddle.to_tensor([0, 5], dtype=dtype)
    assert paddle.clip(x, -(2**70), 2**70).tolist() == [0, 5]
    assert x.clip(max=2**70).dtype == x.dtype
    assert x.clip_(0, 10**30).tolist() == [0, 5]


def test_eight_and_sixteen_bits_are_modular_in_sums_and_fills():
    x = paddle.ones([1], "uint8")
    assert [(x + 300).item(), (x - 300).item(), (x * -1).item()] == [45, 213, 255]
    assert [paddle.full([1], -1, "uint8").item(), x.fill_(300).item()] == [255, 44]


def test_whole_numbers_that_only_uint64_holds():
    with pytest.raises(InvalidArgumentError, match=r"18446744073709551615 does not fit into int64"):
        paddle.to_tensor([2**63, 2**64 - 1])
    assert paddle.to_tensor([2**64 - 1], dtype="uint64").tolist() == [2**64 - 1]
    assert paddle.to_tensor([np.uint64(3)]).tolist() == [3]


def test_floats_take_numbers_of_any_length_but_say_when_it_is_beyond_them():
    assert (paddle.ones([1]) * 2**70).item() == 2.0**70
    assert (paddle.ones([1]).astype("bfloat16") // 2**70).item() == 0.0
    with pytest.raises(InvalidArgumentError, match="1329 bits is beyond every floating dtype"):
        paddle.ones([1]) + 10**400


def test_a_long_number_is_not_written_out():
    assert fitting.shown(-5) == "-5"
    assert fitting.shown(10**4000) == "of 13288 bits"


def test_bounds_of_randint_fit():
    for low, high in ((0, 2**63), (0, 2**70), (-(2**70), 0)):
        with pytest.raises(InvalidArgumentError, match="64"):
            paddle.randint(low, high, [1])
    with pytest.raises(InvalidArgumentError, match="does not fit into int32"):
        paddle.randint(0, 2**40, [1], "int32")


def test_an_offset_beyond_64_bits():
    with pytest.raises(InvalidArgumentError, match="tril: diagonal must fit into 64 bits"):
        paddle.tril(paddle.ones([2, 2]), 2**70)
