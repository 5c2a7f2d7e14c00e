"""Learning rate schedulers: Paddle's sequences, state dicts, and refusals."""

import importlib.util
import json
import math
from pathlib import Path

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, PreconditionNotMetError

lr = paddle.optimizer.lr
HERE = Path(__file__).parent


def _recipes():
    spec = importlib.util.spec_from_file_location("lr_recipes", HERE / "lr_recipes.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RECIPES = _recipes()
RECORDED = json.loads((HERE / "recorded_lr.json").read_text())


@pytest.fixture(scope="module")
def found():
    """Return every recipe's rates under jaxeager."""
    return RECIPES.sequences(lr)


@pytest.mark.parametrize("name", RECORDED["rates"])
def test_rates_are_paddles(found, name):
    """These are the numbers of real Paddle, to the last digits."""
    assert len(found[name]) > 3
    np.testing.assert_allclose(found[name], RECORDED["rates"][name], rtol=1e-12, atol=1e-15)


def test_every_scheduler_was_recorded():
    """No scheduler lacks a recipe."""
    made = {type(make(lr)).__name__ for make, _ in RECIPES.RECIPES.values()}
    assert made | {"LRScheduler", "ReduceOnPlateau"} == set(lr.__all__)


def test_cosine_matches_the_closed_formula():
    """The recurrence and the formula are the same curve."""
    scheduler = lr.CosineAnnealingDecay(0.5, T_max=7, eta_min=0.1)
    for epoch in range(1, 8):
        scheduler.step()
        assert scheduler() == pytest.approx(0.1 + 0.4 * (1 + math.cos(math.pi * epoch / 7)) / 2)


@pytest.mark.parametrize("name", sorted(RECIPES.RECIPES))
def test_state_dict_resumes(name):
    """A scheduler that loads another's state continues like the other.

    Paddle's CosineAnnealingWarmRestarts does not: its state has no position in the descent.
    """
    make, steps = RECIPES.RECIPES[name]
    first, second = make(lr), make(lr)
    for _ in range(steps // 2):
        first.step()
    second.set_state_dict(first.state_dict())
    assert second() == first()
    for _ in range(steps - steps // 2):
        first.step()
        second.step()
        assert second() == first()


def test_state_dict_has_paddles_keys():
    """last_epoch and last_lr; a warm-up nests its scheduler's."""
    scheduler = lr.LinearWarmup(lr.StepDecay(0.5, 2), 3, start_lr=0.0, end_lr=0.5)
    assert scheduler.state_dict() == {
        "last_epoch": 0,
        "last_lr": 0.0,
        "LinearWarmup_LR": {"last_epoch": 0, "last_lr": 0.5},
    }
    assert set(lr.ReduceOnPlateau(0.5).state_dict()) == {
        "cooldown_counter",
        "best",
        "num_bad_epochs",
        "last_epoch",
        "last_lr",
    }


def test_state_dict_that_does_not_fit():
    """A missing key is an error, an additional one a warning."""
    scheduler = lr.StepDecay(0.5, 2)
    with pytest.raises(PreconditionNotMetError, match="has no 'last_lr'"):
        scheduler.set_state_dict({"last_epoch": 3})
    assert scheduler.last_epoch == 0
    with pytest.warns(UserWarning, match="does not use \\['best'\\]"):
        scheduler.set_state_dict({"last_epoch": 3, "last_lr": 0.1, "best": 1})
    with pytest.raises(InvalidArgumentError, match="LinearWarmup_LR"):
        lr.LinearWarmup(scheduler, 3, 0.0, 0.5).set_state_dict({"last_epoch": 3, "last_lr": 0.1})


def test_last_epoch_resumes():
    """A scheduler made with last_epoch starts one past it."""
    scheduler = lr.StepDecay(0.5, 2, gamma=0.5, last_epoch=3)
    assert scheduler.last_epoch == 4
    assert scheduler() == 0.125


def test_verbose_prints(capsys):
    """Each step prints Paddle's line."""
    lr.ExponentialDecay(0.5, 0.5, verbose=True).step()
    assert capsys.readouterr().out == (
        "Epoch 0: ExponentialDecay set learning rate to 0.5.\n"
        "Epoch 1: ExponentialDecay set learning rate to 0.25.\n"
    )


def test_a_subclass_defines_get_lr():
    """The base class has no rate."""
    with pytest.raises(NotImplementedError, match="must define get_lr"):
        lr.LRScheduler(0.1)


def test_plateau_reads_tensors_and_arrays():
    """Metrics may be tensors or arrays of one element."""
    scheduler = lr.ReduceOnPlateau(0.5, factor=0.5, patience=0)
    scheduler.step(paddle.to_tensor(1.0))
    scheduler.step(np.array([1.0]))
    scheduler.step(np.float32(1.0), epoch=9)
    assert scheduler() == 0.125
    assert scheduler.last_epoch == 9
    with pytest.raises(InvalidArgumentError, match="must have one element, but has 2"):
        scheduler.step(paddle.to_tensor([1.0, 2.0]))
    with pytest.raises(InvalidTypeError, match="metrics must be a number"):
        scheduler.step("low")


REFUSED = [
    (lambda: lr.ExponentialDecay("a", 0.5), InvalidTypeError, "learning_rate must be float"),
    (lambda: lr.ExponentialDecay(-1.0, 0.5), InvalidArgumentError, "must not be negative"),
    (lambda: lr.ExponentialDecay(0.1, 1.5), InvalidArgumentError, "gamma must be between 0 and 1"),
    (lambda: lr.NoamDecay(0, 3), InvalidArgumentError, "d_model must be positive, but is 0"),
    (lambda: lr.PiecewiseDecay([], [1.0]), InvalidArgumentError, "must not be empty"),
    (lambda: lr.PiecewiseDecay([1], [1.0]), InvalidArgumentError, "one element more"),
    (lambda: lr.NaturalExpDecay(0.1, 0.0), InvalidArgumentError, "gamma must be positive"),
    (lambda: lr.PolynomialDecay(0.1, 0), InvalidArgumentError, "decay_steps must be a positive"),
    (lambda: lr.PolynomialDecay(0.1, 2.5), InvalidTypeError, "decay_steps must be int"),
    (lambda: lr.PolynomialDecay(0.1, 2, power=0.0), InvalidArgumentError, "power must be positive"),
    (lambda: lr.MultiStepDecay(0.1, {1}), InvalidTypeError, "milestones must be tuple or list"),
    (lambda: lr.MultiStepDecay(0.1, [2, 1]), InvalidArgumentError, "milestones must ascend"),
    (lambda: lr.MultiStepDecay(0.1, [2], 2.0), InvalidArgumentError, "gamma must be less than 1"),
    (lambda: lr.StepDecay(0.1, 1.5), InvalidTypeError, "step_size must be int"),
    (lambda: lr.StepDecay(0.1, 2, 1.0), InvalidArgumentError, "gamma must be less than 1"),
    (lambda: lr.LambdaDecay(0.1, 3), InvalidTypeError, "lr_lambda must be a function"),
    (lambda: lr.MultiplicativeDecay(0.1, 3), InvalidTypeError, "lr_lambda must be a function"),
    (lambda: lr.CosineAnnealingDecay(0.1, 0), InvalidArgumentError, "T_max must be a positive"),
    (lambda: lr.CosineAnnealingDecay(0.1, 2, "a"), InvalidTypeError, "eta_min must be float"),
    (
        lambda: lr.CosineAnnealingWarmRestarts(0.1, 0),
        InvalidArgumentError,
        "T_0 must be a positive",
    ),
    (lambda: lr.CosineAnnealingWarmRestarts(0.1, 1).step(-1), InvalidArgumentError, "negative"),
    (lambda: lr.LinearLR(0.1, 5, start_factor=0.0), InvalidArgumentError, "start_factor must be"),
    (lambda: lr.LinearLR(0.1, 5, end_factor=2.0), InvalidArgumentError, "end_factor must be in"),
    (lambda: lr.LinearLR(0.1, 0), InvalidArgumentError, "total_steps must be positive"),
    (lambda: lr.LinearWarmup("a", 2, 0.0, 0.1), InvalidTypeError, "float or int or LRScheduler"),
    (lambda: lr.LinearWarmup(0.1, 0, 0.0, 0.1), InvalidArgumentError, "warmup_steps must be a"),
    (lambda: lr.LinearWarmup(0.1, 2, 0.1, 0.1), InvalidArgumentError, "must be greater than"),
    (lambda: lr.OneCycleLR(1.0, 5, phase_pct=2.0), InvalidArgumentError, "between 0 and 1"),
    (lambda: lr.OneCycleLR(1.0, 5, phase_pct=1), InvalidTypeError, "phase_pct must be float"),
    (lambda: lr.OneCycleLR(1.0, 5, anneal_strategy="x"), InvalidArgumentError, "'cos' or 'linear'"),
    (
        lambda: lr.OneCycleLR(1.0, 5, phase_pct=0.5, three_phase=True),
        InvalidArgumentError,
        "less than 0.5 with three_phase",
    ),
    (lambda: lr.OneCycleLR(1.0, 5).step(6), InvalidArgumentError, "stepped 6 times"),
    (lambda: lr.CyclicLR(0.1, 0.5, 2, mode="x"), InvalidArgumentError, "mode must be"),
    (lambda: lr.CyclicLR(0.1, 0.5, 2, scale_mode="x"), InvalidArgumentError, "scale_mode must be"),
    (lambda: lr.CyclicLR(0.1, 0.5, 2, exp_gamma=1), InvalidTypeError, "exp_gamma must be float"),
    (lambda: lr.CyclicLR(0.1, 0.5, 2, 0), InvalidArgumentError, "step_size_down must be a"),
    (lambda: lr.ReduceOnPlateau(0.1, mode="x"), InvalidArgumentError, "mode must be one of"),
    (lambda: lr.ReduceOnPlateau(0.1, factor=1.0), InvalidArgumentError, "factor must be less"),
    (lambda: lr.ReduceOnPlateau(0.1, threshold_mode="x"), InvalidArgumentError, "threshold_mode"),
]


@pytest.mark.parametrize(("make", "kind", "text"), REFUSED)
def test_wrong_arguments(make, kind, text):
    """Each is refused with a message that names the argument."""
    with pytest.raises(kind, match=text):
        make()
