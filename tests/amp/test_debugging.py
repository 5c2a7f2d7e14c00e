"""Operator statistics: what is counted, and the table."""

import threading

import pytest

import jaxeager as paddle
from jaxeager.graph import events
from jaxeager.ops.call.observers import lookers

debugging = paddle.amp.debugging


def counts(printed):
    """Return the rows of a printed table: name to [float16, bfloat16, float32, other]."""
    rows = [line for line in printed.splitlines() if line.startswith("  ")]
    parts = [[part.strip() for part in row.split("|")] for row in rows]
    return {name: [int(number) for number in numbers] for name, *numbers in parts}


@pytest.fixture
def collected(capsys):
    """Run a function under collect_operator_stats and return the counts."""

    def run(function):
        with debugging.collect_operator_stats():
            function()
        return counts(capsys.readouterr().out)

    yield run
    assert events.operands_ready is None
    assert lookers == []


def test_the_table(capsys):
    x = paddle.ones([2, 2])
    with debugging.collect_operator_stats(), paddle.amp.auto_cast(dtype="bfloat16"):
        (x @ x).exp()
    rows = {"cast": (0, 1, 2, 0), "exp": (0, 0, 1, 0), "matmul_v2": (0, 1, 0, 0)}
    body = [
        "|  ".join(["  " + name.ljust(40), *(str(number).ljust(17) for number in numbers)])
        for name, numbers in rows.items()
    ]
    assert capsys.readouterr().out.splitlines() == [
        "<" + " op list ".center(120, "-") + ">",
        "<--------------- Op Name ---------------- | -- FP16 Calls --- | -- BF16 Calls --- | "
        "--- FP32 Calls--- | -- Other Calls -->",
        *body,
        "<" + " op count: 3 ".center(120, "-") + ">",
        "",
    ]


def test_every_dtype_has_its_column(collected):
    def program():
        for dtype in ("float16", "bfloat16", "float32", "float64", "int64", "complex64"):
            x = paddle.ones([2], dtype)
            x + x

    assert collected(program)["elementwise_add"] == [1, 1, 1, 3]


def test_in_place_listed_and_promoted_calls(collected):
    x, wide = paddle.ones([2]), paddle.ones([2], "float64")

    def program():
        x.exp_()
        paddle.concat([x, x])
        x.sum()
        x * wide
        x * 2.0
        paddle.where(x > 0, x, x)

    assert collected(program) == {
        "cast": [0, 0, 1, 0],
        "concat": [0, 0, 1, 0],
        "elementwise_mul": [0, 0, 0, 1],
        "exp": [0, 0, 1, 0],
        "fill_constant": [0, 0, 1, 0],
        "greater_than": [0, 0, 1, 0],
        "reduce_sum": [0, 0, 1, 0],
        "scale": [0, 0, 1, 0],
        "where": [0, 0, 1, 0],
    }


def test_ops_that_take_a_random_key_are_counted(collected):
    """The key has a dtype that NumPy does not have."""
    x = paddle.ones([4])
    counts = collected(lambda: paddle.nn.functional.dropout(x, 0.5))
    assert counts["dropout"] == [0, 0, 1, 0]


def test_gradients_are_not_counted(collected):
    x = paddle.ones([2, 2])
    x.stop_gradient = False

    def program():
        out = (x @ x).exp().sum()
        (grad,) = paddle.grad(out, x, create_graph=True)
        grad.sum().backward()

    found = collected(program)
    assert {name: sum(row) for name, row in found.items() if name in ("exp", "matmul_v2")} == {
        "exp": 1, "matmul_v2": 1
    }  # fmt: skip


def test_the_first_call_of_an_op_is_counted_too(collected):
    assert collected(lambda: [paddle.atanh(paddle.zeros([2])) for _ in range(3)]) == {
        "atanh": [0, 0, 3, 0], "fill_constant": [0, 0, 3, 0],
    }  # fmt: skip


def test_enabling_again_starts_from_the_beginning(capsys):
    x = paddle.ones([2])
    debugging.enable_operator_stats_collection()
    x.exp()
    debugging.enable_operator_stats_collection()
    x.sin()
    debugging.disable_operator_stats_collection()
    assert counts(capsys.readouterr().out) == {"sin": [0, 0, 1, 0]}
    assert lookers == []


def test_disabling_what_is_off_prints_nothing(capsys):
    debugging.disable_operator_stats_collection()
    assert capsys.readouterr().out == ""


def test_an_exception_ends_counting_with_the_table(capsys):
    def fails(x):
        raise ZeroDivisionError(x.exp())

    with pytest.raises(ZeroDivisionError), debugging.collect_operator_stats():
        fails(paddle.ones([2]))
    assert counts(capsys.readouterr().out) == {"exp": [0, 0, 1, 0], "fill_constant": [0, 0, 1, 0]}
    assert events.operands_ready is None
    assert lookers == []


def test_a_block_that_disabled_it_itself(capsys):
    x = paddle.ones([2])
    with debugging.collect_operator_stats():
        x.exp()
        debugging.disable_operator_stats_collection()
    assert counts(capsys.readouterr().out) == {"exp": [0, 0, 1, 0]}


def test_other_threads_are_not_counted(collected):
    x = paddle.ones([2])

    def program():
        thread = threading.Thread(target=x.exp)
        thread.start()
        thread.join()

    assert collected(program) == {}


# ---- creation ops, and optimizers


def test_functions_that_make_tensors_are_counted_by_what_they_make(collected):
    def program():
        paddle.ones([2], "float16")
        paddle.zeros([2], "int64")
        paddle.zeros_like(paddle.to_tensor([1.0]))
        paddle.rand([2])
        paddle.randn([2], "float64")
        paddle.nonzero(paddle.to_tensor([1.0]))

    assert collected(program) == {
        "fill_any_like": [0, 0, 1, 0],
        "fill_constant": [1, 0, 0, 1],
        "gaussian_random": [0, 0, 0, 1],
        "uniform_random": [0, 0, 1, 0],
        "where_index": [0, 0, 1, 0],
    }


def test_a_step_of_an_optimizer_counts_once_for_every_parameter(collected):
    layer = paddle.nn.Linear(2, 2)
    adam = paddle.optimizer.Adam(parameters=layer.parameters())
    layer(paddle.ones([1, 2])).sum().backward()
    assert collected(adam.step) == {"adam_": [0, 0, 2, 0]}


# ---- the whole process: FLAGS_low_precision_op_list


@pytest.fixture
def listed():
    """Switch the flag on; at the end, switch it off and check that nothing is left."""
    paddle.set_flags({"FLAGS_low_precision_op_list": 1})
    yield
    paddle.set_flags({"FLAGS_low_precision_op_list": 0})
    paddle.base.core.clear_low_precision_op_list()
    assert events.operands_ready is None


def test_the_flag_counts_in_every_thread_until_it_is_cleared(listed):
    core = paddle.base.core
    x = paddle.ones([2])
    core.clear_low_precision_op_list()
    thread = threading.Thread(target=x.exp)
    thread.start()
    thread.join()
    x.astype("float16").sin()
    expected = {"cast": "0,0,1,0", "exp": "0,0,1,0", "sin": "1,0,0,0"}
    assert core.get_low_precision_op_list() == expected
    paddle.set_flags({"FLAGS_low_precision_op_list": 0})
    x.tanh()
    assert core.get_low_precision_op_list() == expected
    core.clear_low_precision_op_list()
    assert core.get_low_precision_op_list() == {}


def test_the_list_of_a_collection_is_that_of_its_thread(capsys):
    core = paddle.base.core
    x = paddle.ones([2])
    debugging.enable_operator_stats_collection()
    x.exp()
    assert core.get_low_precision_op_list() == {"exp": "0,0,1,0"}
    debugging.disable_operator_stats_collection()
    assert counts(capsys.readouterr().out) == {"exp": [0, 0, 1, 0]}
    assert core.get_low_precision_op_list() == {}
