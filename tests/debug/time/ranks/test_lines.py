"""The time of each line in each step."""

import pytest

from jaxeager.debug.time.ranks.lines import gaps, outside_of_ops, steps_of
from jaxeager.debug.time.timed_events import Event, TracerEventType
from jaxeager.debug.time.user_stack import Frame

READ, FORWARD, STEP, SEND = (Frame("", "train.py", line) for line in (10, 12, 14, 16))


def event(name, begin, end, line, kind=TracerEventType.Operator, *children):
    made = Event(name, kind, 1, begin)
    made.end_ns, made.children = end, list(children)
    made.stack = () if line is None else (line._replace(label="main"),)
    return made


def update(begin, end):
    inner = event("sgd_ dygraph", begin + 1, end - 1, STEP)
    return event("Optimization Step", begin, end, STEP, TracerEventType.Optimization, inner)


def wait(begin, end, line):
    made = event("wait for all_reduce", begin, end, line, TracerEventType.UserDefined)
    made.is_wait = True
    return made


def test_ops_gaps_and_samples_add_up_to_the_time_of_a_step():
    roots = [
        event("matmul dygraph", 100, 150, FORWARD), wait(160, 200, SEND), update(200, 220),
        event("matmul dygraph", 400, 450, FORWARD), update(460, 470),
    ]  # fmt: skip
    samples = [(250, READ), (300, READ._replace(label="batches")), (350, READ)]
    found = steps_of(roots, samples, 100, 480)
    assert (found.frame, found.ends) == (STEP, [219, 469])
    first, second, rest = found.lines
    assert first == {FORWARD: 50, SEND: 10, STEP: 19}  # and 40 of waiting
    assert second == {READ: 180, FORWARD: 50, STEP: 19}
    assert sum(second.values()) == pytest.approx(469 - 219, abs=3)  # thirds are rounded
    assert rest == {}


def test_a_step_that_makes_kernels_is_marked():
    slow = event("matmul dygraph", 0, 90, FORWARD)
    slow.compile_ns, slow.kernels = 80, 1
    found = steps_of([slow, update(90, 95), update(190, 195)], [], 0, 200)
    assert found.made_kernels == [True, False]
    assert found.lines[0][FORWARD] == 90


def test_without_an_optimizer_a_step_ends_with_a_call():
    roots = [wait(10, 20, READ), wait(30, 40, SEND), wait(50, 60, SEND)]
    found = steps_of(roots, [(25, FORWARD)], 0, 70)
    assert (found.frame, found.ends) == (SEND, [40, 60])
    assert found.lines[0] == {READ: 10, FORWARD: 10}
    assert steps_of([], [], 0, 70)[:2] == (None, [])


def test_gaps_skip_what_is_inside_of_ops():
    inner = event("add dygraph", 12, 14, FORWARD)
    outer = event("Layer", 10, 20, FORWARD, TracerEventType.PythonOp, inner)
    assert list(gaps([outer], 5, 30)) == [(5, 10, outer.line), (20, 30, None)]


def test_a_sample_of_short_gaps_has_the_time_of_those_without_one():
    """1,000 gaps of 1 ms, of which the sampler, every 5 ms, sees 200."""
    ms = 1_000_000
    roots = [event("add dygraph", 2 * n * ms, (2 * n + 1) * ms, FORWARD) for n in range(1001)]
    samples = [((10 * n + 1) * ms + 5, READ) for n in range(200)]
    assert outside_of_ops(roots, samples, 0, 2001 * ms) == {READ: 1000 * ms}
    long = outside_of_ops([roots[0]], [(n * 5 * ms, READ) for n in range(1, 21)], 0, 101 * ms)
    assert long == {READ: 100 * ms}
