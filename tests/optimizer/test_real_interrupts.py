"""Signals and exceptions of other threads at random moments of a step leave no half of it."""

import gc
import signal
import statistics
import threading
import time
import timeit

import numpy as np
import pytest

from tests.support.interrupted_steps import OPTIMIZERS, are_same, check, pair
from tests.support.interrupts import fell_into_jax, places_in

# CPython prints exceptions of a callback of the collector or of a weak reference, and continues.
dropped = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


def _seconds_of_a_step(run, reference) -> float:
    """Return the duration of a step; both advance by the same number of steps."""
    timeit.repeat(reference.step, number=1, repeat=5)
    return statistics.median(timeit.repeat(run.step, number=1, repeat=5))


def _storm(run, reference, number: int, seed: int) -> tuple[int, int]:
    """Send real signals at random moments of steps; return the numbers of hits and half steps."""

    class Alarm(Exception):
        pass

    def ring(*_):
        raise Alarm

    draws = np.random.default_rng(seed)
    latest = 1.5 * _seconds_of_a_step(run, reference)
    before = signal.signal(signal.SIGALRM, ring)
    inside = 0
    try:
        for count in range(number):
            old = reference.read()
            try:
                signal.setitimer(signal.ITIMER_REAL, draws.uniform(1e-6, latest))
                run.step()
                # The alarm rings at the latest here, unless it was dropped.
                end = time.monotonic() + latest + 1.0
                while time.monotonic() < end:
                    time.sleep(0.01)
            except Alarm as alarm:
                frames = alarm.__traceback__
                inside += frames is not None and frames.tb_next.tb_frame.f_code.co_name != "ring"
            except ValueError as error:
                if not fell_into_jax(error):
                    raise
                inside += 1
            signal.setitimer(signal.ITIMER_REAL, 0)
            if getattr(run.optimizer, "_is_behind", False):  # LookAhead makes up for it
                run.optimizer._follow()
            now = run.read()
            if not are_same(now, old):
                reference.step()
                assert are_same(now, reference.read()), count
            if count % 50 == 0:
                gc.collect()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return number, inside


@dropped
def test_real_signals():
    """An alarm at random moments never leaves half a step."""
    run, reference = pair("adam", 3)
    number, inside = _storm(run, reference, 60, 1)
    assert inside > number // 4


@dropped
@pytest.mark.deep
@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("held", ["nothing", "detached"])
def test_many_real_signals(name, held):
    """Some hundreds of them are sent."""
    run, reference = pair(name, 3, held)
    _, inside = _storm(run, reference, 60, 2)
    assert inside > 5


@dropped
@pytest.mark.deep
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_every_place(name):
    """The places cover a step, one after the other: at most 700, with equal gaps.

    One that falls between the opening of a kernel's file and its ``with`` leaves the file to the
    collector, which warns of it.
    """
    run, reference = pair(name, 4)
    number = places_in(run.step)
    reference.step()
    # 2,000 places took half an hour for the nineteen optimizers, more than all other deep tests.
    check(run, reference, list(range(0, number, 1 + number // 700)), 1)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_exceptions_from_another_thread():
    """PyThreadState_SetAsyncExc in the middle of a long step: old or new, and readable.

    CPython drops an exception in a callback of the collector or of a weak reference, so no code
    waits for it indefinitely.
    """
    import ctypes

    class Sent(BaseException):
        pass

    run, reference = pair("adam", 3)
    own = ctypes.c_ulong(threading.get_ident())
    draws = np.random.default_rng(3)
    arrived = 0
    for _ in range(20):
        old = reference.read()
        timer = threading.Timer(
            draws.uniform(0, 5e-4),
            lambda: ctypes.pythonapi.PyThreadState_SetAsyncExc(own, ctypes.py_object(Sent)),
        )
        try:
            timer.start()
            run.step()
            timer.join()
            time.sleep(0.005)
        except Sent:
            arrived += 1
        now = run.read()
        if not are_same(now, old):
            reference.step()
            assert are_same(now, reference.read())
    assert arrived > 10
