"""The error for a wrong input names the layer that refuses it, and the expected input."""

import pickle
import re

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn
from jaxeager.errors import InvalidArgumentError


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.blocks = nn.LayerList([nn.Sequential(nn.Linear(4, 4), nn.ReLU())])
        self.head = nn.Linear(5, 2)

    def forward(self, x):
        return self.head(self.blocks[0](x))


@pytest.mark.parametrize(
    ("layer", "shape", "takes"),
    [
        (lambda: nn.Linear(4, 3), [2, 5], ": the last axis of its input must have 4 elements"),
        (lambda: nn.Conv2D(3, 8, 3), [1, 4, 8, 8], ": its input must have 3 channels (NCHW)"),
        (lambda: nn.Conv2D(3, 8, 3), [3, 8, 8], ": its input must have 3 channels (NCHW)"),
        (lambda: nn.BatchNorm2D(3), [1, 4, 8, 8], ": its input must have 3 channels (NCHW)"),
        (lambda: nn.GroupNorm(2, 4), [1, 6, 2, 2], ": its input must have 4 channels (NCHW)"),
        (lambda: nn.Embedding(10, 4), [2], ": its input must hold integers from 0 to 9"),
        (lambda: nn.LSTM(4, 5), [2, 3, 6], ": its input must be [batch, time, 4]"),
        (lambda: nn.GRU(4, 5, time_major=True), [2, 4], ": its input must be [time, batch, 4]"),
        (lambda: nn.LSTMCell(4, 5), [2, 6], ": its input must be [batch, 4]"),
        (lambda: nn.LayerNorm(4), [2, 5], ""),
    ],
)
def test_a_layer_is_named(layer, shape, takes):
    made = layer()
    with pytest.raises(InvalidArgumentError) as found:
        made(paddle.ones(shape))
    text = str(found.value)
    assert f". In the layer {made.full_name()}, {type(made).__name__}(" in text
    assert text.endswith(f"), which was called with float32{shape}{takes}.")


def test_the_innermost_layer_is_named_and_where_it_is():
    net = Net()
    with pytest.raises(InvalidArgumentError) as found:
        net(paddle.ones([2, 4]))
    text = str(found.value)
    assert "must have the same length, but have 4 and 5." in text
    assert f"In the layer {net.head.full_name()}, Linear(in_features=5, out" in text
    assert text.endswith("It is the sublayer head of Net.")
    with pytest.raises(
        InvalidArgumentError, match=r"elements\. It is the sublayer blocks\.0\.0 of Net\.$"
    ):
        net(paddle.ones([2, 3]))


def test_an_error_that_names_a_layer_is_pickled_and_has_its_text_at_level_2():
    paddle.set_flags({"FLAGS_call_stack_level": 2})
    try:
        with pytest.raises(InvalidArgumentError) as found:
            Net()(paddle.ones([2, 4]))
    finally:
        paddle.set_flags({"FLAGS_call_stack_level": 1})
    assert str(found.value).rstrip().endswith("It is the sublayer head of Net.")
    assert "C++ Traceback" in str(found.value)
    again = pickle.loads(pickle.dumps(found.value))
    assert str(again) == str(found.value)


@pytest.mark.parametrize(
    ("x", "y", "transposed", "text"),
    [
        ([2, 3], [2, 3], (False, False), "axis 1 of x and axis 0 of y .* have 3 and 2"),
        ([2, 3], [2, 4], (True, True), "axis 0 of x and axis 1 of y .* have 2 and 4"),
        ([3], [2], (True, True), "axis 0 of x and axis 0 of y .* have 3 and 2"),
        ([5, 2, 3], [4], (False, False), "axis 2 of x and axis 0 of y .* have 3 and 4"),
        ([], [2], (False, False), "must have at least one dimension"),
    ],
)
def test_a_product_says_which_axes_differ(x, y, transposed, text):
    with pytest.raises(InvalidArgumentError, match=f"matmul: .*{text}"):
        paddle.matmul(paddle.ones(x), paddle.ones(y), *transposed)


@pytest.mark.parametrize("what", [5, iter([1]), 2.5, object()])
def test_a_dataloader_names_the_type_that_is_no_dataset(what):
    with pytest.raises(TypeError, match=r"DataLoader takes a paddle\.io\.Dataset, .* of type "):
        paddle.io.DataLoader(what)


@pytest.mark.parametrize("method", ["fit", "evaluate", "predict"])
def test_a_model_says_first_that_it_is_not_prepared(method, capsys):
    model = paddle.Model(nn.Linear(2, 2))
    data = paddle.io.TensorDataset([paddle.ones([4, 2]), paddle.ones([4, 2])])
    what = re.escape("model not ready, please call `model.prepare()` first")
    with pytest.raises(ValueError, match=what):
        getattr(model, method)(data)
    assert capsys.readouterr().out == ""
    sgd = paddle.optimizer.SGD(0.1, parameters=model.parameters())
    model.prepare(sgd, nn.MSELoss())
    with pytest.raises(TypeError, match="Dataset or an iterable of batches, but received 5"):
        getattr(model, method)(5)


def test_arrays_in_the_place_of_tensors_are_named_by_their_type():
    with pytest.raises(TypeError, match="which was called with ndarray"):
        nn.Linear(2, 2)(np.ones([2, 2], "float32"))
