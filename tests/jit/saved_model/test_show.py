"""python -m jaxeager show: a saved model as text, as a picture, and in Netron."""

import json
import re
from unittest import mock

import numpy as np
import pytest
from jax._src.interpreters.mlir import make_ir_context
from jax.extend.mlir import ir

import jaxeager as paddle
from jaxeager import __main__ as command
from jaxeager.errors import InvalidArgumentError, UnavailableError
from jaxeager.jit.saved_model.files import read_model
from jaxeager.jit.saved_model.graph import derivative_of, graph_of
from jaxeager.jit.saved_model.pictures import graph_mlir, graph_text
from jaxeager.jit.saved_model.signature_form import digest_of
from jaxeager.static import InputSpec
from tests.support.drawing import needs_graphviz
from tests.support.netron import shown_by_netron


class Net(paddle.nn.Layer):
    """Two paths that meet, a constant, a weight that is used twice and one that is unused."""

    def __init__(self):
        super().__init__()
        self.conv = paddle.nn.Conv2D(1, 2, 3, stride=2)
        self.fc = paddle.nn.Linear(18, 4)
        self.unused = paddle.nn.Linear(2, 2)

    def forward(self, image, scale):
        """Return two tensors."""
        h = paddle.nn.functional.relu(self.conv(image)).flatten(1)
        out = self.fc(h) * scale + paddle.to_tensor([0.0, 1.0, 2.0, 3.0])
        return out, paddle.nn.functional.softmax(out, axis=-1)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Return the path of a saved model."""
    paddle.seed(4)
    path = tmp_path_factory.mktemp("model") / "net"
    spec = [InputSpec([None, 1, 8, 8], "float32", "image"), InputSpec([4], "float32", "scale")]
    paddle.jit.save(Net(), str(path), spec)
    return path


@pytest.fixture(scope="module")
def graph(saved):
    """Return its graph."""
    return graph_of(read_model(str(saved)).methods["forward"])


def test_the_graph_says_what_runs(graph):
    ops = [node.op for node in graph.nodes]
    assert [op for op in ops if op in ("conv2d", "relu", "matmul", "multiply", "softmax")] == [
        "conv2d", "relu", "matmul", "multiply", "softmax",
    ]  # fmt: skip
    assert [each.name for each in graph.inputs] == ["image", "scale"]
    assert [each.described for each in graph.outputs] == ["float32[batch, 4]"] * 2
    assert {each.name for each in graph.weights} == {
        "conv.weight", "conv.bias", "fc.weight", "fc.bias",
    }  # fmt: skip
    conv = graph.nodes[ops.index("conv2d")]
    assert conv.layer == "conv"
    assert conv.attributes["window_strides"] == "[2, 2]"
    assert [each.name for each in conv.takes] == ["image", "conv.weight"]
    assert conv.takes[1].bytes == 2 * 3 * 3 * 4
    softmax = graph.nodes[ops.index("softmax")]
    assert softmax.takes == [graph.outputs[0]]
    assert softmax.gives == [graph.outputs[1]]


def test_the_derivative_is_a_graph_of_gradients(saved):
    graph = derivative_of(read_model(str(saved)).methods["forward"])
    assert graph.name == "forward.backward"
    assert [each.name for each in graph.inputs] == [
        "image", "scale", "gradient of output 0", "gradient of output 1",
    ]  # fmt: skip
    assert set(graph.gradients) == {
        "conv.weight", "conv.bias", "fc.weight", "fc.bias", "image", "scale",
    }  # fmt: skip
    ops = [node.op for node in graph.nodes]
    order = ["conv2d", "relu", "softmax", "softmax_grad", "matmul_grad", "relu_grad", "conv2d_grad"]
    assert [op for op in ops if op in order] == order
    shapes = dict(zip(graph.gradients, (each.shape for each in graph.outputs), strict=True))
    assert shapes["conv.weight"] == (2, 1, 3, 3)
    assert shapes["fc.weight"] == (18, 4)
    assert "gradients\n  of " in graph_text(graph)
    assert '"paddle.gradient_of_fc_weight"' in graph_mlir(graph, "net", {})


def test_a_method_without_a_derivative_is_refused(tmp_path, capsys):
    """JAX has no derivative of a convolution over images of any size."""
    spec = [InputSpec([None, 1, None, None])]
    paddle.jit.save(paddle.nn.Conv2D(1, 1, 3, stride=2), str(tmp_path / "conv"), spec)
    assert command.main(["show", str(tmp_path / "conv"), "--backward"]) == 2
    assert "was saved without a derivative" in capsys.readouterr().err


def test_every_value_is_made_before_it_is_taken(graph):
    known = {id(each) for each in graph.inputs}
    for node in graph.nodes:
        for value in node.takes:
            assert value.kind != "made" or id(value) in known
        known.update(id(each) for each in node.gives)


@needs_graphviz
def test_show_prints_the_ops_and_writes_the_pictures(saved, tmp_path, capsys):
    assert command.main(["show", str(saved), "--out", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "forward(image: float32[batch, 1, 8, 8], scale: float32[4]) -> " in printed
    assert re.search(r"\d+ ops, 4 weights: 96 numbers, 384 B", printed)
    assert re.search(r"\n 1  conv2d +image, conv.weight +float32\[\?, 2, 3, 3\] +72 B\n", printed)
    assert "runs on cpu, cuda, tpu" in printed
    names = {"net.forward.dot", "net.forward.svg", "net.forward.netron.mlir"}
    assert {path.name for path in tmp_path.iterdir()} == names
    assert "conv2d" in (tmp_path / "net.forward.svg").read_text()
    text = (tmp_path / "net.forward.dot").read_text()
    assert "weight float32[2, 1, 3, 3]  72 B" in text


def test_text_alone_and_without_graphviz(saved, tmp_path, capsys):
    model = f"{saved}.signature.json"  # any of its files names a model
    assert command.main(["show", model, "--text", "--out", str(tmp_path)]) == 0
    assert list(tmp_path.iterdir()) == []
    lacking = UnavailableError("pictures need Graphviz")
    with mock.patch("jaxeager.debug.graphs.backward_graph.render", side_effect=lacking):
        assert command.main(["show", str(saved), "--out", str(tmp_path)]) == 0
    assert "no picture: " in capsys.readouterr().out
    assert not list(tmp_path.glob("*.svg"))


def test_names_of_a_file_move_no_cursor(saved, tmp_path, capsys):
    for path in saved.parent.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    file = tmp_path / "net.signature.json"
    signature = json.loads(file.read_text())
    signature["methods"]["forward"]["inputs"][0]["name"] = "\x1b[2Jimage\r"
    signature["jax"] = "\x1b[31m0"
    signature["sha256"] = digest_of(signature)
    file.write_text(json.dumps(signature))
    assert command.main(["show", f"{tmp_path}/net", "--text"]) == 0
    printed = capsys.readouterr().out
    assert "?[2Jimage?" in printed
    assert "\x1b" not in printed


def test_show_names_what_it_cannot_show(saved, tmp_path, capsys):
    assert command.main(["show", f"{tmp_path}/none"]) == 2
    assert "not exists" in capsys.readouterr().err
    assert command.main(["show", str(saved), "--method", "backward"]) == 2
    assert "no method 'backward'; there are forward" in capsys.readouterr().err
    method = read_model(str(saved)).methods["forward"]
    odd = mock.patch("jaxeager.jit.saved_model.graph._read", side_effect=KeyError("main"))
    with odd, pytest.raises(InvalidArgumentError, match=r"cannot be shown: .*KeyError: 'main'"):
        graph_of(method)


def test_the_text_for_netron_is_mlir(graph, saved):
    weights = {k: t._array for k, t in read_model(str(saved)).weights.items()}
    text = graph_mlir(graph, "net", weights)
    with make_ir_context() as context:
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(text)
    steps = module.body.operations[0].operation.regions[0].blocks[0].operations
    ops = [step.operation.name for step in steps if step.operation.name.startswith("paddle.")]
    assert [op.removeprefix("paddle.") for op in ops if op != "paddle.constant"] == [
        node.op for node in graph.nodes
    ]
    conv = re.search(r'%conv.weight = stablehlo.constant dense<"0x([0-9A-F]+)">', text)
    found = np.frombuffer(bytes.fromhex(conv[1]), np.float32).reshape(2, 1, 3, 3)
    np.testing.assert_array_equal(found, weights["conv.weight"])
    large = mock.patch("jaxeager.jit.saved_model.pictures._MOST_WEIGHTS", 100)
    with large:
        text = graph_mlir(graph, "net", weights)
    assert '"paddle.weight"() {name = "conv.weight", kind = "weight"}' in text
    assert "0x" not in text


@pytest.mark.deep
def test_netron_opens_it(saved, tmp_path, capsys):
    command.main(["show", str(saved), "--out", str(tmp_path)])
    labels = shown_by_netron(tmp_path / "net.forward.netron.mlir")
    for wanted in ("conv2d", "relu", "matmul", "softmax", "%image"):
        assert wanted in labels
    assert any(label.startswith("%conv.weight") and "2x1x3x3" in label for label in labels), labels
    assert "?x1x8x8" in labels
