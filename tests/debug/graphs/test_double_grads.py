"""Names of gradients, and of gradients of gradients, in every tool."""

import re
from typing import Any

import pytest

import jaxeager as paddle
from jaxeager.autograd import PyLayer, from_jax
from jaxeager.base import core
from jaxeager.debug.common import naming
from jaxeager.graph import events
from tests.debug.graphs.test_graph_dump import edges, graph, labels
from tests.support.leaves import leaf

FLAG = "FLAGS_enable_unique_name"
MD5 = "FLAGS_tensor_md5_checksum_output_path"


@pytest.fixture(autouse=True)
def _counters_at_their_start():
    naming.reset()
    yield
    core.set_vlog_level(0)
    paddle.set_flags({FLAG: False, MD5: ""})
    assert not naming.is_in_use()
    assert not events.has_graph


def names_behind(tensor):
    """Return the names of the gradients that leave the node of a tensor."""
    return [edge and naming.grad_name(edge) for edge in tensor.grad_fn.edges]


# ---- gradients of gradients


@pytest.mark.parametrize("is_shown", [False, True])
def test_a_gradient_is_named_after_its_tensor_at_every_order(is_shown):
    paddle.set_flags({FLAG: is_shown})
    with naming.in_use():
        x = leaf(name="x")
        (first,) = paddle.grad((x**4).sum(), x, create_graph=True)
        (second,) = paddle.grad(first.sum(), x, create_graph=True)
        third = second * first
    assert naming.name_of(first) == naming.name_of(second) == "x@Grad"
    assert (first.name == "x@Grad") is is_shown
    assert naming.call_of(first) == "pow_grad1"
    assert [naming.node_name(each.grad_fn) for each in (first, second)] == [
        "pow_grad1GradNode", "pow_double_grad1GradNode",
    ]  # fmt: skip
    assert names_behind(third) == ["x@Grad@Grad", "x@Grad@Grad"]


def test_each_output_of_a_gradient_has_its_own_name():
    x, y = leaf(name="x"), leaf(name="y")
    with naming.in_use():
        z = x.exp()
        dz, dy = paddle.grad((z * y * y).sum(), [z, y], create_graph=True)
        product = dz * dy
    assert names_behind(product) == ["exp1_out_float32_2@Grad@Grad", "add1_out_float32_2@Grad"]


def test_a_call_that_was_not_counted_has_a_pointer_in_its_name():
    y = leaf(name="x").exp()
    pointer = f"{y.grad_fn.node_ptr():#x}"
    with naming.in_use():
        (first,) = paddle.grad((y * y).sum(), y, create_graph=True)
        (second,) = paddle.grad((y**3).sum(), y, create_graph=True)
        product = second * 2
    assert naming.name_of(first).startswith("add1_out")
    assert naming.name_of(second) == f"exp_{pointer}_out_float32_2@Grad"
    assert names_behind(product) == [f"exp_{pointer}_out_float32_2@Grad@Grad"]


def test_a_jax_function_names_its_gradients_too():
    double = from_jax(lambda a: a * a, name="squared")
    x = leaf(name="x")
    with naming.in_use():
        (first,) = paddle.grad(double(x).sum(), x, create_graph=True)
        product = first * 2
    assert naming.name_of(first) == "x@Grad"
    assert names_behind(product) == ["x@Grad@Grad"]


def test_gradients_of_calls_of_other_ops_are_called_and_counted_as_these():
    x = leaf(name="x")
    with naming.in_use():
        halves = paddle.split(x * x, 2)
        (first,) = paddle.grad((halves[0] * halves[1]).sum(), x, create_graph=True)
        joined = paddle.concat([x, x])
        flipped = paddle.grad((paddle.flip(x, [0]) * x).sum(), x, create_graph=True)[0]
    nodes = {naming.node_name(node) for node in behind(first.grad_fn)}
    assert "concat1GradNode" in nodes
    assert naming.call_of(joined) == "concat2"
    assert "flip2GradNode" in {naming.node_name(node) for node in behind(flipped.grad_fn)}


def behind(node):
    """Return a node and all nodes upstream of it."""
    found = [node]
    for each in found:  # grows while it is read
        found += [n for n in each.next_functions if n is not None and n not in found]
    return found


def test_class_names_of_nodes_are_paddles():
    x = paddle.ones([1, 1, 3, 3])
    x.stop_gradient = False
    convolved = paddle.nn.functional.conv2d(x, paddle.ones([1, 1, 2, 2]) * x[:, :, :2, :2])
    (first,) = paddle.grad((convolved * 2).sum(), x, create_graph=True)
    names = {node.name() for node in behind(first.grad_fn)}
    assert "Conv2dDoubleGradNodeFinal" in names
    (scaled,) = paddle.grad((x * 3).exp().sum(), x, create_graph=True)
    assert scaled.grad_fn.name() == "ScaleGradNode"


def test_double_grad_graphs_keep_names_and_have_one_node_per_leaf(tmp_path):
    paddle.set_flags({FLAG: True})
    x, y = leaf(name="x"), leaf(name="y")
    (first,) = paddle.grad(x * y, x, create_graph=True)
    (first * first).sum().backward(dump_backward_graph_path=str(tmp_path / "second"))
    paddle.grad((x**3).sum(), x, create_graph=True)[0].sum().backward(
        dump_backward_graph_path=str(tmp_path / "power")
    )
    for name in ("second", "power"):
        found = graph(tmp_path / name)
        assert all(re.match(r"\w+@Grad(@Grad)?$", name) for *_, name in edges(found))
        assert all(re.search(r"(\d|Double)GradNode$", n) or n == "GradNodeAccumulation"
                   for n in labels(found))  # fmt: skip
        pointers = [node.pointer for node in found.nodes.values()]
        assert len(set(pointers)) == len(pointers)
    leaves = [n.more for n in graph(tmp_path / "second").nodes.values() if n.color == "#148b97"]
    assert leaves == [("x",), ("y",)]


# ---- gradients that users and tools see


def test_tools_name_gradients_and_leave_their_names_alone():
    x = leaf(name="x")
    with naming.in_use():
        (grad,) = paddle.grad(x.exp().sum(), x)
        (x * x).sum().backward()
    assert naming.name_of(grad) == naming.name_of(x.grad) == "x@Grad"
    assert grad.name.startswith("eager_tmp")
    assert x.grad.name.startswith("eager_tmp")


def test_a_name_that_the_user_gave_a_gradient_stays():
    x = leaf(name="x")
    paddle.set_flags({FLAG: True})
    (x * x).sum().backward()
    x.grad.name = "mine"
    paddle.grad((x * x).sum(), x)
    assert (x.grad.name, naming.name_of(x.grad)) == ("mine", "mine")


def test_a_gradient_and_its_tensor_have_the_same_name_in_their_names():
    paddle.set_flags({FLAG: True})
    x: Any = paddle.ones([2]).detach()
    x.stop_gradient = False
    (x * x).sum().backward()
    assert x.grad.name == f"{x.name}@Grad"


def test_checksums_go_by_the_names_that_the_user_gave(tmp_path):
    x = leaf(name="x")
    paddle.set_flags({MD5: str(tmp_path / "md5")})
    y = x * 2
    y.name = "hidden"
    y.exp().sum().backward()
    paddle.set_flags({MD5: ""})
    names = [line.partition(":")[0] for line in (tmp_path / "md5").read_text().splitlines()]
    assert names == [
        "scale1_out_float32_2", "exp1_out_float32_2", "sum1_out_float32_",
        "exp1_out_float32_2@Grad", "hidden@Grad", "x@Grad",
    ]  # fmt: skip


@pytest.mark.parametrize("create_graph", [False, True])
def test_the_backward_of_a_pylayer_is_given_named_gradients(create_graph):
    seen = []

    class Watched(PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            seen.append(grad.name)
            return grad * 2

    paddle.set_flags({FLAG: True})
    x = leaf(name="x")
    y: Any = Watched.apply(x)
    paddle.grad(y.sum(), x, create_graph=create_graph)
    assert seen == ["Watched1_out0_0_float32_2@Grad"]


# ---- where ``grad`` ends in the middle of a graph


def grads_in_the_middle():
    """Return gradients with respect to tensors that ops have made."""
    x = leaf(name="x")
    y = x.exp()
    low, high = paddle.split(x * 2, 2)
    values, _ = paddle.topk(x * 3, 1)
    found = [
        *paddle.grad((y * y).sum(), y),
        *paddle.grad((y * y).sum(), y, create_graph=True),
        *paddle.grad((low * high).sum(), [high, low]),
        *paddle.grad(values.sum(), values),
        *paddle.grad((y * 2).tanh().sum(), y, no_grad_vars=[x]),
    ]
    return [each.tolist() for each in found]


@pytest.mark.parametrize("level", [3, 4, 6, 11])
def test_a_log_of_it_names_no_kernel_that_did_not_run(level, capfd):
    expected = grads_in_the_middle()
    core.set_vlog_level(level)
    found = grads_in_the_middle()
    core.set_vlog_level(0)
    assert found == expected
    log = capfd.readouterr().err
    ran = set(re.findall(r"Running_AD_API_GRAD: (\w+)=", log))
    assert ran == {"multiply_grad", "sum_grad", "tanh_grad", "scale_grad"}


def test_checksums_of_it_are_paddles(tmp_path):
    expected = grads_in_the_middle()
    paddle.set_flags({MD5: str(tmp_path / "md5")})
    x = leaf(name="x")
    y = x.exp()
    paddle.grad((y * y).sum(), y)
    paddle.set_flags({MD5: ""})
    names = [line.partition(":")[0] for line in (tmp_path / "md5").read_text().splitlines()]
    assert names == [
        "exp1_out_float32_2", "multiply1_out_float32_2", "sum1_out_float32_",
        "multiply1_out_float32_2@Grad", "exp1_out_float32_2@Grad", "exp1_out_float32_2@Grad",
    ]  # fmt: skip
    paddle.set_flags({MD5: str(tmp_path / "more")})
    assert grads_in_the_middle() == expected
