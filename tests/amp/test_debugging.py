"""Operator statistics: what is counted, and the table."""

import threading

import pytest

import jaxeager as paddle
from jaxeager.graph.mode import grad_mode

debugging = paddle.amp.debugging


def counts(printed):
    """The rows of a printed table: name to [float16, bfloat16, float32, other]."""
    rows = [line for line in printed.splitlines() if line.startswith("  ")]
    parts = [[part.strip() for part in row.split("|")] for row in rows]
    return {name: [int(number) for number in numbers] for name, *numbers in parts}


@pytest.fixture
def collected(capsys):
    """Runs a function under collect_operator_stats and gives the counts."""

    def run(function):
        with debugging.collect_operator_stats():
            function()
        return counts(capsys.readouterr().out)

    yield run
    assert grad_mode.on_call is None
    assert grad_mode.watching == 0


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
        "greater_than": [0, 0, 1, 0],
        "reduce_sum": [0, 0, 1, 0],
        "scale": [0, 0, 1, 0],
        "where": [0, 0, 1, 0],
    }


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
        "atanh": [0, 0, 3, 0]
    }


def test_enabling_again_begins_anew(capsys):
    x = paddle.ones([2])
    debugging.enable_operator_stats_collection()
    x.exp()
    debugging.enable_operator_stats_collection()
    x.sin()
    debugging.disable_operator_stats_collection()
    assert counts(capsys.readouterr().out) == {"sin": [0, 0, 1, 0]}
    assert grad_mode.watching == 0


def test_disabling_what_is_off_prints_nothing(capsys):
    debugging.disable_operator_stats_collection()
    assert capsys.readouterr().out == ""


def test_an_exception_stops_counting(capsys):
    with pytest.raises(ZeroDivisionError), debugging.collect_operator_stats():
        raise ZeroDivisionError
    assert capsys.readouterr().out == ""
    assert grad_mode.on_call is None
    assert grad_mode.watching == 0


def test_a_block_that_disabled_it_itself(capsys):
    with debugging.collect_operator_stats():
        paddle.ones([2]).exp()
        debugging.disable_operator_stats_collection()
    assert counts(capsys.readouterr().out) == {"exp": [0, 0, 1, 0]}


def test_other_threads_are_not_counted(collected):
    x = paddle.ones([2])

    def program():
        thread = threading.Thread(target=x.exp)
        thread.start()
        thread.join()

    assert collected(program) == {}
