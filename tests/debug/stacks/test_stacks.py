"""Forward stacks: the lines that a node, a leaf and a written tensor record."""

import gc
import threading
import weakref

import pytest

import jaxeager as paddle
from jaxeager.debug.stacks import frames, stacks
from jaxeager.debug.stacks.stacks import call_stack_text, stack_of
from jaxeager.graph import events
from jaxeager.ops.call.observers import lookers
from tests.support.leaves import leaf
from tests.support.py_layers import Double


@pytest.fixture
def level_3():
    """Switch forward stacks on while a test runs."""
    paddle.set_flags({"FLAGS_call_stack_level": 3})
    yield
    paddle.set_flags({"FLAGS_call_stack_level": 1})


@pytest.fixture
def only_users():
    """Make stacks show only the program's frames while a test runs."""
    paddle.set_flags({"FLAGS_call_stack_frames": "user"})
    yield
    paddle.set_flags({"FLAGS_call_stack_frames": "default"})


def square_then_exp(x):
    """Return two ops, on two lines, in a function whose name a stack shows."""
    y = x * x
    return y.exp()


def last_line(node):
    """Return the innermost line of a node's stack."""
    return stack_of(node).summary()[-1].line


def test_a_node_knows_the_lines_that_recorded_it(level_3):
    shown = stack_of(square_then_exp(leaf([1.0])).grad_fn).summary()
    assert shown[-1].name == "square_then_exp"
    assert shown[-1].line == "return y.exp()"
    assert shown[-2].name == "test_a_node_knows_the_lines_that_recorded_it"


def test_every_way_to_record_has_a_stack(level_3):
    x = leaf([1.0])
    made = [x + 1, x * x, paddle.concat([x, x]), paddle.split(paddle.concat([x, x]), 2)[0]]
    y = x * 1
    y.scale_(2.0)
    z = x * 1
    z[0] = 3.0
    with paddle.amp.auto_cast(level="O1", dtype="bfloat16"):
        made.append(paddle.matmul(x, x))
    made.append(paddle.autograd.from_jax(lambda a: a * 2)(x))
    for tensor in (*made, y, z, x[0], x.reshape([1, 1])):
        last = stack_of(tensor.grad_fn).summary()[-1]
        assert last.name == "test_every_way_to_record_has_a_stack", tensor.grad_fn


def test_a_call_over_several_lines_shows_the_line_that_is_evaluated(level_3):
    x = leaf([1.0])
    y = paddle.add(
        x,
        x * x,
    )
    assert last_line(y.grad_fn) == "y = paddle.add("
    assert last_line(y.grad_fn.next_functions[1]) == "x * x,"


def test_other_threads_are_seen(level_3):
    made = []
    thread = threading.Thread(target=lambda: made.append(square_then_exp(leaf([1.0]))))
    thread.start()
    thread.join()
    assert stack_of(made[0].grad_fn).summary()[-1].name == "square_then_exp"


def test_frames_of_the_package_of_jax_and_of_contextlib_are_left_out(level_3, only_users):
    x = paddle.to_tensor([1.0], stop_gradient=False)  # made in this file, which the stacks name
    y = paddle.nn.functional.linear(Double.apply(x).reshape([1, 1]), paddle.ones([1, 1]))
    waiting = [y.grad_fn]
    while waiting:
        node = waiting.pop()
        shown = stack_of(node).summary()
        assert shown[-1].filename == __file__
        assert not any(frames.is_inside(frame.filename) for frame in shown)
        waiting += [each for each in node.next_functions if each is not None]


def test_leaf_stack_is_where_the_leaf_was_made_not_the_last_call(level_3):
    # BEAT: real Paddle blames the line of y for x (test_stacks_parity.py checks it)
    x = paddle.ones([2])
    y = paddle.ones([2])
    x.stop_gradient = False
    node = (x * y).grad_fn.next_functions[0]
    assert last_line(node) == "x.stop_gradient = False"


def test_a_leaf_made_by_to_tensor_a_parameter_and_a_layer(level_3, only_users):
    x = paddle.to_tensor([1.0], stop_gradient=False)
    layer = paddle.nn.Linear(1, 1)
    out = layer(x.reshape([1, 1]))
    leaves = set()
    waiting = [out.grad_fn]
    while waiting:
        node = waiting.pop()
        if node.name() == "GradNodeAccumulation":
            leaves.add(last_line(node))
        waiting += [each for each in node.next_functions if each is not None]
    assert leaves == {
        "x = paddle.to_tensor([1.0], stop_gradient=False)",
        "layer = paddle.nn.Linear(1, 1)",
    }


def test_double_grad_nodes_have_the_forward_line_and_that_of_grad(level_3):
    # BEAT: real Paddle's are empty, or those of the last call
    x = leaf([1.0])
    y = x * x * x
    (g,) = paddle.grad(y, x, create_graph=True)
    waiting, seen = [g.grad_fn], set()
    while waiting:
        node = waiting.pop()
        waiting += [each for each in node.next_functions if each is not None]
        stack = stack_of(node)
        if "Double" in node.name():
            seen.add(stack.summary()[-1].line)
            assert stack.caller.summary()[-1].line == "(g,) = paddle.grad(y, x, create_graph=True)"
            assert "[Differentiated here (most recent call last):]" in stacks.stack_text(node)
    assert seen == {"y = x * x * x"}
    (third,) = paddle.grad(g, x, create_graph=True)
    triple = stack_of(third.grad_fn)
    assert triple.summary()[-1].name.startswith("test_double_grad")


def test_ops_that_grad_runs_itself_have_the_line_of_grad(level_3):
    x = leaf([1.0])
    y = (x * x) + (x.exp())
    (g,) = paddle.grad(y, x, create_graph=True)
    assert g.grad_fn.name() == "AddGradNode"  # the sum of the gradients of both branches
    assert last_line(g.grad_fn) == "(g,) = paddle.grad(y, x, create_graph=True)"


def test_double_grad_of_a_jax_function(level_3):
    x = leaf([1.0])
    y = paddle.autograd.from_jax(lambda a: a**3, name="cube")(x)
    (g,) = paddle.grad(y, x, create_graph=True)
    assert stack_of(g.grad_fn).caller is not None
    assert stack_of(g.grad_fn).summary()[-1].line.startswith("y = paddle.autograd.from_jax")


def test_call_stack_text_is_that_of_a_call_stack_log(level_3):
    y = leaf([1.0]) * 2
    node = y.grad_fn
    text = call_stack_text([node])
    note, head, *lines, blank, end = text.split("\n")
    assert note == (
        "Note : If you want to see the call stack information of each Node, please make sure "
        "FLAGS_call_stack_level=3 is set at runtime."
    )
    assert head == f"GradNodeBase ScaleGradNode ptr : {node.node_ptr():#x} call stack: "
    assert lines[-2].startswith(f'  File "{__file__}", line ')
    assert lines[-1] == "    y = leaf([1.0]) * 2"
    assert (blank, end) == ("", "")


def test_call_stack_text_of_a_node_without_stack_has_its_head_alone():
    node = (leaf([1.0]) * 2).grad_fn
    head = f"GradNodeBase ScaleGradNode ptr : {node.node_ptr():#x} call stack: \n\n"
    assert call_stack_text([node]) == stacks.NOTE + head
    assert stack_of(node) is None
    assert stack_of(node.next_functions[0]) is None


def test_uses_nest():
    stacks.begin_use()
    stacks.begin_use()
    stacks.end_use()
    try:
        assert stack_of((leaf([1.0]) * 2).grad_fn) is not None
    finally:
        stacks.end_use()
    assert stack_of((leaf([1.0]) * 2).grad_fn) is None


def test_without_jaxlibs_traceback_python_walks(monkeypatch, level_3):
    from jax._src.lib import xla_client

    with_jaxlib = stack_of(square_then_exp(leaf([1.0])).grad_fn).summary()
    monkeypatch.delattr(xla_client, "Traceback")
    walk = stacks.find_walker()
    assert walk is stacks._Walked
    monkeypatch.setattr(stacks, "walk", walk)
    walked = stack_of(square_then_exp(leaf([1.0])).grad_fn).summary()
    assert [f.name for f in walked] == [f.name for f in with_jaxlib]
    assert [f.line for f in walked][-1] == "return y.exp()"
    monkeypatch.setattr(xla_client, "Traceback", None, raising=False)
    assert stacks.find_walker() is stacks._Walked


def test_jaxlibs_traceback_is_what_walks_here():
    assert stacks.find_walker() is not stacks._Walked


def test_stacks_hold_no_tensor(level_3):
    import gc
    import weakref

    def make():
        big = paddle.ones([3])
        kept = leaf([1.0]) * 2
        return kept, weakref.ref(big)

    kept, big = make()
    gc.collect()
    assert stack_of(kept.grad_fn) is not None
    assert big() is None


def test_no_observer_is_left_when_it_is_off_again():
    before = list(lookers)
    paddle.set_flags({"FLAGS_call_stack_level": 3})
    assert lookers == [*before, "tools"]
    paddle.set_flags({"FLAGS_call_stack_level": 2})
    assert lookers == before
    paddle.set_flags({"FLAGS_call_stack_level": 1})
    assert lookers == before


def test_equal_code_in_two_files_shows_its_own_file(level_3):
    files = []
    for filename in ("first/layers.py", "second/layers.py"):
        scope: dict = {}
        exec(compile("def square(x):\n    return x * x\n", filename, "exec"), scope)
        files.append(stack_of(scope["square"](leaf([1.0])).grad_fn).summary()[-1].filename)
    assert files == ["first/layers.py", "second/layers.py"]


class _Local:
    """An object that a weak reference can observe."""


def _with_local(make, seen):
    local = _Local()
    seen.append(weakref.ref(local))
    return make()


def test_a_stack_keeps_no_locals_alive(level_3):
    x, y, seen = leaf([1.0]), paddle.ones([1]), []
    kept = [_with_local(make, seen) for make in (lambda: x * x, leaf, lambda: y.add_(y))]
    gc.collect()
    assert [each() for each in seen] == [None] * 3
    assert stack_of(kept[0].grad_fn).summary()[-2].name == "_with_local"


def test_ops_are_not_observed_for_their_stacks(level_3):
    assert events.take_stack is not None
    assert not events.has_ops
    x = paddle.ones([1])
    x.add_(x)
    assert x._storage.writer[:2] == ("add_", 1)


def test_level_3_gives_nothing_any_more_once_it_is_off():
    paddle.set_flags({"FLAGS_call_stack_level": 3})
    paddle.set_flags({"FLAGS_call_stack_level": 1})
    x = leaf([1.0])
    assert events.take_stack is None
    assert not hasattr((x * x).grad_fn, "stack")
    assert not hasattr(paddle.concat([x, x]).grad_fn, "stack")
