"""State dicts of wrong types, as in damaged files: an error, and nothing changed."""

import copy
from typing import Any

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, JaxEagerError

Adam, LBFGS, lr = paddle.optimizer.Adam, paddle.optimizer.LBFGS, paddle.optimizer.lr
WRONG = [None, 3, "text", b"x", [1, [2, 3]], {"a": 1}, (), np.array("text"), np.zeros(7)]


def _plain(state):
    """Return a state dict as values that can be compared."""
    if isinstance(state, dict):
        return {key: _plain(value) for key, value in state.items()}
    if isinstance(state, (list, tuple)):
        return [_plain(value) for value in state]
    return state.numpy().tolist() if isinstance(state, paddle.Tensor) else state


def _refused(owner, state, load="set_state_dict"):
    """Return whether the library refuses a state; if so, check that nothing changed."""
    before = _plain(owner.state_dict())
    try:
        getattr(owner, load)(state)
    except (JaxEagerError, KeyError):
        assert _plain(owner.state_dict()) == before
        return True
    return False


def _adam(dtype="float32"):
    weight = paddle.nn.Parameter(paddle.ones([2, 3], dtype=dtype), name="weight")
    adam = Adam(lr.StepDecay(0.1, 2), parameters=[weight], multi_precision=True)
    (weight * weight).sum().backward()
    adam.step()
    return adam


@pytest.mark.parametrize("value", WRONG, ids=repr)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_optimizers(dtype, value):
    """The state itself, and each of its entries, is replaced."""
    adam = _adam(dtype)
    state = adam.state_dict()
    assert _refused(adam, value)
    for name in state:
        is_unknown = name == "master_weights" and isinstance(value, dict)  # of no parameter here
        assert _refused(adam, {**state, name: value}) != is_unknown
    for name in state.get("master_weights", {}):
        assert _refused(adam, {**state, "master_weights": {name: value}})
    assert not _refused(adam, state)


def test_kinds_are_named():
    """The error names the actual and the expected type."""
    adam = _adam()
    cases: list[tuple[Any, str]] = [
        ([1], "The state of an optimizer is a dict, .* but received list"),
        ({**adam.state_dict(), "LR_Scheduler": 3}, "state of a scheduler is a dict.* received int"),
        ({**adam.state_dict(), "master_weights": 3}, "'master_weights' .* is a dict .* but is int"),
        (
            {**adam.state_dict(), "weight_moment1_0": ["x"]},
            r"Variable \[ weight_moment1_0 \] .* must be a tensor or an array, but is list",
        ),
    ]
    for state, match in cases:
        with pytest.raises(InvalidArgumentError, match=match):
            adam.set_state_dict(state)


def test_a_state_that_waits_is_kept_when_it_is_refused():
    """It is loaded before the first step, and checked by the first step."""
    state = {**_adam().state_dict(), "weight_moment1_0": "text"}
    weight = paddle.nn.Parameter(paddle.ones([2, 3]), name="weight")
    adam = Adam(lr.StepDecay(0.1, 2), parameters=[weight])
    adam.set_state_dict(state)
    weight.sum().backward()
    for _ in range(2):
        with pytest.raises(InvalidArgumentError, match="weight_moment1_0"):
            adam.step()
    np.testing.assert_array_equal(weight.numpy(), np.ones([2, 3]))


def test_a_master_weight_that_waits():
    """It has another shape than its parameter: the first step refuses it."""
    state = _adam("bfloat16").state_dict()
    state["master_weights"] = {"weight": paddle.ones([5])}
    weight = paddle.nn.Parameter(paddle.ones([2, 3], dtype="bfloat16"), name="weight")
    adam = Adam(lr.StepDecay(0.1, 2), parameters=[weight], multi_precision=True)
    adam.set_state_dict(state)
    weight.sum().backward()
    with pytest.raises(InvalidArgumentError, match=r"master weight of weight needs shape \[2, 3\]"):
        adam.step()


SCHEDULERS = {
    "StepDecay": lambda: lr.StepDecay(0.1, 2),
    "ReduceOnPlateau": lambda: lr.ReduceOnPlateau(0.1),
    "LinearWarmup": lambda: lr.LinearWarmup(lr.StepDecay(0.1, 2), 2, 0.0, 0.1),
    "Restarts": lambda: lr.CosineAnnealingWarmRestarts(0.1, 3),
}


@pytest.mark.parametrize("name", SCHEDULERS)
def test_schedulers(name):
    """Each entry that is a number is replaced."""
    scheduler = SCHEDULERS[name]()
    scheduler.step(*([paddle.ones([1])] if name == "ReduceOnPlateau" else []))
    state = copy.deepcopy(scheduler.state_dict())
    for key, value in state.items():
        for wrong in (None, "text", [1], {}, np.zeros(3)):
            if not isinstance(value, (int, float)) or isinstance(value, bool):
                continue
            assert _refused(scheduler, {**state, key: wrong}), (key, wrong)
    for wrong in (None, 3, "text", [1]):
        assert _refused(scheduler, wrong)
    assert not _refused(scheduler, state)


@pytest.mark.parametrize("value", WRONG, ids=repr)
def test_lbfgs(value):
    """The state, and each of its entries, is replaced."""
    weight = paddle.nn.Parameter(paddle.ones([2, 3]), name="weight")
    lbfgs = LBFGS(0.1, history_size=3, parameters=[weight])

    def closure():
        lbfgs.clear_grad()
        loss = ((weight - 2.0) ** 4).sum()
        loss.backward()
        return loss

    lbfgs.step(closure)
    lbfgs.step(closure)
    state = lbfgs.state_dict()["state"]
    assert _refused(lbfgs, value)
    if not isinstance(value, dict):  # without an entry it knows: one that has not begun
        assert _refused(lbfgs, {"state": value})
    for name in ("prev_flat_grad", "H_diag", "old_sk", "old_yk", "alpha", "func_evals"):
        is_number = isinstance(value, int) and name in ("alpha", "H_diag", "func_evals")
        assert _refused(lbfgs, {"state": {**state, name: value}}) != is_number, name


@pytest.mark.parametrize("value", [None, "text", [1, 2], {}, np.zeros(3)], ids=repr)
def test_scalers(value):
    """Each of its numbers, and the state itself, is replaced."""
    scaler = paddle.amp.GradScaler(init_loss_scaling=8.0)
    state = scaler.state_dict()
    for name in state:
        if name != "use_dynamic_loss_scaling":
            assert _refused(scaler, {**state, name: value}, "load_state_dict"), name


def test_layers():
    """A ragged list is not an array."""
    layer = paddle.nn.Linear(2, 2)
    for value in (None, [[1.0], [2.0, 3.0]], {}):
        assert _refused(layer, {**layer.state_dict(), "weight": value})
