"""Memory: the allocations of devices, their peaks, the log at exit, filled new memory."""

import gc
import os
import subprocess
import sys
from types import SimpleNamespace

import jax
import ml_dtypes  # noqa: F401 - names of dtypes for numpy
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.core import dtypes
from jaxeager.debug.memory import log as memory_log
from jaxeager.debug.memory import meter as memory_meter
from jaxeager.errors import InvalidArgumentError, NotFoundError, PreconditionNotMetError
from jaxeager.graph import events
from tests.support.here import DEVICE, IS_ON_CPU, only_on_a_cpu

MIB = 1 << 20
XLA_COUNTS = only_on_a_cpu("XLA counts the memory of a device itself")
device, cuda, core = paddle.device, paddle.device.cuda, paddle.base.core


@pytest.fixture(autouse=True, scope="module")
def _old_objects_rest():
    """Walk the objects left by other files once, not before each test here, which takes 0.4 s."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _afresh():
    """Start every test without peaks, and leave no observer."""
    gc.collect()
    memory_meter._meters.clear()
    yield
    memory_meter.unwatch()
    memory_meter._meters.clear()
    assert not events.has_ops


# ---- now


@XLA_COUNTS
def test_the_cpu_says_what_its_buffers_take():
    before = cuda.memory_allocated()
    x = paddle.ones([1024, 1024])
    assert cuda.memory_allocated() - before == 4 * MIB
    assert cuda.memory_reserved() == device.memory_reserved("cpu") == cuda.memory_allocated()
    y, z = x.detach(), x.reshape([-1])  # the first shares the array
    assert cuda.memory_allocated() - before == (8 if z is not None else 0) * MIB
    del x, y, z
    assert cuda.memory_allocated() == before


def test_a_buffer_that_two_arrays_share_is_counted_once():
    before = device.memory_allocated()
    x = paddle.ones([1024])
    again = jax.device_put(x._array, next(iter(x._array.devices())))
    assert again is not x._array
    grown = device.memory_allocated() - before
    assert grown == 4096 or (not IS_ON_CPU and 4096 < grown < 8192)  # XLA's pool has small blocks


@pytest.mark.parametrize(
    "which",
    [None, 0, np.int64(0), DEVICE, paddle.ones([1]).place, device(DEVICE), jax.local_devices()[0]],
    ids=str,
)
def test_devices_are_named_in_many_ways(which):
    for ask in (device.memory_allocated, cuda.memory_reserved, device.max_memory_allocated):
        assert ask(which) == ask() >= 0


def test_a_device_that_is_not_there():
    for which in ("gpu:7", paddle.CUDAPlace(7), "gpu:8"):
        with pytest.raises(InvalidArgumentError, match="There is no device 'gpu:"):
            cuda.memory_allocated(which)
    with pytest.raises(InvalidArgumentError, match="must be non-negative"):
        cuda.memory_allocated(-1)
    with pytest.raises(TypeError, match="A device is not a bool"):
        cuda.memory_allocated(True)
    with pytest.raises(InvalidArgumentError, match="must be a string like"):
        cuda.memory_allocated("disk")


def test_every_name_of_paddle_device_is_there():
    for name in ("memory_allocated", "memory_reserved", "empty_cache", "reset_peak_memory_stats"):
        assert callable(getattr(device, name))
    for room in (device, cuda):
        assert all(hasattr(room, name) for name in room.__all__)
    assert cuda.device_count() == device.device_count()
    assert cuda.synchronize() is None
    assert cuda.get_device_properties().name == device.get_device_name()


def test_empty_cache_frees_cycles():
    before = device.memory_allocated()
    knot = [paddle.ones([1024])]
    knot.append(knot)
    del knot
    assert cuda.empty_cache() is None
    assert device.memory_allocated() == before


# ---- the peak


@XLA_COUNTS
def test_the_peak_is_what_was_seen_until_somebody_watches():
    x = paddle.ones([MIB])
    now = device.memory_allocated()
    del x
    assert device.max_memory_allocated() == now
    unseen = paddle.ones([2 * MIB])
    del unseen
    assert device.max_memory_allocated() == now


@pytest.mark.parametrize(
    "reset", [device.reset_max_memory_allocated, cuda.reset_max_memory_allocated,
              device.reset_peak_memory_stats],
)  # fmt: skip
def test_memory_is_measured_after_every_op_from_a_reset_on(reset):
    x = paddle.ones([MIB])
    reset()
    before = device.memory_allocated()
    assert device.max_memory_allocated() == before
    y = (x + 1) * 2
    del y
    assert 8 * MIB <= device.max_memory_allocated() - before < 8 * MIB + 1024
    assert device.memory_allocated() - before < 1024  # numbers that ops keep
    reset()
    assert device.max_memory_allocated() - before < 1024


@XLA_COUNTS
def test_the_two_peaks_are_reset_separately():
    x = paddle.ones([MIB])
    device.memory_allocated()
    del x
    cuda.reset_max_memory_reserved()
    assert cuda.max_memory_reserved() < cuda.max_memory_allocated()


def test_memory_is_measured_during_a_backward():
    x = paddle.ones([MIB])
    x.stop_gradient = False
    y = (x * x).sum()
    device.reset_peak_memory_stats()
    before = device.memory_allocated()
    y.backward()
    x.clear_grad(set_to_zero=False)
    assert device.max_memory_allocated() - before >= 4 * MIB


def test_watching_changes_no_result_and_ends():
    def run():
        x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        (x * x).sum().backward()
        return x.grad.tolist()

    without = run()
    device.reset_peak_memory_stats()
    assert run() == without
    assert events.has_ops
    memory_meter.unwatch()
    assert not events.has_ops


@pytest.mark.parametrize("way", ["to_tensor", "set_value"])
def test_memory_is_measured_for_arrays_of_the_users_data(way):
    host = np.ones(MIB, np.float32)
    y = paddle.zeros([MIB])
    device.reset_peak_memory_stats()
    before = device.memory_allocated()
    if way == "to_tensor":
        x = paddle.to_tensor(host)
        del x
    else:
        y.set_value(host)
    assert device.max_memory_allocated() - before >= 4 * MIB


def test_the_log_turned_off_leaves_a_reset_peak_watched():
    device.reset_peak_memory_stats()
    before = device.memory_allocated()
    paddle.set_flags({"FLAGS_enable_gpu_memory_usage_log": True})
    paddle.zeros([1])
    paddle.set_flags({"FLAGS_enable_gpu_memory_usage_log": False})
    x = paddle.ones([MIB]) + 1
    del x
    assert device.max_memory_allocated() - before >= 8 * MIB


def test_an_array_without_elements_hides_no_buffer(monkeypatch):
    x = paddle.ones([1024])
    device_of_x = next(iter(x._array.devices()))
    empty = SimpleNamespace(
        devices=lambda: {device_of_x},
        unsafe_buffer_pointer=x._array.unsafe_buffer_pointer,
        nbytes=0,
    )
    monkeypatch.setattr(memory_meter, "live_arrays", lambda: [x._array, empty])
    assert sum(memory_meter.live_buffers(device_of_x).values()) == 4096


def test_few_looks_while_the_peak_stays(monkeypatch):
    looks, usage = [], memory_meter.usage
    monkeypatch.setattr(memory_meter, "usage", lambda d: looks.append(d) or usage(d))
    big = paddle.ones([MIB])
    device.reset_peak_memory_stats()
    del big
    x = paddle.ones([4])
    for _ in range(200):
        x = x + 1
    assert len(looks) < 10
    device.reset_peak_memory_stats()
    for _ in range(200):
        x + 1
    assert len(looks) < 20


# ---- statistics of an accelerator, made up


class Gpu:
    """A device that keeps statistics as XLA's GPUs do."""

    platform, local_hardware_id, device_kind = "gpu", 0, "NVIDIA H200"

    def __init__(self, **stats):
        self.stats = stats

    def memory_stats(self):
        return self.stats


def test_an_accelerator_says_it_itself():
    gpu = Gpu(bytes_in_use=5, peak_bytes_in_use=9, pool_bytes=100, peak_pool_bytes=120)
    meter = memory_meter.meter(gpu)
    assert meter.measure() == (5, 100, 9, 120)
    assert (meter.peak("Allocated"), meter.peak("Reserved")) == (9, 120)


def test_an_accelerator_without_figures_of_a_pool():
    gpu = Gpu(bytes_in_use=5, peak_bytes_in_use=9, bytes_limit=1000)
    assert memory_meter.usage(gpu) == (5, 5, 9, 9)


def test_xlas_peak_counts_again_once_it_has_risen():
    gpu = Gpu(bytes_in_use=5 * MIB, peak_bytes_in_use=9 * MIB)
    meter = memory_meter.meter(gpu)
    meter.reset()
    assert meter.peak("Allocated") == 5 * MIB
    gpu.stats["bytes_in_use"] = 7 * MIB
    meter.note_added(3 * MIB)
    gpu.stats["bytes_in_use"] = 2 * MIB
    assert meter.peak("Allocated") == 7 * MIB
    gpu.stats["peak_bytes_in_use"] = 11 * MIB
    assert meter.peak("Allocated") == 11 * MIB


# ---- paddle.base.core


@XLA_COUNTS
def test_host_statistics_of_the_core():
    before = core.host_memory_stat_current_value("Allocated", 0)
    a = paddle.ones([1024, 1024])
    assert core.host_memory_stat_current_value("Allocated", 0) - before == 4 * MIB
    assert core.host_memory_stat_peak_value("Allocated", 0) - before == 4 * MIB
    del a
    assert core.host_memory_stat_current_value("Allocated", 0) == before
    assert core.host_memory_stat_peak_value("Allocated", 0) - before == 4 * MIB
    core.host_memory_stat_reset_peak_value("Allocated", 0)
    assert core.host_memory_stat_peak_value("Allocated", 0) == before
    assert core.device_memory_stat_current_value("Reserved", 0) == before
    assert core.device_memory_stat_peak_value("Allocated", 0) == before
    core.device_memory_stat_reset_peak_value("Reserved", 0)


def test_statistics_that_do_not_exist():
    with pytest.raises(NotFoundError, match="Allocated or Reserved, but received 'Spent'"):
        core.host_memory_stat_current_value("Spent", 0)
    with pytest.raises(InvalidArgumentError, match="There is no CPU number 9"):
        core.host_memory_stat_peak_value("Allocated", 9)


# ---- the summary


def test_the_summary(capsys):
    x = paddle.ones([MIB])
    assert cuda.memory_summary(DEVICE) is None
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"Global Summary ({DEVICE})"
    assert [line for line in lines if not line.startswith(" ")] == [
        f"Global Summary ({DEVICE})", "", "Allocator Summary", "", "Distribution",
    ]  # fmt: skip
    (allocated,) = [line.split() for line in lines if line.startswith("  Allocated")]
    assert float(allocated[1]) == pytest.approx(device.memory_allocated() / MIB, abs=1e-3)
    (row,) = [line.split() for line in lines if line.startswith("  up to 10M")]
    assert int(row[3]) >= 1
    assert float(row[4]) >= 4
    del x


# ---- the log at exit


def run(program, **environment):
    """Run a program in a separate process and return the last line that it printed."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_the_cpu_has_a_log_at_exit():
    program = "import jaxeager as p\nx = p.ones([1 << 20]) + 1\ndel x\nprint('end')"
    end, line = run(program, FLAGS_enable_gpu_memory_usage_log="1")
    assert end == "end"
    head, numbers = line.split(" : ")
    assert head == f"[Memory Usage (MB)] {DEVICE.split(':')[0]} 0"
    reserved, allocated = (part.split(" = ") for part in numbers.split(", "))
    assert (reserved[0], allocated[0]) == ("Reserved", "Allocated")
    assert 8 <= float(allocated[1]) < 8.1
    assert reserved[1] == allocated[1] or not IS_ON_CPU


def test_no_log_when_it_is_turned_off_or_nothing_ran():
    off = "import jaxeager as p\np.ones([1]) + 1\np.set_flags({'enable_gpu_memory_usage_log': 0})"
    assert run(off, FLAGS_enable_gpu_memory_usage_log="1") == []
    assert run("import jaxeager", FLAGS_enable_gpu_memory_usage_log="1") == []


def test_the_line_is_paddles():
    gpu = Gpu(bytes_in_use=0, peak_bytes_in_use=253582336, pool_bytes=0, peak_pool_bytes=385861222)
    assert memory_log.usage_line(gpu) == (
        "[Memory Usage (MB)] gpu 0 : Reserved = 367.986, Allocated = 241.835"
    )
    paddle.set_flags({"FLAGS_enable_gpu_memory_usage_log_mb": False})
    try:
        assert memory_log.usage_line(gpu) == (
            "[Memory Usage (Byte)] gpu 0 : Reserved = 385861222, Allocated = 253582336"
        )
    finally:
        paddle.set_flags({"FLAGS_enable_gpu_memory_usage_log_mb": True})


# ---- the allocator


@pytest.fixture
def backend(monkeypatch):
    """Return a function that returns which backend was started, if any."""

    def pretend(is_started, name):
        bridge = SimpleNamespace(backends_are_initialized=lambda: is_started)
        monkeypatch.setattr(memory_log, "xla_bridge", bridge)
        monkeypatch.setattr(jax, "default_backend", lambda: name)

    yield pretend
    monkeypatch.undo()
    paddle.set_flags({"FLAGS_use_system_allocator": False})


def test_the_allocator_is_chosen_before_the_first_op(backend, monkeypatch):
    backend(False, "gpu")
    for before in (None, "bfc"):
        monkeypatch.delenv("XLA_PYTHON_CLIENT_ALLOCATOR", raising=False)
        if before:
            monkeypatch.setenv("XLA_PYTHON_CLIENT_ALLOCATOR", before)
        paddle.set_flags({"FLAGS_use_system_allocator": True})
        assert os.environ["XLA_PYTHON_CLIENT_ALLOCATOR"] == "platform"
        paddle.set_flags({"FLAGS_use_system_allocator": False})
        assert os.environ.get("XLA_PYTHON_CLIENT_ALLOCATOR") == before


def test_the_allocator_flag_is_refused_after_a_gpu_was_started(backend):
    backend(True, "gpu")
    with pytest.raises(PreconditionNotMetError, match="Set it before the first op"):
        paddle.set_flags({"FLAGS_use_system_allocator": True})
    assert paddle.get_flags("FLAGS_use_system_allocator")["FLAGS_use_system_allocator"] is False


@only_on_a_cpu("its allocator is chosen before it starts")
def test_on_the_cpu_it_changes_nothing_at_any_time(monkeypatch):
    monkeypatch.delenv("XLA_PYTHON_CLIENT_ALLOCATOR", raising=False)
    paddle.ones([1])
    paddle.set_flags({"FLAGS_use_system_allocator": True})
    assert (paddle.ones([2]) + 1).tolist() == [2.0, 2.0]
    paddle.set_flags({"FLAGS_use_system_allocator": False})
    assert "XLA_PYTHON_CLIENT_ALLOCATOR" not in os.environ


# ---- new memory


SPELLINGS = {
    "empty": lambda d: paddle.empty([2, 3], d),
    "empty out": lambda d: paddle.empty([2, 3], d, out=paddle.ones([2, 3], d)),
    "empty sizes": lambda d: paddle.empty(2, 3, dtype=d),
    "empty_like": lambda d: paddle.empty_like(paddle.ones([2, 3], d)),
    "empty_like dtype": lambda d: paddle.empty_like(paddle.ones([2, 3]), d),
    "method": lambda d: paddle.ones([2, 3], d).empty_like(),
    "new_empty": lambda d: paddle.ones([1], d).new_empty([2, 3]),
}
DTYPES = [
    "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
    "complex64", "complex128", "float8_e4m3fn", "float8_e5m2",
]  # fmt: skip


@pytest.fixture
def fill():
    """Yield a function that sets the byte; restore the default."""
    yield lambda byte: paddle.set_flags({"FLAGS_alloc_fill_value": byte})
    paddle.set_flags({"FLAGS_alloc_fill_value": -1})


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_new_memory_is_full_of_the_byte(fill, dtype, spelling):
    for byte in (0, 1, 127, 255):
        fill(byte)
        made = SPELLINGS[spelling](dtype)
        assert (made.shape, made.dtype) == ([2, 3], dtype)
        expected = int(byte != 0) if dtype == "bool" else byte
        assert set(np.asarray(made._array).tobytes()) == {expected}
    fill(-1)
    assert set(np.asarray(SPELLINGS[spelling](dtype)._array).tobytes()) == {0}


def test_typed_constructors_are_filled_too(fill):
    fill(1)
    assert paddle.device.IntTensor(2, 3).tolist() == [[0x01010101] * 3] * 2
    assert paddle.device.IntTensor([1, 2]).tolist() == [1, 2]


def test_nothing_else_is_filled(fill):
    fill(255)
    x = paddle.ones([3])
    x.stop_gradient = False
    (x * x).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0, 2.0]
    assert paddle.zeros([2]).tolist() == [0.0, 0.0]
    assert np.isnan(paddle.empty([2]).numpy()).all()
    assert paddle.empty([0, 2]).shape == [0, 2]
    assert paddle.empty([], "uint8").item() == 255


def test_a_byte_out_of_range_is_refused(fill):
    for byte in (-2, 256, 300):
        with pytest.raises(InvalidArgumentError, match="from -1 to 255"):
            fill(byte)


def test_all_dtypes_are_tried():
    assert {str(np.dtype(dtypes.to_numpy(d))) for d in DTYPES} >= {"bfloat16", "float8_e5m2"}
