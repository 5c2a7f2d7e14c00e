"""Users' optimizers (optimizer/custom.py), beyond the comparisons of the parity programs."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import NotFoundError, UnimplementedError


class Mean(paddle.optimizer.Optimizer):
    """Steps by the running mean of the gradient."""

    def _create_accumulators(self, block, parameters):
        for param in parameters:
            self._add_accumulator("mean", param)

    def _append_optimize_op(self, block, param_and_grad):
        param, grad = param_and_grad
        mean = self._get_accumulator("mean", param)
        mean.set_value(mean * 0.5 + grad)
        param.set_value(param - self._create_param_lr(param_and_grad) * mean)


def parameters(*values):
    return [paddle.nn.Parameter(paddle.to_tensor([float(value)])) for value in values]


def step(optimizer, params):
    sum((param * param).sum() for param in params).backward()
    optimizer.step()
    optimizer.clear_grad()
    return [param.item() for param in params]


def test_its_state_comes_back():
    params = parameters(2.0)
    optimizer = Mean(0.125, parameters=params)
    step(optimizer, params)
    state = {name: paddle.to_tensor(v.numpy()) for name, v in optimizer.state_dict().items()}
    value = params[0].numpy()
    after = step(optimizer, params)
    params[0].set_value(value)
    again = Mean(0.125, parameters=params)
    again.set_state_dict(state)
    assert step(again, params) == after
    with_other = {name: paddle.to_tensor([7.0]) for name in state}
    again.set_state_dict(with_other)
    assert again._accumulators["mean"][params[0].name].tolist() == [7.0]


def test_a_group_has_its_own_clip_and_decay():
    params = parameters(2.0, 2.0)
    groups = [
        {"params": params[:1], "grad_clip": paddle.nn.ClipGradByValue(1.0)},
        {"params": params[1:], "weight_decay": 0.5, "learning_rate": 0.5},
    ]
    assert step(Mean(0.125, parameters=groups), params) == [2 - 0.125, 2 - 0.125 * 0.5 * 5]


def test_a_step_that_grad_scaler_skips():
    params = parameters(1.0)
    optimizer = Mean(0.125, parameters=params)
    scaler = paddle.amp.GradScaler(init_loss_scaling=2.0)
    with paddle.amp.auto_cast(dtype="float16"):
        scaler.scale((params[0] * float("inf")).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert params[0].item() == 1.0


def test_an_optimizer_that_defines_no_update():
    class Silent(paddle.optimizer.Optimizer):
        pass

    params = parameters(1.0)
    with pytest.raises(UnimplementedError, match="Silent has no rule to update a parameter"):
        step(Silent(0.125, parameters=params), params)
    assert params[0].item() == 1.0


def test_a_missing_accumulator_is_named():
    params = parameters(1.0)
    optimizer = Mean(0.125, parameters=params)
    name = params[0].name
    with pytest.raises(
        NotFoundError, match=f"Accumulator other does not exist for parameter {name}"
    ):
        optimizer._get_accumulator("other", params[0])
    with pytest.raises(UnimplementedError, match="leave device out"):
        optimizer._add_accumulator("other", params[0], device="cpu")


@pytest.mark.parametrize("kind", ["Adam", "AdamW", "NAdam", "RAdam", "Adamax", "Lamb", "ASGD"])
def test_powers_move_on_once_a_parameter(kind):
    """The update by rule, one parameter after the other, equals that of one call over all."""

    class Looks(getattr(paddle.optimizer, kind)):
        def _append_optimize_op(self, block, param_and_grad):
            super()._append_optimize_op(block, param_and_grad)

    rows = []
    for made in (getattr(paddle.optimizer, kind), Looks):
        params = parameters(2.0, -1.0, 0.5)
        optimizer = made(learning_rate=0.1, parameters=params)
        rows.append([step(optimizer, params) for _ in range(4)])
    np.testing.assert_allclose(rows[0], rows[1], 1e-6)


def test_master_weights_are_read():
    param = paddle.nn.Parameter(paddle.ones([2], "bfloat16"))
    adam = paddle.optimizer.Adam(0.1, parameters=[param], multi_precision=True)
    param.sum().backward()
    adam.step()
    master = adam._master_weights[param.name]
    assert master.dtype == paddle.float32
    assert adam._get_accumulator_master("moment1", param).shape == [2]
