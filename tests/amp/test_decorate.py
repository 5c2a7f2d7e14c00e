"""decorate: the casts, the optimizers that keep float32 weights, and the saved dtypes."""

import gc

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.amp import decoration as module
from jaxeager.amp.auto_cast import set_master_grads
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, PreconditionNotMetError

nn = paddle.nn
decorate = paddle.amp.decorate
HALF = ("float16", "bfloat16")


@pytest.fixture(autouse=True)
def no_master_grads_are_left():
    """Start every test without the parameters of another one."""
    yield
    module._mastered.clear()
    set_master_grads(None)


def model():
    """Return a layer of each kind that decorate distinguishes."""
    return nn.Sequential(
        nn.Conv2D(1, 2, 1),
        nn.BatchNorm2D(2),
        nn.InstanceNorm2D(2),
        nn.GroupNorm(1, 2),
        nn.Sequential(nn.Linear(2, 2), nn.LayerNorm(2)),
    )


def dtypes(layer):
    """Return the dtype of each parameter and buffer."""
    return {name: tensor.dtype.name for name, tensor in layer.state_dict().items()}


@pytest.mark.parametrize("dtype", HALF)
def test_o1_changes_nothing(dtype):
    net, before = model(), dtypes(model())
    adam = paddle.optimizer.Adam(parameters=net.parameters())
    assert decorate(net, dtype=dtype) is net
    both = decorate(net, adam, "O1", dtype)
    assert both[0] is net
    assert both[1] is adam
    assert dtypes(net) == before
    assert adam._multi_precision is False


def test_o2_float16_keeps_most_norms():
    net = decorate(model(), level="O2")
    wide = {name for name, dtype in dtypes(net).items() if dtype == "float32"}
    assert wide == {
        "1.weight", "1.bias", "1._mean", "1._variance", "2.scale", "2.bias", "4.1.weight",
        "4.1.bias",
    }  # fmt: skip
    assert dtypes(net)["3.weight"] == dtypes(net)["0.weight"] == "float16"


def test_o2_bfloat16_keeps_batch_norms():
    net = decorate(model(), level="O2", dtype="bfloat16")
    wide = {name for name, dtype in dtypes(net).items() if dtype == "float32"}
    assert wide == {"1.weight", "1.bias", "1._mean", "1._variance"}


def test_parameters_stay_the_same_objects_and_gradients_go_along():
    net = nn.Linear(2, 2)
    before, kept = list(net.parameters()), net.weight.numpy()
    net(paddle.ones([1, 2])).sum().backward()
    decorate(net, level="O2")
    assert all(one is other for one, other in zip(net.parameters(), before, strict=True))
    np.testing.assert_allclose(net.weight.numpy(), kept, rtol=1e-3)
    assert net.weight.grad.dtype == paddle.float16
    assert net._dtype == "float16"


def test_buffers_are_cast_if_they_are_floating():
    net = nn.Linear(2, 2)
    net.register_buffer("mask", paddle.ones([2]))
    net.register_buffer("ids", paddle.to_tensor([1, 2]))
    decorate(net, level="O2")
    assert (net.mask.dtype, net.ids.dtype) == (paddle.float16, paddle.int64)


@pytest.mark.parametrize("as_list", [False, True])
def test_excluded_layers(as_list):
    net = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 2)), nn.Conv2D(1, 1, 1))
    excluded = [net[1], nn.Conv2D] if as_list else net[1]
    decorate(net, level="O2", excluded_layers=excluded)
    found = dtypes(net)
    assert found["0.weight"] == "float16"
    assert found["1.0.weight"] == "float32"
    assert found["2.weight"] == ("float32" if as_list else "float16")


def test_a_layer_can_exclude_itself():
    net = nn.Linear(2, 2)
    net._cast_to_low_precision = False
    assert set(dtypes(decorate(net, level="O2")).values()) == {"float32"}


def test_decorate_returns_lists_for_lists():
    nets = [nn.Linear(2, 2), nn.Linear(2, 2)]
    sgd = paddle.optimizer.SGD(0.1, parameters=nets[0].parameters())
    assert decorate(nets, level="O2") is nets
    found = decorate(nets, [sgd], level="O2")
    assert found[0] is nets
    assert found[1] == [sgd]
    assert {t.dtype for net in nets for t in net.parameters()} == {paddle.float16}


@pytest.mark.parametrize("master_weight", [None, True, False])
@pytest.mark.parametrize("dtype", HALF)
def test_master_weights(master_weight, dtype):
    net = nn.Linear(2, 2, bias_attr=False)
    sgd = paddle.optimizer.Momentum(2.0**-12, parameters=net.parameters())
    decorate(net, sgd, "O2", dtype, master_weight=master_weight)
    start = net.weight.astype("float32").numpy()
    for _ in range(3):
        net.weight.grad = paddle.ones([2, 2], dtype)
        sgd.step()
    masters = sgd.state_dict().get("master_weights", {})
    assert net.weight.dtype.name == dtype
    if master_weight is False:
        assert masters == {}
        return
    (master,) = masters.values()
    # 1 + 1.9 + 2.71 steps of 2**-12, each of them lost in bfloat16's 8 bits.
    np.testing.assert_allclose(start - master.numpy(), 5.61 * 2.0**-12, rtol=1e-3)
    np.testing.assert_array_equal(net.weight.numpy(), master.astype(dtype).numpy())


@pytest.mark.parametrize("save_dtype", ["float32", "bfloat16", "float64"])
def test_save_dtype(save_dtype):
    net = decorate(model(), level="O2", dtype="float16", save_dtype=save_dtype)
    assert set(dtypes(net).values()) == {save_dtype}
    assert net[0].weight.dtype == paddle.float16
    assert net.state_dict()["0.weight"].name == net[0].weight.name
    own = {name: t.dtype.name for name, t in net.state_dict(use_hook=False).items()}
    assert own["0.weight"] == "float16"
    assert net.set_state_dict(net.state_dict(use_hook=False)) == ([], [])


def test_save_dtype_leaves_integers():
    net = nn.Linear(2, 2)
    net.register_buffer("ids", paddle.to_tensor([1, 2]))
    decorate(net, level="O2", save_dtype="float32")
    assert dtypes(net)["ids"] == "int64"


def run(net, level="O2"):
    with paddle.amp.auto_cast(level=level):
        return net(paddle.ones([1, 2])).sum()


def test_master_grads_are_float32_after_backward():
    net = decorate(nn.Linear(2, 2), level="O2", master_grad=True)
    other = decorate(nn.Linear(2, 2), level="O2")
    (run(net) + run(other)).backward()
    assert {p.grad.dtype for p in net.parameters()} == {paddle.float32}
    assert {p.grad.dtype for p in other.parameters()} == {paddle.float16}
    run(net).backward()  # adds to the existing gradient
    assert net.weight.grad.dtype == paddle.float32
    np.testing.assert_array_equal(net.weight.grad.numpy(), np.full((2, 2), 2.0, np.float32))


def test_master_grads_wait_for_a_backward_that_ends():
    net = decorate(nn.Linear(2, 2), level="O2", master_grad=True)
    loss = run(net)
    handle = loss.register_hook(lambda grad: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        loss.backward(retain_graph=True)
    assert net.weight.grad is None
    handle.remove()
    loss.backward()
    assert net.weight.grad.dtype == paddle.float32


def test_master_grads_are_those_of_each_entry_of_auto_cast():
    net = decorate(nn.Linear(2, 2), level="O2", master_grad=True)
    one, two = run(net), run(net)
    one.backward()
    assert net.weight.grad.dtype == paddle.float32
    net.clear_gradients()
    two.backward()
    assert net.weight.grad.dtype == paddle.float16


def test_master_grads_hold_no_model():
    gc.collect()  # models of other tests
    net = decorate(nn.Linear(2, 2), level="O2", master_grad=True)
    assert len(module._mastered) == 2
    del net
    gc.collect()
    assert module._mastered == {}


def test_an_optimizer_with_master_grads_sees_float32():
    net = nn.Linear(2, 2, bias_attr=False)
    clip = nn.ClipGradByGlobalNorm(1e-6)
    sgd = paddle.optimizer.SGD(1.0, parameters=net.parameters(), grad_clip=clip)
    decorate(net, sgd, "O2", master_grad=True)
    start = net.weight.astype("float32").numpy()
    run(net).backward()
    sgd.step()
    (master,) = sgd.state_dict()["master_weights"].values()
    np.testing.assert_allclose(start - master.numpy(), 5e-7, rtol=0.1)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"level": "O3"}, InvalidArgumentError, "level should be O1 or O2"),
        ({"level": "O0"}, InvalidArgumentError, "Received 'O0'"),
        ({"dtype": "float32"}, InvalidArgumentError, "dtype only support float16 or bfloat16"),
        ({"save_dtype": "int8"}, InvalidArgumentError, "your input save_dtype is int8"),
        ({"excluded_layers": 3}, InvalidTypeError, "excluded_layers must be either a nn.Layer"),
        ({"excluded_layers": [int]}, InvalidTypeError, "instances/types, but received"),
        ({"optimizers": 3}, InvalidTypeError, "optimizers must be either a single optimizer"),
        ({"optimizers": [3]}, PreconditionNotMetError, "but receive <class 'int'>"),
        ({"models": 3}, InvalidTypeError, "models must be either a single model or a list"),
        ({"models": [3]}, PreconditionNotMetError, "models should be paddle.nn.Layer, but receive"),
    ],
)
def test_errors_change_nothing(arguments, error, text):
    net = nn.Linear(2, 2)
    adam = paddle.optimizer.Adam(parameters=net.parameters())
    with pytest.raises(error, match=text):
        decorate(**{"models": net, "optimizers": adam, "level": "O2", **arguments})
    assert set(dtypes(net).values()) == {"float32"}
    assert adam._multi_precision is False


def test_an_optimizer_that_has_stepped_is_refused():
    net = nn.Linear(2, 2)
    adam = paddle.optimizer.Adam(parameters=net.parameters())
    net(paddle.ones([1, 2])).sum().backward()
    adam.step()
    with pytest.raises(PreconditionNotMetError, match="must come before the first step"):
        decorate(net, adam, "O2")
    assert net.weight.dtype == paddle.float32
    decorate(net, adam, "O2", master_weight=False)
    assert net.weight.dtype == paddle.float16
