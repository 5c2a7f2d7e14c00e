"""After an interrupt of a step, parameters and state are all as before it, or all as after it."""

import contextlib

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import PreconditionNotMetError
from jaxeager.kernels.lazy.mode import recorder
from jaxeager.optimizer import donation
from tests.support.examples import examples
from tests.support.interrupted_steps import OPTIMIZERS, Run, are_same, check, pair, places_of
from tests.support.interrupts import interrupted_at, places_in


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps(name):
    """The step runs known executables, to which arrays are donated."""
    run, reference = pair(name, 4)
    places = places_of(run, 16)
    reference.step()
    before, behind = check(run, reference, places, 2 if name == "lookahead" else 1)
    if name != "average":  # its parameters stay, and it counts steps of the same size
        assert before
        assert behind


@pytest.mark.parametrize("held", ["detached", "parts"])
@pytest.mark.parametrize("name", ["sgd", "adam"])
def test_shared_memory(name, held):
    """Tensors that share a parameter's memory, or are its memory, move with it or stay with it."""
    run, reference = pair(name, 4, held)
    places = places_of(run, examples(30, 60))
    reference.step()
    before, behind = check(run, reference, places, 1)
    assert before
    assert behind


@pytest.mark.parametrize("name", ["momentum", "adam", "masters", "lookahead"])
def test_the_first_step(name):
    """The step creates accumulators and runs JAX's own Python, which traces and compiles."""
    number = places_in(Run(name).step)
    number = places_in(Run(name).step)
    for place in np.linspace(0, number - 20, examples(10, 24)).astype(int):
        check(Run(name), Run(name), [int(place)], 1)


@pytest.mark.single_calls
def test_forgotten_executables():
    """When JAX has dropped its executables the call also runs Python after the execution."""
    run, reference = pair("adam", 3)
    step = run.optimizer._plan.run
    number = 0
    for place in [*np.linspace(0, 6000, 24).astype(int)]:
        step._clear_cache()
        old = reference.read()
        if interrupted_at(int(place), run.step) is None:
            number += 1
        now = run.read()
        if not are_same(now, old):
            reference.step()
            assert are_same(now, reference.read())
    assert number > 12


@pytest.mark.single_calls
@pytest.mark.parametrize("setting", ["jax_debug_nans", "jax_debug_infs"])
def test_a_setting_that_raises_behind_the_call(setting):
    """jax_debug_nans runs Python after a call, which raises; the old values still exist."""
    run, reference = pair("adam", 3)
    old = run.read()
    grads = [param.grad for param in run.params]
    run.params[0].grad = paddle.full([2], np.nan if setting == "jax_debug_nans" else np.inf)
    jax.config.update(setting, True)
    try:
        with pytest.raises(FloatingPointError):
            run.step()
    finally:
        jax.config.update(setting, False)
    assert are_same(run.read(), old)
    run.params[0].grad = grads[0]
    run.step()
    reference.step()
    assert are_same(run.read(), reference.read())


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
    for place in range(0, number, max(1, number // examples(25, 60))):
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
        return paddle.optimizer.lr.ExponentialDecay(0.5, 0.5)

    for make in (halving, lambda: paddle.optimizer.lr.LinearWarmup(halving(), 2, 0.0, 0.5)):
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
    for _ in range(6):  # in turn, as below: lazy mode has compiled each segment then
        for each in (run, reference):
            _backward(each)
            _iterate(each)
    _backward(run)
    number = places_in(lambda: _iterate(run))
    hit = 0
    _backward(reference)
    _iterate(reference)
    places = range(0, number, max(1, number // examples(40, 100)))
    for place in places:
        _backward(run)
        hit += interrupted_at(place, lambda: _iterate(run)) is None
        if run.scaler._progress or run.scaler.state_dict() == reference.scaler.state_dict():
            _finish(run)
        assert not any(run.optimizer._auxiliary_vars.values())
        _backward(reference)
        _iterate(reference)
        assert are_same(run.read(), reference.read()), place
        assert run.scaler.state_dict() == reference.scaler.state_dict()
    # Lazy mode runs calls later, so that an iteration may have a few places less than another.
    assert hit == len(places) or (recorder() is not None and hit > 0.9 * len(places))


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
    for place in range(5, number, max(1, number // examples(10, 24))):
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
