"""live_tensors, leaks and saved_tensors: live tensors, their age, and their holders."""

import gc

import pytest

import jaxeager as paddle
from jaxeager.debug.memory import origins
from jaxeager.graph import events

KEPT: list = []


@pytest.fixture(autouse=True)
def nothing_kept():
    """Check that the module's list is empty before and after, and that no observer is left."""
    KEPT.clear()
    yield
    KEPT.clear()
    gc.collect()
    assert origins.origins is None
    assert not events._observers


@pytest.fixture
def traced():
    """Make tensors record their origins."""
    paddle.set_flags({"FLAGS_trace_allocations": True})
    yield
    paddle.set_flags({"FLAGS_trace_allocations": False})


def of_size(size):
    """Return the live arrays of a size."""
    return [each for each in paddle.debug.live_tensors(size) if each.size_bytes == size]


def test_globals_that_an_installed_file_runs_with_are_not_the_programs():
    """Such as those of a worker of pytest-xdist, which hold all tests."""
    names = {"kept": paddle.ones([1327, 3]), "of_size": of_size}
    for file, is_program in ((pytest.__file__, False), ("<doctest>", True)):
        exec(compile("found = of_size(1327 * 3 * 4)", file, "exec"), names)
        (found,) = names["found"]
        assert ("of a program" in [each.scope for each in found.holders]) == is_program


def test_a_gradient_of_rows_is_found():
    KEPT.append(paddle.nn.Parameter(paddle.ones([1241, 3])))
    rows = paddle.arange(1239)
    paddle.nn.functional.embedding(rows, KEPT[0], sparse=True).sum().backward()
    (found,) = of_size(1239 * 3 * 4)
    assert "KEPT[0]" in str(found.holders[0]), found


def test_an_array_has_its_op_line_age_and_holder(traced):
    x = paddle.ones([1237, 3])
    KEPT.append(x.exp())
    first, second = sorted(of_size(1237 * 12), key=lambda each: each.maker)
    assert (first.maker, second.maker) == ("exp", "full")
    assert first.line.startswith(f"{__file__}:")
    assert 0 <= first.age < 60
    assert first.shape == (1237, 3)
    assert first.dtype == "float32"
    assert first.holders[0].root == f"KEPT of {__name__}"
    assert first.holders[0].name == "KEPT[0]"
    place = "x in test_an_array_has_its_op_line_age_and_holder"
    assert place in [each.root for each in second.holders]
    text = str(paddle.debug.live_tensors(1237 * 12))
    assert "made by" in text
    assert f"KEPT[0] of {__name__}" in text


def test_without_the_flag_the_node_names_the_op():
    x = paddle.ones([1237])
    x.stop_gradient = False
    y = x.tanh()
    found = {each.maker: each for each in of_size(1237 * 4)}
    assert set(found) == {"tanh", ""}
    assert found["tanh"].age is None
    assert {each.root.split()[0] for each in found["tanh"].holders} == {"y"}
    assert y.shape == [1237]


def test_layers_optimizers_gradients_and_closures_are_named():
    layer = paddle.nn.Linear(1237, 1)
    adam = paddle.optimizer.Adam(parameters=layer.parameters())
    layer(paddle.ones([1, 1237])).sum().backward()
    adam.step()
    held = {holder.name for each in of_size(1237 * 4) for holder in each.holders}
    assert {"layer.weight", "layer.weight.grad", "adam._parameter_list[0]"} <= held


def test_a_leak_through_a_hooks_closure_is_found():
    weight = paddle.ones([1237])
    weight.stop_gradient = False

    def step():
        hidden = weight * 2

        def watch(grad):
            KEPT.append(watch)
            return grad * (hidden > 0).astype("float32")

        hidden.register_hook(watch)
        (hidden * hidden).mean().backward()
        weight.clear_grad()

    found = paddle.debug.leaks(step)
    (leak,) = found
    assert (leak.maker, leak.shape, leak.per_call) == ("scale", (1237,), 1)
    assert leak.bytes_per_call == 1237 * 4
    assert leak.line.endswith(f":{step.__code__.co_firstlineno + 1}")
    holder = leak.holders[0]
    assert holder.root == f"KEPT of {__name__}"
    assert holder.through[0].startswith("hidden in the closure of the function ")
    assert holder.line.endswith(f":{step.__code__.co_firstlineno + 3}")
    assert "in the closure of" in str(found)
    assert "Each call leaves 4948 bytes behind (3 calls):" in str(found)


def test_a_step_that_leaves_nothing_has_no_leaks():
    layer = paddle.nn.Linear(4, 4)
    adam = paddle.optimizer.Adam(parameters=layer.parameters())

    def step():
        layer(paddle.ones([2, 4])).mean().backward()
        adam.step()
        adam.clear_grad()

    found = paddle.debug.leaks(step, 2)
    assert found == []
    assert str(found) == "Nothing stays: 2 calls left no array behind."


def test_a_graph_that_is_kept_is_a_leak_of_what_it_saved():
    x = paddle.ones([1237])
    x.stop_gradient = False
    found = paddle.debug.leaks(lambda: KEPT.append(x.exp().sum()))
    assert {each.maker for each in found} == {"exp", "sum"}
    (kept,) = [each for each in found if each.maker == "exp"]
    (holder,) = kept.holders
    assert holder.is_graph
    assert "ExpGradNode" in holder.through[0]
    assert holder.advice == "the tensor keeps its graph: keep float(x)"


def test_saved_tensors_by_line():
    paddle.set_flags({"FLAGS_call_stack_level": 3})
    try:
        x = paddle.ones([1000])
        x.stop_gradient = False
        y = x * x
        loss = (y.exp() + y.tanh()).sum()
    finally:
        paddle.set_flags({"FLAGS_call_stack_level": 1})
    found = paddle.debug.saved_tensors(loss)
    assert [(each.count, each.size_bytes, each.own_bytes) for each in found] == [
        (2, 8000, 8000), (1, 4000, 0),
    ]  # fmt: skip
    assert set(found[0].nodes) >= {"ExpGradNode", "TanhGradNode"}
    assert found[0].line.startswith(f"{__file__}:")
    assert "8000 of them kept by the graph alone" in str(found)


def test_saved_tensors_without_stacks_are_by_node():
    x = paddle.ones([1000])
    x.stop_gradient = False
    (row,) = paddle.debug.saved_tensors([(x * 2).exp()])
    assert (row.line, row.nodes, row.own_bytes) == ("", ("ExpGradNode",), 4000)
    assert paddle.debug.saved_tensors(paddle.ones([2])) == []


def test_origins_are_forgotten_with_their_arrays(traced):
    for _ in range(20):
        paddle.ones([7]).exp()
    gc.collect()
    assert len(origins.origins._known) < 10


def test_a_graph_that_keeps_no_array_is_a_leak():
    """A sum of losses after their backward: each step's nodes stay, without arrays."""
    net = paddle.nn.Linear(4, 4)
    sums = {"total": 0.0, "mean": 0.0}

    def train_step():
        loss = net(paddle.ones([2, 4])).square().mean()
        loss.backward()
        net.clear_gradients()
        sums["total"] = sums["total"] + loss

    found = paddle.debug.leaks(train_step)
    (leak,) = found
    assert (leak.maker, leak.dtype, leak.bytes_per_call) == ("AddGradNode", "", 0.0)
    assert leak.per_call >= 4
    assert "the graph of AddGradNode" in str(leak.holders[0])
    assert "Each call leaves a graph behind" in str(found)

    def detached_step():
        loss = net(paddle.ones([2, 4])).square().mean()
        loss.backward()
        net.clear_gradients()
        sums["mean"] += float(loss)

    sums["total"] = 0.0
    assert not paddle.debug.leaks(detached_step)


def test_each_holder_of_graphs_without_arrays_is_named():
    x = paddle.ones([3])
    x.stop_gradient = False
    kept = {"one": [], "other": []}

    def train_step():
        for factor, name in [(2, "one"), (3, "other")]:
            loss = (x * factor).sum()
            loss.backward()
            kept[name].append(loss.grad_fn)
        x.clear_grad()

    (leak,) = paddle.debug.leaks(train_step)
    assert {each.name.split("]")[0] for each in leak.holders} >= {"kept['one'", "kept['other'"}
