"""The adaptive optimizers: half precision, state, groups, skipped steps, shared code."""

import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidTypeError

O = paddle.optimizer  # noqa: E741 - a module
MAKERS = {
    "nadam": lambda p, rate=0.05: O.NAdam(rate, parameters=p),
    "radam": lambda p, rate=0.05: O.RAdam(rate, parameters=p),
    "radam short": lambda p, rate=0.05: O.RAdam(rate, beta2=0.9, parameters=p),
    "adamax": lambda p, rate=0.05: O.Adamax(rate, parameters=p),
    "adagrad": lambda p, rate=0.05: O.Adagrad(rate, parameters=p, initial_accumulator_value=0.5),
    "adadelta": lambda p, rate=0.5: O.Adadelta(rate, 1e-3, parameters=p),
    "rmsprop": lambda p, rate=0.05: O.RMSProp(rate, 0.9, 1e-3, 0.5, True, p),
    "rprop": lambda p, rate=0.05: O.Rprop(rate, parameters=p),
    "asgd": lambda p, rate=0.05: O.ASGD(rate, 3, p),
    "lamb": lambda p, rate=0.05: O.Lamb(rate, parameters=p),
}
SHAPES = [(3, 2), (4,), (), (0,)]


def _params(dtype="float32", shapes=SHAPES):
    draw = np.random.RandomState(0)
    return [
        paddle.nn.Parameter(paddle.to_tensor(draw.randn(*shape), dtype=dtype), name=f"w{k}")
        for k, shape in enumerate(shapes)
    ]


def _step(optimizer, params, k):
    draw = np.random.RandomState(k + 1)
    for param in params:
        param.grad = paddle.to_tensor(draw.randn(*param.shape), dtype=param.dtype)
    optimizer.step()


def _train(optimizer, params, first=0, last=6):
    for k in range(first, last):
        _step(optimizer, params, k)
    return [param.astype("float64").numpy() for param in params]


def _same(found, wanted, **tolerance):
    for value, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(value, other, **tolerance)


DTYPES = pytest.mark.parametrize(
    "dtype", ["float16", pytest.param("bfloat16", marks=pytest.mark.deep)]
)


@DTYPES
@pytest.mark.parametrize("name", MAKERS)
def test_master_weights(name, dtype):
    """A half precision parameter with a master copy follows the float32 one."""
    halves = _params(dtype)
    wide = [
        paddle.nn.Parameter(param.detach().astype("float32"), name=f"v{k}")
        for k, param in enumerate(halves)
    ]
    optimizer, other = MAKERS[name](halves), MAKERS[name](wide)
    optimizer._multi_precision = True
    for k in range(6):
        draw = np.random.RandomState(k + 1)
        for param, twin in zip(halves, wide, strict=True):
            param.grad = paddle.to_tensor(draw.randn(*param.shape), dtype=dtype)
            twin.grad = param.grad.astype("float32")
        optimizer.step()
        other.step()
    masters = optimizer.state_dict()["master_weights"]
    for param, twin in zip(halves, wide, strict=True):
        np.testing.assert_allclose(masters[param.name].numpy(), twin.numpy(), rtol=1e-6)
        assert param.tolist() == twin.astype(dtype).tolist()


@DTYPES
@pytest.mark.parametrize("name", MAKERS)
def test_half_precision_without_masters(name, dtype):
    """It stays near the float32 run, and every accumulator finite."""
    halves, wide = _params(dtype), _params()
    optimizer = MAKERS[name](halves)
    found, wanted = _train(optimizer, halves), _train(MAKERS[name](wide), wide)
    for value, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(value, other, atol=0.15, rtol=0.1)
    for value in optimizer.state_dict().values():
        assert np.isfinite(value.astype("float64").numpy()).all()


@pytest.mark.parametrize("form", ["tensors", "arrays"])
@pytest.mark.parametrize("name", MAKERS)
def test_going_on(name, form):
    """A second optimizer that loads the first one's state makes the same steps."""
    params, others = _params(), _params()
    first, second = MAKERS[name](params), MAKERS[name](others)
    _train(first, params, 0, 4)
    state = first.state_dict()
    if form == "arrays":
        state = {key: value.numpy() for key, value in state.items()}
    _train(second, others, 0, 2)
    second.set_state_dict(state)
    for param, other in zip(params, others, strict=True):
        other.set_value(param.numpy())
    assert first.state_dict().keys() == second.state_dict().keys()
    _same(_train(first, params, 4, 9), _train(second, others, 4, 9), rtol=0)


@pytest.mark.parametrize("name", MAKERS)
def test_gradients_missing_now_and_then(name):
    """Each parameter counts its own steps, as if it were alone."""

    def has_gradient(k, index):
        return (k + index) % 3 != 0

    params = _params(shapes=SHAPES[:2])
    together = MAKERS[name](params)
    for k in range(7):
        draw = np.random.RandomState(k)
        for index, param in enumerate(params):
            grad = paddle.to_tensor(draw.randn(*param.shape), dtype="float32")
            param.grad = grad if has_gradient(k, index) else None
        together.step()
    for index, alone in enumerate(_params(shapes=SHAPES[:2])):
        optimizer = MAKERS[name]([alone])
        for k in range(7):
            draw = np.random.RandomState(k)
            grads = [draw.randn(*param.shape) for param in params]
            if has_gradient(k, index):
                alone.grad = paddle.to_tensor(grads[index], dtype="float32")
                optimizer.step()
        np.testing.assert_allclose(alone.numpy(), params[index].numpy(), rtol=1e-6)


@pytest.mark.parametrize("name", MAKERS)
def test_a_step_that_is_skipped(name):
    """found_inf on the device leaves parameters and every accumulator."""
    params = _params()
    optimizer = MAKERS[name](params)
    before = _train(optimizer, params, 0, 2)
    state = {key: value.numpy() for key, value in optimizer.state_dict().items()}
    optimizer._set_auxiliary_var("found_inf", jnp.asarray(True))
    assert [v.tolist() for v in _train(optimizer, params, 2, 3)] == [v.tolist() for v in before]
    for key, value in optimizer.state_dict().items():
        assert value.numpy().tolist() == state[key].tolist()
    optimizer._set_auxiliary_var("found_inf", jnp.asarray(False))
    after = _train(optimizer, params, 3, 4)
    assert after[0].tolist() != before[0].tolist()


@pytest.mark.parametrize("name", ["nadam", "radam", "adamax", "lamb"])
def test_groups_whose_powers_diverge(name):
    """Powers that are equal at first are not shared by groups with other betas."""
    kinds = {"nadam": O.NAdam, "radam": O.RAdam, "adamax": O.Adamax, "lamb": O.Lamb}
    p, q = _params(shapes=[(3,), (3,)])
    groups = [{"params": [p], "beta1": 0.5, "beta2": 0.75}, {"params": [q]}]
    together = kinds[name](0.05, parameters=groups)
    alone = _params(shapes=[(3,), (3,)])
    apart = [
        kinds[name](0.05, beta1=0.5, beta2=0.75, parameters=[alone[0]]),
        kinds[name](0.05, parameters=[alone[1]]),
    ]
    for k in range(5):
        for index, grad in enumerate(np.random.RandomState(k).randn(2, 3).astype("float32")):
            (p, q)[index].grad = paddle.to_tensor(grad)
            alone[index].grad = paddle.to_tensor(grad)
        together.step()
        for optimizer in apart:
            optimizer.step()
    assert p.tolist() == pytest.approx(alone[0].tolist(), rel=1e-6)
    assert q.tolist() == pytest.approx(alone[1].tolist(), rel=1e-6)


def test_spread_powers():
    """One number here, shaped like the parameter in a state dict; unequal ones are refused."""
    params = _params()
    optimizer = MAKERS["nadam"](params)
    _step(optimizer, params, 0)
    state = optimizer.state_dict()
    assert [state[f"w{k}_mu_product_0"].shape for k in range(4)] == [[3, 2], [4], [], [0]]
    assert next(iter(state)) == "w0_momentum_decay_pow_0"
    broken = {key: value.numpy().copy() for key, value in state.items()}
    broken["w0_beta2_pow_0"][0, 0] = 0.5
    with pytest.raises(
        InvalidArgumentError, match=r"w0_beta2_pow_0 .* same value in every element"
    ):
        MAKERS["nadam"](params).set_state_dict(broken) or optimizer.set_state_dict(broken)


def test_half_precision_state_is_widened():
    """Accumulators that Paddle keeps narrow next to a master weight load into float32 ones."""
    params = _params("bfloat16", [(2,)])
    optimizer = O.Rprop(0.05, parameters=params, multi_precision=True)
    _step(optimizer, params, 0)
    state = optimizer.state_dict()
    key = "w0_fp32_master_0_learning_rates_0"
    assert state[key].dtype == paddle.float32
    optimizer.set_state_dict({**state, key: state[key].astype("bfloat16")})
    assert optimizer.state_dict()[key].dtype == paddle.float32


def test_lamb_leaves_parameters_out():
    """The function sees each parameter; groups may have their own."""
    p, q = _params(shapes=[(2,), (2,)])
    asked = []

    def exclude(param):
        asked.append(param)
        return True

    groups = [{"params": [p], "exclude_from_weight_decay_fn": exclude}, {"params": [q]}]
    optimizer = O.Lamb(0.05, 0.5, parameters=groups)
    _step(optimizer, [p, q], 0)
    assert asked == [p]
    with pytest.raises(InvalidTypeError, match="exclude_from_weight_decay_fn should be a function"):
        O.Lamb(parameters=[p], exclude_from_weight_decay_fn=3)


def test_numbers_out_of_range_are_refused():
    """Numbers out of range, and a scheduler for Rprop are refused."""
    params = _params()
    for make, kind, text in [
        (
            lambda: O.NAdam(0.1, momentum_decay=-1.0, parameters=params),
            ValueError,
            "momentum_decay",
        ),
        (lambda: O.RAdam(0.1, beta1=None, parameters=params), ValueError, "beta1 is not set"),
        (lambda: O.Adagrad(0.1, None, params), ValueError, "epsilon is not set"),
        (lambda: O.RMSProp(0.1, momentum=-0.5, parameters=params), ValueError, "momentum >= 0"),
        (
            lambda: O.Rprop(O.lr.NoamDecay(4, 9), parameters=params),
            TypeError,
            "adapts its learning",
        ),
        (lambda: O.Rprop(60.0, parameters=params), ValueError, "must be true"),
        (lambda: O.Rprop(0.1, parameters=params, etas=(0.5, 1.0)), ValueError, "etas"),
        (lambda: O.ASGD(0.1, 0, params), ValueError, "greater than 0"),
    ]:
        with pytest.raises(kind, match=text):
            make()


def test_append_regularization_ops():
    """The penalty's gradient is added; a parameter's own regularizer has priority."""
    p, q = _params(shapes=[(2,), (2,)])
    p.regularizer = paddle.regularizer.L1Decay(0.5)
    grad = paddle.zeros([2])
    pairs = O.SGD(0.1, [p, q]).append_regularization_ops(
        [(p, grad), (q, grad), (q, None)], paddle.regularizer.L2Decay(0.5)
    )
    np.testing.assert_allclose(pairs[0][1].numpy(), 0.5 * np.sign(p.numpy()))
    np.testing.assert_allclose(pairs[1][1].numpy(), 0.5 * q.numpy())
    assert pairs[2][1] is None
    assert grad.tolist() == [0.0, 0.0]
