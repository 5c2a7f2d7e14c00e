"""Search and choice beyond the row's samples: nan, ties, counted outputs, scalars."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from tests.support.leaves import leaf
from tests.support.recorded import gradient, recorded

NAN = float("nan")


def test_sorting_puts_nan_last_or_first():
    x = paddle.to_tensor([2.0, NAN, 1.0])
    np.testing.assert_array_equal(paddle.sort(x).numpy(), [1.0, 2.0, NAN])
    np.testing.assert_array_equal(paddle.sort(x, descending=True).numpy(), [NAN, 2.0, 1.0])
    np.testing.assert_array_equal(paddle.topk(x, 2)[0].numpy(), [NAN, 2.0])


def test_equal_elements_keep_their_order():
    x = paddle.to_tensor([2.0, 1.0, 2.0, 1.0])
    assert paddle.argsort(x).tolist() == [1, 3, 0, 2]
    assert paddle.argsort(x, descending=True).tolist() == [0, 2, 1, 3]
    assert gradient(paddle.sort, [2.0, 1.0, 2.0, 1.0]) == [3.0, 1.0, 4.0, 2.0]
    assert gradient(paddle.msort, [2.0, 1.0]) == [2.0, 1.0]
    assert gradient(lambda x: paddle.topk(x, 1), [2.0, 2.0, 1.0]) == [1.0, 0.0, 0.0]
    assert gradient(lambda x: paddle.kthvalue(x, 2), [2.0, 2.0, 1.0]) == [1.0, 0.0, 0.0]
    assert gradient(paddle.mode, [2.0, 2.0, 1.0]) == [0.0, 1.0, 0.0]


def test_sort_and_argsort_record_one_op():
    x = leaf([2.0, 1.0])
    assert recorded(paddle.sort(x)) == recorded(paddle.argsort(x)) == "Argsort(leaf)"
    assert str(paddle.argsort(x).dtype) == "paddle.int64"


def test_topk_of_integers_and_with_a_tensor_k():
    x = paddle.to_tensor([3, -(2**63), 5])
    assert paddle.topk(x, 2, largest=False)[0].tolist() == [-(2**63), 3]
    assert paddle.topk(x, paddle.to_tensor(1))[0].tolist() == [5]
    assert [each.shape for each in paddle.topk(paddle.to_tensor(2.0), 1)] == [[], []]


def test_where_records_the_expansion_and_cast_of_its_operands():
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    mask = x > 2.0
    assert recorded(paddle.where(mask, x, x)) == "Where(leaf,leaf)"
    assert recorded(paddle.where(mask[0], x[0, 0], x)) == "Where(Expand(Slice(leaf)),leaf)"
    assert recorded(paddle.where(mask, x, 1.0)) == "Where(leaf,None)"
    assert recorded(paddle.where(mask, x, x.astype("float64"))) == "Where(Cast(leaf),Cast(leaf))"


@pytest.mark.parametrize(("x", "y", "dtype"), [(1.0, 0.0, "float32"), (1, 0, "int64")])
def test_where_with_numbers(x, y, dtype):
    out = paddle.where(paddle.to_tensor([True, False]), x, y)
    assert (out.tolist(), str(out.dtype)) == ([1, 0], f"paddle.{dtype}")


def test_where_refuses_invalid_conditions_and_operands():
    x = paddle.to_tensor([1, 2])
    with pytest.raises(InvalidTypeError, match="Type promotion only support"):
        paddle.where(x > 1, x, 1.5)
    with pytest.raises(InvalidArgumentError, match="expected to be a boolean Tensor"):
        paddle.where(x, x, x)
    with pytest.raises(InvalidArgumentError, match="both x and y"):
        paddle.where(x > 1, x)
    with pytest.raises(InvalidArgumentError, match="must broadcast"):
        paddle.where(x > 1, x, paddle.to_tensor([1, 2, 3]))


def test_where_in_place():
    source = leaf([1.0, 2.0, 3.0])
    x = source * 1.0
    other = leaf([10.0, 20.0, 30.0])
    assert paddle.where_(x > 1.5, x, other) is x
    assert (x.tolist(), x.inplace_version, x.grad_fn.name()) == (
        [10.0, 2.0, 3.0],
        1,
        "WhereGradNode",
    )
    x.sum().backward()
    assert (source.grad.tolist(), other.grad.tolist()) == ([0.0, 1.0, 1.0], [1.0, 0.0, 0.0])


def test_nonzero():
    x = np.array([[0.0, 2.0], [3.0, 0.0]])
    assert paddle.nonzero(paddle.to_tensor(x)).tolist() == [[0, 1], [1, 0]]
    rows, columns = paddle.where(paddle.to_tensor(x != 0))
    assert (rows.tolist(), columns.tolist(), str(rows.dtype)) == ([0, 1], [1, 0], "paddle.int64")
    assert paddle.nonzero(paddle.zeros([3, 2])).shape == [0, 2]
    with pytest.raises(InvalidArgumentError, match="at least one dimension"):
        paddle.nonzero(paddle.to_tensor(1.0))


def test_masked_select_of_changing_length():
    x = leaf([1.0, 2.0, 3.0])
    for bound, expected in ((0.5, [1.0, 2.0, 3.0]), (1.5, [2.0, 3.0]), (9.0, [])):
        out = paddle.masked_select(x, x > bound)
        assert (out.tolist(), recorded(out)) == (expected, "MaskedSelect(leaf)")
    mask = paddle.to_tensor([[True, False, True], [False, False, True]])
    assert gradient(lambda x: paddle.masked_select(x, mask), [1.0, 2.0, 3.0]) == [1.0, 0.0, 5.0]
    with pytest.raises(InvalidArgumentError, match="bool tensor"):
        paddle.masked_select(x, x)
    with pytest.raises(InvalidArgumentError, match="do not broadcast"):
        paddle.masked_select(x, paddle.to_tensor([True, False]))


def test_masked_fill():
    x, mask = leaf([1.0, 2.0, 3.0]), paddle.to_tensor([True, False, True])
    assert recorded(paddle.masked_fill(x, mask, 0.0)) == "MaskedFill(leaf,None)"
    value = paddle.to_tensor(5.0, stop_gradient=False)
    paddle.masked_fill(x, mask, value).sum().backward()
    assert (x.grad.tolist(), value.grad.item()) == ([0.0, 1.0, 0.0], 2.0)
    y = paddle.to_tensor([1, 2, 3])
    assert (y.masked_fill_(mask, 7.9).tolist(), y.inplace_version) == ([7, 2, 7], 1)


def test_masked_scatter():
    x, value = leaf([[0.0, 0.0], [0.0, 0.0]]), leaf([1.0, 2.0, 3.0])
    mask = paddle.to_tensor([True, False])
    out = paddle.masked_scatter(x, mask, value)
    assert out.tolist() == [[1.0, 0.0], [2.0, 0.0]]
    assert recorded(out) == "Where(leaf,Reshape(IndexElementwiseGet(Flatten(leaf))))"
    out.sum().backward()
    assert (x.grad.tolist(), value.grad.tolist()) == ([[0.0, 1.0], [0.0, 1.0]], [1.0, 1.0, 0.0])
    y = x * 1.0
    assert y.masked_scatter_(mask, value) is y
    with pytest.raises(InvalidArgumentError, match="only 1 elements"):
        paddle.masked_scatter(x, mask, leaf([1.0]))
    with pytest.raises(InvalidArgumentError, match="have the dtype of x"):
        paddle.masked_scatter(x, x, value)


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_unique(axis):
    values = np.array([[2, 1, 2], [0, 1, 0], [2, 1, 2]])
    found = paddle.unique(paddle.to_tensor(values), True, True, True, axis, dtype="int32")
    wanted = np.unique(values, True, True, True, axis)
    for out, want in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(out.numpy(), want if want is wanted[0] else want.reshape(-1))
    assert [str(each.dtype) for each in found] == ["paddle.int64"] + ["paddle.int32"] * 3
    assert paddle.unique(paddle.to_tensor(values)).tolist() == [0, 1, 2]


def test_unique_consecutive():
    x = paddle.to_tensor([1, 1, 2, 2, 2, 1])
    found = paddle.unique_consecutive(x, return_inverse=True, return_counts=True)
    assert [f.tolist() for f in found] == [[1, 2, 1], [0, 0, 1, 1, 1, 2], [2, 3, 1]]
    rows = paddle.to_tensor([[1, 1], [1, 1], [0, 1]])
    assert paddle.unique_consecutive(rows, axis=0).tolist() == [[1, 1], [0, 1]]
    assert paddle.unique_consecutive(rows, axis=1).tolist() == [[1, 1], [1, 1], [0, 1]]
    assert paddle.unique_consecutive(paddle.zeros([0])).shape == [0]


def test_bucketize():
    bounds = paddle.to_tensor([1.0, 3.0])
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 9.0]])
    assert paddle.bucketize(x, bounds).tolist() == [[0, 1], [1, 2]]
    assert paddle.bucketize(x, bounds, right=True).tolist() == [[1, 1], [2, 2]]
    with pytest.raises(InvalidArgumentError, match="1 dimension"):
        paddle.bucketize(x, x)
