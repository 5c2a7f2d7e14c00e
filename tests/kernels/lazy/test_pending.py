"""A pending array can be used wherever an array can: kernels/lazy/pending.py."""

import copy
import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.kernels.lazy.pending import Array, Pending

VALUES = np.arange(6, dtype="float32").reshape(2, 3) + 1


@pytest.fixture
def pending():
    """Yield a pending array of VALUES * 2, and its values."""
    with paddle.lazy():
        array = (paddle.to_tensor(VALUES) * 2.0)._array
        assert type(array) is Pending
        assert array.value is None
        yield array


KNOWN = {
    "shape": lambda x: x.shape == (2, 3),
    "dtype": lambda x: x.dtype == np.float32,
    "ndim": lambda x: x.ndim == 2,
    "size": lambda x: x.size == 6,
    "nbytes": lambda x: x.nbytes == 24,
    "weak_type": lambda x: x.weak_type is False,
    "is_deleted": lambda x: not x.is_deleted(),
    "isinstance": lambda x: isinstance(x, jax.Array),
    "devices": lambda x: x.devices() == {jax.devices()[0]},
    "sharding": lambda x: x.sharding == jax.sharding.SingleDeviceSharding(jax.devices()[0]),
    "platform": lambda x: x.platform() == "cpu",
}


@pytest.mark.parametrize("name", KNOWN)
def test_properties_are_known_before_the_value_is_computed(pending, name):
    assert KNOWN[name](pending)
    assert pending.value is None
    pending.block_until_ready()
    assert KNOWN[name](pending)


USES = {
    "numpy": np.asarray,
    "numpy of another dtype": lambda x: np.asarray(x, dtype="float32"),
    "numpy function": lambda x: np.add(x, 0),
    "operator": lambda x: x + 0,
    "reflected operator": lambda x: 1 * x,
    "operator of NumPy": lambda x: np.ones((2, 3), "float32") * x,
    "shape of a function": lambda x: jnp.ones(jax.eval_shape(jnp.sin, x).shape) * x,
    "matmul": lambda x: x @ jnp.eye(3),
    "index": lambda x: x[:],
    "method": lambda x: x.reshape(6).reshape(2, 3),
    "at": lambda x: x.at[0, 0].add(0),
    "astype": lambda x: x.astype("float32"),
    "jax.numpy": lambda x: jnp.multiply(x, 1),
    "jit": lambda x: jax.jit(lambda y: y + 0)(x),
    "jit of a list": lambda x: jax.jit(lambda ys: ys[0])([x]),
    "vmap": lambda x: jax.vmap(lambda row: row)(x),
    "lax": lambda x: jax.lax.mul(x, jnp.ones_like(x)),
    "device_put": lambda x: jax.device_put(x, jax.devices()[0]),
    "device_get": jax.device_get,
    "block_until_ready": lambda x: x.block_until_ready(),
    "jax.block_until_ready": jax.block_until_ready,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
    "dlpack": jnp.from_dlpack,
    "iter": lambda x: jnp.stack(list(x)),
    "tolist": lambda x: np.array(x.tolist(), "float32"),
    "transpose": lambda x: x.T.T,
    "addressable_data": lambda x: x.addressable_data(0),
    "tree": lambda x: jax.tree.map(lambda y: y * 1, [x])[0],
    "paddle": lambda x: paddle.to_tensor(x).numpy(),
    "torch-like buffer": lambda x: np.array(memoryview(np.asarray(x))),
}


@pytest.mark.parametrize("name", USES)
def test_every_use_gives_the_result_of_the_value(pending, name):
    np.testing.assert_array_equal(np.asarray(USES[name](pending)), VALUES * 2)
    assert type(pending.value) is Array


def test_an_array_of_numpy_on_the_left_gives_an_array_of_jax(pending):
    assert isinstance(np.ones((2, 3), "float32") * pending, jax.Array)


def test_a_pending_array_prints_as_its_value(pending):
    assert repr(pending) == repr(jnp.asarray(VALUES * 2))
    assert f"{pending[0, 0]:.1f}" == "2.0"


def test_gradients_of_jax_pass_through_it(pending):
    found = jax.grad(lambda x: (x * x).sum())(pending)
    np.testing.assert_array_equal(found, VALUES * 4)


def test_numbers():
    with paddle.lazy():
        array = (paddle.to_tensor([3.0]) * 2.0).sum()._array
        assert type(array) is Pending
        assert (float(array), int(array), bool(array), array.item()) == (6.0, 6, True, 6.0)
    with pytest.raises(TypeError):
        hash(array)


def test_a_pending_array_can_be_read_after_its_block():
    with paddle.lazy():
        x = paddle.to_tensor([1.0]) * 2.0
    assert (x + 1.0).tolist() == [3.0]


def test_every_method_of_an_array_is_there():
    missing = {name for name in dir(Array) if not hasattr(Pending, name)}
    assert missing == {"__del__"}
