"""A step writes into the old buffers, and never into one that other code still holds."""

import gc

import jax
import numpy as np
import pytest

import jaxeager as paddle
from tests.support.here import only_on_a_cpu

OPTIMIZERS = {
    "sgd": lambda params: paddle.optimizer.SGD(0.1, params),
    "momentum": lambda params: paddle.optimizer.Momentum(0.1, 0.9, params),
    "adamw": lambda params: paddle.optimizer.AdamW(0.1, parameters=params),
}


def _model(size=64):
    """Return two parameters with gradients."""
    params = [paddle.nn.Parameter(paddle.ones([size, size])) for _ in range(2)]
    for param in params:
        param.grad = paddle.ones([size, size])
    return params


def _address(tensor):
    return tensor._array.unsafe_buffer_pointer()


@pytest.mark.single_calls
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_buffers_are_used_again(name):
    """From the second step on parameters and accumulators stay where they are in memory."""
    params = _model()
    optimizer = OPTIMIZERS[name](params)
    optimizer.step()
    state = [t for k, t in optimizer.state_dict().items() if "pow" not in k]
    before = {_address(tensor) for tensor in params + state}
    del state
    optimizer.step()
    state = [t for k, t in optimizer.state_dict().items() if "pow" not in k]
    after = {_address(tensor) for tensor in params + state}
    assert before == after


@pytest.mark.single_calls
def test_the_old_array_object_is_freed():
    """A donated array cannot be read by mistake: JAX reports that it was deleted."""
    params = _model()
    optimizer = paddle.optimizer.SGD(0.1, params)
    optimizer.step()
    shard = params[0]._array
    alias = jax.device_put(shard, shard.device)  # JAX's own alias, which is invisible
    del shard
    optimizer.step()
    with pytest.raises(RuntimeError, match="deleted"):
        np.asarray(alias)
    np.testing.assert_allclose(params[0].numpy(), 0.8, rtol=1e-6)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_array_the_user_holds(name):
    """It keeps its values, whether held before the first step or between two."""
    params = _model()
    optimizer = OPTIMIZERS[name](params)
    held = [params[0]._array]
    values = [np.array(held[0])]
    for _ in range(3):
        optimizer.step()
        held.append(params[0]._array)
        values.append(np.array(held[-1]))
    for array, wanted in zip(held, values, strict=True):
        np.testing.assert_array_equal(np.asarray(array), wanted)
    assert len({float(value[0, 0]) for value in values}) == 4


def test_a_user_who_gave_the_array():
    """to_tensor and Parameter use a jax.Array without a copy; a step leaves the original alone."""
    mine = jax.numpy.ones([8, 8])
    committed = jax.device_put(mine, jax.devices()[0])  # shares mine's memory, invisibly
    params = [
        paddle.nn.Parameter(paddle.to_tensor(mine)),
        paddle.nn.Parameter(paddle.to_tensor(committed, place="cpu")),
    ]
    for param in params:
        param.grad = paddle.ones([8, 8])
    optimizer = paddle.optimizer.SGD(0.5, params)
    optimizer.step()
    optimizer.step()
    np.testing.assert_array_equal(np.asarray(mine), np.ones([8, 8]))
    np.testing.assert_array_equal(np.asarray(committed), np.ones([8, 8]))
    assert [param.tolist()[0][0] for param in params] == [0.0, 0.0]


@only_on_a_cpu("NumPy has no view of the memory of a device")
def test_numpy_views_stay():
    """A view that np.asarray made of the memory, and dlpack's, keep their values."""
    params = _model()
    optimizer = paddle.optimizer.SGD(0.1, params)
    optimizer.step()
    view = np.asarray(params[0]._array)
    exported = np.from_dlpack(params[1]._array)
    copies = view.copy(), exported.copy()
    optimizer.step()
    np.testing.assert_array_equal(view, copies[0])
    np.testing.assert_array_equal(exported, copies[1])
    np.testing.assert_allclose(params[0].numpy(), 0.8, rtol=1e-6)


def test_another_tensor_of_the_same_array():
    """set_value shares an array between two tensors; a step changes only its own."""
    params = _model()
    twin = paddle.zeros([64, 64])
    optimizer = paddle.optimizer.SGD(0.1, params)
    optimizer.step()
    twin.set_value(params[0])
    optimizer.step()
    np.testing.assert_allclose(twin.numpy(), 0.9, rtol=1e-6)
    np.testing.assert_allclose(params[0].numpy(), 0.8, rtol=1e-6)


def test_detach_shares_the_memory():
    """A detached alias is the same storage: it sees the step, as in Paddle."""
    params = _model()
    alias = params[0].detach()
    optimizer = paddle.optimizer.SGD(0.1, params)
    optimizer.step()
    optimizer.step()
    np.testing.assert_allclose(alias.numpy(), 0.8, rtol=1e-6)


@pytest.mark.parametrize("warm", [0, 2])
def test_a_graph_that_saved_the_weight(warm):
    """backward after a step computes the gradient at the old values, where Paddle uses the new."""
    weight = paddle.nn.Parameter(paddle.to_tensor([[2.0, 0.0], [0.0, 2.0]]))
    optimizer = paddle.optimizer.SGD(0.5, [weight])
    x = paddle.to_tensor([[1.0, 1.0]], stop_gradient=False)
    for _ in range(warm):
        weight.grad = paddle.zeros([2, 2])
        optimizer.step()
    loss = paddle.matmul(x, weight).sum()
    weight.grad = paddle.ones([2, 2])
    optimizer.step()
    optimizer.step()
    loss.backward()
    assert x.grad.tolist() == [[2.0, 2.0]]
    assert weight.tolist() == [[1.0, -1.0], [-1.0, 1.0]]


def test_a_graph_kept_for_a_second_run():
    """With retain_graph the saved weight is held through many steps."""
    weight = paddle.nn.Parameter(paddle.to_tensor([3.0]))
    optimizer = paddle.optimizer.SGD(1.0, [weight])
    x = paddle.to_tensor([1.0], stop_gradient=False)
    loss = (x * weight).sum()
    for _ in range(3):
        loss.backward(retain_graph=True)
        optimizer.step()
        optimizer.clear_grad()
    assert x.grad.tolist() == [9.0]
    assert weight.tolist() == [0.0]


def test_a_held_array_costs_no_compilation():
    """The same executable runs whichever arrays are held."""
    params = _model()
    optimizer = paddle.optimizer.SGD(0.1, params)
    for _ in range(2):
        optimizer.step()
    held = [params[0]._array]
    optimizer.step()
    run = optimizer._plan.run
    size = run._cache_size()
    held.append(params[1]._array)
    optimizer.step()
    optimizer.step()
    assert optimizer._plan.run is run
    assert run._cache_size() == size


def test_accumulators_a_user_holds():
    """state_dict's tensors are live; an array taken from one stays as it was."""
    params = _model(4)
    optimizer = paddle.optimizer.Momentum(0.1, 0.9, params)
    optimizer.step()
    name = f"{params[0].name}_velocity_0"
    live = optimizer.state_dict()[name]
    held = live._array
    optimizer.step()
    assert live.tolist()[0][0] == pytest.approx(1.9)
    assert np.asarray(held)[0, 0] == 1.0


def test_a_step_moves_no_version():
    """The in-place version stays, as in Paddle, and the tensor is the same object."""
    params = _model(4)
    before = [param.inplace_version for param in params]
    paddle.optimizer.SGD(0.1, params).step()
    assert [param.inplace_version for param in params] == before == [0, 0]


def test_an_optimizer_frees_its_arrays():
    """No code keeps arrays of an optimizer and its parameters alive."""

    def living():
        gc.collect()
        return sum(array.shape == (33, 33) for array in jax.live_arrays())

    before = living()
    params = _model(33)
    optimizer = paddle.optimizer.AdamW(0.1, parameters=params)
    optimizer.step()
    optimizer.step()
    assert living() >= before + 2
    del params, optimizer
    (paddle.ones([1]) + 1).item()  # lazy mode keeps the operands of a step until the next op
    assert living() == before
