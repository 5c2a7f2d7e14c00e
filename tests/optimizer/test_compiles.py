"""A step compiles once: a counter of JAX's own compile events stays still afterwards."""

import contextlib

import jax
import numpy as np
import pytest

import jaxeager as paddle

pytestmark = pytest.mark.single_calls

OPTIMIZERS = {
    "sgd": lambda params, rate: paddle.optimizer.SGD(rate, params),
    "momentum": lambda params, rate: paddle.optimizer.Momentum(rate, 0.9, params),
    "adam": lambda params, rate: paddle.optimizer.Adam(rate, parameters=params),
    "nadam": lambda params, rate: paddle.optimizer.NAdam(rate, parameters=params),
    "radam": lambda params, rate: paddle.optimizer.RAdam(rate, parameters=params),
    "adamax": lambda params, rate: paddle.optimizer.Adamax(rate, parameters=params),
    "adagrad": lambda params, rate: paddle.optimizer.Adagrad(rate, parameters=params),
    "adadelta": lambda params, rate: paddle.optimizer.Adadelta(rate, parameters=params),
    "rmsprop": lambda params, rate: paddle.optimizer.RMSProp(rate, parameters=params),
    "rprop": lambda params, rate: paddle.optimizer.Rprop(rate, parameters=params),
    "asgd": lambda params, rate: paddle.optimizer.ASGD(rate, 3, params),
    "lamb": lambda params, rate: paddle.optimizer.Lamb(rate, parameters=params),
    "average": lambda params, rate: paddle.incubate.ModelAverage(rate, params, 2, 3),
    "adamw": lambda params, rate: paddle.optimizer.AdamW(
        rate, parameters=params, grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0)
    ),
}
_compiled: list[str] = []


def _count(event, duration, **_):
    if event == "/jax/core/compile/backend_compile_duration":
        _compiled.append(event)


@contextlib.contextmanager
def compilations():
    """Yield a list that grows by one with each compilation inside."""
    jax.monitoring.register_event_duration_secs_listener(_count)
    _compiled.clear()
    try:
        yield _compiled
    finally:
        jax.monitoring.unregister_event_duration_listener(_count)


def _params(shapes=((5, 3), (3,), ())):
    return [paddle.nn.Parameter(paddle.rand(list(shape))) for shape in shapes]


def _train(params, optimizer, steps):
    x = paddle.ones([2, 5])
    for _ in range(steps):
        loss = ((paddle.matmul(x, params[0]) + params[1]) * params[2]).sum()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()


def test_the_counter_counts():
    """A new compilation increases it."""
    with compilations() as seen:
        jax.jit(lambda x: x * 3 + 1)(np.ones([7, 7, 7]))
    assert len(seen) == 1


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_no_compilation_after_the_second_step(name):
    """There is no compilation in five more training steps, counting the whole step."""
    params = _params()
    optimizer = OPTIMIZERS[name](params, 0.1)
    _train(params, optimizer, 2)
    with compilations() as seen:
        _train(params, optimizer, 5)
    assert seen == []


def test_a_new_learning_rate_does_not_compile():
    """Neither set_lr nor a scheduler compiles, whether it changes at each step or stays."""
    params = _params()
    optimizer = paddle.optimizer.Momentum(0.1, 0.9, params)
    scheduled = paddle.optimizer.Momentum(paddle.optimizer.lr.NoamDecay(4, 9), 0.9, params)
    _train(params, optimizer, 2)
    _train(params, scheduled, 2)
    with compilations() as seen:
        for step in range(4):
            optimizer.set_lr(0.1 / (step + 2))
            _train(params, optimizer, 2)
            scheduled._learning_rate.step()
            _train(params, scheduled, 1)
    assert seen == []


def test_equal_models_share_the_executable():
    """A second model of the same shapes compiles no step."""
    first, second = _params(), _params()
    _train(first, paddle.optimizer.Adam(0.1, parameters=first), 2)
    other = paddle.optimizer.Adam(0.3, parameters=second)
    with compilations() as seen:
        _train(second, other, 3)
    assert seen == []


def test_a_step_is_one_call_for_all_parameters():
    """A step is one executable over every buffer."""
    params = _params([(2, 2)] * 30)
    for param in params:
        param.grad = paddle.ones([2, 2])
    optimizer = paddle.optimizer.AdamW(0.1, parameters=params)
    optimizer.step()
    plan = optimizer._plan
    calls = []
    optimizer._plan = plan._replace(
        run=lambda *args: (calls.append(len(args[0])), plan.run(*args))[1]
    )
    optimizer.step()
    # 30 parameters and two moments of each; the powers of the betas are one pair for all
    assert calls == [30 * 3 + 2]


def test_a_changing_set_of_gradients():
    """Each set of parameters compiles once; returning to one costs nothing."""
    params = _params([(2, 2), (3,)])
    optimizer = paddle.optimizer.Momentum(0.1, 0.9, params)
    grads = [paddle.ones([2, 2]), paddle.ones([3])]

    def step(*present):
        for index, param in enumerate(params):
            param.grad = grads[index] if index in present else None
        optimizer.step()

    for present in [(0, 1), (0,), (1,), (0, 1), (0,), (1,)]:
        step(*present)
    with compilations() as seen:
        for present in [(0, 1), (0,), (1,), (0, 1)]:
            step(*present)
    assert seen == []


def test_the_rate_is_cached():
    """An unchanged learning rate is one array on the device, from the first step or the second."""
    optimizer = paddle.optimizer.SGD(0.1, _params())
    first, second = (optimizer._rate_array() for _ in range(2))
    assert isinstance(first, jax.Array)
    assert first is second
    scheduled = paddle.optimizer.SGD(paddle.optimizer.lr.StepDecay(0.1, 9), _params())
    first, second, third = (scheduled._rate_array() for _ in range(3))
    assert isinstance(first, np.ndarray)
    assert isinstance(second, jax.Array)
    assert second is third
