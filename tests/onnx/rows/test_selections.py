"""Ops that select or clip, of dtypes that ONNX's operator or onnxruntime's does not take."""

import numpy as np
import pytest

import jaxeager as paddle
from tests.onnx.running import check_same, model_of_function

F = paddle.nn.functional


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int64"])
def test_integers(dtype):
    x = paddle.to_tensor(np.array([[0, 3], [2, 7]], dtype))
    check_same(lambda x: (paddle.clip(x, 1, 5), F.relu(x), F.relu6(x)), [x])


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64"])
@pytest.mark.parametrize("padding", [None, 2, -1])
def test_embedding(dtype, padding):
    places = paddle.to_tensor(np.array([[0, 3], [2, 1]], dtype))
    table = paddle.to_tensor(np.arange(1, 13).reshape(4, 3).astype("float32"))
    check_same(lambda x, table: F.embedding(x, table, padding), [places, table])


def test_embedding_of_bools():
    table = paddle.to_tensor([[True, False], [True, True]])
    check_same(lambda x: F.embedding(x, table, 1), [paddle.to_tensor([1, 0])])


def test_embedding_with_padding_has_few_nodes():
    table = paddle.ones([4, 3])
    model = model_of_function(
        lambda x: F.embedding(x, table, 2), [paddle.to_tensor(np.array([1, 2]))]
    )
    assert len(model.graph.node) == 4
