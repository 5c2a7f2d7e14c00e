"""Random draws in branches and loops of static.nn that are part of a program."""

import numpy as np
import pytest

import jaxeager as paddle

st = paddle.static.nn
ROUNDS = 6


def counted(body, count=ROUNDS):
    """Return the number of each round."""

    def once(i, out):
        return i + 1, paddle.scatter(out, i.reshape([1]), body(i).reshape([1]))

    start = [paddle.zeros([], "int64"), paddle.zeros([count])]
    return st.while_loop(lambda i, _: i < count, once, start)[1]


def one_a_round():
    return counted(lambda i: paddle.rand([]))


def of_a_branch():
    return counted(lambda i: st.cond(i % 2 == 0, lambda: paddle.rand([]), lambda: paddle.rand([])))


def of_a_case():
    draws = [lambda: paddle.rand([]), lambda: paddle.rand([])]
    return counted(lambda i: st.switch_case(i % 2, draws))


def of_a_branch_in_a_branch():
    def inner():
        return st.cond(paddle.rand([]) < 0.5, lambda: paddle.rand([]), lambda: paddle.rand([]))

    return counted(lambda i: st.cond(i % 2 == 0, inner, lambda: paddle.rand([])))


def of_a_loop():
    return counted(lambda i: counted(lambda j: paddle.rand([]), 2)[1])


def of_two_loops():
    return paddle.concat([paddle.rand([1]), one_a_round(), paddle.rand([1]), one_a_round()])


def of_a_python_loop():
    i, out = paddle.zeros([], "int64"), paddle.zeros([ROUNDS])
    while i < 3:
        out = paddle.concat([out[2:], counted(lambda j: paddle.rand([]), 2)])
        i = i + 1
    return out


PROGRAMS = [
    *(one_a_round, of_a_branch, of_a_case, of_a_branch_in_a_branch),
    *(of_a_loop, of_two_loops),
]
CASES = [(program, is_whole) for program in PROGRAMS for is_whole in (True, False)]
CASES.append((of_a_python_loop, True))


@pytest.mark.parametrize(("program", "is_whole"), CASES)
def test_each_round_draws_its_own_number(program, is_whole):
    marked = paddle.jit.to_static(program, full_graph=is_whole)
    runs = []
    for seed in (1, 1, 2):
        paddle.seed(seed)
        runs.append(np.stack([marked().numpy(), marked().numpy()]))
    first, again, other = runs
    assert len(np.unique(first)) == first.size
    assert len(np.unique([first, other])) == 2 * first.size
    np.testing.assert_array_equal(first, again)


def test_a_condition_draws_another_number_before_each_round():
    def tossed():
        start = [paddle.zeros([], "int64")]
        return st.while_loop(lambda i: paddle.rand([]) < 0.75, lambda i: i + 1, start)[0]

    marked = paddle.jit.to_static(tossed, full_graph=True)
    paddle.seed(3)
    lengths = [marked().item() for _ in range(200)]
    assert abs(np.mean(lengths) - 3) < 4 * np.sqrt(12 / 200)  # geometric: mean 3, variance 12


def test_a_loop_that_draws_nothing_takes_no_number():
    marked = paddle.jit.to_static(lambda: counted(lambda i: i.astype("float32")), full_graph=True)
    paddle.seed(5)
    expected = paddle.rand([3]).numpy()
    paddle.seed(5)
    np.testing.assert_array_equal(marked().numpy(), np.arange(ROUNDS))
    np.testing.assert_array_equal(paddle.rand([3]).numpy(), expected)
