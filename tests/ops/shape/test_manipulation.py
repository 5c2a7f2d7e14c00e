"""Shapes beyond the row's samples: identities, recorded ops, joins, padding."""

import numpy as np
import pytest

import jaxeager as paddle
import jaxeager.nn.functional as F
from jaxeager.errors import InvalidArgumentError
from tests.support.leaves import leaf64
from tests.support.recorded import gradient, recorded

X = np.arange(24.0).reshape(2, 3, 4)


def test_reshape_to_the_same_shape_is_the_tensor_itself():
    x = leaf64(X)
    assert paddle.reshape(x, [2, 3, 4]) is x
    assert x.reshape((2, 3, 4)) is x
    assert x.reshape(2, 3, 4) is x
    assert recorded(x.reshape([2, 3, -1])) == "Reshape(leaf)"
    y = paddle.ones([2, 2])
    assert (y.reshape_([2, 2]).inplace_version, y.reshape_([4]).inplace_version) == (0, 1)


@pytest.mark.parametrize(
    ("old", "new", "result"),
    [
        ([0, 3], [3, 0], [3, 0]),
        ([0, 3], [0, -1], [0, 3]),
        ([0, 3], [3, -1], [3, 0]),
        ([0, 3], [-1], [0]),
        ([0], [2, 0], [2, 0]),
        ([2, 3], [0, -1], [2, 3]),
        ([6], [paddle.to_tensor(2), -1], [2, 3]),
        ([6], paddle.to_tensor([3, 2]), [3, 2]),
    ],
)
def test_reshape_sizes(old, new, result):
    assert paddle.reshape(paddle.zeros(old), new).shape == result


def test_view_reads_another_shape_or_dtype():
    assert recorded(leaf64(X).view([6, 4])) == "ViewShape(leaf)"
    assert paddle.ones([6]).view_as(paddle.ones([2, 3])).shape == [2, 3]
    assert paddle.ones([2]).view("int32").tolist() == [0x3F800000] * 2
    assert recorded(leaf64(X).view("int64")) == "ViewDtype(leaf)"


@pytest.mark.parametrize(
    ("function", "shape", "version"),
    [
        (lambda x: x.reshape_([6, 4]), [6, 4], 1),
        (lambda x: x.flatten_(), [24], 1),
        (lambda x: x.transpose_([2, 0, 1]), [4, 2, 3], 1),
        (lambda x: x.unsqueeze_(0), [1, 2, 3, 4], 1),
        (lambda x: x.unsqueeze_(0).squeeze_(0), [2, 3, 4], 2),
        (lambda x: x.reshape_([6, 4]).t_(), [4, 6], 2),
    ],
)
def test_shapes_in_place(function, shape, version):
    source = leaf64(X)
    x = source * 1.0
    assert function(x) is x
    assert (x.shape, x.inplace_version) == (shape, version)
    x.sum().backward()
    assert source.grad.numpy().tolist() == np.ones_like(X).tolist()


def test_transposing_a_matrix():
    assert recorded(paddle.t(leaf64(X[0]))) == "Transpose(leaf)"
    vector = leaf64(X[0, 0])
    assert paddle.t(vector) is vector
    assert paddle.t_(vector) is vector
    with pytest.raises(InvalidArgumentError, match="at most 2 dimensions"):
        paddle.t(leaf64(X))


@pytest.mark.parametrize(
    ("source", "target"), [(0, 2), (-1, 0), ([0, 1], [2, 0]), ([2, 0], [0, 1])]
)
def test_moveaxis(source, target):
    found = paddle.moveaxis(leaf64(X), source, target)
    np.testing.assert_array_equal(found.numpy(), np.moveaxis(X, source, target))
    assert recorded(found) == "Transpose(leaf)"


def test_moveaxis_refuses_what_it_cannot_do():
    with pytest.raises(InvalidArgumentError, match="cannot move to 1 places"):
        paddle.moveaxis(leaf64(X), [0, 1], [2])
    with pytest.raises(InvalidArgumentError, match="must differ"):
        paddle.moveaxis(leaf64(X), [0, 0], [1, 2])


@pytest.mark.parametrize(
    ("k", "graph"),
    [
        (0, "leaf"),
        (1, "Transpose(Flip(leaf))"),
        (2, "Flip(Flip(leaf))"),
        (-1, "Flip(Transpose(leaf))"),
    ],
)
def test_rot90(k, graph):
    found = paddle.rot90(leaf64(X), k, [1, 2])
    np.testing.assert_array_equal(found.numpy(), np.rot90(X, k, (1, 2)))
    assert recorded(found) == graph


def test_small_shape_functions():
    x = leaf64(X)
    np.testing.assert_array_equal(x.swapaxes(0, -1).numpy(), X.swapaxes(0, -1))
    np.testing.assert_array_equal(x.permute(2, 0, 1).numpy(), X.transpose(2, 0, 1))
    assert paddle.unflatten(x, 2, [2, -1]).shape == [2, 3, 2, 2]
    shapes = [each.shape for each in paddle.atleast_2d(paddle.ones([3]), paddle.to_tensor(1.0))]
    assert shapes == [[1, 3], [1, 1]]
    assert paddle.atleast_3d(paddle.to_tensor(1.0)).shape == [1, 1, 1]
    assert paddle.atleast_3d(paddle.ones([2, 3])).shape == [2, 3, 1]
    assert paddle.atleast_1d(x) is x
    assert (paddle.rank(x).item(), paddle.numel(x).item(), paddle.shape(x).tolist()) == (
        3,
        24,
        [2, 3, 4],
    )
    assert [str(f(x).dtype) for f in (paddle.rank, paddle.numel)] == [
        "paddle.int32",
        "paddle.int64",
    ]
    with pytest.raises(InvalidArgumentError, match="could not be broadcast"):
        paddle.broadcast_shape([2], [3])


@pytest.mark.parametrize("n", [1, 2])
def test_diff(n):
    x = X[0]
    found = paddle.diff(leaf64(x), n, prepend=leaf64(x[:, :1]), append=leaf64(x[:, :2]))
    np.testing.assert_array_equal(found.numpy(), np.diff(x, n, prepend=x[:, :1], append=x[:, :2]))
    assert recorded(paddle.diff(leaf64(x))) == "Subtract(Slice(leaf),Slice(leaf))"
    assert paddle.diff(paddle.to_tensor([True, False, False])).tolist() == [True, False]


def test_splitting():
    x = leaf64(X)
    assert recorded(paddle.split(x, 2, 2)[0]) == "SplitWithNum(leaf)"
    assert recorded(paddle.split(x, [1, -1], 1)[1]) == "Split(leaf)"
    for count in (2, 3, 5):
        parts = paddle.tensor_split(x, count, 2)
        wanted = np.array_split(X, count, 2)
        assert [p.numpy().tolist() for p in parts] == [w.tolist() for w in wanted]
    parts = paddle.tensor_split(x, [1, 3], 2)
    assert [p.shape for p in parts] == [[2, 3, 1], [2, 3, 2], [2, 3, 1]]
    assert recorded(parts[1]) == "Slice(leaf)"
    assert [p.shape for p in paddle.hsplit(paddle.ones([4]), 2)] == [[2], [2]]
    with pytest.raises(InvalidArgumentError, match="at least 3 dimensions"):
        paddle.dsplit(paddle.ones([2, 2]), 2)
    with pytest.raises(InvalidArgumentError, match="into 0 parts"):
        paddle.tensor_split(x, 0)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: paddle.unstack(x)[1],
        lambda x: paddle.unbind(x)[1],
        lambda x: paddle.split(x, 2)[1],
        lambda x: paddle.broadcast_tensors([x[0], x])[1][1],
    ],
)
def test_unused_outputs_get_a_gradient_of_zero(function):
    assert gradient(lambda x: function(x) * 1.0, [[1.0], [1.0]]) == [[0.0], [1.0]]


@pytest.mark.parametrize("name", ["hstack", "vstack", "row_stack", "dstack", "column_stack"])
@pytest.mark.parametrize("ndim", [1, 2])
def test_stacking(name, ndim):
    x = X[0] if ndim == 2 else X[0, 0]
    pure = getattr(np, {"row_stack": "vstack"}.get(name, name))
    found = getattr(paddle, name)([leaf64(x), leaf64(x)])
    np.testing.assert_array_equal(found.numpy(), pure([x, x]))


def test_repeats():
    x = leaf64(X[0])
    assert recorded(paddle.repeat_interleave(x, 2)) == "RepeatInterleave(Flatten(leaf))"
    found = paddle.repeat_interleave(x, paddle.to_tensor([1, 0, 2]), 0)
    np.testing.assert_array_equal(found.numpy(), np.repeat(X[0], [1, 0, 2], 0))
    assert recorded(found) == "RepeatInterleaveWithTensorIndex(leaf)"
    with pytest.raises(InvalidArgumentError, match="must hold 3 non-negative counts"):
        paddle.repeat_interleave(x, paddle.to_tensor([1, 2]), 0)


def test_expanding_with_sizes_as_arguments():
    assert paddle.ones([3]).expand(2, -1).shape == [2, 3]
    assert recorded(paddle.broadcast_to(leaf64(X), [2, 3, 4])) == "Expand(leaf)"


@pytest.mark.parametrize(
    ("shape", "pad", "options", "result", "graph"),
    [
        ((2, 3), [1, 2], {}, [2, 6], "Pad(leaf)"),
        ((2, 3), [1, 2, 0, 1], {}, [5, 4], "Pad(leaf)"),
        ((2, 3), [1, 2, 0, 1], {"pad_from_left_axis": False}, [3, 6], "Pad(leaf)"),
        ((2, 3, 4), [1, 2], {}, [2, 3, 7], "Squeeze(Pad3d(Unsqueeze(leaf)))"),
        ((2, 3, 4), [1, 2], {"data_format": "NLC"}, [2, 6, 4], "Squeeze(Pad3d(Unsqueeze(leaf)))"),
        ((2, 3, 4), [1, 2, 3, 4], {}, [2, 10, 7], "Pad(leaf)"),
        ((1, 2, 3, 4), [1, 1, 2, 2], {}, [1, 2, 7, 6], "Squeeze(Pad3d(Unsqueeze(leaf)))"),
        ((1, 2, 3, 4), [-1, 1, 0, 0], {}, [1, 2, 3, 4], "Squeeze(Pad3d(Unsqueeze(leaf)))"),
        (
            (1, 2, 3, 4),
            [1, 1, 2, 2],
            {"data_format": "NHWC", "mode": "circular"},
            [1, 6, 5, 4],
            "Squeeze(Pad3d(Unsqueeze(leaf)))",
        ),
        (
            (1, 1, 2, 3, 4),
            [1, 1, 2, 2, 0, 1],
            {"mode": "replicate"},
            [1, 1, 3, 7, 6],
            "Pad3d(leaf)",
        ),
        ((1, 2, 3, 4), [0, 0, 0, 0, 1, 1, 2, 2], {}, [1, 2, 5, 8], "Pad(leaf)"),
        ((1, 2, 3, 4), [1, 2], {}, [1, 2, 3, 7], "Pad(leaf)"),
    ],
)
def test_padding(shape, pad, options, result, graph):
    out = F.pad(leaf64(np.ones(shape)), pad, **options)
    assert (out.shape, recorded(out)) == (result, graph)


def test_padding_takes_a_tensor_and_a_value():
    assert F.pad(paddle.ones([1]), paddle.to_tensor([1, 1]), value=3).tolist() == [3.0, 1.0, 3.0]


@pytest.mark.parametrize(
    ("shape", "pad", "options", "text"),
    [
        ((2, 3, 4), [1, 1], {"mode": "mirror"}, "mode must be one of"),
        ((2, 3), [1, 1], {"mode": "reflect"}, "3, 4 or 5 dimensions"),
        ((2, 3), [1], {}, "two numbers per dimension"),
        ((2, 3, 4), [1, 1], {"data_format": "NCHW"}, "NCL or NLC"),
    ],
)
def test_padding_says_what_does_not_fit(shape, pad, options, text):
    with pytest.raises(InvalidArgumentError, match=text):
        F.pad(paddle.ones(shape), pad, **options)
