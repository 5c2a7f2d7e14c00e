"""Places and the current device."""

import copy
import pickle

import jax
import pytest

import jaxeager as paddle
from jaxeager.core import places
from jaxeager.errors import InvalidArgumentError


def test_places_compare_and_print():
    assert paddle.CPUPlace() == paddle.CPUPlace()
    assert paddle.CPUPlace() != paddle.CUDAPlace(0)
    assert str(paddle.CUDAPlace(1)) == "Place(gpu:1)"
    assert repr(paddle.TPUPlace(0)) == "Place(tpu:0)"
    assert paddle.CUDAPlace(1).get_device_id() == 1
    assert paddle.CPUPlace().is_cpu_place()
    assert len({paddle.CPUPlace(), paddle.CPUPlace()}) == 1


def test_places_by_their_class():
    core = paddle.base.core
    for made in (paddle.CPUPlace(), paddle.CUDAPlace(1), paddle.CustomPlace("tpu", 2)):
        again = core.Place()
        again.set_place(made)
        assert again == made
        assert hash(again) == hash(made)
        assert type(places.as_place(str(made))) in [*type(made).__subclasses__(), type(made)]
        assert pickle.loads(pickle.dumps(made)) == made
        assert type(copy.deepcopy(made)) is type(made)
    assert paddle.TPUPlace(1) == paddle.CustomPlace("tpu", 1)
    assert paddle.CUDAPinnedPlace().is_cuda_pinned_place()


@pytest.mark.parametrize("index", [-1, "0", 1.5, None])
def test_a_place_refuses_a_number_that_no_device_has(index):
    with pytest.raises(InvalidArgumentError, match="number of a device is an int from 0"):
        paddle.CUDAPlace(index)


@pytest.mark.parametrize("name", ["XPUPlace", "XPUPinnedPlace", "IPUPlace"])
def test_there_is_no_place_that_xla_cannot_reach(name):
    assert issubclass(getattr(paddle, name), paddle.base.core.Place)
    with pytest.raises(InvalidArgumentError, match="XLA has no backend"):
        getattr(paddle, name)()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("cpu", "cpu"),
        ("gpu", "gpu:0"),
        ("cuda:2", "gpu:2"),
        ("TPU:1", "tpu:1"),
        ("Place(cpu)", "cpu"),
    ],
)
def test_spellings(text, name):
    assert places.as_place(text).name() == name


def test_a_jax_device_is_a_place():
    device = jax.devices("cpu")[0]
    assert places.as_place(device) == paddle.CPUPlace()
    assert paddle.CPUPlace().device() == device


@pytest.mark.parametrize("wrong", ["quantum", "gpu:x", "", 3])
def test_something_else_than_a_device_is_refused(wrong):
    with pytest.raises(InvalidArgumentError, match="device must be a string like"):
        paddle.set_device(wrong)


def test_a_device_that_is_not_here_changes_nothing():
    before = paddle.get_device()
    with pytest.raises(InvalidArgumentError, match="There is no device 'tpu:77' here; JAX sees"):
        paddle.set_device("tpu:77")
    assert paddle.get_device() == before


def test_set_device():
    before = paddle.get_device()
    try:
        assert paddle.set_device("cpu") == paddle.CPUPlace()
        assert paddle.ones([1]).place == paddle.CPUPlace()
        assert paddle.to_tensor(1.0).place == paddle.CPUPlace()
    finally:
        paddle.set_device(before)


def test_device_module():
    assert "cpu" in paddle.device.get_available_device()
    assert "cpu" in paddle.device.get_all_device_type()
    assert paddle.device.device_count() == sum(d.platform != "cpu" for d in jax.devices())
    assert paddle.is_compiled_with_xpu() is False
    paddle.device.synchronize()
