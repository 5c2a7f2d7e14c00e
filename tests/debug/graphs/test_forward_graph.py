"""capture_forward_subgraph_guard draws the ops of a block, and leaves everything else unchanged."""

import logging
import os
import sys
import threading

import numpy as np
import pydot
import pytest

import jaxeager as paddle
from jaxeager.autograd import PyLayer
from jaxeager.debug.common import naming
from jaxeager.debug.graphs import dot, forward_graph
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.graph import events
from jaxeager.utils import capture_forward_subgraph_guard as guard

pytestmark = pytest.mark.usefixtures("counters_at_their_start")


@pytest.fixture
def text_only(monkeypatch):
    """Draw no pictures, which take a while."""
    monkeypatch.setattr(dot, "render", lambda *arguments: None)


def read(path):
    """Return node names and (source, target, label) of edges, as pydot reads them."""
    (graph,) = pydot.graph_from_dot_data(path.read_text())
    nodes = [node.get_name().strip('"') for node in graph.get_nodes()]
    edges = [
        (e.get_source().strip('"'), e.get_destination().strip('"'), e.get("label").strip('"'))
        for e in graph.get_edges()
    ]
    return [name for name in nodes if name != "\\n"], edges


def ends(path):
    """Return the (source, target) of every edge."""
    return [edge[:2] for edge in read(path)[1]]


class Double(PyLayer):
    """A PyLayer of two ops each way."""

    @staticmethod
    def forward(ctx, x):
        return x.tanh() * 2

    @staticmethod
    def backward(ctx, grad):
        return grad.exp() * 2


# ---- the drawing


def test_op_nodes_edges_and_labels(tmp_path, text_only):
    x = paddle.to_tensor([[1.0, 2.0]])
    with guard(tmp_path / "g"):
        y = x.exp()
        y + y
    nodes, edges = read(tmp_path / "g")
    assert nodes == ["exp1", f"{naming.name_of(x)},_SourceNode", "add1"]
    of_x = f"{naming.name_of(x)},\nshape:[1, 2]\ndtype:float32,"
    of_y = "exp1_out_float32_1x2,\nshape:[1, 2]\ndtype:float32,"
    assert edges == [
        (f"{naming.name_of(x)},_SourceNode", "exp1", of_x),
        *[("exp1", "add1", of_y)] * 2,
    ]


def test_names_of_the_guide():
    assert paddle.utils.capture_fwd_graph_guard is guard
    assert paddle.utils.capture_forward_graph_guard is guard


def test_unnamed_inputs_are_not_merged(tmp_path, text_only):
    """BEAT: Paddle calls every tensor from before the region None, and draws one box for all."""
    x, y = paddle.ones([2]), paddle.ones([3])
    with guard(tmp_path / "g"):
        x.exp()
        y.exp()
        x.exp()
    nodes, _ = read(tmp_path / "g")
    sources = [name for name in nodes if name.endswith("_SourceNode")]
    assert sources == [f"{naming.name_of(x)},_SourceNode", f"{naming.name_of(y)},_SourceNode"]
    assert [e[0] for e in ends(tmp_path / "g")] == [sources[0], sources[1], sources[0]]


def test_parameters_have_their_names(tmp_path, text_only):
    layer = paddle.nn.Linear(2, 3)
    with guard(tmp_path / "g"):
        layer(paddle.ones([1, 2]))
    nodes, _ = read(tmp_path / "g")
    assert f"{layer.weight.name},_SourceNode" in nodes
    assert f"{layer.bias.name},_SourceNode" in nodes


def test_an_optional_operand_may_be_missing(tmp_path, text_only):
    """BEAT: Paddle raises KeyError: 'Name' and draws nothing."""
    with guard(tmp_path / "g"):
        paddle.nn.functional.layer_norm(paddle.ones([2, 3]), [3])
    assert ends(tmp_path / "g") == [("full1", "layer_norm1")]


def test_ops_in_place_are_no_loops(tmp_path, text_only):
    """BEAT: Paddle reads names after the op has renamed its operand."""
    with guard(tmp_path / "g"):
        x = paddle.ones([2])
        y = x * 2
        y.add_(x)
        y[0] = 3.0
        y.exp()
    assert ends(tmp_path / "g") == [
        ("full1", "scale1"), ("scale1", "add_1"), ("full1", "add_1"), ("add_1", "set_value_1"),
        ("set_value_1", "exp1"),
    ]  # fmt: skip


def test_lists_of_tensors_and_unused_outputs(tmp_path, text_only):
    with guard(tmp_path / "g"):
        x = paddle.ones([2, 2])
        parts = paddle.split(paddle.concat([x, x]), 2)
        parts[1].sum()
    assert ends(tmp_path / "g") == [
        ("full1", "concat1"), ("full1", "concat1"), ("concat1", "split_with_num1"),
        ("split_with_num1", "sum1"),
    ]  # fmt: skip
    assert "split_with_num1_out_1_float32_2x2" in read(tmp_path / "g")[1][-1][2]


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint8", "int64", "float16", "bfloat16", "float8_e4m3fn", "complex64"]
)
@pytest.mark.parametrize("shape", [[], [0, 3], [2]])
def test_every_dtype_and_shape(tmp_path, text_only, dtype, shape):
    x = paddle.zeros(shape, dtype)
    with guard(tmp_path / "g"):
        x.reshape([-1] if 0 not in shape else [0])
    label = read(tmp_path / "g")[1][0][2]
    assert label == f"{naming.name_of(x)},\nshape:{shape}\ndtype:{dtype},"


def test_any_name_is_quoted(tmp_path, text_only):
    x = paddle.ones([1])
    x.name = 'a "b"\\ -> node'
    with guard(tmp_path / "g"):
        x.exp()
    (graph,) = pydot.graph_from_dot_data((tmp_path / "g").read_text())
    names = [node.get_name() for node in graph.get_nodes()]
    assert '"a \\"b\\"\\\\ -> node,_SourceNode"' in names


def test_a_name_that_is_no_text_is_written_as_an_escape(tmp_path, text_only):
    x = paddle.ones([1])
    x.name = "\udce4"
    with guard(tmp_path / "g"):
        x.exp()
    text = (tmp_path / "g").read_text(encoding="utf-8")
    assert '"\\\\udce4,_SourceNode"' in text
    assert pydot.graph_from_dot_data(text)


# ---- PyLayers, backward, threads


def test_a_pylayer_is_one_node(tmp_path, text_only):
    x = paddle.ones([2])
    x.stop_gradient = False
    with guard(tmp_path / "g"):
        Double.apply(x).exp()
    assert ends(tmp_path / "g") == [
        (f"{naming.name_of(x)},_SourceNode", "Double1"),
        ("Double1", "exp1"),
    ]


def test_a_jax_function_is_one_node(tmp_path, text_only):
    double = paddle.autograd.from_jax(lambda x: (x * 2, x + 1), name="double")
    x = paddle.ones([2])
    for x.stop_gradient in (True, False):
        with guard(tmp_path / "g"):
            y, _ = double(x)
            y.exp()
        call = naming.call_of(y)
        (_, first), (second, _) = ends(tmp_path / "g")
        assert first == second == call
    assert y.grad_fn.name() == naming.node_name(y.grad_fn) == "GradNodeJax_double"


def test_guards_inside_a_pylayer(tmp_path, text_only):
    """BEAT: in Paddle the outer guard then draws nothing."""

    class Guarded(PyLayer):
        @staticmethod
        def forward(ctx, x):
            with guard(tmp_path / "inner"):
                return x.tanh() * 2

        @staticmethod
        def backward(ctx, grad):
            return grad

    x = paddle.ones([2])
    x.stop_gradient = False
    with guard(tmp_path / "outer"):
        Guarded.apply(x).exp()
    source = f"{naming.name_of(x)},_SourceNode"
    assert ends(tmp_path / "inner") == [(source, "tanh1"), ("tanh1", "scale1")]
    assert ends(tmp_path / "outer") == [(source, "Guarded1"), ("Guarded1", "exp1")]


def test_a_pylayer_that_raises_is_not_drawn(tmp_path, text_only):
    class Fails(PyLayer):
        @staticmethod
        def forward(ctx, x):
            raise ValueError("no")

    x = paddle.ones([2])
    with guard(tmp_path / "g"):
        with pytest.raises(ValueError, match="no"):
            Fails.apply(x)
        x.exp()
    assert [target for _, target in ends(tmp_path / "g")] == ["exp1"]


def test_ops_that_fail_are_not_drawn(tmp_path, text_only):
    with guard(tmp_path / "g"):
        x = paddle.ones([2, 3])
        with pytest.raises(ValueError, match="matmul"):
            x @ x
        x @ x.T
    assert ends(tmp_path / "g") == [
        ("full1", "transpose1"), ("full1", "matmul2"), ("transpose1", "matmul2"),
    ]  # fmt: skip


def test_backward_is_not_drawn(tmp_path, text_only):
    x = paddle.ones([2])
    x.stop_gradient = False
    with guard(tmp_path / "g"):
        y = Double.apply(x * x)
        y.register_hook(lambda grad: grad * 3)
        y.sum().backward()
        paddle.grad((x * x).sum(), x, create_graph=True)
    nodes, _ = read(tmp_path / "g")
    ops = [name for name in nodes if not name.endswith("_SourceNode")]
    assert ops == ["multiply1", "Double1", "sum1", "multiply2", "sum2"]


def test_other_threads_are_not_drawn(tmp_path, text_only):
    x = paddle.ones([2])
    with guard(tmp_path / "g"):
        other = threading.Thread(target=lambda: [x.exp() for _ in range(5)])
        other.start()
        x.tanh()
        other.join()
    assert [target for _, target in ends(tmp_path / "g")] == ["tanh1"]


# ---- guards


def test_nested_guards(tmp_path, text_only):
    """BEAT: in Paddle the outer guard stops when the inner one ends."""
    x = paddle.ones([2])
    with guard(tmp_path / "outer"):
        y = x.exp()
        with guard(tmp_path / "inner"):
            y = y.tanh()
        y.sin()
    assert [target for _, target in ends(tmp_path / "outer")] == ["exp1", "tanh1", "sin1"]
    assert ends(tmp_path / "inner") == [("exp1_out_float32_2,_SourceNode", "tanh1")]


def test_repeated_guards_write_again(tmp_path, text_only):
    x = paddle.ones([2])
    for _ in range(2):
        with guard(tmp_path / "g"):
            x.exp()
    assert [target for _, target in ends(tmp_path / "g")] == ["exp2"]


def test_an_empty_block(tmp_path, text_only):
    with guard(tmp_path / "g"):
        pass
    assert (tmp_path / "g").read_text() == "digraph {\n}\n"


def test_an_exception_writes_what_was_drawn(tmp_path, text_only):
    x = paddle.ones([2])

    def run():
        with guard(tmp_path / "g"):
            x.exp()
            raise ValueError("the user's")

    with pytest.raises(ValueError, match="the user's"):
        run()
    assert [target for _, target in ends(tmp_path / "g")] == ["exp1"]


def test_a_block_that_was_left_is_forgotten(tmp_path, text_only):
    """The tool is removed, and an op that runs later is not drawn."""
    with guard(tmp_path / "g"):
        x = paddle.ones([2])
    x.exp()
    nodes, _ = read(tmp_path / "g")
    assert nodes == ["full1"]


def test_names_stay_as_they_are(tmp_path, text_only):
    x = paddle.to_tensor([1.0], stop_gradient=False)
    with guard(tmp_path / "g"):
        y = x.exp()
        assert y.name.startswith("eager_tmp")
        assert y.grad_fn.name() == "ExpGradNode"
    assert not naming.is_in_use()


def test_stderr_flags_and_levels_are_left_alone(tmp_path, text_only, capfd):
    """BEAT: Paddle swallows stderr inside, and leaves VLOG level 0 behind."""
    before = paddle.get_flags(["FLAGS_enable_unique_name", "FLAGS_call_stack_level"])
    paddle.base.core.set_vlog_level(3)
    try:
        with guard(tmp_path / "g"):
            print("said", file=sys.stderr)
            os.write(2, b"said by what has no sys.stderr\n")
            assert paddle.get_flags(list(before)) == before
            x = paddle.ones([2]).exp()
        x.tanh()
    finally:
        paddle.base.core.set_vlog_level(0)
    text = capfd.readouterr().err
    assert "said\n" in text
    assert "said by what has no sys.stderr" in text
    assert "Running_AD_API: exp" in text
    assert "Running_AD_API: tanh" in text
    assert paddle.get_flags(list(before)) == before


def test_results_are_the_same(tmp_path, text_only):
    def run():
        paddle.seed(3)
        x = paddle.randn([3, 3])
        x.stop_gradient = False
        y = (paddle.arange(9).reshape([3, 3]) // 2 > 2).astype("float32") * x / 3 + 2 / (x * x)
        (y @ x).sum().backward()
        return x.grad.numpy()

    expected = run()
    with guard(tmp_path / "g"):
        found = run()
    np.testing.assert_array_equal(found, expected)


# ---- files


def test_a_path_that_cannot_be_written(tmp_path, caplog):
    path = tmp_path / "h"
    with pytest.raises(IsADirectoryError), guard(path):
        path.mkdir()
    path.rmdir()

    def fail():
        with guard(path):
            path.mkdir()
            raise ValueError("the user's")

    with caplog.at_level(logging.WARNING), pytest.raises(ValueError, match="user's"):
        fail()
    assert "could not be written" in caplog.text


def test_something_else_than_a_path_is_refused():
    with pytest.raises(InvalidTypeError, match="should be a path or None, but received 3"):
        guard(3).__enter__()


def test_a_path_that_never_could_be_written_is_refused_before_the_block(tmp_path):
    (tmp_path / "file").write_text("")
    for path in ("", tmp_path, tmp_path / "file" / "g", "a\0b"):
        with pytest.raises(InvalidArgumentError, match="file_path of capture"), guard(path):
            pytest.fail("the block has run")


def test_the_path_is_that_of_the_beginning(tmp_path, monkeypatch, text_only):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / "a")
    with guard("g"):
        monkeypatch.chdir(tmp_path / "b")
    assert (tmp_path / "a" / "g").exists()


def test_unnamed_tensors_stay_unnamed(tmp_path, text_only):
    """A tool's name for a tensor does not affect the counter of Tensor.name."""
    first = (paddle.ones([2]) * 2).name
    x = paddle.ones([2]) * 2
    with guard(tmp_path / "g"):
        x.exp()
    assert read(tmp_path / "g")[0] == ["exp1", "unnamed_0,_SourceNode"]
    assert int(x.name.rpartition("_")[2]) == int(first.rpartition("_")[2]) + 1


def test_a_backward_of_another_thread_ends_no_backward_of_this_one(tmp_path, text_only):
    def other():
        y = paddle.to_tensor([1.0], stop_gradient=False) * 2
        y.backward()

    def hook(grad):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        return grad.tanh()

    x = paddle.to_tensor([1.0], stop_gradient=False)
    with guard(tmp_path / "g"):
        y = x.exp()
        y.register_hook(hook)
        y.backward()
    assert [target for _, target in ends(tmp_path / "g")] == ["exp1"]


def test_calls_that_fail_are_not_kept():
    recorder = forward_graph._Recorder()
    with events.observing(recorder):
        with pytest.raises(InvalidArgumentError):
            paddle.ones([2]).matmul(paddle.ones([3]))
        paddle.ones([2]).exp()
    assert not recorder._inputs
