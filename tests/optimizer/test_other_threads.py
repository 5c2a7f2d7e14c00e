"""Threads that read what another thread trains: each read is one whole value, old or new."""

import collections
import copy
import io
import sys
import threading

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn
from jaxeager.graph.views.stale import is_stale, withdraw
from jaxeager.optimizer import donation
from tests.support.processes import printed_by

WAIT = 60


class Uniform(nn.Layer):
    """A layer whose weights have equal elements, and keep them during training."""

    def __init__(self):
        super().__init__()
        ones = nn.initializer.Constant(1.0)
        self.wide = self.create_parameter([64, 32], default_initializer=ones)
        self.flat = self.create_parameter([300], default_initializer=ones)
        self.register_buffer("calls", paddle.zeros([16]))

    def forward(self, x):
        if self.training:
            self.calls.add_(paddle.ones([16]))
        return (self.wide * x).sum() + (self.flat * x).sum()


class Training:
    """A net, its optimizer and a step."""

    def __init__(self, mark=lambda function: function):
        self.net = Uniform()
        self.adam = paddle.optimizer.Adam(0.01, parameters=self.net.parameters())
        self.x = paddle.ones([1])
        self.step = mark(self._step)

    def _step(self, x):
        loss = self.net(x)
        loss.backward()
        self.adam.step()
        self.adam.clear_grad()
        return loss


def arrays(run):
    return [each._array for each in run.net.parameters()]


def exported(run):
    return [np.from_dlpack(each.detach()) for each in run.net.parameters()]


def ops(run):
    return [(each * 2).numpy() for each in run.net.parameters()]


def views(run):
    return [each[1:3].numpy() for each in run.net.parameters()]


def state(run):
    saved = io.BytesIO()
    paddle.save({**run.net.state_dict(), **run.adam.state_dict()}, saved)
    saved.seek(0)
    return [np.asarray(each) for name, each in paddle.load(saved).items() if "LR" not in name]


def copied(run):
    return [each.numpy() for each in copy.deepcopy(run.net).parameters()]


def forwards(run):
    with paddle.no_grad():
        total = sum((each * run.x).sum() for each in run.net.parameters())
    return [total.numpy()]


def gradients(run):
    w = run.net.flat
    (found,) = paddle.grad((w * w).sum(), [w])
    return [found.numpy()]


READERS = [arrays, exported, ops, views, state, copied, forwards, gradients]


class Reader(threading.Thread):
    """Reads until it is stopped, and checks earlier reads again."""

    def __init__(self, read, run, stop):
        super().__init__(daemon=True)
        self.read, self.training, self.stop = read, run, stop
        self.count, self.faults = 0, []
        self._held = collections.deque(maxlen=20)

    def run(self):
        while not self.stop.is_set():
            try:
                found = self.read(self.training)
                self._held.append([(each, np.array(each)) for each in found])
                self._look()
                self.count += len(found)
            except Exception as error:
                self.faults.append(repr(error))

    def _look(self):
        for value, then in (*self._held[0], *self._held[-1]):
            now = np.asarray(value)
            if now.size and now.min() != now.max():
                self.faults.append(f"{self.read.__name__}: a mixture")
            if not np.array_equal(now, then):
                self.faults.append(f"{self.read.__name__}: what was read has changed")


def read_beside(run, least: int, steps: int) -> int:
    """Read in eight threads while steps run; return the number of reads."""
    stop = threading.Event()
    readers = [Reader(read, run, stop) for read in READERS]
    for each in readers:
        each.start()
    done = 0
    try:
        while done < steps or sum(each.count for each in readers) < least:
            run.step(run.x)
            done += 1
    finally:
        stop.set()
        for each in readers:
            each.join(WAIT)
    assert [each.faults[:3] for each in readers] == [[]] * len(readers)
    assert all(each.count for each in readers)
    assert not any(each.is_alive() for each in readers)
    return sum(each.count for each in readers)


MARKS = {"eager": lambda function: function, "marked": paddle.jit.to_static}


@pytest.mark.parametrize("kind", MARKS)
def test_each_read_is_one_whole_value(kind):
    """Readers exist from the first step on: while it is captured, and compiled."""
    run = Training(MARKS[kind])
    assert read_beside(run, least=400, steps=12) >= 400


@pytest.mark.deep
@pytest.mark.parametrize("kind", MARKS)
def test_a_hundred_thousand_reads(kind):
    run = Training(MARKS[kind])
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    try:
        assert read_beside(run, least=50_000, steps=100) >= 50_000
    finally:
        sys.setswitchinterval(before)


@pytest.mark.parametrize("kind", MARKS)
def test_the_numbers_are_those_without_readers(kind):
    alone, watched = Training(MARKS[kind]), Training(MARKS[kind])
    stop = threading.Event()
    reader = Reader(arrays, watched, stop)
    reader.start()
    for _ in range(6):
        alone.step(alone.x)
        watched.step(watched.x)
    stop.set()
    reader.join(WAIT)
    assert reader.faults == []
    for one, other in zip(alone.net.parameters(), watched.net.parameters(), strict=True):
        np.testing.assert_allclose(other.numpy(), one.numpy(), rtol=1e-6)


@pytest.mark.parametrize("kind", MARKS)
def test_no_write_is_lost_while_another_thread_captures(kind):
    """A marked evaluation is captured repeatedly, with one more row each time."""
    alone, watched = Training(MARKS[kind]), Training(MARKS[kind])
    evaluated = paddle.jit.to_static(lambda x: (watched.net.flat * x).sum())
    stop, faults, sizes = threading.Event(), [], []

    def evaluate():
        try:
            while not stop.is_set():
                sizes.append(len(sizes) + 1)
                evaluated(paddle.ones([len(sizes), 300])).item()
        except Exception as error:
            faults.append(repr(error))

    thread = threading.Thread(target=evaluate, daemon=True)
    thread.start()
    steps = 0
    while steps < 30 or len(sizes) < 8:
        watched.step(watched.x)
        steps += 1
    stop.set()
    thread.join(WAIT)
    for _ in range(steps):
        alone.step(alone.x)
    assert faults == []
    assert watched.net.calls.tolist() == [float(steps)] * 16
    for one, other in zip(alone.net.parameters(), watched.net.parameters(), strict=True):
        np.testing.assert_allclose(other.numpy(), one.numpy(), rtol=1e-5, atol=1e-6)


def with_company(call):
    """Return the result of a call while another thread waits."""
    over = threading.Event()
    idle = threading.Thread(target=over.wait, daemon=True)
    idle.start()
    try:
        return call()
    finally:
        over.set()
        idle.join()


@pytest.mark.single_calls
def test_memory_is_used_again_with_other_threads_too():
    run = Training()
    run.step(run.x)
    run.step(run.x)
    before = [each._array.unsafe_buffer_pointer() for each in run.net.parameters()]
    with_company(lambda: run.step(run.x))
    assert [each._array.unsafe_buffer_pointer() for each in run.net.parameters()] == before


def test_tensors_have_their_class_after_a_step_that_fails():
    w = paddle.nn.Parameter(paddle.ones([3]))
    sgd = paddle.optimizer.SGD(0.5, parameters=[w])
    w.grad = paddle.ones([3])
    sgd.step()
    w.grad._array = jax.numpy.ones(4)
    with pytest.raises(paddle.errors.InvalidArgumentError, match="has shape"):
        with_company(sgd.step)
    assert not is_stale(w)
    assert w.tolist() == [0.5] * 3


def test_an_interrupted_step_keeps_no_thread_waiting():
    """Only the next reader restores the class then."""
    w = paddle.nn.Parameter(paddle.ones([3]))
    thread = threading.Thread(target=withdraw, args=([w],))
    thread.start()
    thread.join()
    assert is_stale(w)
    assert type(w).__name__ == "Parameter"
    assert w.tolist() == [1.0] * 3
    assert not is_stale(w)


def test_company():
    alone = "from jaxeager.optimizer import donation; print(donation.has_company())"
    assert printed_by(alone) == "False\n"
    assert with_company(donation.has_company)


def test_other_threads_see_what_was_there_before_a_capture():
    w = paddle.nn.Parameter(paddle.ones([3]))
    held = w.detach()
    seen = []

    def look():
        seen.append((w.tolist(), w.stop_gradient, w.grad, held.tolist(), repr(w)))
        (w * 2).sum().backward()

    @paddle.jit.to_static
    def doubled(x):
        y = w * x
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
        return y

    with_company(lambda: doubled(paddle.ones([3])))
    ((values, stops, grad, others, text),) = seen
    assert (values, stops, grad, others) == ([1.0] * 3, False, None, [1.0] * 3)
    assert text.startswith("Parameter")
    assert w.grad.tolist() == [2.0] * 3
    assert type(w) is paddle.nn.Parameter


def test_a_value_set_by_a_thread_during_a_capture_is_kept():
    w = paddle.ones([3])

    def write():
        w.set_value(np.full(3, 5.0, "float32"))

    @paddle.jit.to_static
    def doubled(x):
        y = w * x
        thread = threading.Thread(target=write)
        thread.start()
        thread.join()
        return y

    with_company(lambda: doubled(paddle.ones([3])))
    assert w.tolist() == [5.0] * 3
    assert with_company(lambda: doubled(paddle.ones([3]))).tolist() == [5.0] * 3
