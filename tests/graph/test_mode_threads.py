"""Concurrent forward and backward in several threads: nothing is lost, doubled or half done."""

import sys
import threading

import numpy as np
import pytest

import jaxeager as paddle
from tests.support.leaves import leaf64

THREADS = 8


@pytest.fixture(autouse=True)
def _switch_often():
    """Make threads switch after every few bytecodes, so that a race shows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def in_threads(function, count=THREADS):
    """Run function(number) in threads that start together; return results, raise errors."""
    gate = threading.Barrier(count)
    results, errors = [None] * count, []

    def run(number):
        gate.wait()
        try:
            results[number] = function(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results


def test_each_thread_has_its_own_graph():
    def work(number):
        x = leaf64([1.0, 2.0, number])
        for _ in range(20):
            ((x * x).exp() * number).sum().backward()
        return x.grad.numpy()

    for number, grad in enumerate(in_threads(work)):
        x = np.float64([1.0, 2.0, number])
        np.testing.assert_allclose(grad, 20 * number * 2 * x * np.exp(x * x))


def test_no_update_of_a_leaf_that_threads_share_is_lost():
    weight = leaf64([1.0, 2.0])
    rounds = 60

    def work(number):
        for _ in range(rounds):
            (weight * number).sum().backward()

    in_threads(work)
    total = rounds * sum(range(THREADS))
    assert weight.grad.tolist() == [total, total]


def test_threads_that_meet_a_new_leaf_first_share_its_accumulation():
    for _ in range(50):
        weight = leaf64([1.0])
        in_threads(lambda number, weight=weight: (weight * 2).backward(), count=4)
        assert weight.grad.tolist() == [8.0]


def test_all_threads_run_one_retained_graph():
    x = leaf64(np.linspace(0.1, 1.0, 20))
    h = (x * x).exp()
    loss = (h * x.sin()).sum()
    loss.backward(retain_graph=True)
    once = x.grad.numpy()
    x.clear_gradient(False)
    in_threads(lambda number: [loss.backward(retain_graph=True) for _ in range(10)])
    np.testing.assert_allclose(x.grad.numpy(), 10 * THREADS * once, rtol=1e-12)


def test_a_graph_that_is_not_retained_runs_whole_or_is_refused():
    for _ in range(20):
        x = leaf64([3.0])
        loss = (x * x).exp().log().sum()

        def run(number, loss=loss):
            try:
                loss.backward()
            except SystemError as error:
                return str(error)
            return None

        results = in_threads(run, count=3)
        refused = [text for text in results if text is not None]
        assert all("backward twice for the same subgraph" in text for text in refused)
        assert len(refused) < 3
        np.testing.assert_allclose(x.grad.numpy(), [6.0 * (3 - len(refused))])


def test_partial_gradients_and_backward_run_side_by_side():
    x = leaf64([0.5, 1.5])
    y = (x * x * x).sum()

    def work(number):
        if number % 2:
            y.backward(retain_graph=True)
            return None
        (first,) = paddle.grad(y, [x], create_graph=True)
        (second,) = paddle.grad(first.sum(), [x])
        return second.tolist()

    found = in_threads(work)
    assert found[::2] == [[3.0, 9.0]] * (THREADS // 2)
    np.testing.assert_allclose(x.grad.numpy(), THREADS // 2 * 3 * np.float64([0.5, 1.5]) ** 2)


def test_a_failing_backward_takes_back_only_what_it_added_itself():
    weight = leaf64([1.0, 2.0])
    rounds = 30

    def work(number):
        for _ in range(rounds):
            y = weight * 1.0
            if number % 2:
                weight_too, z = weight * 3.0, y * y
                y.add_(paddle.ones([2], "float64"))
                with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                    paddle.autograd.backward([weight_too, z])
            else:
                y.sum().backward()

    in_threads(work)
    total = rounds * THREADS / 2
    np.testing.assert_allclose(weight.grad.numpy(), [total, total])


def test_modes_switch_in_every_thread_on_its_own():
    x = leaf64([1.0])

    def work(number):
        mode = [paddle.no_grad, paddle.enable_grad, paddle.inference_mode][number % 3]
        seen = set()
        for _ in range(100):
            with mode():
                seen.add((x * 2).stop_gradient)
            assert not (x * 2).stop_gradient
        return seen

    assert in_threads(work, count=6) == [{True}, {False}, {True}] * 2


@pytest.mark.single_calls
def test_ops_called_for_the_first_time_by_all_threads_at_once():
    def work(number):
        x = leaf64([0.3, number + 1.0])
        y = paddle.lgamma(x) + paddle.log1p(x) + paddle.asinh(x) + paddle.expm1(x)
        y.sum().backward()
        return y.numpy(), x.grad.numpy()

    for number, (value, grad) in enumerate(in_threads(work)):
        again = work(number)
        np.testing.assert_array_equal(value, again[0])
        np.testing.assert_array_equal(grad, again[1])
