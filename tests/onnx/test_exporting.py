"""paddle.onnx.export: files, names, unknown sizes, branches and loops, errors."""

import importlib
import os
import sys

import numpy as np
import onnx
import onnxruntime
import pytest

import jaxeager as paddle
from jaxeager.errors import (
    InvalidArgumentError,
    InvalidTypeError,
    UnavailableError,
    UnimplementedError,
)
from jaxeager.onnx import model_file
from jaxeager.static import InputSpec
from jaxeager.tensor import Tensor
from jaxeager.utils.structure import flatten
from tests.onnx.running import operators_of

nn = paddle.nn


def exported(layer, folder, specs=None, **given):
    """Return the model that ``export`` writes, and its path."""
    paddle.onnx.export(layer, f"{folder}/model", specs, **given)
    return onnx.load(f"{folder}/model.onnx"), f"{folder}/model.onnx"


def check(layer, folder, specs, *inputs):
    """Export a Layer and compare its results with those of onnxruntime; return the model."""
    model, path = exported(layer, folder, specs)
    if isinstance(layer, nn.Layer):
        layer.eval()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(path, options)
    names = [each.name for each in session.get_inputs()]
    for arrays in inputs:
        found = session.run(None, dict(zip(names, arrays, strict=True)))
        expected = flatten(layer(*map(paddle.to_tensor, arrays)))
        expected = [each.numpy() for each in expected if isinstance(each, Tensor)]
        assert len(found) == len(expected)
        for theirs, ours in zip(found, expected, strict=True):
            assert theirs.shape == ours.shape
            assert theirs.dtype == ours.dtype
            np.testing.assert_allclose(theirs, ours, rtol=2e-5, atol=2e-6)
    return model


def floats(*shape, seed=0):
    return np.random.RandomState(seed).rand(*shape).astype("float32")


def small_net():
    return nn.Sequential(
        nn.Conv2D(3, 4, 3, padding=1), nn.BatchNorm2D(4), nn.ReLU(), nn.MaxPool2D(2),
        nn.Conv2DTranspose(4, 2, 2, 2), nn.AdaptiveAvgPool2D(1), nn.Flatten(), nn.Linear(2, 3),
    )  # fmt: skip


def test_names_of_inputs_weights_and_outputs(tmp_path):
    model = check(small_net(), tmp_path, [InputSpec([None, 3, 8, 8], name="image")],
                  [floats(2, 3, 8, 8)], [floats(5, 3, 8, 8)])  # fmt: skip
    graph = model.graph
    (image,) = graph.input
    assert image.name == "image"
    dims = image.type.tensor_type.shape.dim
    assert [d.dim_param or d.dim_value for d in dims] == ["batch", 3, 8, 8]
    assert [each.name for each in graph.output] == ["output_0"]
    weights = {each.name for each in graph.initializer}
    assert {"0.weight", "0.bias", "1._mean", "1.weight", "4.weight", "7.weight"} <= weights
    operators = [node.op_type for node in graph.node]
    assert operators[:4] == ["Conv", "BatchNormalization", "Relu", "MaxPool"]
    assert len(graph.node[0].input) == 3  # the bias is in the convolution
    assert "Identity" not in operators
    assert model.producer_name == "jaxeager"


def test_the_mode_of_the_layer_does_not_matter_and_stays(tmp_path):
    net = nn.Sequential(nn.Linear(2, 3), nn.Dropout(0.5))
    net.train()
    model, _ = exported(net, tmp_path, [InputSpec([1, 2])])
    assert net.training
    assert operators_of(model) <= {"MatMul", "Add", "Unsqueeze", "Reshape"}


def test_unknown_sizes(tmp_path):
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            layer = nn.TransformerEncoderLayer(8, 2, 16, activation="gelu")
            self.encoder = nn.TransformerEncoder(layer, 1)

        def forward(self, x):
            n = x.shape[1]
            places = paddle.arange(n).astype("float32") / n
            return self.encoder(x + places.unsqueeze([0, 2])), x[:, : n // 2], x.reshape([-1, 4])

    check(Net(), tmp_path, [InputSpec([None, None, 8])], [floats(2, 5, 8)], [floats(3, 8, 8)])


def test_several_inputs_and_outputs(tmp_path):
    class Net(nn.Layer):
        def forward(self, pair, y):
            return {"sum": pair[0] + pair[1], "rest": [y * 2, y.astype("int64")]}

    specs = [[InputSpec([None], name="a"), InputSpec([None], name="b")], InputSpec([2], name="c")]
    with pytest.warns(UserWarning, match="returns a dict"):
        model, path = exported(Net(), tmp_path, specs)
    session = onnxruntime.InferenceSession(path)
    a, c = floats(3), floats(2)
    first, second, third = session.run(None, {"a": a, "b": a + 1, "c": c})
    assert [each.name for each in model.graph.input] == ["a", "b", "c"]
    by_size = {each.shape[0]: each for each in (first, second, third) if each.dtype == np.float32}
    np.testing.assert_allclose(by_size[3], 2 * a + 1, rtol=1e-6)
    np.testing.assert_allclose(by_size[2], 2 * c, rtol=1e-6)


def test_a_function_has_no_weights(tmp_path):
    offset = paddle.to_tensor([1.0, 2.0])
    with pytest.warns(UserWarning, match="What is saved is a function"):
        _, path = exported(lambda x: x + offset, tmp_path, [InputSpec([2], name="x")])
    (found,) = onnxruntime.InferenceSession(path).run(None, {"x": floats(2)})
    np.testing.assert_array_equal(found, floats(2) + offset.numpy())


def test_output_spec_keeps_some_outputs(tmp_path):
    class Net(nn.Layer):
        def forward(self, x):
            return x + 1, x * 2

    model, path = exported(Net(), tmp_path, [InputSpec([2])], output_spec=[1])
    (only,) = onnxruntime.InferenceSession(path).run(None, {"x": floats(2)})
    np.testing.assert_array_equal(only, floats(2) * 2)
    assert len(model.graph.node) == 1


class Branches(nn.Layer):
    """Takes one of three ways, as the values say, and goes round until a sum is reached."""

    def forward(self, x):
        if x.sum() > 4:
            y = x * 2
        elif x.sum() > 0:
            y = x - 1
        else:
            y = -x
        count = paddle.zeros([1], "int64")
        while y.sum() < 10:
            y = y + 1.5
            count = count + 1
        return y, count


def test_branches_and_loops(tmp_path):
    inputs = [[floats(3, 4)], [floats(3, 4) / 10], [-floats(3, 4)]]
    model = check(Branches(), tmp_path, [InputSpec([None, 4])], *inputs)
    assert {"If", "Loop"} <= operators_of(model)


@pytest.mark.parametrize("kind", [pytest.param("SimpleRNN", marks=pytest.mark.deep), "LSTM", "GRU"])
def test_recurrent_layers(kind, tmp_path):
    net = getattr(nn, kind)(3, 4, direction="bidirect")
    model = check(net, tmp_path, [InputSpec([None, 5, 3])], [floats(2, 5, 3)], [floats(3, 5, 3)])
    assert "Scan" in operators_of(model)


def test_a_layer_of_unknown_length_is_a_scan(tmp_path):
    check(
        nn.LSTM(3, 4), tmp_path, [InputSpec([None, None, 3])], [floats(2, 5, 3)], [floats(1, 2, 3)]
    )


class Selections(nn.Layer):
    """What gathers, scatters and sorts."""

    def forward(self, x, i):
        y = x.clone()
        y[0] = 1.0
        values, places = x.topk(2, axis=-1)
        return (
            values, places, paddle.sort(x, -1, descending=True), x.cumsum(1), x.cumprod(1),
            paddle.gather(x, i, axis=0), x[i], x[:, ::2], x[x.shape[0] - 1], y,
            paddle.where(x > 0.5, x, -x), x.argmax(-1), paddle.nn.functional.one_hot(i, 5),
            paddle.tril(x), x.flip(0), paddle.roll(x, 1, 0), x.std(), x.logsumexp(1),
            paddle.einsum("ij,kj->ik", x, x), paddle.scatter(x, i, x[i] * 2),
            paddle.log1p(x * 1e-6), paddle.expm1(x * 1e-6), paddle.atan2(x - 0.5, x - 0.3),
        )  # fmt: skip


@pytest.mark.deep  # rows/test_selections.py has them one by one
def test_selections_with_unknown_sizes(tmp_path):
    specs = [InputSpec([None, 6], name="x"), InputSpec([None], "int64", name="i")]
    check(Selections(), tmp_path, specs, [floats(4, 6), np.array([2, 0, 1])])


def test_images_of_any_size(tmp_path):
    net = nn.Sequential(
        nn.Conv2D(3, 8, 3, padding=1), nn.GroupNorm(4, 8), nn.Silu(), nn.MaxPool2D(2),
        nn.InstanceNorm2D(8), nn.Upsample(scale_factor=2, mode="bilinear"),
        nn.Pad2D(1, mode="reflect"), nn.PixelShuffle(2),
    )  # fmt: skip
    spec = [InputSpec([None, 3, None, None])]
    with pytest.warns(UserWarning, match=r"with size2 >= 2 and size3 >= 2: .*only right then"):
        model = check(net, tmp_path, spec, [floats(2, 3, 16, 16)], [floats(1, 3, 8, 20)])
    assert {"Resize", "Pad", "InstanceNormalization"} <= operators_of(model)


def test_an_op_that_does_not_exist_in_onnx_is_named(tmp_path):
    class Net(nn.Layer):
        def forward(self, x):
            return paddle.linalg.svd(x)[1]

    with pytest.raises(UnimplementedError, match="svd needs svd, and ONNX has no operator"):
        exported(Net(), tmp_path, [InputSpec([2, 2])])
    assert os.listdir(tmp_path) == []


def test_what_is_not_used_refuses_nothing(tmp_path):
    class Net(nn.Layer):
        def forward(self, x):
            paddle.linalg.svd(x)
            return x + 1

    check(Net(), tmp_path, [InputSpec([2, 2])], [floats(2, 2)])


def test_random_numbers_are_refused(tmp_path):
    class Net(nn.Layer):
        def forward(self, x):
            return x + paddle.rand([2])

    with pytest.raises(UnimplementedError, match="random numbers"):
        exported(Net(), tmp_path, [InputSpec([2])])


def test_bad_arguments_write_nothing(tmp_path):
    net, spec = nn.Linear(2, 2), [InputSpec([1, 2])]
    with pytest.raises(InvalidArgumentError, match="opset_version is a number from 1 to"):
        exported(net, tmp_path, spec, opset_version=999)
    with pytest.raises(InvalidArgumentError, match=r"The additional config \(verbose\)"):
        exported(net, tmp_path, spec, verbose=True)
    with pytest.raises(InvalidTypeError, match=r"paddle.onnx.export should be 'Layer'"):
        exported(3, tmp_path, spec)
    with pytest.raises(InvalidArgumentError, match="file_prefix is empty"):
        paddle.onnx.export(net, f"{tmp_path}/", spec)
    with pytest.raises(InvalidArgumentError, match="input_spec"):
        exported(net, tmp_path)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("asked", [9, 20, 21])
def test_the_opset(asked, tmp_path):
    model, _ = exported(nn.Linear(2, 2), tmp_path, [InputSpec([1, 2])], opset_version=asked)
    assert model.opset_import[0].version == max(asked, 20)


class EvenRows(nn.Layer):
    def forward(self, x):
        return x[::2] + x[1::2]


def test_sizes_that_no_runtime_checks_are_named(tmp_path):
    specs = [InputSpec([None, 2], name="x")]
    with pytest.warns(UserWarning, match=r"For x: \[2\*batch, 2\]: .*model.onnx is only right"):
        model, _ = exported(EvenRows(), tmp_path, specs)
    assert model.graph.doc_string == "For x: [2*batch, 2]"


def test_weights_next_to_a_model_are_replaced(tmp_path, monkeypatch):
    monkeypatch.setattr(model_file, "_MOST_IN_ONE_FILE", 1000)
    monkeypatch.chdir(tmp_path)
    net = nn.Linear(32, 32)
    for _ in range(2):
        for folder in (".", "made/by/export"):
            exported(net, folder, [InputSpec([None, 32], name="x")])
            assert {"model.onnx", "model.onnx.data"} <= set(os.listdir(folder))
            assert os.path.getsize(f"{folder}/model.onnx.data") == 32 * 32 * 4


def test_many_weights_are_in_a_file_of_their_own(tmp_path, monkeypatch):
    monkeypatch.setattr(model_file, "_MOST_IN_ONE_FILE", 1000)
    net = nn.Linear(32, 32)
    _, path = exported(net, tmp_path, [InputSpec([None, 32], name="x")])
    assert sorted(os.listdir(tmp_path)) == ["model.onnx", "model.onnx.data"]
    assert os.path.getsize(path) < 1000
    (found,) = onnxruntime.InferenceSession(path).run(None, {"x": floats(2, 32)})
    expected = net(paddle.to_tensor(floats(2, 32))).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_half_precision(tmp_path):
    net = nn.Sequential(nn.Linear(4, 4), nn.GELU())
    net.to(dtype="float16")
    _, path = exported(net, tmp_path, [InputSpec([None, 4], "float16", "x")])
    x = floats(2, 4).astype("float16")
    (found,) = onnxruntime.InferenceSession(path).run(None, {"x": x})
    assert found.dtype == np.float16
    np.testing.assert_allclose(found, net(paddle.to_tensor(x)).numpy(), rtol=5e-3, atol=2e-3)


def test_without_the_package_onnx(monkeypatch):
    monkeypatch.setattr(paddle, "onnx", paddle.onnx)  # a fresh import replaces it
    for name in [each for each in sys.modules if each.startswith("jaxeager.onnx")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "onnx", None)
    fresh = importlib.import_module("jaxeager.onnx")
    with pytest.raises(UnavailableError, match=r"pip install 'jaxeager\[onnx\]'"):
        fresh.export(nn.Linear(1, 1), "x", [InputSpec([1, 1])])


def test_a_weight_named_as_the_second_name_of_another(tmp_path):
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.weight = self.create_parameter([4])
            self.weight_1 = self.create_parameter([4])

        def forward(self, weight):
            return weight * self.weight + self.weight_1

    check(Net(), tmp_path, [InputSpec([None, 4], name="weight")], [floats(3, 4)])


def test_a_model_that_onnx_does_not_accept_is_refused(tmp_path):
    class Net(nn.Layer):
        def forward(self, x):
            return x << 1

    with pytest.raises(UnimplementedError, match=r"onnx does not accept the model.*Pow.*uint64"):
        exported(Net(), tmp_path, [InputSpec([3], "uint64")])
    assert not os.listdir(tmp_path)
