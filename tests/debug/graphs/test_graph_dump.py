"""dump_backward_graph_path: one backward as three files."""

import logging
import re
import threading

import pydot
import pytest

import jaxeager as paddle
from jaxeager.debug.common import naming
from jaxeager.debug.graphs import graph_dump
from jaxeager.errors import InvalidArgumentError
from jaxeager.graph import events
from tests.support.drawing import needs_graphviz
from tests.support.graphs import are_same, read_graph
from tests.support.here import PLACE
from tests.support.leaves import leaf

NAMES = ("backward_graph.dot", "call_stack.log", "ref_forward_graph.dot")


@pytest.fixture(autouse=True)
def _quiet():
    paddle.set_flags({"FLAGS_draw_backward_graphs": False})
    naming.reset()
    yield
    paddle.set_flags({"FLAGS_draw_backward_graphs": True, "FLAGS_enable_unique_name": False})
    assert not events.has_graph, "no dump outlives its backward"


@pytest.fixture
def named():
    paddle.set_flags({"FLAGS_enable_unique_name": True})


def stamps(folder):
    return sorted({path.name[:26] for path in folder.glob("*.dot")})


def graphs(folder, name="backward_graph"):
    return [read_graph(p.read_text()) for p in sorted(folder.glob(f"*_{name}.dot"))]


def graph(folder, name="backward_graph"):
    (found,) = graphs(folder, name)
    return found


def labels(found):
    return [node.label.removesuffix(" Ptr") for node in found.nodes.values()]


def edges(found):
    names = {key: node.label.split()[0] for key, node in found.nodes.items()}
    return [(names[a], names[b], label.split("\\n")[0]) for a, b, label in found.edges]


# ---- the files


def test_three_files_with_one_local_time(tmp_path):
    x = leaf()
    (x * x).sum().backward(dump_backward_graph_path=str(tmp_path))
    names = sorted(path.name for path in tmp_path.iterdir())
    assert [name[27:] for name in names] == list(NAMES)
    stamp = r"\d{4}-\d\d-\d\d_\d\d:\d\d:\d\d\.\d{6}"
    assert len({re.fullmatch(f"({stamp})_.*", name)[1] for name in names}) == 1
    assert x.grad.tolist() == [2.0, 4.0]


def test_the_text_is_paddles_to_the_letter(tmp_path):
    x, w = leaf([1.0], name="x"), leaf([2.0], name='a "w"\\')
    (x * w).backward(dump_backward_graph_path=str(tmp_path))
    text = next(tmp_path.glob("*_backward_graph.dot")).read_text()
    op = 'style="rounded,filled,bold" shape="box" color="#999999" fontcolor="#ffffff" '
    op += 'width="1.3" height="0.84" fontname="Arial"'
    end = 'shape="box" style="rounded,filled,bold" fontname="Arial" color="#148b97" '
    end += 'fontcolor="#ffffff"'
    assert re.sub(r"0x[0-9a-f]{12}", "PTR", text).split("\n") == [
        "digraph G {",
        rf'	node_0[label="MultiplyGradNode\nPtr: PTR" {op}]',
        rf'	node_1[label="GradNodeAccumulation\nPtr: PTR\nx" {end}]',
        rf'	node_2[label="GradNodeAccumulation\nPtr: PTR\na \"w\"\\" {end}]',
        rf'	node_0->node_1[label="{PLACE}\nfloat32[1]"]',
        rf'	node_0->node_2[label="{PLACE}\nfloat32[1]"]',
        "} // end G",
    ]


def test_pydot_parses_both_graphs(tmp_path):
    x, w = leaf(name="x"), leaf(name='w "quoted"')
    (x * w + x).sum().backward(dump_backward_graph_path=str(tmp_path))
    for path in tmp_path.glob("*.dot"):
        (parsed,) = pydot.graph_from_dot_file(str(path), encoding="utf-8")
        found = read_graph(path.read_text())
        assert {node.get_name() for node in parsed.get_nodes()} >= set(found.nodes)
        assert [(e.get_source(), e.get_destination()) for e in parsed.get_edges()] == [
            (source, target) for source, target, _ in found.edges
        ]


def test_the_forward_graph_is_the_reverse_with_forward_shapes(tmp_path):
    x, y = leaf(), paddle.to_tensor([[1.0], [2.0]], dtype="float64", stop_gradient=False)
    (x + y).sum().backward(dump_backward_graph_path=str(tmp_path))
    back, forward = graph(tmp_path), graph(tmp_path, "ref_forward_graph")
    assert [(t, s) for s, t, _ in back.edges] == [(s, t) for s, t, _ in forward.edges]
    assert [n.pointer for n in back.nodes.values()] == [n.pointer for n in forward.nodes.values()]
    assert [node.label for node in forward.nodes.values()] == [
        f"{name} GradNode" for name in ("Sum", "Add", "Cast", "Node", "Node")
    ]
    assert [label for *_, label in forward.edges] == [
        "float64 [2, 2]", "float64 [2]", "float64 [2, 1]", "float32 [2]",
    ]  # fmt: skip


def test_stacks_of_every_node_at_level_3(tmp_path):
    paddle.set_flags({"FLAGS_call_stack_level": 3})
    try:
        x = leaf()
        loss = (x * x).sum()
    finally:
        paddle.set_flags({"FLAGS_call_stack_level": 1})
    loss.backward(dump_backward_graph_path=str(tmp_path))
    text = next(tmp_path.glob("*_call_stack.log")).read_text()
    entries = text.split("GradNodeBase ")[1:]
    assert [each.split()[0] for each in entries] == labels(graph(tmp_path))
    assert "loss = (x * x).sum()" in entries[0]
    pointers = [node.pointer for node in graph(tmp_path).nodes.values()]
    assert all(pointer in each for pointer, each in zip(pointers, entries, strict=True))


def test_a_folder_is_made_with_those_above_it(tmp_path):
    leaf().exp().sum().backward(dump_backward_graph_path=tmp_path / "a" / "b")
    assert len(list((tmp_path / "a" / "b").iterdir())) == 3


def test_errors_say_what_the_path_is(tmp_path):
    file = tmp_path / "a_file"
    file.write_text("")
    x = leaf()
    y = x.exp().sum()
    with pytest.raises(NotADirectoryError, match=f"path:'{file}' must be directory"):
        y.backward(dump_backward_graph_path=str(file))
    with pytest.raises(OSError, match=r"Create '' failed : \[Errno 2\] No such file"):
        y.backward(dump_backward_graph_path="")
    with pytest.raises(paddle.errors.InvalidTypeError, match="path must be string type, but got"):
        paddle.grad(y, x, dump_backward_graph_path=3)
    assert x.grad is None
    y.backward()  # nothing has been run or released


def test_a_backward_that_raises_leaves_what_it_did(tmp_path):
    x = leaf()
    y = x * 2
    z = y.exp()
    y.register_hook(lambda grad: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        z.sum().backward(dump_backward_graph_path=str(tmp_path))
    assert [path.name[27:] for path in sorted(tmp_path.iterdir())] == list(NAMES)
    assert labels(graph(tmp_path))[:3] == ["SumGradNode", "ExpGradNode", "ScaleGradNode"]
    assert len(graph(tmp_path).edges) == 2
    assert len(graph(tmp_path, "ref_forward_graph").edges) == 3  # the nodes that would follow
    assert x.grad is None


def test_files_that_cannot_be_written_are_an_error_and_gradients_are_there(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise OSError("disk full")

    x = leaf()
    monkeypatch.setattr(graph_dump.Path, "write_text", fail)
    with pytest.raises(OSError, match="disk full"):
        (x * 3).sum().backward(dump_backward_graph_path=str(tmp_path))
    assert x.grad.tolist() == [3.0, 3.0]


def test_files_that_cannot_be_written_do_not_hide_the_error_of_a_hook(
    tmp_path, monkeypatch, caplog
):
    def fail(*_, **__):
        raise OSError("disk full")

    y = leaf() * 3
    y.register_hook(lambda grad: 1 / 0)
    monkeypatch.setattr(graph_dump.Path, "write_text", fail)
    with pytest.raises(ZeroDivisionError), caplog.at_level(logging.WARNING):
        y.sum().backward(dump_backward_graph_path=str(tmp_path))
    assert "disk full" in caplog.text


# ---- the contents of the graph


def test_only_nodes_that_run_or_receive_a_gradient(tmp_path):
    class First(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, a, b):
            return a * b

        @staticmethod
        def backward(ctx, grad):
            return grad, None

    x, y, c = leaf(), leaf(), paddle.ones([2])
    First.apply(x * c, y.exp()).sum().backward(dump_backward_graph_path=str(tmp_path))
    assert labels(graph(tmp_path)) == [
        "SumGradNode", "GradNodePyLayer_First", "MultiplyGradNode", "GradNodeAccumulation",
    ]  # fmt: skip


def test_parallel_edges_are_kept(tmp_path):
    x = leaf()
    (x * x).backward(dump_backward_graph_path=str(tmp_path))
    assert len(graph(tmp_path).edges) == 2


def test_backward_of_a_leaf_is_one_node(tmp_path):
    x = leaf(name="x")
    x.backward(dump_backward_graph_path=str(tmp_path))
    found = graph(tmp_path)
    assert [node.more for node in found.nodes.values()] == [("x",)]
    assert not found.edges


@pytest.mark.parametrize("shape", [[], [0, 3], [2, 3]])
@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "float16", "bfloat16", "complex64", "complex128"]
)
def test_every_dtype_and_shape(tmp_path, dtype, shape):
    x = paddle.ones(shape, dtype=dtype)
    x.stop_gradient = False
    (x * x).backward(dump_backward_graph_path=str(tmp_path))
    text = ", ".join(map(str, shape))
    assert {label for *_, label in graph(tmp_path).edges} == {f"{PLACE}\\n{dtype}[{text}]"}
    forward = graph(tmp_path, "ref_forward_graph")
    assert {label for *_, label in forward.edges} == {f"{dtype} [{text}]"}


def test_the_end_of_grad_is_drawn_as_a_leaf_with_its_name(tmp_path, named):
    x, w = leaf(), leaf()
    h = x * w
    paddle.grad([h.exp() + w], [h], dump_backward_graph_path=str(tmp_path))
    assert edges(graph(tmp_path)) == [
        ("add1GradNode", "exp1GradNode", "exp1_out_float32_2@Grad"),
        ("exp1GradNode", "GradNodeAccumulation", "multiply1_out_float32_2@Grad"),
    ]
    end = list(graph(tmp_path).nodes.values())[-1]
    assert (end.more, end.color) == (("multiply1_out_float32_2",), "#148b97")


def test_an_input_of_grad_that_runs_is_drawn_as_the_op_it_is(tmp_path):
    x = leaf()
    h = x.exp()
    paddle.grad([h.tanh()], [h, x], dump_backward_graph_path=str(tmp_path))
    assert labels(graph(tmp_path)) == ["TanhGradNode", "ExpGradNode", "GradNodeAccumulation"]


def test_two_outputs_of_one_op_as_inputs_of_grad(tmp_path, named):
    a, b = paddle.split(leaf([1.0, 2.0, 3.0, 4.0]), 2)
    paddle.grad((a * b).sum(), [a, b], dump_backward_graph_path=str(tmp_path))
    end = list(graph(tmp_path).nodes.values())[-1]
    assert end.more == ("split_with_num1_out_0_float32_2", "split_with_num1_out_1_float32_2")


def test_no_grad_vars_are_not_passed(tmp_path):
    x = leaf()
    h, k = x.exp(), x.sin()
    paddle.grad(h * k, x, no_grad_vars=[k], dump_backward_graph_path=str(tmp_path))
    assert labels(graph(tmp_path)) == ["MultiplyGradNode", "ExpGradNode", "GradNodeAccumulation"]


def test_create_graph_backward_writes_too(tmp_path):
    x = leaf()
    (x * x).sum().backward(create_graph=True, dump_backward_graph_path=str(tmp_path))
    assert len(graph(tmp_path).edges) == 3


def test_autograd_backward_with_two_roots(tmp_path):
    x = leaf()
    paddle.autograd.backward([x.exp(), x.tanh()], dump_backward_graph_path=str(tmp_path))
    assert labels(graph(tmp_path)) == ["ExpGradNode", "GradNodeAccumulation", "TanhGradNode"]


# ---- better than Paddle


def test_leaves_name_their_parameters(tmp_path):
    linear = paddle.nn.Linear(2, 2)
    linear(paddle.ones([1, 2])).sum().backward(dump_backward_graph_path=str(tmp_path))
    for name in ("backward_graph", "ref_forward_graph"):
        ends = [n.more for n in graph(tmp_path, name).nodes.values() if n.color == "#148b97"]
        assert ends == [(linear.bias.name,), (linear.weight.name,)]


def test_edges_out_of_a_pylayer_have_the_names_of_its_inputs(tmp_path, named):
    class Both(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, a, b):
            return a * b, a + b

        @staticmethod
        def backward(ctx, g, h):
            return g, h

    x, y = leaf(name="x"), leaf(name="y")
    a, b = Both.apply(x.exp(), y)
    (a + b).sum().backward(dump_backward_graph_path=str(tmp_path))
    assert edges(graph(tmp_path))[1:] == [
        ("add2GradNode", "GradNodePyLayer_Both", "Both1_out0_0_float32_2@Grad"),
        ("add2GradNode", "GradNodePyLayer_Both", "Both1_out1_0_float32_2@Grad"),
        ("GradNodePyLayer_Both", "exp1GradNode", "exp1_out_float32_2@Grad"),
        ("GradNodePyLayer_Both", "GradNodeAccumulation", "y@Grad"),
        ("exp1GradNode", "GradNodeAccumulation", "x@Grad"),
    ]


def test_names_for_what_ran_before_names_were_on(tmp_path):
    y = leaf().exp()
    pointer = f"{y.grad_fn.node_ptr():#x}"
    paddle.set_flags({"FLAGS_enable_unique_name": True})
    y.sum().backward(dump_backward_graph_path=str(tmp_path))
    assert edges(graph(tmp_path))[0][2] == f"exp_{pointer}_out_float32_2@Grad"


def test_the_same_program_writes_the_same_text(tmp_path):
    for _ in range(2):
        naming.reset()
        x, w = leaf(name="x"), leaf(name="w")
        h = (x * w).tanh()
        (h * x + h).sum().backward(dump_backward_graph_path=str(tmp_path))
    for name in NAMES:
        first, second = (p.read_text() for p in sorted(tmp_path.glob(f"*_{name}")))
        hidden = re.compile(r"0x[0-9a-f]+")
        assert hidden.sub("", first) == hidden.sub("", second)
    assert next(iter(graphs(tmp_path)[1].nodes)) == "node_0"


def test_pointers_are_never_given_twice(tmp_path):
    for _ in range(3):
        leaf().exp().sum().backward(dump_backward_graph_path=str(tmp_path))
    pointers = [node.pointer for each in graphs(tmp_path) for node in each.nodes.values()]
    assert len(set(pointers)) == len(pointers) == 9


def test_many_dumps_into_one_folder_never_collide(tmp_path):
    def run():
        for _ in range(5):
            leaf().exp().sum().backward(dump_backward_graph_path=str(tmp_path))

    threads = [threading.Thread(target=run) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(stamps(tmp_path)) == 15
    assert len(list(tmp_path.iterdir())) == 45
    assert all(are_same(strip(each), strip(graphs(tmp_path)[0])) for each in graphs(tmp_path))


def strip(found):
    return found._replace(nodes={k: n._replace(pointer="") for k, n in found.nodes.items()})


def test_a_backward_inside_a_hook_writes_its_own_files(tmp_path):
    x = leaf()
    y = x * 2

    def hook(grad):
        inner = leaf()
        inner.exp().sum().backward(dump_backward_graph_path=str(tmp_path / "inner"))
        leaf().sin().sum().backward()  # not dumped, and in no graph
        return grad

    y.register_hook(hook)
    y.tanh().sum().backward(dump_backward_graph_path=str(tmp_path / "outer"))
    assert labels(graph(tmp_path / "inner")) == ["SumGradNode", "ExpGradNode",
                                                 "GradNodeAccumulation"]  # fmt: skip
    assert labels(graph(tmp_path / "outer")) == ["SumGradNode", "TanhGradNode", "ScaleGradNode",
                                                 "GradNodeAccumulation"]  # fmt: skip


def test_a_backward_inside_a_pylayer_writes_its_own_files(tmp_path):
    class Again(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, a):
            with paddle.enable_grad():
                b = a.detach()
                b.stop_gradient = False
                ctx.b, ctx.c = b, b.exp()
            return ctx.c.detach()

        @staticmethod
        def backward(ctx, g):
            path = str(tmp_path / "inner")
            return paddle.grad([ctx.c], [ctx.b], [g], dump_backward_graph_path=path)[0]

    Again.apply(leaf()).sum().backward(dump_backward_graph_path=str(tmp_path / "outer"))
    assert labels(graph(tmp_path / "inner")) == ["ExpGradNode", "GradNodeAccumulation"]
    assert labels(graph(tmp_path / "outer")) == ["SumGradNode", "GradNodePyLayer_Again",
                                                 "GradNodeAccumulation"]  # fmt: skip


def test_a_dump_does_not_show_what_other_threads_run(tmp_path):
    x = leaf()
    y = x * 2

    def hook(grad):
        other = threading.Thread(target=lambda: leaf().cos().sum().backward())
        other.start()
        other.join()

    y.register_hook(hook)
    y.sum().backward(dump_backward_graph_path=str(tmp_path))
    assert labels(graph(tmp_path)) == ["SumGradNode", "ScaleGradNode", "GradNodeAccumulation"]


def test_a_dump_changes_no_gradient_and_no_name(tmp_path):
    def run(**dump):
        naming.reset()
        x = leaf()
        y = (x * x).tanh()
        y.retain_grads()
        y.sum().backward(**dump)
        return x.grad.tolist(), y.grad.tolist(), y.grad_fn.name(), paddle.ones([1]).name[:9]

    assert run(dump_backward_graph_path=str(tmp_path)) == run()


# ---- pictures


@needs_graphviz
def test_pictures_are_next_to_the_files(tmp_path):
    paddle.set_flags({"FLAGS_draw_backward_graphs": True})
    leaf().exp().sum().backward(dump_backward_graph_path=str(tmp_path))
    for kind in ("svg", "png"):
        assert len(list(tmp_path.glob(f"*_graph.{kind}"))) == 2
    svg = next(tmp_path.glob("*_backward_graph.svg")).read_text()
    assert "ExpGradNode" in svg


@needs_graphviz
@pytest.mark.parametrize(("asked", "drawn"), [("svg", 2), (" svg,", 2), ("", 0)])
def test_a_folder_without_png_is_all_text(tmp_path, asked, drawn):
    """Paddle's folder is: its users' scripts read every file in it."""
    paddle.set_flags({"FLAGS_draw_backward_graphs": True, "FLAGS_graph_pictures": asked})
    try:
        leaf().exp().sum().backward(dump_backward_graph_path=str(tmp_path))
    finally:
        paddle.set_flags({"FLAGS_graph_pictures": "svg,png"})
    assert len([path.read_text() for path in tmp_path.iterdir()]) == 3 + drawn


def test_kinds_of_pictures_there_are_not():
    with pytest.raises(InvalidArgumentError, match="svg, png, both or nothing, but received 'jpg'"):
        paddle.set_flags({"FLAGS_graph_pictures": "jpg"})
    assert paddle.get_flags("FLAGS_graph_pictures") == {"FLAGS_graph_pictures": "svg,png"}


def test_without_graphviz_the_log_says_so_once(tmp_path, monkeypatch, caplog):
    def missing(*_):
        raise paddle.errors.UnavailableError("pictures need Graphviz; install it.")

    monkeypatch.setattr(graph_dump, "render", missing)
    monkeypatch.setattr(graph_dump, "_has_said", False)
    paddle.set_flags({"FLAGS_draw_backward_graphs": True})
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            leaf().exp().sum().backward(dump_backward_graph_path=str(tmp_path))
    assert [record.message for record in caplog.records] == [
        "No pictures of dumped graphs: pictures need Graphviz; install it."
    ]


def test_a_graph_that_takes_long_to_draw_is_skipped_with_a_warning(tmp_path, caplog):
    paddle.set_flags({"FLAGS_draw_backward_graphs": True})
    x = y = leaf()
    for _ in range(40):  # every node has an arrow to x, which is below them all
        y = y + x
    with caplog.at_level(logging.WARNING):
        y.backward(dump_backward_graph_path=str(tmp_path))
    assert "its arrows span 860 layers, and dumps are drawn up to 500" in caplog.text
    assert not list(tmp_path.glob("*.svg"))


def test_a_graph_of_thousands_of_nodes_is_written(tmp_path):
    x = y = leaf()
    for _ in range(1500):
        y = y + x
    y.backward(dump_backward_graph_path=str(tmp_path))
    found = graph(tmp_path)
    assert (len(found.nodes), len(found.edges)) == (1501, 3000)
