"""Whole models exported with an open batch size, and run by onnxruntime."""

import inspect

import numpy as np
import onnxruntime
import pytest

import jaxeager as paddle
from jaxeager.static import InputSpec
from jaxeager.tensor import Tensor
from jaxeager.utils.structure import flatten

pytestmark = pytest.mark.deep
nn, models = paddle.nn, paddle.vision.models
NAMES = [name for name in models.__all__ if inspect.isfunction(getattr(models, name))]


def distance(net, folder, specs, arrays):
    """Return the largest difference of outputs, relative to the largest value of each."""
    net.eval()
    paddle.onnx.export(net, f"{folder}/net", specs)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(f"{folder}/net.onnx", options)
    names = [each.name for each in session.get_inputs()]
    found = session.run(None, dict(zip(names, arrays, strict=True)))
    expected = flatten(net(*map(paddle.to_tensor, arrays)))
    expected = [each.numpy() for each in expected if isinstance(each, Tensor)]
    assert [each.shape for each in found] == [each.shape for each in expected]
    return max(abs(a - b).max() / abs(b).max() for a, b in zip(found, expected, strict=True))


def test_there_are_38_models():
    assert len(NAMES) == 38


@pytest.mark.parametrize("name", NAMES)
def test_a_vision_model(name, tmp_path):
    paddle.seed(0)
    size = 299 if name == "inception_v3" else 224
    image = np.random.RandomState(0).rand(2, 3, size, size).astype("float32")
    spec = InputSpec([None, 3, size, size], name="image")
    assert distance(getattr(models, name)(), tmp_path, [spec], [image]) < 5e-6


class Bert(nn.Layer):
    """The encoder of BERT with its pooled first token, small."""

    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(1000, 64), nn.Embedding(128, 64)
        self.kinds, self.norm = nn.Embedding(2, 64), nn.LayerNorm(64)
        layer = nn.TransformerEncoderLayer(64, 4, 256, activation="gelu", dropout=0.1)
        self.encoder, self.pooler = nn.TransformerEncoder(layer, 4), nn.Linear(64, 64)

    def forward(self, tokens, kinds, mask):
        places = paddle.arange(tokens.shape[1])
        x = self.norm(self.words(tokens) + self.places(places) + self.kinds(kinds))
        x = self.encoder(x, (1.0 - mask.astype("float32")).unsqueeze([1, 2]) * -1e4)
        return x, paddle.tanh(self.pooler(x[:, 0]))


def test_bert_of_any_batch_and_length(tmp_path):
    paddle.seed(0)
    draw = np.random.RandomState(0)
    tokens, kinds = draw.randint(0, 1000, (3, 17)), draw.randint(0, 2, (3, 17))
    mask = (np.arange(17) < np.array([[17], [9], [1]])).astype("int64")
    specs = [InputSpec([None, None], "int64", name) for name in ("tokens", "kinds", "mask")]
    assert distance(Bert(), tmp_path, specs, [tokens, kinds, mask]) < 5e-6
