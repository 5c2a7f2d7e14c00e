"""Transfers from the host to the device: the short way and JAX's public one agree."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.arrays import as_array
from jaxeager.arrays.as_array import on_device, upload

GIVEN = [
    np.arange(6, dtype="float32").reshape(2, 3), np.arange(12).reshape(3, 4).T,
    np.arange(9)[::-2], np.array(3.5), np.zeros((0, 3), bool), np.broadcast_to(np.int8(3), (2, 2)),
    np.array([1 + 2j]), np.array([1, 2], ml_dtypes.bfloat16), np.array([2**63], "uint64"),
    np.array([1, 2], ml_dtypes.float8_e4m3fn), np.float32(2), 3, True, [1.0, 2.0],
]  # fmt: skip


@pytest.fixture(params=[True, False], ids=["the short way", "the public way"])
def is_short(request, monkeypatch):
    if not request.param:
        monkeypatch.setattr(as_array, "_put", None)
    return request.param


@pytest.mark.parametrize("given", GIVEN, ids=repr)
def test_values_dtype_and_weakness_are_those_of_jax(is_short, given):
    array, expected = on_device(given), jnp.asarray(given)
    assert (array.dtype, array.weak_type) == (expected.dtype, expected.weak_type)
    assert array.committed is expected.committed is False
    np.testing.assert_array_equal(np.asarray(array), np.asarray(expected))


def test_an_upload_stays_where_it_was_sent(is_short):
    device = jax.devices()[0]
    array = upload(np.ones((2, 3)), device)
    assert array.committed
    assert array.devices() == {device}
    assert paddle.to_tensor(np.ones(2)).__jax_array__().committed


def test_later_writes_to_the_source_do_not_reach_the_array(is_short):
    source = np.zeros(4096, "float32")
    taken, tensor = on_device(source), paddle.to_tensor(source)
    source[:] = 7
    assert float(taken.sum()) == float(tensor.sum()) == 0


@pytest.mark.parametrize("dtype", [">i4", ">f8", "longdouble", "O", "U1", "M8[D]", "i4,i4"])
def test_a_dtype_that_jax_has_not_is_refused(is_short, dtype):
    given = np.zeros(2, dtype)
    with pytest.raises(TypeError):
        on_device(given)
    with pytest.raises(TypeError):
        paddle.to_tensor(given)


def test_a_masked_array_is_refused(is_short):
    with pytest.raises(ValueError, match="masked"):
        on_device(np.ma.array([1, 2]))


def test_an_upload_is_seen_by_a_trace_and_by_a_guard(is_short):
    traced = jax.make_jaxpr(lambda x: x + paddle.to_tensor(np.ones(2)).__jax_array__())(np.ones(2))
    assert "device_put" in str(traced)
    with jax.transfer_guard_host_to_device("disallow"):
        assert on_device(np.ones(2)).tolist() == [1.0, 1.0]
    with (
        jax.transfer_guard_host_to_device("disallow_explicit"),
        pytest.raises(Exception, match="Disallowed host-to-device"),
    ):
        on_device(np.ones(2))
