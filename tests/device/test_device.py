"""paddle.device on machines that have, or simulate, accelerators."""

import os
from types import SimpleNamespace

import jax
import pytest

import jaxeager as paddle
from jaxeager.core import places
from jaxeager.device import guards, kinds, properties
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, UnavailableError

GPU = SimpleNamespace(
    platform="gpu", device_kind="NVIDIA H200", compute_capability="9.0", core_count=132,
    local_hardware_id=1, memory_stats=lambda: {"bytes_limit": 1 << 37},
)  # fmt: skip
TPU = SimpleNamespace(
    platform="tpu", device_kind="TPU v5", local_hardware_id=0, memory_stats=lambda: None
)


@pytest.fixture
def current(monkeypatch):
    """Return a function that makes a made-up device the current one."""

    def use(device):
        monkeypatch.setattr(places, "_current", device)
        monkeypatch.setattr(kinds, "_devices", lambda: [device])
        monkeypatch.setattr(jax, "local_devices", lambda backend=None: [device])

    chosen = jax.config.jax_default_device  # set by an earlier test
    jax.config.update("jax_default_device", None)
    yield use
    jax.config.update("jax_default_device", chosen)


def test_properties_of_a_gpu(current):
    current(GPU)
    found = paddle.device.get_device_properties()
    assert found == ("NVIDIA H200", 9, 0, 1 << 37, 132)
    assert found.total_memory == 1 << 37
    assert paddle.device.get_device_name() == "NVIDIA H200"
    assert paddle.device.get_device_capability() == (9, 0)
    assert paddle.device.is_bf16_supported(including_emulation=False)
    assert paddle.device.get_all_custom_device_type() == []


def test_properties_of_a_tpu(current):
    current(TPU)
    assert paddle.device.get_device_properties() == ("TPU v5", None, None, None, None)
    assert paddle.device.is_bf16_supported(including_emulation=False)
    assert paddle.device.get_available_custom_device() == ["tpu:0"]
    assert paddle.device.is_compiled_with_custom_device("tpu")
    with pytest.raises(UnavailableError, match="no compute capability"):
        paddle.device.get_device_capability()


def test_an_old_gpu_emulates(current):
    current(SimpleNamespace(platform="gpu", compute_capability="7.5", local_hardware_id=0))
    assert paddle.device.is_bf16_supported()
    assert not paddle.device.is_bf16_supported(including_emulation=False)


def test_a_cpu_has_properties():
    found = properties.get_device_properties("cpu")
    assert found[:3] == ("cpu", None, None)
    assert found.total_memory is None or found.total_memory > 1 << 20
    assert found.multi_processor_count == os.cpu_count()
    assert properties.get_device_name("cpu") == "cpu"
    with pytest.raises(UnavailableError, match="has no compute capability"):
        properties.get_device_capability("cpu")


def test_a_machine_whose_memory_is_unknown(monkeypatch):
    monkeypatch.delattr(os, "sysconf")
    assert properties.get_device_properties("cpu").total_memory is None


def test_devices_by_number():
    if jax.default_backend() == "cpu":
        assert guards.numbered(3) == places.CPUPlace()
    with pytest.raises(InvalidArgumentError, match="must be non-negative, got -1"):
        paddle.device.device(-1)
    with pytest.raises(InvalidTypeError, match="not a bool"):
        paddle.device.device(True)


def test_guards_nest_and_go_back_after_an_error():
    before = paddle.get_device()
    guard = paddle.device.device_guard("cpu")
    with pytest.raises(ZeroDivisionError), guard, guard, paddle.device("cpu"):
        _ = 1 / 0
    assert paddle.get_device() == before


def test_a_guard_for_a_device_that_is_not_there():
    with pytest.raises(InvalidArgumentError, match="There is no device 'gpu:99'"):
        paddle.device.device_guard("gpu:99")


def test_a_device_of_a_place():
    assert paddle.device(places.Place("gpu", 2)) == "cuda:2"
    assert paddle.device("tpu").index == 0
    with pytest.raises(InvalidArgumentError, match="Unsupported device type: disk"):
        paddle.device("disk")


def test_synchronize_waits_for_one_device():
    x = paddle.ones([2]) + 1
    paddle.device.synchronize("cpu")
    assert x._array.is_ready()
