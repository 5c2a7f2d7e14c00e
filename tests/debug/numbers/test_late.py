"""FLAGS_check_nan_inf on accelerators: checked there, read in batches; simulated here."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.debug.common import late_answers
from jaxeager.debug.numbers import late as nan_inf_late
from jaxeager.debug.numbers import nan_inf
from jaxeager.debug.numbers import statistics as tensor_statistics
from tests.support.leaves import leaf
from tests.support.precision import INF, NAN, records, repeat
from tests.support.py_layers import Double
from tests.support.xla_flags import for_several_devices

ROOT = Path(__file__).resolve().parents[3]
BEGINNING = """
import jax, numpy as np, pytest, jaxeager as paddle
from tests.support.precision import put_elsewhere
if {is_elsewhere}:
    put_elsewhere(pytest.MonkeyPatch())
paddle.set_flags({{"FLAGS_check_nan_inf": 1}})
"""


def ran(program, is_elsewhere=True, **environment):
    """Run a program; ``is_elsewhere``: treat all its arrays as if they were on an accelerator."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    beginning = BEGINNING.format(is_elsewhere=is_elsewhere)
    return subprocess.run(
        [sys.executable, "-c", beginning + program],
        env=environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip


def waiting():
    """Return the number of arrays that were not read yet."""
    return sum(map(len, nan_inf.switch.checker._late._answers._waiting.values()))


def test_late_names_the_op_where_the_value_is_read(checked, capsys):
    checked(is_elsewhere=True)
    x = paddle.zeros([2])
    y = paddle.log(x)  # the line that made it
    y + 1.0
    assert capsys.readouterr().out == ""
    with pytest.raises(RuntimeError) as caught:
        y.numpy()
    text = str(caught.value)
    assert "op=log" in text
    assert "made here, from finite inputs: x" in text
    assert "# the line that made it" in text
    assert y.tolist() == [-INF, -INF]


@pytest.mark.parametrize("read", [float, lambda y: y.item(), lambda y: y.tolist(), np.asarray])
def test_late_every_way_to_read(checked, read):
    checked(is_elsewhere=True)
    y = paddle.log(paddle.zeros([1]))
    with pytest.raises(RuntimeError, match="op=log"):
        read(y)


def test_late_a_batch_is_read_when_it_is_full(checked):
    checked(is_elsewhere=True)
    x = paddle.ones([2])
    paddle.log(x - 1.0)
    with pytest.raises(RuntimeError, match="op=log"):
        repeat(lambda: x * 1.0, nan_inf_late.BATCH)
    assert waiting() < 2
    assert x.tolist() == [1.0, 1.0]


def test_late_large_arrays_do_not_wait_for_long(checked, monkeypatch):
    monkeypatch.setattr(nan_inf_late, "BATCH_BYTES", 400)
    checked(is_elsewhere=True)
    x = paddle.zeros([30])
    paddle.log(x)
    with pytest.raises(RuntimeError, match="op=log"):
        paddle.ones([60])


def test_late_backward_is_read_at_its_end(checked):
    x = leaf([0.0, 1.0])
    y = paddle.sqrt(x).sum()
    checked(is_elsewhere=True)
    with pytest.raises(RuntimeError, match=r"op=sqrt_grad, tensor=x@Grad"):
        y.backward()
    assert x.grad is None


def test_late_inputs_are_those_of_the_call(checked):
    checked(is_elsewhere=True)
    x = paddle.to_tensor([NAN])
    y = x * 2.0
    x.fill_(1.0)
    with pytest.raises(RuntimeError, match=r"op=scale(.|\n)*already in x \(num_nan=1"):
        y.numpy()


def test_late_reports_go_on_at_level_1(checked, capsys):
    checked(1, is_elsewhere=True)
    y = paddle.log(paddle.zeros([2])) + 1.0
    assert y.tolist() == [-INF, -INF]
    assert [each.op for each in records(capsys)] == ["log", "scale"]


def test_late_switching_off_reports_the_rest(checked, capsys):
    checked(is_elsewhere=True)
    paddle.log(paddle.zeros([2]))
    paddle.set_flags({"FLAGS_check_nan_inf": False})
    captured = capsys.readouterr()
    assert "op=log" in captured.out
    assert "There are NAN or INF" in captured.err
    assert paddle.get_flags("FLAGS_check_nan_inf") == {"FLAGS_check_nan_inf": False}


def test_late_fills_and_repairs(checked):
    checked(is_elsewhere=True)
    x = paddle.to_tensor([NAN, INF, 1.0])
    assert paddle.nan_to_num(x, posinf=2.0).tolist() == [0.0, 2.0, 1.0]
    assert paddle.full([1], INF).tolist() == [INF]


def test_late_memory_that_was_given_away(checked):
    checked(is_elsewhere=True)
    y = paddle.log(paddle.zeros([1]))
    y._array.delete()
    with pytest.raises(RuntimeError, match=r"op=log(.|\n)*donated"):
        paddle.ones([1]).numpy()


def test_late_the_rest_is_reported_at_exit():
    done = ran("paddle.log(paddle.zeros([2]))")
    assert done.returncode == 0
    assert "op=log, tensor=out" in done.stdout
    assert "There are NAN or INF" in done.stderr


def test_late_the_rest_is_reported_when_the_program_fails():
    done = ran("paddle.log(paddle.zeros([2])); 1 / 0")
    assert done.returncode == 1
    assert "op=log, tensor=out" in done.stdout
    assert "ZeroDivisionError" in done.stderr


FORK = """
import os, sys, warnings
from jaxeager.debug.numbers import nan_inf
warnings.simplefilter("ignore")
paddle.log(paddle.zeros([2]))
sys.stdout.flush()
child = os.fork()
if not child:
    nan_inf.switch.checker.finish()  # what is done at exit; JAX cannot end after a fork
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""


def test_a_forked_child_reads_nothing_of_its_parents():
    done = ran(FORK)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("op=log") == 1


def test_a_step_of_training_waits_for_nothing(checked, monkeypatch):
    def refuse(*arguments):
        raise AssertionError("the device was waited for")

    def read(flags):
        reads.append(len(flags))
        return [True] * len(flags)

    linear = paddle.nn.Linear(3, 2)
    optimizer = paddle.optimizer.AdamW(parameters=linear.parameters())
    x = paddle.ones([4, 3])
    reads = []
    checked(is_elsewhere=True)
    for name in ("_waited_for", "values_of", "statistics_of"):
        monkeypatch.setattr(tensor_statistics, name, refuse)
    monkeypatch.setattr(late_answers, "read_together", read)
    for _ in range(2):
        loss = paddle.tanh(linear(x)).astype("bfloat16").mean()
        assert reads == []
        loss.backward()
        assert len(reads) == 1
        optimizer.step()
        optimizer.clear_grad()
        assert len(reads) == 1
        reads.clear()
    assert waiting() == 2
    monkeypatch.undo()


def test_tensors_held_for_a_report_are_counted_once(checked, monkeypatch):
    monkeypatch.setattr(nan_inf_late, "BATCH_BYTES", 4000)
    x, y = paddle.ones([600]), paddle.ones([300])
    checked(is_elsewhere=True)
    x.sum()
    x.max()  # the same x
    assert waiting() == 2
    y.sum()
    assert waiting() == 3
    paddle.add_n([y + 1.0, y])
    assert waiting() == 1


def test_a_thread_is_notified_of_its_own_numbers_only(checked):
    checked(is_elsewhere=True)
    told = []

    def other():
        try:
            paddle.log(paddle.zeros([2])).numpy()
        except RuntimeError as error:
            told.append(str(error))

    mine = paddle.sqrt(paddle.zeros([2]) - 1.0)
    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert "op=log" in told[0]
    with pytest.raises(RuntimeError, match="op=sqrt"):
        mine.numpy()
    mine.numpy()


def test_unread_checks_of_an_ended_thread_are_reported_to_the_next_thread(checked):
    checked(is_elsewhere=True)
    thread = threading.Thread(target=lambda: paddle.log(paddle.zeros([2])))
    thread.start()
    thread.join()
    with pytest.raises(RuntimeError, match="op=log"):
        paddle.ones([1]).numpy()


def test_a_layer_on_an_accelerator_checks_its_own_thread(checked):
    checked(is_elsewhere=True)
    paddle.set_flags({"FLAGS_check_nan_inf": False})

    class Slow(paddle.nn.Layer):
        @paddle.amp.debugging.check_layer_numerics
        def forward(self, x):
            thread = threading.Thread(target=lambda: paddle.log(x * 0))
            thread.start()
            thread.join()
            return x

    assert Slow()(paddle.ones([1])).tolist() == [1.0]


def test_late_a_sum_of_what_was_reported_is_not_reported_again(checked, capsys):
    x = leaf([0.0])
    y = paddle.sqrt(x) + x
    checked(1, is_elsewhere=True)
    y.backward()
    assert [each.op for each in records(capsys)] == ["sqrt_grad"]


def test_late_sums_and_leaves(checked):
    x = leaf([1.0])
    y, z = x * 3e38, x * 3e38
    checked(is_elsewhere=True)
    with pytest.raises(RuntimeError, match=r"op=grad_add.*\n.*\n.*sum of gradients"):
        paddle.autograd.backward([y, z])
    assert x.grad is None


def test_late_names_are_counted_too(checked):
    checked(is_elsewhere=True)
    paddle.set_flags({"FLAGS_enable_unique_name": True})
    try:
        x = paddle.zeros([2])
        paddle.log(x + 1.0)
        y = paddle.log(x)
        with pytest.raises(RuntimeError, match=f"op=log, tensor={y.name},"):
            y.numpy()
    finally:
        paddle.set_flags({"FLAGS_enable_unique_name": False})


def test_a_backward_that_failed_leaves_what_it_found(checked):
    x = leaf([0.0])
    y = paddle.sqrt(x * 1.0)
    x.register_hook(lambda grad: 1 / 0)
    checked(is_elsewhere=True)
    with pytest.raises(ZeroDivisionError):
        y.backward()
    assert x.grad is None
    with pytest.raises(RuntimeError, match="op=sqrt_grad"):
        paddle.ones([1]).numpy()


def test_switching_off_reports_for_every_thread(checked, capsys):
    checked(is_elsewhere=True)
    started, ended = threading.Event(), threading.Event()

    def other():
        paddle.log(paddle.zeros([2]))
        started.set()
        ended.wait()

    thread = threading.Thread(target=other)
    thread.start()
    started.wait()
    paddle.set_flags({"FLAGS_check_nan_inf": False})
    ended.set()
    thread.join()
    assert "op=log" in capsys.readouterr().out


SEVERAL_DEVICES = """
from jax.sharding import Mesh, NamedSharding, PartitionSpec
devices = jax.devices()
assert len(devices) == 4
split = NamedSharding(Mesh(np.array(devices), ("x",)), PartitionSpec("x"))

def on(target, values, dtype="float32"):
    return paddle.to_tensor(jax.device_put(np.array(values, dtype), target), stop_gradient=False)

for target in (split, *devices):
    for dtype in ("float32", "bfloat16", "float16", "float64"):
        x = on(target, [4.0, 1.0, 0.0, 9.0], dtype)
        with pytest.raises(RuntimeError, match="op=log") as caught:
            paddle.log(x).numpy()
        assert "at [2] of shape [4]" in str(caught.value)
        with pytest.raises(RuntimeError, match="op=sqrt_grad") as caught:
            paddle.sqrt(x).backward()
        assert x.grad is None
try:
    for target in (split, *devices):
        paddle.log(on(target, [0.0] * 4))
    paddle.ones([1]).numpy()  # reads the flags of several devices together
except RuntimeError as error:
    print("done", error)
"""


@pytest.mark.parametrize("is_elsewhere", [True, pytest.param(False, marks=pytest.mark.deep)])
def test_arrays_on_other_devices_and_on_several(is_elsewhere):
    devices = for_several_devices({"XLA_FLAGS": os.environ.get("XLA_FLAGS", "")}, 4)
    done = ran(SEVERAL_DEVICES, is_elsewhere, **devices)
    assert "done (PreconditionNotMet) There are NAN" in done.stdout, done.stderr


MIXED = """
from jaxeager.debug.numbers import statistics as tensor_statistics
host, device = jax.devices()
tensor_statistics.can_be_read = lambda a: host in a.devices()
probe_for = tensor_statistics._probe_for

def probe_on_host(dtype, shape):
    def look(array):
        if device in array.devices():
            raise BufferError
        return found(array)
    found = probe_for(dtype, shape)
    return look
tensor_statistics._probe_for = probe_on_host
x, y = (paddle.to_tensor(jax.device_put(np.zeros(2, "float32"), d)) for d in (host, device))
for _ in range(2):
    later = paddle.log(y)
    with pytest.raises(RuntimeError, match="made here"):
        paddle.log(x)
    with pytest.raises(RuntimeError, match="made here"):
        later.numpy()
print("done")
"""


@pytest.mark.deep
def test_arrays_of_two_devices_are_checked_each_on_its_device():
    devices = for_several_devices({"XLA_FLAGS": os.environ.get("XLA_FLAGS", "")}, 2)
    done = ran(MIXED, is_elsewhere=False, **devices)
    assert done.stdout.endswith("done\n"), done.stderr


def test_the_first_op_of_all_may_run_in_a_backward(checked, capsys):
    y = Double.apply(paddle.sqrt(leaf([0.0])))
    checked(level=1)
    y.backward()
    assert [each.op for each in records(capsys)] == ["sqrt_grad"]
