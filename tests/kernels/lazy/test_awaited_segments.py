"""Segments that the program waits for: kernels/lazy/segments.py."""

from concurrent.futures import ThreadPoolExecutor

import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.kernels import compile_events, executables, kernel_files
from jaxeager.kernels.lazy import mode, segments
from jaxeager.kernels.lazy.recorder import Recorder
from tests.support.here import only_on_a_cpu
from tests.support.lazy_programs import segments_of

pytestmark = only_on_a_cpu("XLA runs programs of other devices in threads of its own")
RUNS = segments.CHANGE_OVER + 2


@pytest.fixture(autouse=True)
def _kernels_have_files(folder):
    """What waits is loaded from the file of what does not."""


def training_step(width):
    """Return the function of a training step; it returns the loss, which is not computed yet."""
    paddle.seed(0)
    linear = paddle.nn.Linear(width, 5)
    adam = paddle.optimizer.Adam(0.01, parameters=linear.parameters())
    x = paddle.ones([3, width])

    def run():
        loss = (linear(x) ** 2).mean()
        loss.backward()
        adam.step()
        adam.clear_grad()
        return loss

    return run


@pytest.fixture
def step():
    """Return the function of a training step."""
    return training_step(11)


@pytest.fixture
def no_files():
    """Keep no files of kernels."""
    before = kernel_files._folder
    kernel_files.set_folder(None)
    yield
    kernel_files.set_folder(before)


def segment():
    """Return the longest segment."""
    return max(segments_of(mode.block_recorder()), key=lambda each: len(each.steps))


def test_a_read_that_ends_a_segment_waits_for_it():
    x = paddle.ones([13])
    with paddle.lazy():
        for _ in range(RUNS):
            assert (x * 2.0 + 1.0).sum().item() == 39.0
    assert segment().is_awaited


def test_a_step_whose_loss_is_read_at_once_is_waited_for(step):
    with paddle.lazy():
        for _ in range(RUNS):
            step().item()
    assert segment().is_awaited


def test_a_step_whose_loss_is_not_read_is_not(step):
    with paddle.lazy():
        for _ in range(RUNS):
            step()
    assert not segment().is_awaited


def test_a_read_in_another_thread_is_not_a_wait(step):
    with paddle.lazy(), ThreadPoolExecutor(1) as pool:
        for _ in range(RUNS):
            pool.submit(step().item).result()
    assert not segment().is_awaited


def test_a_function_of_jax_does_not_wait():
    x = paddle.ones([13])
    with paddle.lazy():
        for _ in range(RUNS + segments.HABIT):
            jnp.sum((x * 2.0 + 1.0)._array)
    assert not segment().is_awaited


def test_the_read_of_a_later_call_is_not_a_wait_for_the_step(step):
    x = paddle.ones([13])
    with paddle.lazy():
        for _ in range(RUNS):
            step()
            (x + 1.0).numpy()
    assert not segment().is_awaited


def test_a_loss_that_is_read_outside_of_the_block_is_waited_for(step):
    train = paddle.jit.to_static(step)
    for _ in range(RUNS):
        train().item()
    assert segment().is_awaited


def test_a_loop_that_reads_every_tenth_loss_does_not_wait_for_the_others(step):
    with paddle.lazy():
        for number in range(30):
            loss = step()
            if number % 10 == 0:
                loss.item()
    assert not segment().is_awaited


def test_a_new_habit_takes_the_executable_from_its_file(step):
    losses = []
    with paddle.lazy():
        for _ in range(RUNS):
            losses.append(step())
        assert not segment().is_awaited
        before, kernel = executables.counts(), segment().kernel
        for _ in range(segments.HABIT + 1):
            losses.append(step())
            losses[-1].item()
    after = executables.counts()
    assert segment().is_awaited
    assert segment().kernel is not kernel
    assert (after.full, after.quick) == (before.full, before.quick)
    assert after.loaded == before.loaded + 1
    losses = [each.item() for each in losses]
    assert losses == sorted(losses, reverse=True)


def test_without_files_it_stays_as_it_was_compiled(no_files):
    step = training_step(12)  # JAX's own cache keeps it, which does not know who waits
    with paddle.lazy():
        for _ in range(RUNS):
            step()
        kernel = segment().kernel
        for _ in range(2 * segments.HABIT):
            step().item()
    assert segment().kernel is kernel


def test_without_files_the_next_process_finds_it_in_the_cache_of_jax(no_files, monkeypatch):
    x, found = paddle.ones([14]), []
    compile_events.on_compiled(found.append)
    for _ in range(2):
        monkeypatch.setattr(mode._of_thread, "recorder", Recorder())  # as in the next process
        with paddle.lazy():
            for _ in range(RUNS):
                (x * 2.0 + 1.0).sum().item()
    compile_events.forget(found.append)
    assert [each.was_cached for each in found if "segment" in each.jax_name][-1]


def test_the_numbers_do_not_depend_on_the_habit():
    found = []
    for every in (1, 2, 3, 1000):
        paddle.seed(0)
        linear = paddle.nn.Linear(17, 5)
        sgd = paddle.optimizer.Momentum(0.1, parameters=linear.parameters())
        with paddle.lazy():
            for number in range(25):
                loss = (linear(paddle.ones([2, 17])) ** 2).sum()
                loss.backward()
                sgd.step()
                sgd.clear_grad()
                if number % every == 0:
                    loss.item()
        found.append(linear.weight.numpy().tobytes())
    assert len(set(found)) == 1
    assert np.isfinite(np.frombuffer(found[0], "float32")).all()


def test_the_read_of_the_previous_loss_is_not_a_wait_for_the_step(step):
    previous = None
    with paddle.lazy():
        for _ in range(RUNS + segments.HABIT):
            loss = step()
            if previous is not None:
                previous.item()
            previous = loss
    assert not segment().is_awaited


@pytest.mark.parametrize("number", [0, 1])
def test_an_interrupt_behind_the_first_call_of_an_executable_loses_nothing(monkeypatch, number):
    """Number 0 is the call when it was compiled, number 1 the one when it changes threads."""
    paddle.seed(0)
    linear = paddle.nn.Linear(15, 5)
    sgd = paddle.optimizer.Momentum(0.1, parameters=linear.parameters())
    make, called = executables._Kernel.make, []

    def step():
        loss = (linear(paddle.ones([3, 15])) ** 2).mean()
        loss.backward()
        sgd.step()
        sgd.clear_grad()
        return loss

    def interrupted(self, *given):
        made = make(self, *given)
        if "segment" in self.jax_name:
            called.append(made)
            if len(called) == number + 1:
                raise KeyboardInterrupt
        return made

    def train():
        for at in range(3 * RUNS):
            loss = step()
            if at >= RUNS:
                loss.item()

    with paddle.lazy():
        monkeypatch.setattr(executables._Kernel, "make", interrupted)
        with pytest.raises(KeyboardInterrupt):
            train()
        assert np.isfinite(linear.weight.numpy()).all()
        assert np.isfinite(step().item())


def test_a_program_that_changes_its_mind_soon_keeps_its_executable(step):
    with paddle.lazy():
        for _ in range(RUNS):
            step()
        before = executables.counts().loaded
        for number in range(20 * segments.HABIT):
            loss = step()
            if number // segments.HABIT % 2 == 0:
                loss.item()
    assert executables.counts().loaded == before + 1


def test_an_executable_whose_file_was_removed_is_not_compiled_again(step, folder):
    with paddle.lazy():
        for _ in range(RUNS):
            step()
        before, kernel = executables.counts(), segment().kernel
        for file in folder.iterdir():
            file.unlink()
        for _ in range(2 * segments.HABIT):
            step().item()
    assert executables.counts() == before
    assert segment().kernel is kernel
