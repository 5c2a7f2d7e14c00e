"""capture_backward_subgraph_guard: the part of a backward that belongs to some lines of forward."""

import gc
import logging
import re
import threading

import pytest

import jaxeager as paddle
from jaxeager.debug.common import naming
from jaxeager.debug.graphs import graph_dump
from jaxeager.graph import events
from tests.debug.graphs.test_graph_dump import edges, graph, graphs, labels, stamps
from tests.support.here import PLACE
from tests.support.leaves import leaf

guard = paddle.utils.capture_backward_subgraph_guard
COLORS = {"#999999": "grey", "#FFE4B5": "orange", "#148b97": "teal"}


@pytest.fixture(autouse=True)
def _quiet():
    paddle.set_flags({"FLAGS_draw_backward_graphs": False, "FLAGS_enable_unique_name": True})
    naming.reset()
    yield
    paddle.set_flags({"FLAGS_draw_backward_graphs": True, "FLAGS_enable_unique_name": False})
    if events.has_graph:
        gc.collect()  # a captured graph that an exception of a test still holds
    assert not events.has_graph


def colors(folder):
    """Return (name without GradNode, color) of the one dump of a folder, sorted."""
    return sorted(
        (node.label.removesuffix(" Ptr").replace("GradNode", "", 1), COLORS[node.color])
        for node in graph(folder).nodes.values()
    )


def written(folder):
    return sorted(path.name[27:] for path in folder.iterdir())


def variables(folder):
    text = "".join(path.read_text() for path in sorted(folder.glob("*_grad_tensors.log")))
    return re.findall("Variable: (.*)\n", text)


# ---- as recorded


def test_inside_is_grey_neighbors_are_orange_and_leaves_teal(tmp_path):
    x = leaf()
    h = x * 2
    with guard(str(tmp_path), True):
        y = h.exp()
        z = y.tanh()
    (z + y).sum().backward()
    assert written(tmp_path) == [
        "backward_graph.dot", "call_stack.log", "grad_tensors.log", "ref_forward_graph.dot",
    ]  # fmt: skip
    assert colors(tmp_path) == [("add1", "orange"), ("exp1", "grey"), ("scale1", "orange"),
                                ("tanh1", "grey")]  # fmt: skip
    assert variables(tmp_path) == [
        f"{each}1_out_float32_2@Grad" for each in ("tanh", "exp", "exp", "scale")
    ]


def test_without_tensors_there_are_three_files(tmp_path):
    h = leaf() * 2
    with guard(str(tmp_path)):
        y = h.exp()
    y.sum().backward()
    assert written(tmp_path) == ["backward_graph.dot", "call_stack.log", "ref_forward_graph.dot"]


def test_nothing_is_written_at_the_end_of_the_guard(tmp_path):
    folder = tmp_path / "made" / "too"
    with guard(str(folder), True):
        y = leaf().exp()
    assert list(folder.iterdir()) == []
    del y


def test_the_stack_log_has_the_inside_and_what_it_passes_to(tmp_path):
    h = leaf() * 2
    with guard(str(tmp_path)):
        y = h.exp()
    y.sum().backward()
    text = next(tmp_path.glob("*_call_stack.log")).read_text()
    assert re.findall(r"GradNodeBase (\w+)", text) == ["exp1GradNode", "scale1GradNode"]


def test_in_the_forward_graph_what_only_passes_in_keeps_its_label(tmp_path):
    h = leaf() * 2
    with guard(str(tmp_path)):
        y = h.exp()
    y.sum().backward()
    forward = graph(tmp_path, "ref_forward_graph")
    assert [node.label for node in forward.nodes.values()] == [
        "sum1GradNode Ptr", "exp1 GradNode", "scale1 GradNode",
    ]  # fmt: skip


def test_backward_twice_writes_twice(tmp_path):
    x = leaf()
    with guard(str(tmp_path), True):
        y = x.exp()
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    assert len(stamps(tmp_path)) == 2
    assert [labels(each)[0] for each in graphs(tmp_path)] == ["sum1GradNode", "sum2GradNode"]


def test_an_unguarded_later_backward_writes_nothing(tmp_path):
    for number in range(2):
        x = leaf()
        if number == 0:
            with guard(str(tmp_path)):
                y = x.exp()
        else:
            y = x.tanh()
        y.sum().backward()
    assert len(stamps(tmp_path)) == 1


def test_backward_inside_the_guard(tmp_path):
    x = leaf()
    with guard(str(tmp_path)):
        x.exp().sum().backward()
    assert colors(tmp_path) == [("Accumulation", "teal"), ("exp1", "grey"), ("sum1", "grey")]


def test_nothing_is_written_when_no_captured_node_runs(tmp_path):
    x = leaf()
    with guard(str(tmp_path)):
        y = x.exp()
    x.tanh().sum().backward()
    assert list(tmp_path.iterdir()) == []
    paddle.grad(y.sin(), y)  # it ends at the captured tensors, whose node does not run
    found = list(tmp_path.glob("*_backward_graph.dot"))
    assert len(found) == 1  # but it received a gradient
    del y


def test_a_pylayer_made_inside(tmp_path):
    class Layer(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, a):
            return a.exp()

        @staticmethod
        def backward(ctx, g):
            return g.tanh()

    h = leaf() * 2
    with guard(str(tmp_path), True):
        y = Layer.apply(h)
    y.sum().backward()
    assert colors(tmp_path) == [("PyLayer_Layer", "grey"), ("scale1", "orange"),
                                ("sum1", "orange")]  # fmt: skip
    assert variables(tmp_path) == ["Layer1_out0_0_float32_2@Grad", "scale1_out_float32_2@Grad"]


def test_a_backward_that_raises_leaves_what_it_did(tmp_path):
    x = leaf()
    with guard(str(tmp_path), True):
        y = x * 2
        z = y.exp()
    y.register_hook(lambda grad: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        z.sum().backward()
    assert len(graph(tmp_path).edges) == 2
    assert len(graph(tmp_path, "ref_forward_graph").edges) == 3
    assert variables(tmp_path) == ["exp1_out_float32_2@Grad", "scale1_out_float32_2@Grad"]


def test_a_guard_that_raises_has_captured_what_ran(tmp_path):
    made = []

    def inside():
        with guard(str(tmp_path)):
            made.append(leaf() * 2)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        inside()
    made.pop().exp().sum().backward()
    assert ("scale1", "grey") in colors(tmp_path)
    assert ("exp1", "orange") in colors(tmp_path)


def test_as_a_decorator(tmp_path):
    @guard(str(tmp_path))
    def inside(x):
        return x.exp()

    inside(leaf()).sum().backward()
    inside(leaf()).sum().backward()
    assert len(stamps(tmp_path)) == 2


def test_errors_say_what_the_arguments_are(tmp_path):
    file = tmp_path / "a_file"
    file.write_text("")
    for arguments, error, text in [
        ((None,), paddle.errors.InvalidArgumentError, "dump_dir_path should not be None"),
        ((3,), paddle.errors.InvalidTypeError, "path must be string type"),
        ((str(tmp_path), "yes"), paddle.errors.InvalidTypeError,
         r"argument \(position 2\) must be bool, but got str"),
        (("",), OSError, "Create '' failed : "),
        ((str(file),), NotADirectoryError, "must be directory"),
    ]:  # fmt: skip
        with pytest.raises(error, match=text), guard(*arguments):
            pass


# ---- better than Paddle


def test_a_second_guard_has_its_own_files(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    with guard(str(one), True):
        y = leaf().exp()
    z = y.sin()
    with guard(str(two), True):
        v = z.tanh()
    v.sum().backward()
    assert colors(one) == [("Accumulation", "teal"), ("exp1", "grey"), ("sin1", "orange")]
    assert colors(two) == [("sin1", "orange"), ("sum1", "orange"), ("tanh1", "grey")]
    assert variables(two) == ["tanh1_out_float32_2@Grad", "sin1_out_float32_2@Grad"]


def test_nested_guards_both_write(tmp_path):
    outer, inner = tmp_path / "outer", tmp_path / "inner"
    x = leaf()
    with guard(str(outer)):
        a = x.exp()
        with guard(str(inner), True):
            b = a.tanh()
        c = b.sin()
    c.sum().backward()
    grey = [name for name, color in colors(outer) if color == "grey"]
    assert grey == ["exp1", "sin1", "tanh1"]
    assert colors(inner) == [("exp1", "orange"), ("sin1", "orange"), ("tanh1", "grey")]
    assert not list(outer.glob("*_grad_tensors.log"))


def test_the_same_folder_twice_merges_nothing(tmp_path):
    with guard(str(tmp_path)):
        y = leaf().exp()
    with guard(str(tmp_path)):
        z = y.tanh()
    z.sum().backward()
    assert len(stamps(tmp_path)) == 2


def test_with_dump_backward_graph_path(tmp_path):
    with guard(str(tmp_path / "part")):
        y = leaf().exp()
    y.sum().backward(dump_backward_graph_path=str(tmp_path / "all"))
    assert ("sum1", "orange") in colors(tmp_path / "part")
    assert ("sum1", "grey") in colors(tmp_path / "all")
    leaf().tanh().sum().backward(dump_backward_graph_path=str(tmp_path / "all"))
    assert len(stamps(tmp_path / "all")) == 2
    assert len(stamps(tmp_path / "part")) == 1


def test_grad_writes_too(tmp_path):
    x = leaf()
    with guard(str(tmp_path), True):
        y = x.exp()
    paddle.grad(y.sum(), x)
    assert colors(tmp_path) == [("Accumulation", "teal"), ("exp1", "grey"), ("sum1", "orange")]


def test_captured_nodes_are_not_kept_nor_mistaken_for_others(tmp_path):
    paddle.set_flags({"FLAGS_enable_unique_name": False})
    with guard(str(tmp_path)):
        y = leaf().exp()
    assert events.has_graph
    del y  # it can no longer run
    assert not events.has_graph
    for _ in range(50):
        leaf().exp().sum().backward()
    assert list(tmp_path.iterdir()) == []


def test_tensors_have_names_without_unique_names_too(tmp_path):
    paddle.set_flags({"FLAGS_enable_unique_name": False})
    w = paddle.create_parameter([2], "float32", name="w")
    h = w * 2
    with guard(str(tmp_path), True):
        y = h.exp()
        z = y * w
    z.sum().backward()
    found = graph(tmp_path)
    pointers = {node.label.split()[0]: node.pointer for node in found.nodes.values()}
    assert variables(tmp_path) == [
        f"multiply_{pointers['MultiplyGradNode']}_out_float32_2@Grad",
        f"exp_{pointers['ExpGradNode']}_out_float32_2@Grad",
        "w@Grad",
        f"scale_{pointers['ScaleGradNode']}_out_float32_2@Grad",
    ]
    assert {name for *_, name in edges(found)} == {PLACE}  # the graph is as Paddle's


def test_gradients_of_gradients(tmp_path):
    x = leaf(name="x")
    with guard(str(tmp_path), True):
        (first,) = paddle.grad((x**3).sum(), x, create_graph=True)
    first.sum().backward()
    assert len(stamps(tmp_path)) == 2  # the first backward, inside, and this one
    assert "pow_grad1GradNode" in labels(graphs(tmp_path)[1])


def test_a_backward_inside_a_hook_writes_its_own_files(tmp_path):
    with guard(str(tmp_path / "inner")):
        inner = leaf().tanh().sum()
    x = leaf()
    with guard(str(tmp_path / "outer")):
        y = x * 2

    def hook(grad):
        inner.backward()

    y.register_hook(hook)
    y.exp().sum().backward()
    assert [name for name, color in colors(tmp_path / "outer") if color == "grey"] == ["scale1"]
    assert [name for name, color in colors(tmp_path / "inner") if color == "grey"] == [
        "sum1", "tanh1",
    ]  # fmt: skip


# ---- no side effects of the guard


def test_only_what_its_own_thread_makes_is_captured(tmp_path):
    made = []
    with guard(str(tmp_path)):
        other = threading.Thread(target=lambda: made.append(leaf().cos()))
        other.start()
        other.join()
        y = leaf().exp()
    made[0].sum().backward()
    assert list(tmp_path.iterdir()) == []
    backward = threading.Thread(target=y.sum().backward)
    backward.start()
    backward.join()
    assert len(stamps(tmp_path)) == 1
    del y, backward


def test_ops_are_not_observed_after_the_guard(tmp_path):
    before = list(events._observers)
    with guard(str(tmp_path)):
        y = leaf().exp()
    kept = [type(each).__name__ for each in events._observers if each not in before]
    assert kept == ["_Watcher"]
    y.sum().backward()
    del y
    assert list(events._observers) == before


def test_a_captured_backward_gives_the_same_gradients_and_names(tmp_path):
    def run(context):
        naming.reset()
        x = leaf()
        with context:
            y = (x * x).tanh()
        y.sum().backward()
        return x.grad.tolist(), y.name, y.grad_fn.name(), paddle.ones([1]).name

    assert run(guard(str(tmp_path), True)) == run(paddle.enable_grad())


def test_unrecorded_ops_are_not_captured(tmp_path):
    x = leaf()
    with guard(str(tmp_path)), paddle.no_grad():
        y = x.exp()
    (x * y).sum().backward()
    assert list(tmp_path.iterdir()) == []


def test_files_that_cannot_be_written_stop_no_backward(tmp_path, monkeypatch, caplog):
    def fail(*_, **__):
        raise OSError("disk full")

    x = leaf()
    with guard(str(tmp_path)):
        y = x * 3
    monkeypatch.setattr(graph_dump.Path, "write_text", fail)
    with caplog.at_level(logging.WARNING):
        y.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    assert "disk full" in caplog.text
    del y


def test_a_folder_that_was_removed_is_made_again(tmp_path):
    folder = tmp_path / "gone"
    with guard(str(folder)):
        y = leaf().exp()
    folder.rmdir()
    y.sum().backward()
    assert len(stamps(folder)) == 1


def test_a_capture_that_ends_while_observers_change_is_forgotten_later(tmp_path, monkeypatch):
    with guard(str(tmp_path)):
        y = leaf().exp()
    monkeypatch.setattr(events, "_is_refreshing", True)  # the collector runs at a bad moment
    del y
    assert events.has_graph
    monkeypatch.setattr(events, "_is_refreshing", False)
    paddle.set_flags({"FLAGS_enable_unique_name": False})
    leaf().exp().sum().backward()
    assert not events.has_graph


def test_a_neighbor_on_both_sides_is_one_node(tmp_path):
    made = []
    with guard(str(tmp_path)):
        a = leaf().exp()
        other = threading.Thread(target=lambda x=a: made.append(x.tanh()))
        other.start()
        other.join()
        b = made[0].sin()
    b.sum().backward()
    assert ("tanh1", "orange") in colors(tmp_path)
    for name in ("backward_graph", "ref_forward_graph"):
        pointers = [node.pointer for node in graph(tmp_path, name).nodes.values()]
        assert len(set(pointers)) == len(pointers) == 5
    forward = graph(tmp_path, "ref_forward_graph")
    assert "tanh1 GradNode" in [node.label for node in forward.nodes.values()]
    del a, b, other
    made.clear()
