"""GradScaler against Paddle's rule in NumPy, bad steps, state and errors."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidTypeError, PreconditionNotMetError, RefusedArgumentError
from tests.support.scaling import OPTIMIZERS, everything, give_gradients, parameters

pytestmark = pytest.mark.usefixtures("for_float16")

GradScaler, AmpScaler = paddle.amp.GradScaler, paddle.amp.AmpScaler


# ---- the scale


class NumpyRule:
    """Paddle's rule for the scale, implemented from its description."""

    def __init__(self, scale, incr_ratio, decr_ratio, incr_every, decr_every):
        self.scale, self.good, self.bad = np.float32(scale), 0, 0
        self.incr_ratio, self.decr_ratio = incr_ratio, decr_ratio
        self.incr_every, self.decr_every = incr_every, decr_every

    def update(self, is_bad):
        if is_bad:
            self.good, self.bad = 0, self.bad + 1
            if self.bad == self.decr_every:
                self.scale, self.bad = self.scale * np.float32(self.decr_ratio), 0
        else:
            self.good, self.bad = self.good + 1, 0
            if self.good == self.incr_every:
                self.scale, self.good = self.scale * np.float32(self.incr_ratio), 0


@pytest.mark.parametrize(("incr_every", "decr_every"), [(1, 1), (2, 1), (3, 2), (2, 3)])
def test_scale_and_counters_follow_the_rule(incr_every, decr_every):
    arguments = (8.0, 3.0, 0.25, incr_every, decr_every)
    rule, scaler = NumpyRule(*arguments), GradScaler(True, *arguments)
    params = parameters()
    sgd = paddle.optimizer.SGD(0.0, parameters=params)
    for step, is_bad in enumerate(np.random.RandomState(3).rand(30) < 0.4):
        give_gradients(params, 1.0, np.inf if is_bad else None, seed=step)
        scaler.step(sgd)
        scaler.update()
        rule.update(is_bad)
        state = scaler.state_dict()
        assert state["scale"].tolist() == [rule.scale]
        assert state["scale"].dtype == np.float32
        assert (state["incr_count"], state["decr_count"]) == (rule.good, rule.bad)


def test_a_fixed_scale_stays():
    scaler = GradScaler(init_loss_scaling=8.0, use_dynamic_loss_scaling=False)
    params = parameters()
    sgd = paddle.optimizer.SGD(0.1, parameters=params)
    before = everything(sgd, params)
    for _ in range(2):
        give_gradients(params, 8.0, np.nan)
        scaler.step(sgd)
        scaler.update()
    assert scaler.state_dict()["scale"].tolist() == [8.0]
    for one, other in zip(before, everything(sgd, params), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_scale_does_not_become_infinite():
    scaler = GradScaler(init_loss_scaling=2.0**127, incr_every_n_steps=1)
    params = parameters()
    sgd = paddle.optimizer.SGD(0.0, parameters=params)
    give_gradients(params, 1.0)
    scaler.step(sgd)
    scaler.update()
    assert scaler.state_dict()["scale"].tolist() == [2.0**127]


def test_an_interval_set_below_the_count_takes_effect():
    scaler = GradScaler(init_loss_scaling=8.0, incr_every_n_steps=100)
    params = parameters()
    sgd = paddle.optimizer.SGD(0.0, parameters=params)
    for _ in range(3):
        give_gradients(params, 1.0)
        scaler.step(sgd)
        scaler.update()
    scaler.set_incr_every_n_steps(2)
    scaler.step(sgd)
    scaler.update()
    assert scaler.state_dict()["scale"].tolist() == [16.0]


def test_scaled_loss():
    scaler, loss = GradScaler(init_loss_scaling=4.0), paddle.to_tensor(3.0, stop_gradient=False)
    scaled = scaler.scale(loss)
    assert scaled.tolist() == [12.0]
    assert scaled.grad_fn.name() == "MultiplyGradNode"
    assert len(scaled.grad_fn.next_functions) == 2
    assert scaled.grad_fn.next_functions[1] is None
    scaled.backward()
    assert loss.grad.item() == 4.0
    half = scaler.scale(paddle.to_tensor(3.0, dtype="float16"))
    assert half.dtype == paddle.float32


def test_the_loss_is_scaled_in_float32_whatever_the_level():
    scaler, loss = GradScaler(), paddle.to_tensor(2.0, dtype="float16")
    with paddle.amp.auto_cast(level="O2", use_promote=False):
        assert scaler.scale(loss).tolist() == [131072.0]
        assert paddle.is_autocast_enabled()


# ---- a step


@pytest.mark.parametrize(
    ("dtype", "make"),
    [
        pytest.param(dtype, make, id=f"{dtype}-{name}", marks=() if usual else pytest.mark.deep)
        for dtype in ("float32", "bfloat16")
        for name, make in OPTIMIZERS.items()
        for usual in [dtype == "float32" or name in ("SGD", "AdamW with master weights")]
    ],
)
def test_a_good_step_is_the_step_without_scale(make, dtype):
    scaled, plain = parameters(dtype), parameters(dtype)
    optimizer, reference = make(scaled), make(plain)
    scaler = GradScaler(init_loss_scaling=64.0)
    for seed in range(3):
        give_gradients(scaled, 64.0, seed=seed)
        give_gradients(plain, 1.0, seed=seed)
        scaler.step(optimizer)
        scaler.update()
        reference.step()
    found, wanted = everything(optimizer, scaled), everything(reference, plain)
    for one, other in zip(found, wanted, strict=True):  # XLA fuses the two a little differently
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=list(OPTIMIZERS))
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_bad_step_changes_nothing(make, bad, dtype):
    params = parameters(dtype)
    optimizer, scaler = make(params), GradScaler(init_loss_scaling=64.0)
    give_gradients(params, 64.0)
    scaler.step(optimizer)
    scaler.update()
    before = everything(optimizer, params)
    give_gradients(params, 64.0, bad)
    scaler.step(optimizer)
    scaler.update()
    found = everything(optimizer, params)
    assert len(found) >= len(params)
    for one, other in zip(before, found, strict=True):
        np.testing.assert_array_equal(one, other)
    give_gradients(params, 32.0)
    scaler.step(optimizer)
    scaler.update()
    moved = [np.any(a != b) for a, b in zip(before, everything(optimizer, params), strict=True)]
    assert any(moved)


def test_a_bad_first_step_changes_nothing():
    params = parameters()
    adam, scaler = paddle.optimizer.Adam(0.1, parameters=params), GradScaler()
    before = [param.numpy() for param in params]
    give_gradients(params, 1.0, np.nan)
    scaler.step(adam)
    state = [t.numpy() for t in adam.state_dict().values()]
    for one, param in zip(before, params, strict=True):
        np.testing.assert_array_equal(one, param.numpy())
    assert all(np.isfinite(array).all() for array in state)
    adam.clear_grad()
    give_gradients(params, 1.0)
    adam.step()  # without the scaler: its result does not stay
    assert np.any(params[0].numpy() != before[0])


def test_unscaled_gradients_can_be_clipped():
    params = parameters()
    sgd, scaler = paddle.optimizer.SGD(1.0, parameters=params), GradScaler(init_loss_scaling=16.0)
    before = params[1].numpy()
    give_gradients(params, 16.0)
    grad = params[1].grad
    scaler.unscale_(sgd)
    assert params[1].grad is grad
    wanted = np.random.RandomState(1)
    wanted.randn(2, 3)
    np.testing.assert_allclose(grad.numpy(), wanted.randn(3), rtol=1e-5)
    params[1].grad = paddle.clip(params[1].grad, -0.5, 0.5)
    clipped = params[1].grad.numpy()
    scaler.step(sgd)
    scaler.update()
    np.testing.assert_allclose(params[1].numpy(), before - clipped, rtol=1e-6)


def test_gradients_of_any_dtype_keep_it():
    params = [
        paddle.nn.Parameter(paddle.ones([2]).astype(dtype))
        for dtype in ("float16", "bfloat16", "float32", "float64")
    ]
    sgd, scaler = paddle.optimizer.SGD(1.0, parameters=params), GradScaler(init_loss_scaling=8.0)
    for param in params:
        param.grad = paddle.full([2], 4.0, param.dtype)
    scaler.unscale_(sgd)
    assert [p.grad.dtype.name for p in params] == ["float16", "bfloat16", "float32", "float64"]
    assert [p.grad.astype("float32").tolist() for p in params] == [[0.5, 0.5]] * 4


def test_parameters_without_gradient_are_left_out():
    params = parameters()
    sgd, scaler = paddle.optimizer.SGD(1.0, parameters=params), GradScaler(init_loss_scaling=8.0)
    scaler.step(sgd)  # no gradient at all
    scaler.update()
    params[0].grad = paddle.ones([2, 3])
    params[1].grad = paddle.ones([3])
    params[1].clear_gradient()
    before = [param.numpy() for param in params]
    scaler.step(sgd)
    np.testing.assert_allclose(params[0].numpy(), before[0] - 0.125, rtol=1e-6)
    np.testing.assert_array_equal(params[1].numpy(), before[1])
    assert scaler.state_dict()["incr_count"] == 1


def test_minimize_is_step_and_update():
    params = parameters()
    sgd = paddle.optimizer.SGD(1.0, parameters=params)
    scaler = GradScaler(init_loss_scaling=8.0, incr_every_n_steps=1)
    before = params[0].numpy()
    loss = scaler.scale(params[0].sum())
    loss.backward()
    operators, pairs = scaler.minimize(sgd, loss)
    assert operators == []
    assert [param is params[0] for param, _ in pairs] == [True]
    np.testing.assert_allclose(params[0].numpy(), before - 1.0, rtol=1e-6)
    assert scaler.state_dict()["scale"].tolist() == [16.0]


def test_each_of_two_optimizers_is_skipped_by_its_own_gradients():
    one, two = parameters(), parameters()
    first = paddle.optimizer.SGD(1.0, parameters=one)
    second = paddle.optimizer.SGD(1.0, parameters=two)
    scaler = GradScaler(init_loss_scaling=8.0)
    before = [p.numpy() for p in one]
    give_gradients(one, 8.0, np.inf)
    give_gradients(two, 8.0)
    scaler.unscale_(first)
    scaler.unscale_(second)
    scaler.step(first)
    scaler.step(second)
    scaler.update()
    assert all(np.array_equal(p.numpy(), b) for p, b in zip(one, before, strict=True))
    assert not any(np.array_equal(p.numpy(), b) for p, b in zip(two, before, strict=True))
    assert scaler.state_dict()["scale"].tolist() == [4.0]


class OwnStep(paddle.optimizer.SGD):
    """A class with its own step, which cannot receive found_inf."""

    steps = 0

    def step(self):
        self.steps += 1
        for param in self._params:
            param.set_value(param - param.grad)


class Foreign:
    """An optimizer of another library."""

    def __init__(self, params):
        self._parameter_list, self.steps = params, 0

    def step(self):
        self.steps += 1

    def minimize(self, loss):
        self.step()
        return [], []


@pytest.mark.parametrize("make", [lambda p: OwnStep(1.0, parameters=p), Foreign])
def test_optimizers_with_a_step_of_their_own_are_not_called(make):
    params = parameters()
    optimizer, scaler = make(params), GradScaler(init_loss_scaling=8.0)
    give_gradients(params, 8.0, np.nan)
    scaler.step(optimizer)
    scaler.update()
    assert optimizer.steps == 0
    assert scaler.state_dict()["scale"].tolist() == [4.0]
    give_gradients(params, 4.0)
    scaler.step(optimizer)
    scaler.update()
    assert optimizer.steps == 1
    np.testing.assert_allclose(params[1].grad.numpy(), given_gradient(1), rtol=1e-5)


def given_gradient(index):
    draw = np.random.RandomState(1)
    return [draw.randn(2, 3), draw.randn(3), draw.randn()][index]


def test_minimize_of_a_foreign_optimizer():
    params = parameters()
    foreign, scaler = Foreign(params), GradScaler()
    give_gradients(params, 1.0, np.nan)
    assert scaler.minimize(foreign, None) == (None, None)
    give_gradients(params, 1.0)
    assert scaler.minimize(foreign, None) == ([], [])


# ---- state


def test_state_dict_and_back():
    params = parameters()
    sgd = paddle.optimizer.SGD(0.1, parameters=params)
    scaler = GradScaler(init_loss_scaling=8.0, incr_ratio=4.0, incr_every_n_steps=5)
    for bad in (None, None, np.inf, None):
        give_gradients(params, 1.0, bad)
        scaler.step(sgd)
        scaler.update()
    state = scaler.state_dict()
    assert list(state) == [
        "scale", "incr_ratio", "decr_ratio", "incr_every_n_steps", "decr_every_n_nan_or_inf",
        "incr_count", "decr_count", "use_dynamic_loss_scaling",
    ]  # fmt: skip
    other = GradScaler()
    other.load_state_dict(state)
    assert other.state_dict().keys() == state.keys()
    assert all(other.state_dict()[key] == value for key, value in state.items())
    assert (other.get_init_loss_scaling(), other.get_incr_ratio()) == (4.0, 4.0)


def test_state_dict_goes_through_a_file(tmp_path):
    scaler = GradScaler(init_loss_scaling=8.0)
    paddle.save(scaler.state_dict(), str(tmp_path / "scaler.pdopt"))
    other = GradScaler()
    other.load_state_dict(paddle.load(str(tmp_path / "scaler.pdopt"), return_numpy=True))
    assert other.state_dict()["scale"].tolist() == [8.0]


def test_an_incomplete_state_changes_nothing():
    scaler = GradScaler(init_loss_scaling=8.0)
    state = {**GradScaler(init_loss_scaling=2.0).state_dict()}
    del state["incr_ratio"]
    with pytest.raises(KeyError, match="incr_ratio"):
        scaler.load_state_dict(state)
    assert scaler.state_dict()["scale"].tolist() == [8.0]


def test_settings():
    scaler = GradScaler()
    values = [scaler.get_init_loss_scaling(), scaler.get_incr_ratio(), scaler.get_decr_ratio()]
    values += [scaler.get_incr_every_n_steps(), scaler.get_decr_every_n_nan_or_inf()]
    assert values == [65536.0, 2.0, 0.5, 2000, 1]
    old = AmpScaler()
    assert (old.get_init_loss_scaling(), old.get_incr_every_n_steps()) == (32768.0, 1000)
    scaler.set_init_loss_scaling(4)
    scaler.set_incr_ratio(3.0)
    scaler.set_decr_ratio(0.25)
    scaler.set_incr_every_n_steps(7)
    scaler.set_decr_every_n_nan_or_inf(2)
    state = scaler.state_dict()
    assert [*state["scale"], *list(state.values())[1:5]] == [4.0, 3.0, 0.25, 7, 2]
    assert scaler.is_enable()
    assert scaler.is_use_dynamic_loss_scaling()


# ---- off


def test_a_disabled_scaler_passes_through():
    params = parameters()
    sgd, scaler = paddle.optimizer.SGD(1.0, parameters=params), GradScaler(enable=False)
    before, loss = params[0].numpy(), params[0].sum()
    assert scaler.scale(loss) is loss
    loss.backward()
    scaler.unscale_(sgd)
    scaler.step(sgd)
    scaler.update()
    np.testing.assert_allclose(params[0].numpy(), before - 1.0, rtol=1e-6)
    assert (scaler.is_enable(), scaler.is_use_dynamic_loss_scaling()) == (False, False)
    assert (scaler.get_init_loss_scaling(), scaler.state_dict()) == (1.0, {})
    scaler.load_state_dict({})
    assert scaler.minimize(sgd, loss)[0] == []


def test_bfloat16_disables_a_dynamic_scaler():
    scaler, loss = GradScaler(), paddle.to_tensor(1.0)
    with paddle.amp.auto_cast(dtype="bfloat16"):
        pass
    with pytest.warns(UserWarning, match="dynamic loss scaling for bfloat16, so GradScaler is"):
        assert scaler.scale(loss) is loss
    assert not scaler.is_enable()
    assert scaler.state_dict() == {}
    fixed = GradScaler(init_loss_scaling=4.0, use_dynamic_loss_scaling=False)
    assert fixed.scale(loss).tolist() == [4.0]


# ---- errors


def test_calls_out_of_order():
    params = parameters()
    sgd, scaler = paddle.optimizer.SGD(1.0, parameters=params), GradScaler()
    give_gradients(params, 1.0)
    scaler.unscale_(sgd)
    with pytest.raises(PreconditionNotMetError, match="unscale_\\(\\) has already been called"):
        scaler.unscale_(sgd)
    scaler.step(sgd)
    with pytest.raises(PreconditionNotMetError, match="step\\(\\) has already been called since"):
        scaler.step(sgd)
    with pytest.raises(PreconditionNotMetError, match="unscale_\\(\\) is being called after step"):
        scaler.unscale_(sgd)
    with pytest.raises(PreconditionNotMetError, match="step\\(\\) has already been called since"):
        scaler.minimize(sgd, params[0].sum())
    scaler.update()
    scaler.unscale_(sgd)


def test_an_error_in_the_step_leaves_no_flag_behind():
    params = parameters()
    sgd, scaler = paddle.optimizer.SGD(1.0, parameters=params), GradScaler()
    give_gradients(params, 1.0, np.nan)
    params[0]._meta.grad = paddle.ones([5])
    with pytest.raises(ValueError, match="has shape"):
        scaler.step(sgd)
    assert sgd._get_auxiliary_var("found_inf") is None


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: GradScaler(incr_ratio=1.0), "The incr_ratio must be > 1.0. Received 1.0"),
        (lambda: GradScaler(decr_ratio=2.0), "The decr_ratio must be < 1.0. Received 2.0"),
        (lambda: GradScaler().set_incr_ratio(0.5), "The new_incr_ratio must be > 1.0"),
        (lambda: GradScaler().set_decr_ratio(1.0), "The new_decr_ratio must be < 1.0"),
    ],
)
def test_ratios_on_the_wrong_side(call, text):
    with pytest.raises(RefusedArgumentError, match=text):
        call()


def test_other_errors():
    with pytest.raises(PreconditionNotMetError, match="The input state dict is empty"):
        GradScaler().load_state_dict({})
    with pytest.raises(InvalidTypeError, match="must be a Tensor, but is of type float"):
        GradScaler().scale(1.0)
    assert issubclass(RefusedArgumentError, AssertionError)
    assert [state.value for state in paddle.amp.OptimizerState] == [0, 1, 2]
