"""OptaxOptimizer: optax's transformations as an Optimizer."""

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import (
    InvalidArgumentError,
    InvalidTypeError,
    NotFoundError,
    PreconditionNotMetError,
)
from jaxeager.interop import OptaxOptimizer

optax = pytest.importorskip("optax", reason="this needs pip install 'jaxeager[interop]'")
CLOSE = {"rtol": 1e-6, "atol": 1e-7}


def params(*values):
    """Return parameters."""
    return [
        paddle.nn.Parameter(paddle.to_tensor(value), name=f"w{k}") for k, value in enumerate(values)
    ]


def train(optimizer, weights, steps=5):
    """Make steps for a loss of all parameters, and return their values."""
    for step in range(steps):
        sum(((w - step) ** 2).sum() for w in weights).backward()
        optimizer.step()
        optimizer.clear_grad()
    return [w.numpy() for w in weights]


@pytest.mark.parametrize(
    ("make", "own"),
    [
        (lambda: optax.sgd(0.1), lambda p: paddle.optimizer.SGD(0.1, parameters=p)),
        (lambda: optax.adam(0.1), lambda p: paddle.optimizer.Adam(0.1, parameters=p)),
        (
            lambda: optax.adamw(0.1, weight_decay=0.01),
            lambda p: paddle.optimizer.AdamW(0.1, parameters=p, weight_decay=0.01),
        ),
        (lambda: optax.sgd(0.1, momentum=0.9), lambda p: paddle.optimizer.Momentum(0.1, 0.9, p)),
    ],
    ids=["sgd", "adam", "adamw", "momentum"],
)
def test_an_optax_optimizer_updates_as_the_built_in_one(make, own):
    mine, theirs = params([1.0, 2.0], [[3.0]]), params([1.0, 2.0], [[3.0]])
    found, wanted = train(OptaxOptimizer(make(), mine), mine), train(own(theirs), theirs)
    for each, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(each, other, rtol=1e-5)


def test_the_learning_rate_is_a_scheduler():
    weights = params([1.0])
    schedule = paddle.optimizer.lr.StepDecay(0.5, step_size=1, gamma=0.1)
    optimizer = OptaxOptimizer(optax.identity(), weights, learning_rate=schedule)
    for rate in (0.5, 0.05):
        assert optimizer.get_lr() == pytest.approx(rate)
        before = weights[0].item()
        weights[0].sum().backward()
        optimizer.step()
        optimizer.clear_grad()
        assert before - weights[0].item() == pytest.approx(rate)
        schedule.step()


def test_the_learning_rate_of_injected_hyperparameters():
    weights = params([1.0])
    optimizer = OptaxOptimizer(optax.inject_hyperparams(optax.sgd)(learning_rate=0.5), weights)
    assert optimizer.get_lr() == 0.5
    optimizer.set_lr(0.25)
    weights[0].sum().backward()
    optimizer.step()
    assert weights[0].item() == 0.75
    assert optimizer.get_lr() == 0.25
    with pytest.raises(PreconditionNotMetError, match=r"inject_hyperparams\(optax.adam\)"):
        OptaxOptimizer(optax.sgd(0.1), weights).get_lr()


def test_state_goes_through_a_file(tmp_path):
    first = params([1.0, 2.0])
    optimizer = OptaxOptimizer(optax.adam(0.1), first)
    train(optimizer, first)
    paddle.save(optimizer.state_dict(), f"{tmp_path}/state.pdopt")
    assert "optax.0.mu.w0" in optimizer.state_dict()
    second = params(first[0].tolist())
    other = OptaxOptimizer(optax.adam(0.1), second)
    other.set_state_dict(paddle.load(f"{tmp_path}/state.pdopt"))
    assert (train(optimizer, first)[0] == train(other, second)[0]).all()
    with pytest.raises(NotFoundError, match=r"lacks optax.0.count"):
        other.set_state_dict({})
    bad = {**optimizer.state_dict(), "optax.0.mu.w0": paddle.zeros([3])}
    with pytest.raises(InvalidArgumentError, match=r"shape \[3\], but \[2\] is needed"):
        other.set_state_dict(bad)


def test_masks_go_by_name_and_what_has_no_gradient_stays():
    weights = params([1.0], [1.0], [1.0])
    tx = optax.multi_transform(
        {"slow": optax.sgd(0.1), "fast": optax.sgd(1.0)},
        {"w0": "slow", "w1": "fast", "w2": "fast"},
    )
    optimizer = OptaxOptimizer(optax.chain(tx, optax.add_decayed_weights(-0.5)), weights)
    (weights[0] + weights[1]).sum().backward()
    optimizer.step()
    assert [w.item() for w in weights] == pytest.approx([0.4, -0.5, 1.0])


def test_clipping_and_the_scaler():
    weights = params([3.0, 4.0])
    clip = paddle.nn.ClipGradByGlobalNorm(1.0)
    optimizer = OptaxOptimizer(optax.sgd(1.0), weights, grad_clip=clip)
    (weights[0] ** 2).sum().backward()
    optimizer.step()
    optimizer.clear_grad()
    np.testing.assert_allclose(weights[0].numpy(), [2.4, 3.2], **CLOSE)
    scaler = paddle.amp.GradScaler(init_loss_scaling=4.0, use_dynamic_loss_scaling=False)
    scaler.scale(weights[0].sum() * float("inf")).backward()
    scaler.step(optimizer)
    scaler.update()
    np.testing.assert_allclose(weights[0].numpy(), [2.4, 3.2], **CLOSE)  # it was skipped


def test_bad_calls():
    with pytest.raises(InvalidTypeError, match="transformation of optax, but got float"):
        OptaxOptimizer(0.1, params([1.0]))
    with pytest.raises(InvalidArgumentError, match="Two parameters are called w0"):
        OptaxOptimizer(optax.sgd(0.1), [*params([1.0]), *params([1.0])])
    with pytest.raises(InvalidArgumentError, match="multi_transform"):
        OptaxOptimizer(optax.sgd(0.1), [{"params": params([1.0])}])


def test_optax_itself_runs_on_a_state():
    """Its trees of parameters and of moments keep one structure, step after step."""
    paddle.seed(0)
    net, x = paddle.nn.Linear(2, 1), paddle.rand([8, 2])._array
    params, adam = net.state_dict(), optax.adam(0.1)
    loss_of = paddle.autograd.to_jax(lambda p, x: ((x @ p["weight"] + p["bias"]) ** 2).mean())
    moments, losses = adam.init(params), []
    for _ in range(4):
        loss, grads = jax.value_and_grad(loss_of)(params, x)
        updates, moments = adam.update(grads, moments, params)
        params = optax.apply_updates(params, updates)
        losses.append(float(loss))
    assert losses[-1] < losses[0] / 2
    assert type(params["weight"]) is paddle.nn.Parameter
