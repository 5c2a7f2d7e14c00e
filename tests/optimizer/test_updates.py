"""Every optimizer against the same rule in NumPy float64, step by step."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.regularizer import L1Decay, L2Decay

SHAPES = [(3, 2), (4,), (), (0,), (3, 2)]
STEPS = 4


def parameters(dtype="float32", shapes=SHAPES):
    """Return parameters with fixed random values."""
    draw = np.random.RandomState(0)
    return [
        paddle.nn.Parameter(paddle.to_tensor(draw.randn(*shape), dtype=dtype)) for shape in shapes
    ]


def gradients(step, dtype="float32", shapes=SHAPES):
    """Return gradients of one step, as NumPy arrays already rounded to the dtype."""
    draw = np.random.RandomState(step + 1)
    tensors = [paddle.to_tensor(draw.randn(*shape), dtype=dtype) for shape in shapes]
    return [tensor.astype("float64").numpy() for tensor in tensors]


def run(optimizer, params, steps=STEPS, skip=lambda step, index: False):
    """Step the optimizer; a skipped gradient is None."""
    dtype = str(params[0].dtype).removeprefix("paddle.")
    shapes = [tuple(param.shape) for param in params]
    for step in range(steps):
        for index, (param, grad) in enumerate(
            zip(params, gradients(step, dtype, shapes), strict=True)
        ):
            none = skip(step, index)
            param.grad = None if none else paddle.to_tensor(grad, dtype=dtype)
        optimizer.step()
        if isinstance(optimizer._learning_rate, paddle.optimizer.lr.LRScheduler):
            optimizer._learning_rate.step()
    return [param.astype("float64").numpy() for param in params]


def reference(rule, params, steps=STEPS, rate=lambda step: 0.1, skip=lambda step, index: False):
    """Run a NumPy rule (value, grad, state, rate) -> value over float64 copies."""
    dtype = str(params[0].dtype).removeprefix("paddle.")
    shapes = [tuple(param.shape) for param in params]
    values = [param.astype("float64").numpy() for param in params]
    states = [{} for _ in params]
    for step in range(steps):
        for index, grad in enumerate(gradients(step, dtype, shapes)):
            if not skip(step, index):
                values[index] = rule(values[index], grad, states[index], rate(step))
    return values


def sgd(value, grad, state, rate):
    """Compute gradient descent."""
    return value - rate * grad


def momentum(mu=0.9, nesterov=False, l2=0.0, l1=0.0, rescale=1.0):
    """Compute momentum; L1 decay before rescaling, L2 after."""

    def rule(value, grad, state, rate):
        grad = (grad + l1 * np.sign(value)) * rescale + l2 * value
        state["v"] = velocity = mu * state.get("v", 0.0) + grad
        return value - rate * (grad + mu * velocity if nesterov else velocity)

    return rule


def adam(beta1=0.9, beta2=0.999, epsilon=1e-8, amsgrad=False, decay=0.0, l2=0.0, ratio=1.0):
    """Compute Adam and AdamW, with Paddle's place for epsilon."""

    def rule(value, grad, state, rate):
        rate = rate * ratio
        value = value * (1 - rate * decay)
        grad = grad + l2 * value
        state["t"] = t = state.get("t", 0) + 1
        state["m"] = m = beta1 * state.get("m", 0.0) + (1 - beta1) * grad
        state["v"] = v = beta2 * state.get("v", 0.0) + (1 - beta2) * grad**2
        if amsgrad:
            state["x"] = v = np.maximum(v, state.get("x", 0.0))
        correction = np.sqrt(1 - beta2**t)
        return value - rate * correction / (1 - beta1**t) * m / (np.sqrt(v) + epsilon * correction)

    return rule


O = paddle.optimizer  # noqa: E741 - a module
CASES = {
    "sgd": (lambda p: O.SGD(0.1, p), sgd),
    "sgd l2": (
        lambda p: O.SGD(0.1, p, weight_decay=0.3),
        lambda v, g, s, r: v - r * (g + 0.3 * v),
    ),
    "sgd int decay": (
        lambda p: O.SGD(0.1, p, weight_decay=1),
        lambda v, g, s, r: v - r * (g + v),
    ),
    "sgd l1": (
        lambda p: O.SGD(0.1, p, weight_decay=L1Decay(0.3)),
        lambda v, g, s, r: v - r * (g + 0.3 * np.sign(v)),
    ),
    "momentum": (lambda p: O.Momentum(0.1, 0.9, p), momentum()),
    "momentum nesterov l2": (
        lambda p: O.Momentum(0.1, 0.8, p, use_nesterov=True, weight_decay=L2Decay(0.2)),
        momentum(0.8, nesterov=True, l2=0.2),
    ),
    "momentum l1 rescale": (
        lambda p: O.Momentum(0.1, 0.8, p, weight_decay=L1Decay(0.2), rescale_grad=0.5),
        momentum(0.8, l1=0.2, rescale=0.5),
    ),
    "momentum l2 rescale": (
        lambda p: O.Momentum(0.1, 0.8, p, weight_decay=0.2, rescale_grad=0.5),
        momentum(0.8, l2=0.2, rescale=0.5),
    ),
    "adam": (lambda p: O.Adam(0.1, parameters=p), adam()),
    "adam betas l2": (
        lambda p: O.Adam(0.1, 0.7, 0.9, 1e-2, p, weight_decay=0.2),
        adam(0.7, 0.9, 1e-2, l2=0.2),
    ),
    "adam amsgrad": (
        lambda p: O.Adam(0.1, 0.7, 0.5, parameters=p, amsgrad=True),
        adam(0.7, 0.5, amsgrad=True),
    ),
    "adam tensor betas": (
        lambda p: O.Adam(0.1, paddle.to_tensor(0.75), paddle.to_tensor([0.5]), parameters=p),
        adam(0.75, 0.5),
    ),
    "adamw": (lambda p: O.AdamW(0.1, parameters=p), adam(decay=0.01)),
    "adamw amsgrad": (
        lambda p: O.AdamW(0.1, 0.7, 0.5, parameters=p, weight_decay=0.3, amsgrad=True),
        adam(0.7, 0.5, amsgrad=True, decay=0.3),
    ),
    "adamw ratio": (
        lambda p: O.AdamW(0.1, parameters=p, weight_decay=0.3, lr_ratio=lambda param: 0.5),
        adam(decay=0.3, ratio=0.5),
    ),
    "adamw no decay": (
        lambda p: O.AdamW(0.1, parameters=p, apply_decay_param_fun=lambda name: False),
        adam(),
    ),
}
TOLERANCES = {"float64": 3e-7, "float32": 2e-6}


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("name", CASES)
def test_steps(name, dtype):
    """Parameters of several shapes, including zero-size and 0-D, are compared after four steps."""
    make, rule = CASES[name]
    params = parameters(dtype)
    expected = reference(rule, params)
    found = run(make(params), params)
    # float64: Paddle's float attributes (momentum, decay) are float32, which shows at 1e-8
    for value, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(value, wanted, rtol=TOLERANCES[dtype], atol=TOLERANCES[dtype])
    assert all(param.dtype == dtype for param in params)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ["sgd", "momentum", "adam", "adamw"])
def test_half_precision(name, dtype):
    """With master weights the result is the float32 one, rounded once; without, it is near."""
    make, rule = CASES[name]
    plain, master = parameters(dtype), parameters(dtype)
    expected = reference(rule, master)
    optimizer = make(master)
    optimizer._multi_precision = True
    run(optimizer, master)
    run(make(plain), plain)
    epsilon = 2.0**-10 if dtype == "float16" else 2.0**-7
    for with_master, without, wanted in zip(master, plain, expected, strict=True):
        rounded = paddle.to_tensor(wanted, dtype=dtype).astype("float64").numpy()
        np.testing.assert_allclose(with_master.astype("float64").numpy(), rounded, rtol=epsilon)
        np.testing.assert_allclose(
            without.astype("float64").numpy(), wanted, rtol=STEPS * epsilon, atol=STEPS * epsilon
        )
    masters = optimizer.state_dict()["master_weights"]
    assert {tensor.dtype for tensor in masters.values()} == {paddle.float32}
    assert [t.name for t in masters.values()] == [f"{p.name}_fp32_master_0" for p in master]


def test_some_gradients_missing():
    """Each parameter counts its own steps, as its own powers in Paddle do."""

    def skip(step, index):
        return (step + index) % 3 == 0

    params = parameters()
    expected = reference(adam(), params, steps=7, skip=skip)
    found = run(O.Adam(0.1, parameters=params), params, steps=7, skip=skip)
    for value, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(value, wanted, rtol=1e-5, atol=1e-6)


def test_scheduler_sets_the_rate():
    """Each step uses the scheduler's current rate."""
    params = parameters()
    scheduler = O.lr.ExponentialDecay(0.1, 0.5)
    expected = reference(momentum(), params, rate=lambda step: 0.1 * 0.5**step)
    found = run(O.Momentum(scheduler, 0.9, params), params)
    for value, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(value, wanted, rtol=2e-6, atol=2e-6)


def test_groups_have_their_own_options():
    """These are the rate's factor, decay, the rule's numbers; by default the optimizer's."""
    params = parameters()
    optimizer = O.Adam(
        0.1,
        parameters=[
            {"params": params[:2], "learning_rate": 0.5, "weight_decay": 0.3, "beta1": 0.5},
            {"params": params[2:]},
        ],
        weight_decay=0.2,
    )
    first = reference(adam(beta1=0.5, l2=0.3), params, rate=lambda step: 0.05)
    second = reference(adam(l2=0.2), params)
    found = run(optimizer, params)
    for value, wanted in zip(found, first[:2] + second[2:], strict=True):
        np.testing.assert_allclose(value, wanted, rtol=2e-6, atol=2e-6)


def test_groups_of_momentum():
    """A group whose weight decay is None does not decay."""
    params = parameters()
    optimizer = O.Momentum(
        0.1,
        parameters=[
            {"params": params[:2], "momentum": 0.5, "use_nesterov": True, "weight_decay": 0.3},
            {"params": params[2:], "weight_decay": None},
        ],
        weight_decay=0.2,
    )
    first = reference(momentum(0.5, nesterov=True, l2=0.3), params)
    second = reference(momentum(), params)
    found = run(optimizer, params)
    for value, wanted in zip(found, first[:2] + second[2:], strict=True):
        np.testing.assert_allclose(value, wanted, rtol=2e-6, atol=2e-6)


def test_groups_of_adamw():
    """Each group decays by its own number."""
    params = parameters()
    groups = [{"params": params[:2], "weight_decay": 0.5}, {"params": params[2:]}]
    expected = reference(adam(decay=0.5), params)[:2] + reference(adam(decay=0.1), params)[2:]
    found = run(O.AdamW(0.1, parameters=groups, weight_decay=0.1), params)
    for value, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(value, wanted, rtol=2e-6, atol=2e-6)


def test_parameter_attributes():
    """optimize_attr scales the rate, a parameter's own regularizer has priority."""
    params = parameters()
    params[0].optimize_attr["learning_rate"] = 0.5
    params[1].regularizer = L1Decay(0.4)
    expected = reference(lambda v, g, s, r: v - r * (g + 0.2 * v), params)
    expected[0] = reference(lambda v, g, s, r: v - r / 2 * (g + 0.2 * v), params)[0]
    expected[1] = reference(lambda v, g, s, r: v - r * (g + 0.4 * np.sign(v)), params)[1]
    found = run(O.SGD(0.1, params, weight_decay=0.2), params)
    for value, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(value, wanted, rtol=2e-6, atol=2e-6)


def test_attributes_may_change_between_steps():
    """A factor, a regularizer or a momentum set later counts from the next step."""
    weight = paddle.nn.Parameter(paddle.to_tensor([1.0]))
    weight.grad = paddle.to_tensor([1.0])
    optimizer = O.SGD(0.25, [weight])
    optimizer.step()
    assert weight.item() == 0.75
    weight.optimize_attr["learning_rate"] = 2.0
    optimizer.step()
    assert weight.item() == 0.25
    weight.regularizer = L2Decay(1.0)
    optimizer.step()
    assert weight.item() == -0.375


def test_two_parameters_of_one_memory():
    """Both update the memory, one after the other."""
    first = paddle.nn.Parameter(paddle.to_tensor([1.0]))
    second = paddle.nn.Parameter(paddle.to_tensor([5.0]))
    second.data = first
    first.grad, second.grad = paddle.to_tensor([1.0]), paddle.to_tensor([2.0])
    optimizer = O.SGD(0.25, [first, second])
    for _ in range(2):
        optimizer.step()
    assert first.tolist() == second.tolist() == [-0.5]
