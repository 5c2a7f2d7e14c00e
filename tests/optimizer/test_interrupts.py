"""After an interrupt of a step, parameters and state are all as before it, or all as after it."""

import contextlib
import gc
import signal
import statistics
import threading
import time
import timeit

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import PreconditionNotMetError
from jaxeager.kernels.lazy.mode import recorder
from jaxeager.optimizer import donation
from tests.support.interrupts import fell_into_jax, interrupted_at, places_in

lr = paddle.optimizer.lr
CLIP = paddle.nn.ClipGradByGlobalNorm(0.5)

OPTIMIZERS = {
    "sgd": lambda p: paddle.optimizer.SGD(0.1, p),
    "momentum": lambda p: paddle.optimizer.Momentum(0.1, 0.9, p),
    "adagrad": lambda p: paddle.optimizer.Adagrad(0.1, parameters=p),
    "adadelta": lambda p: paddle.optimizer.Adadelta(0.1, parameters=p),
    "adam": lambda p: paddle.optimizer.Adam(0.1, parameters=p),
    "adam-clip": lambda p: paddle.optimizer.Adam(
        0.1, parameters=p, grad_clip=CLIP, weight_decay=0.1
    ),
    "adamax": lambda p: paddle.optimizer.Adamax(0.1, parameters=p),
    "adamw": lambda p: paddle.optimizer.AdamW(0.1, parameters=p),
    "asgd": lambda p: paddle.optimizer.ASGD(0.1, batch_num=2, parameters=p),
    "lamb": lambda p: paddle.optimizer.Lamb(0.1, parameters=p),
    "nadam": lambda p: paddle.optimizer.NAdam(0.1, parameters=p),
    "radam": lambda p: paddle.optimizer.RAdam(0.1, parameters=p),
    "rmsprop": lambda p: paddle.optimizer.RMSProp(0.1, parameters=p),
    "rprop": lambda p: paddle.optimizer.Rprop(0.1, parameters=p),
    "groups": lambda p: paddle.optimizer.Adam(
        0.1, parameters=[{"params": p[:1]}, {"params": p[1:], "beta1": 0.5}]
    ),
    "scheduled": lambda p: paddle.optimizer.Adam(lr.ExponentialDecay(0.1, 0.9), parameters=p),
    "masters": lambda p: paddle.optimizer.AdamW(0.1, parameters=p, multi_precision=True),
    "lookahead": lambda p: paddle.incubate.LookAhead(
        paddle.optimizer.Adam(0.1, parameters=p), 0.5, 2
    ),
    "average": lambda p: paddle.incubate.ModelAverage(0.5, p, 2, 4),
}


class Run:
    """Parameters with gradients, an optimizer over them, and the readable values of both."""

    def __init__(self, name: str, held: str = "nothing"):
        dtype = "float16" if name == "masters" else "float32"
        flat = paddle.arange(6, dtype=dtype)
        values = [
            flat[i : i + 2] if held == "parts" else paddle.ones([2], dtype) * i for i in (0, 2, 4)
        ]
        self.params = [paddle.nn.Parameter(v, name=f"w{i}") for i, v in enumerate(values)]
        self.held = [flat] if held == "parts" else []
        if held == "detached":
            self.held = [self.params[1].detach(), self.params[1].reshape([2, 1])]
        for index, param in enumerate(self.params):
            param.grad = paddle.to_tensor(np.array([0.5, -1.0]) + index, dtype=dtype)
        self.optimizer = OPTIMIZERS[name](self.params)

    def step(self):
        self.optimizer.step()

    def read(self) -> dict:
        """Return every value by name."""
        found = {f"param {i}": p.numpy() for i, p in enumerate(self.params)}
        found |= {f"held {i}": t.numpy() for i, t in enumerate(self.held)}
        for optimizer in (self.optimizer, getattr(self.optimizer, "inner_optimizer", None)):
            state = {} if optimizer is None else dict(optimizer.state_dict())
            state |= {f"master {k}": v for k, v in state.pop("master_weights", {}).items()}
            state |= state.pop("LR_Scheduler", {})
            found |= {f"{type(optimizer).__name__} {k}": np.array(v) for k, v in state.items()}
        return found


def _same(one: dict, other: dict) -> bool:
    """Compare the values of both: accumulators may have been created, and not yet updated."""
    return all(np.array_equal(one[name], other[name]) for name in one.keys() & other.keys())


def _check(run, reference, places: list[int], later: int) -> tuple[int, int]:
    """Interrupt steps at the given places; return the numbers before and after the change.

    After each, the readable values are those of an uninterrupted run, before the step or after it,
    and ``later`` whole steps continue as in that run.
    """
    counts = [0, 0]
    for place in places:
        old = reference.read()
        interrupted_at(place, run.step)
        now = run.read()
        is_done = not _same(now, old)
        if is_done:
            reference.step()
            if not getattr(run.optimizer, "_is_behind", False):  # LookAhead makes up for it
                assert _same(now, reference.read()), f"half a step is left at place {place}"
        counts[is_done] += 1
        for _ in range(later):
            run.step()
            reference.step()
            assert _same(run.read(), reference.read()), f"the step after place {place} differs"
    run.step()
    reference.step()
    assert _same(run.read(), reference.read())
    assert run.read().keys() == reference.read().keys()
    return counts[0], counts[1]


def _pair(name: str, steps: int, held: str = "nothing"):
    runs = Run(name, held), Run(name, held)
    for each in runs:
        for _ in range(steps):
            each.step()
    return runs


def _places(run, count: int) -> list[int]:
    """Return places over the next step, which is run; the last ones are close together."""
    run.read()
    number = places_in(run.step)
    return sorted({*range(0, number, max(1, number // count)), *range(number - 12, number)})


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps(name):
    """The step runs known executables, to which arrays are donated."""
    run, reference = _pair(name, 4)
    places = _places(run, 16)
    reference.step()
    before, behind = _check(run, reference, places, 2 if name == "lookahead" else 1)
    if name != "average":  # its parameters stay, and it counts steps of the same size
        assert before
        assert behind


@pytest.mark.parametrize("held", ["detached", "parts"])
@pytest.mark.parametrize("name", ["sgd", "adam"])
def test_shared_memory(name, held):
    """Tensors that share a parameter's memory, or are its memory, move with it or stay with it."""
    run, reference = _pair(name, 4, held)
    places = _places(run, 60)
    reference.step()
    before, behind = _check(run, reference, places, 1)
    assert before
    assert behind


@pytest.mark.parametrize("name", ["momentum", "adam", "masters", "lookahead"])
def test_the_first_step(name):
    """The step creates accumulators and runs JAX's own Python, which traces and compiles."""
    number = places_in(Run(name).step)
    number = places_in(Run(name).step)
    for place in np.linspace(0, number - 20, 24).astype(int):
        _check(Run(name), Run(name), [int(place)], 1)


@pytest.mark.single_calls
def test_forgotten_executables():
    """When JAX has dropped its executables the call also runs Python after the execution."""
    run, reference = _pair("adam", 3)
    step = run.optimizer._plan.run
    number = 0
    for place in [*np.linspace(0, 6000, 24).astype(int)]:
        step._clear_cache()
        old = reference.read()
        if interrupted_at(int(place), run.step) is None:
            number += 1
        now = run.read()
        if not _same(now, old):
            reference.step()
            assert _same(now, reference.read())
    assert number > 12


@pytest.mark.single_calls
@pytest.mark.parametrize("setting", ["jax_debug_nans", "jax_debug_infs"])
def test_a_setting_that_raises_behind_the_call(setting):
    """jax_debug_nans runs Python after a call, which raises; the old values still exist."""
    run, reference = _pair("adam", 3)
    old = run.read()
    grads = [param.grad for param in run.params]
    run.params[0].grad = paddle.full([2], np.nan if setting == "jax_debug_nans" else np.inf)
    jax.config.update(setting, True)
    try:
        with pytest.raises(FloatingPointError):
            run.step()
    finally:
        jax.config.update(setting, False)
    assert _same(run.read(), old)
    run.params[0].grad = grads[0]
    run.step()
    reference.step()
    assert _same(run.read(), reference.read())


def test_jax_without_the_function_that_is_replaced(monkeypatch):
    """Then each call gets copies: the passed arrays are intact afterwards."""
    monkeypatch.setattr(donation, "_state_of", lambda jitted: {})
    double = donation.donating(lambda arrays: [array * 2 for array in arrays])
    given = [jax.numpy.ones(3)]
    for _ in range(3):
        assert double(given)[0].tolist() == [2.0, 2.0, 2.0]
        assert given[0].tolist() == [1.0, 1.0, 1.0]


def test_jax_has_the_function_that_is_replaced():
    """Known calls write into their arguments, others into copies; no bytecode runs in one."""
    double = donation.donating(lambda arrays: [array * 2 for array in arrays])
    first = [jax.numpy.ones(3)]
    second = double(first)
    assert not first[0].is_deleted()
    assert places_in(lambda: double(second)) < 5
    assert second[0].is_deleted()


def test_clear_grad_and_its_kin():
    """Gradients are cleared all or none."""
    for set_to_zero in (True, False):
        run = Run("sgd")
        number = places_in(lambda: run.optimizer.clear_grad(set_to_zero))  # noqa: B023
        for place in range(number):
            run = Run("sgd")
            interrupted_at(place, lambda: run.optimizer.clear_grad(set_to_zero))  # noqa: B023
            cleared = [p.grad is None or not p.grad.numpy().any() for p in run.params]
            assert cleared in ([True] * 3, [False] * 3)


@pytest.mark.parametrize("name", ["adam", "scheduled", "masters"])
def test_set_state_dict(name):
    """A state dict is restored completely or not at all, including the scheduler's part."""
    run, other = Run(name), Run(name)
    for _ in range(3):
        other.step()
        if name == "scheduled":
            other.optimizer._learning_rate.step()
    state = dict(other.optimizer.state_dict())
    run.step()
    before, wanted = run.read(), other.read()
    shared = [key for key in wanted if not key.startswith(("param", "held"))]
    number = places_in(lambda: run.optimizer.set_state_dict(state))
    changed = 0
    for place in range(0, number, max(1, number // 60)):
        run = Run(name)
        run.step()
        interrupted_at(place, lambda: run.optimizer.set_state_dict(state))  # noqa: B023
        now = run.read()
        is_old = all(np.array_equal(now[key], before[key]) for key in shared)
        is_new = all(np.array_equal(now[key], wanted[key]) for key in shared)
        assert is_old or is_new
        changed += is_new
    run.optimizer.set_state_dict(state)
    assert all(np.array_equal(run.read()[key], wanted[key]) for key in shared)


def test_schedulers():
    """Counter and rate of a scheduler change together."""

    def halving():
        return lr.ExponentialDecay(0.5, 0.5)

    for make in (halving, lambda: lr.LinearWarmup(halving(), 2, 0.0, 0.5)):
        reference = make()
        states = [reference.state_dict()]
        for _ in range(2):
            reference.step()
            states.append(reference.state_dict())
        number = places_in(make().step)
        for place in range(number):
            scheduler = make()
            interrupted_at(place, scheduler.step)
            assert scheduler.state_dict() in states[:2]


def _scaled():
    run = Run("adam")
    run.scaler = paddle.amp.GradScaler(init_loss_scaling=8.0, incr_every_n_steps=2)
    run.grads = [param.grad.numpy() for param in run.params]
    return run


def _backward(run) -> None:
    scale = run.scaler.state_dict()["scale"]
    for param, grad in zip(run.params, run.grads, strict=True):
        param.grad = paddle.to_tensor(grad * scale)


def _finish(run) -> None:
    """Do the rest of an interrupted iteration, without knowledge of the interrupt."""
    with contextlib.suppress(PreconditionNotMetError):  # it was done
        run.scaler.step(run.optimizer)
    run.scaler.update()


def _iterate(run) -> None:
    run.scaler.unscale_(run.optimizer)
    run.scaler.step(run.optimizer)
    run.scaler.update()


def test_grad_scaler():
    """Calling step again after an interrupt does exactly the rest of the work."""
    run, reference = _scaled(), _scaled()
    for each in (run, reference):
        for _ in range(4):
            _backward(each)
            _iterate(each)
    _backward(run)
    number = places_in(lambda: _iterate(run))
    hit = 0
    _backward(reference)
    _iterate(reference)
    places = range(0, number, max(1, number // 100))
    for place in places:
        _backward(run)
        hit += interrupted_at(place, lambda: _iterate(run)) is None
        if run.scaler._progress or run.scaler.state_dict() == reference.scaler.state_dict():
            _finish(run)
        assert not any(run.optimizer._auxiliary_vars.values())
        _backward(reference)
        _iterate(reference)
        assert _same(run.read(), reference.read()), place
        assert run.scaler.state_dict() == reference.scaler.state_dict()
    # Lazy mode runs calls later, so that an iteration may have fewer places than the first.
    assert hit == len(places) or (recorder() is not None and hit > 0.4 * len(places))


@pytest.mark.parametrize("line_search", [None, "strong_wolfe"])
def test_lbfgs(line_search):
    """The history matches the parameters, and the next step finds the minimum."""

    def make():
        w = paddle.nn.Parameter(paddle.to_tensor([3.0, -2.0, 0.5]))
        scale = paddle.to_tensor([1.0, 4.0, 0.5])
        optimizer = paddle.optimizer.LBFGS(
            0.5, 4, parameters=[w], line_search_fn=line_search, history_size=3
        )

        def closure():
            optimizer.clear_grad()
            loss = (scale * (w - 1.0) ** 2).sum()
            loss.backward()
            return loss

        return w, optimizer, closure

    w, optimizer, closure = make()
    optimizer.step(closure)
    optimizer.step(closure)
    number = places_in(lambda: optimizer.step(closure))
    for place in range(5, number, max(1, number // 24)):
        w, optimizer, closure = make()
        optimizer.step(closure)
        interrupted_at(place, lambda: optimizer.step(closure))  # noqa: B023
        state = optimizer.state_dict()["state"]
        assert all(np.isfinite(state[key].numpy()).all() for key in ("d", "prev_flat_grad"))
        assert all(np.isfinite(kept.numpy()).all() for kept in state["old_sk"])
        for _ in range(12):
            optimizer.step(closure)
        np.testing.assert_allclose(w.numpy(), 1.0, atol=1e-3)


def test_model_average_apply():
    """Within apply all parameters have their means, outside all have their values."""
    run = Run("sgd")
    average = paddle.incubate.ModelAverage(0.5, run.params, 2, 4)
    for _ in range(4):
        run.step()
        average.step()

    def use():
        with average.apply():
            pass

    values = [param.numpy() for param in run.params]
    with average.apply():
        means = [param.numpy() for param in run.params]
    number = places_in(use)
    restored = 0
    for place in range(0, number, max(1, number // 150)):
        interrupted_at(place, use)
        now = [param.numpy() for param in run.params]
        is_whole = [np.array_equal(now, kind) for kind in (values, means)]
        assert any(is_whole), place
        restored += is_whole[0]
        average.restore()
        assert np.array_equal([param.numpy() for param in run.params], values)
    assert restored > 100


# ---- real interrupts

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
            if not _same(now, old):
                reference.step()
                assert _same(now, reference.read()), count
            if count % 50 == 0:
                gc.collect()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return number, inside


@dropped
def test_real_signals():
    """An alarm at random moments never leaves half a step."""
    run, reference = _pair("adam", 3)
    number, inside = _storm(run, reference, 60, 1)
    assert inside > number // 4


@dropped
@pytest.mark.deep
@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("held", ["nothing", "detached"])
def test_many_real_signals(name, held):
    """Some hundreds of them are sent."""
    run, reference = _pair(name, 3, held)
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
    run, reference = _pair(name, 4)
    number = places_in(run.step)
    reference.step()
    # 2,000 places took half an hour for the nineteen optimizers, more than all other deep tests.
    _check(run, reference, list(range(0, number, 1 + number // 700)), 1)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_exceptions_from_another_thread():
    """PyThreadState_SetAsyncExc in the middle of a long step: old or new, and readable.

    CPython drops an exception in a callback of the collector or of a weak reference, so no code
    waits for it indefinitely.
    """
    import ctypes

    class Sent(BaseException):
        pass

    run, reference = _pair("adam", 3)
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
        if not _same(now, old):
            reference.step()
            assert _same(now, reference.read())
    assert arrived > 10
