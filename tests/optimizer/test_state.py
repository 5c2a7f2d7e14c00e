"""State dicts of optimizers: names, contents, and continuing from them."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, NotFoundError

O = paddle.optimizer  # noqa: E741 - a module
MAKERS = {
    "sgd": lambda p, rate=0.1: O.SGD(rate, p),
    "momentum": lambda p, rate=0.1: O.Momentum(rate, 0.9, p),
    "adam": lambda p, rate=0.1: O.Adam(rate, parameters=p, amsgrad=True),
    "adamw": lambda p, rate=0.1: O.AdamW(rate, parameters=p),
}


def _params(dtype="float32"):
    params = [
        paddle.nn.Parameter(paddle.to_tensor([1.0, -2.0], dtype=dtype), name="first"),
        paddle.nn.Parameter(paddle.to_tensor([[3.0]], dtype=dtype), name="second"),
    ]
    for param in params:
        param.grad = paddle.to_tensor(np.full(param.shape, 0.5), dtype=dtype)
    return params


def _values(params):
    return [param.astype("float32").tolist() for param in params]


def test_names_are_paddles():
    """<parameter>_<accumulator>_0, in Paddle's order; powers have one element each."""
    params = _params()
    optimizer = MAKERS["adam"](params, O.lr.StepDecay(0.1, 2))
    optimizer.step()
    state = optimizer.state_dict()
    kinds = ["moment1", "moment2", "moment2_max", "beta1_pow_acc", "beta2_pow_acc"]
    expected = [f"{param}_{kind}_0" for kind in kinds for param in ("first", "second")]
    assert list(state) == [*expected, "LR_Scheduler"]
    assert all(state[name].name == name for name in expected)
    assert state["first_beta1_pow_acc_0"].shape == [1]
    np.testing.assert_allclose(state["first_beta1_pow_acc_0"].numpy(), [0.81], rtol=1e-6)
    assert state["LR_Scheduler"] == {"last_epoch": 0, "last_lr": 0.1}
    assert optimizer.get_opti_var_name_list() == expected


def test_an_optimizers_name_is_a_prefix():
    """As in Paddle, between the parameter's name and the accumulator's."""
    params = _params()
    optimizer = O.Momentum(0.1, parameters=params, name="mine")
    optimizer.step()
    assert list(optimizer.state_dict()) == ["first_mine_velocity_0", "second_mine_velocity_0"]


def test_nothing_before_the_first_step():
    """SGD has no state, and Adam none until it steps."""
    assert MAKERS["adam"](_params()).state_dict() == {}
    params = _params()
    optimizer = MAKERS["sgd"](params)
    optimizer.step()
    assert optimizer.state_dict() == {}


@pytest.mark.parametrize("form", ["tensors", "arrays"])
@pytest.mark.parametrize("when", ["before the first step", "after steps"])
@pytest.mark.parametrize("name", MAKERS)
def test_going_on(name, when, form):
    """A second optimizer that loads the first one's state makes the same steps."""
    params, others = _params(), _params()
    first = MAKERS[name](params)
    for _ in range(3):
        first.step()
    second = MAKERS[name](others)
    if when == "after steps":
        second.step()
    state = first.state_dict()
    if form == "arrays":
        state = {key: value.numpy() for key, value in state.items()}
    second.set_state_dict(state)
    for param, other in zip(params, others, strict=True):
        other.set_value(param.numpy())
    for _ in range(3):
        first.step()
        second.step()
    assert _values(params) == _values(others)


def test_powers_differ_after_loading():
    """Parameters that were updated a different number of times continue so."""
    params, others = _params(), _params()
    first, second = MAKERS["adam"](params), MAKERS["adam"](others)
    first.step()
    kept = params[1].grad
    params[1].grad = None
    first.step()
    params[1].grad = kept
    state = first.state_dict()
    assert state["first_beta1_pow_acc_0"].item() < state["second_beta1_pow_acc_0"].item()
    second.set_state_dict(state)
    for param, other in zip(params, others, strict=True):
        other.set_value(param.numpy())
    for _ in range(2):
        first.step()
        second.step()
    assert _values(params) == _values(others)


def test_master_weights():
    """They are part of the state, and a loaded one is where the next step starts."""
    params, others = _params("bfloat16"), _params("bfloat16")
    first = O.Momentum(0.001, parameters=params, multi_precision=True)
    for _ in range(3):
        first.step()
    state = first.state_dict()
    assert set(state["master_weights"]) == {"first", "second"}
    assert "first_fp32_master_0_velocity_0" in state
    second = O.Momentum(0.001, parameters=others, multi_precision=True)
    second.set_state_dict(state)
    for _ in range(40):
        first.step()
        second.step()
    assert _values(params) == _values(others)
    assert _values(params) != _values(_params("bfloat16"))


def test_saved_state_is_not_moved_by_later_steps():
    """The values written to a file stay; the live tensors change."""
    params = _params()
    optimizer = MAKERS["momentum"](params)
    optimizer.step()
    live = optimizer.state_dict()["first_velocity_0"]
    saved = live.numpy()
    optimizer.step()
    assert saved.tolist() == [0.5, 0.5]
    assert live.tolist() == pytest.approx([0.95, 0.95])


def test_scheduler_state():
    """It is restored, and its absence is reported."""
    params = _params()
    optimizer = MAKERS["momentum"](params, O.lr.StepDecay(0.1, 2))
    optimizer.set_state_dict({"LR_Scheduler": {"last_epoch": 4, "last_lr": 0.025}})
    assert optimizer.get_lr() == 0.025
    with pytest.raises(NotFoundError, match="LR_Scheduler state must be included"):
        optimizer.set_state_dict({})
    MAKERS["momentum"](_params(), O.lr.LambdaDecay(0.1, lambda e: 1.0)).set_state_dict({})


def test_state_that_does_not_fit():
    """The error names missing names, other shapes and other dtypes."""
    params = _params()
    optimizer = MAKERS["momentum"](params)
    optimizer.step()
    state = {key: value.numpy() for key, value in optimizer.state_dict().items()}
    with pytest.raises(NotFoundError, match="first_velocity_0 not found"):
        optimizer.set_state_dict({"other": np.ones(2)})
    with pytest.raises(InvalidArgumentError, match=r"shape \[2\] and dtype float32.*\[3\]"):
        optimizer.set_state_dict({**state, "first_velocity_0": np.ones(3, "float32")})
    with pytest.raises(InvalidArgumentError, match="dtype float64"):
        optimizer.set_state_dict({**state, "first_velocity_0": np.ones(2)})
    late = MAKERS["momentum"](_params())
    late.set_state_dict({"other": np.ones(2)})
    assert list(late.state_dict()) == ["other"]
    with pytest.raises(NotFoundError, match="first_velocity_0 not found"):
        late.step()
