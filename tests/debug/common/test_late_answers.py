"""LateAnswers: requests to a device that are read later, and by which thread."""

import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxeager.debug.common import late_answers
from jaxeager.debug.common.late_answers import TOGETHER, LateAnswers, read_together


def in_a_thread(function):
    """Run a function in a separate thread, to its end."""
    thread = threading.Thread(target=function)
    thread.start()
    thread.join()


def asked(*questions):
    """Return LateAnswers with requests of this thread; the answer is the request."""
    made = LateAnswers()
    for count, question in enumerate(questions, 1):
        assert made.put(jnp.int32(question), question) == count
    return made


@pytest.mark.parametrize("count", [0, 1, 8, 9, 64, 65, 200])
def test_answers_come_with_their_questions_in_order(count):
    made = asked(*range(count))
    assert [(int(answer), question) for answer, question in made.take()] == [
        (k, k) for k in range(count)
    ]
    assert made.take() == []


def test_a_thread_is_given_its_own_and_those_of_threads_that_have_ended():
    made = asked(1)
    in_a_thread(lambda: made.put(jnp.int32(2), 2))
    taken = []
    in_a_thread(lambda: taken.extend(made.take()))
    assert [question for _, question in taken] == [2]
    assert [question for _, question in made.take()] == [1]


def test_the_answers_of_every_thread_can_be_requested():
    made = asked(1)
    taken = []
    in_a_thread(lambda: taken.extend(made.take(every_thread=True)))
    assert [question for _, question in taken] == [1]
    assert made.take() == []


def test_a_forked_child_drops_the_questions_of_its_parent(monkeypatch):
    made = asked(1)
    monkeypatch.setattr(late_answers.os, "getpid", lambda: -1)
    assert made.take() == []
    made.put(jnp.int32(2), 2)
    assert [question for _, question in made.take()] == [2]


def test_many_are_read_in_few_transfers(monkeypatch):
    calls = []
    stacked = late_answers._stacked
    monkeypatch.setattr(late_answers, "_stacked", lambda *a: calls.append(len(a)) or stacked(*a))
    read_together([jnp.int32(k) for k in range(TOGETHER + 20)])
    assert calls == [TOGETHER, TOGETHER]


def test_arrays_are_read_together():
    arrays = [jnp.array([k, -k]) for k in range(12)]
    np.testing.assert_array_equal(np.stack(read_together(arrays)), np.stack(arrays))


def test_they_are_read_inside_jax_jit():
    flags = [jnp.bool_(k % 3) for k in range(12)]

    @jax.jit
    def traced(x):
        assert [bool(flag) for flag in read_together(flags)] == [bool(k % 3) for k in range(12)]
        return x

    traced(1.0)
