"""Dropout along axes, embedding, one_hot, unfold, attention as a user calls them."""

import contextlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
import jaxeager.nn.functional as F
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, UnimplementedError
from jaxeager.ops.rules.samples import values
from tests.support.refusals import refused


def test_dropout_along_an_axis_drops_together():
    out = F.dropout(paddle.ones([64, 3]), 0.5, axis=0).numpy()
    assert set(np.unique(out)) == {0, 2}
    np.testing.assert_array_equal(out, np.repeat(out[:, :1], 3, axis=1))


def test_dropout2d_drops_channels():
    for data_format, axes in (("NCHW", (2, 3)), ("NHWC", (1, 2))):
        out = F.dropout2d(paddle.ones([8, 8, 8, 8]), 0.5, data_format=data_format).numpy()
        np.testing.assert_array_equal(out.min(axes), out.max(axes))
        assert set(np.unique(out)) == {0, 2}


def test_dropout_of_nothing_is_the_tensor_itself():
    x = paddle.ones([2])
    assert F.dropout(x, 0.0) is x
    assert F.dropout(x, paddle.to_tensor(0.0)) is x


@pytest.mark.parametrize(
    ("kwargs", "error", "text"),
    [
        ({"p": 1.5}, InvalidArgumentError, "p argument should between 0 and 1"),
        ({"p": "a"}, InvalidTypeError, "p argument should be a number or Variable"),
        ({"mode": "z"}, InvalidArgumentError, "mode argument should be 'downscale_in_infer'"),
        ({"axis": 3}, InvalidArgumentError, "less than dimensions of x:2, but get axis value:3"),
        ({"axis": -1}, InvalidArgumentError, "but get axis value:-1"),
        ({"axis": "a"}, InvalidTypeError, "datatype of axis argument should be int or list"),
        ({"axis": [0, 1, 0]}, InvalidArgumentError, "length of axis: 3"),
        ({"inplace": True, "axis": 0}, UnimplementedError, "inplace not supported for dropout_nd"),
    ],
)
def test_dropout_refuses_by_name(kwargs, error, text):
    with pytest.raises(error, match=text):
        F.dropout(paddle.ones([2, 2]), **kwargs)


def test_dropout_of_integers_is_refused():
    with pytest.raises(InvalidArgumentError, match=r"received paddle\.int64"):
        F.dropout(paddle.to_tensor([1, 2]))
    with pytest.raises(InvalidArgumentError, match="dimensions of x should be 4, but received 2"):
        F.dropout2d(paddle.ones([2, 2]))


def test_padding_row_reads_as_zeros_and_gets_no_gradient():
    for padding_idx in (1, -3):
        table = paddle.to_tensor(values((4, 2)), stop_gradient=False)
        out = F.embedding(paddle.to_tensor([[0, 1], [1, 3]]), table, padding_idx=padding_idx)
        out.sum().backward()
        np.testing.assert_array_equal(out.numpy()[[0, 1], [1, 0]], np.zeros((2, 2)))
        np.testing.assert_array_equal(table.grad.numpy()[:, 0], [1, 0, 0, 1])


def test_gradient_by_frequency():
    table = paddle.zeros([3, 2])
    table.stop_gradient = False
    F.embedding(paddle.to_tensor([1, 1, 2]), table, scale_grad_by_freq=True).sum().backward()
    np.testing.assert_array_equal(table.grad.numpy(), [[0, 0], [1, 1], [1, 1]])


def test_an_id_that_names_no_row_gives_nan_where_indices_are_not_checked():
    """Inside jax.jit there are no values to check, and no other row may be read."""

    def rows(ids):
        return F.embedding(paddle.Tensor.from_array(ids), paddle.ones([2, 1]))._array

    found = jax.jit(rows)(jnp.asarray([0, 2, -1]))
    np.testing.assert_array_equal(found[:, 0], [1, np.nan, np.nan])


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda ids: F.embedding(ids, paddle.ones([2, 3])),
            InvalidArgumentError,
            "expected >= 0 and < 2, but got 2",
        ),
        (
            lambda ids: F.embedding(ids - 1, paddle.ones([2, 3])),
            InvalidArgumentError,
            "expected >= 0 and < 2, but got -1",
        ),
        (
            lambda ids: F.embedding(ids, paddle.ones([3, 3]), padding_idx=7),
            InvalidArgumentError,
            r"padding_idx must be within \[-3, 3\)",
        ),
        (
            lambda ids: F.embedding(ids, paddle.ones([3, 3]), max_norm=0.0),
            InvalidArgumentError,
            "embedding: max_norm must be",
        ),
        (lambda ids: F.one_hot(ids, 2), InvalidArgumentError, "Illegal index value"),
    ],
)
def test_ids_are_refused_by_name(call, error, text):
    with refused(error, match=text):
        call(paddle.to_tensor([0, 2]))


@pytest.mark.parametrize("mode", ["eager", "lazy", "marked", "whole graph"])
def test_max_norm_scales_the_rows_that_are_looked_up(mode):
    weight = paddle.to_tensor([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]], stop_gradient=False)

    def rows(ids):
        return F.embedding(ids, weight, max_norm=1.0)

    if mode in ("marked", "whole graph"):
        rows = paddle.jit.to_static(rows, full_graph=mode == "whole graph")
    with paddle.lazy() if mode == "lazy" else contextlib.nullcontext():
        found = rows(paddle.to_tensor([0, 1, 0]))
        found.sum().backward()
    np.testing.assert_allclose(found.numpy()[0], [0.6, 0.8], rtol=1e-6)
    np.testing.assert_allclose(weight.numpy(), [[0.6, 0.8], [0.3, 0.4], [6.0, 8.0]], rtol=1e-6)
    np.testing.assert_array_equal(weight.grad.numpy(), [[2, 2], [1, 1], [0, 0]])
    assert weight.is_leaf
    assert not weight.stop_gradient


def test_one_hot_finds_the_number_of_classes():
    assert F.one_hot(paddle.to_tensor([0, 2])).shape == [2, 3]
    assert F.one_hot(paddle.to_tensor(1), 3).tolist() == [0, 1, 0]


def test_unfold_with_four_paddings_in_paddles_order():
    x = paddle.to_tensor(values((1, 1, 4, 4)))
    top_and_right = F.unfold(x, 2, 1, [1, 0, 0, 1])  # top, left, bottom, right
    padded = F.pad(x, [0, 1, 1, 0])
    np.testing.assert_array_equal(top_and_right.numpy(), F.unfold(padded, 2).numpy())


def _attention(query, key, value, mask=None, scale=None):
    """Return softmax attention in NumPy, [batch, length, heads, size]."""
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    scores = np.einsum("bqhd,bkhd->bhqk", query, key) * scale
    scores = scores if mask is None else scores + mask
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights = weights / weights.sum(-1, keepdims=True)
    return np.einsum("bhqk,bkhd->bqhd", weights, value)


QUERY, KEY = values((2, 3, 4, 2)), values((2, 5, 4, 2), seed=1)
VALUE, MASK = values((2, 5, 4, 2), seed=2), values((2, 1, 3, 5), seed=3)
CAUSAL = np.triu(np.full((3, 5), -np.inf), 1)


@pytest.mark.parametrize(
    ("kwargs", "mask"),
    [
        ({}, None),
        ({"attn_mask": MASK}, MASK),
        ({"attn_mask": MASK > 0}, np.where(MASK > 0, 0, -np.inf)),
        ({"is_causal": True}, CAUSAL),
        ({"is_causal": True, "attn_mask": MASK}, MASK + CAUSAL),
        ({"dropout_p": 0.5, "training": False}, None),
    ],
)
def test_attention(kwargs, mask):
    given = {
        name: paddle.to_tensor(value) if isinstance(value, np.ndarray) else value
        for name, value in kwargs.items()
    }
    out = F.scaled_dot_product_attention(*map(paddle.to_tensor, (QUERY, KEY, VALUE)), **given)
    np.testing.assert_allclose(out.numpy(), _attention(QUERY, KEY, VALUE, mask), rtol=1e-8)


def test_attention_without_a_batch_with_a_scale_and_shared_heads():
    tensors = [paddle.to_tensor(each) for each in (QUERY[0], KEY[0, :, :2], VALUE[0, :, :2])]
    out = F.scaled_dot_product_attention(*tensors, scale=2.0)
    key, value = (np.repeat(each[:1, :, :2], 2, axis=2) for each in (KEY, VALUE))
    expected = _attention(QUERY[:1], key, value, scale=2.0)[0]
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-8)


def test_attention_refuses_by_name():
    x, y = paddle.ones([1, 2, 4, 2]), paddle.ones([1, 2, 3, 2])
    with pytest.raises(
        InvalidArgumentError, match=r"heads in query\(4\) must be equal to that in key"
    ):
        F.scaled_dot_product_attention(x, y, y)
    half = y[:, :, :2]
    with pytest.raises(InvalidArgumentError, match="with enable_gqa"):
        F.scaled_dot_product_attention(x, half, half, enable_gqa=False)
    with pytest.raises(UnimplementedError, match="no backend 'flash'"):
        F.scaled_dot_product_attention(x, x, x, backend="flash")


def test_distances():
    x, y = values((3, 4)), values((3, 4), seed=1)
    found = F.cosine_similarity(paddle.to_tensor(x), paddle.to_tensor(y)).numpy()
    lengths = np.linalg.norm(x, axis=1) * np.linalg.norm(y, axis=1)
    np.testing.assert_allclose(found, (x * y).sum(1) / lengths, rtol=1e-8)
    found = F.pairwise_distance(paddle.to_tensor(x), paddle.to_tensor(y), keepdim=True).numpy()
    expected = np.linalg.norm(x - y + 1e-6, axis=1, keepdims=True)
    np.testing.assert_allclose(found, expected, rtol=1e-8)
