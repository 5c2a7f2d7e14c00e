"""Where kernels are recorded: blocks, flags, the launcher, tools: kernels/lazy/mode.py."""

import asyncio
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import UnimplementedError
from jaxeager.kernels.lazy import mode, pending, report
from jaxeager.kernels.lazy.pending import Pending
from tests.support.processes import printed_by

ROOT = Path(__file__).resolve().parents[3]


def is_lazy() -> bool:
    return type((paddle.to_tensor([1.0]) * 2.0)._array) is Pending


def test_blocks_nest():
    assert not is_lazy()
    with paddle.lazy():
        assert is_lazy()
        with paddle.lazy(False):
            assert not is_lazy()
            with paddle.lazy():
                assert is_lazy()
            assert not is_lazy()
        assert is_lazy()
    assert not is_lazy()


def test_an_inner_block_does_not_end_a_segment():
    with paddle.lazy():
        y = paddle.to_tensor([1.0]) * 2.0
        with paddle.lazy():
            y = y + 1.0
        assert paddle.lazy_report().segments == 0
        assert y.item() == 3.0


def test_a_block_that_raises_leaves_the_mode():
    made = []

    @paddle.lazy()
    def wrong():
        made.append(paddle.to_tensor([1.0]) * 2.0)
        raise KeyError

    with pytest.raises(KeyError):
        wrong()
    assert not is_lazy()
    assert made[0].item() == 2.0


def test_functions_generators_and_coroutines():
    @paddle.lazy()
    def function():
        return is_lazy()

    @paddle.lazy()
    def generator():
        yield is_lazy()
        yield is_lazy()

    @paddle.lazy()
    async def coroutine():
        await asyncio.sleep(0)
        return is_lazy()

    assert function()
    for found in generator():
        assert found
        assert not is_lazy()
    assert asyncio.run(coroutine())
    assert not is_lazy()


def test_a_decorated_step_is_compiled_like_a_block():
    x = paddle.to_tensor([1.0])

    @paddle.lazy()
    def step():
        return x * 2.0 + 1.0

    for _ in range(5):
        assert step().item() == 3.0
    assert paddle.lazy_report().executables == 1


def test_a_block_is_for_one_thread_and_the_flag_for_all():
    found = []

    def look():
        found.append(is_lazy())

    def in_a_thread():
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()

    with paddle.lazy():
        in_a_thread()
    paddle.set_flags({"FLAGS_lazy": True})
    try:
        in_a_thread()
        look()
        with paddle.lazy(False):
            look()
    finally:
        paddle.set_flags({"FLAGS_lazy": False})
    look()
    assert found == [False, True, True, False, False]


def test_tools_see_ops_one_by_one():
    with paddle.lazy():
        before = paddle.to_tensor([1.0]) * 3.0
        with paddle.debug.record():
            assert before._array.value is not None  # the recorded calls have run
            assert not is_lazy()
        assert is_lazy()


def test_the_check_for_nan_names_the_op():
    paddle.set_flags({"FLAGS_check_nan_inf": True})
    try:
        with paddle.lazy(), pytest.raises(Exception, match="log"):
            paddle.log(paddle.to_tensor([-1.0])) * 2.0
    finally:
        paddle.set_flags({"FLAGS_check_nan_inf": False})


def test_another_jax_is_refused(monkeypatch):
    monkeypatch.setattr(mode, "is_installed", False)
    monkeypatch.setattr(mode, "IS_SUPPORTED", False)
    with pytest.raises(UnimplementedError, match="Lazy mode works with JAX"):
        paddle.lazy().__enter__()
    assert pending.IS_SUPPORTED


def test_synchronize_runs_what_was_recorded():
    with paddle.lazy():
        y = paddle.to_tensor([1.0]) * 2.0
        paddle.device.synchronize()
        assert y._array.value is not None


PROGRAM = """
import paddle
x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
for _ in range(5):
    x.clear_grad()
    (x * x).sum().backward()
    print(x.grad.tolist())
print(paddle.lazy_report().segments)
"""


@pytest.mark.parametrize(
    ("options", "environment", "segments"),
    [
        pytest.param(["--lazy"], {}, 5, id="option"),
        pytest.param([], {"FLAGS_lazy": "1"}, 5, id="flag", marks=pytest.mark.deep),
        pytest.param([], {}, 0, id="off", marks=pytest.mark.deep),
    ],
)
def test_the_launcher(options, environment, segments):
    command = [sys.executable, "-m", "jaxeager", *options, "-c", PROGRAM]
    given = os.environ | {"PYTHONPATH": str(ROOT)} | environment
    ran = subprocess.run(command, capture_output=True, text=True, env=given)
    assert ran.stdout.split("\n")[:6] == ["[2.0, 4.0]"] * 5 + [str(segments)], ran.stderr


def test_a_program_that_never_uses_it_calls_kernels_of_jax():
    """It runs in a separate process: other tests have replaced each by a Kernel."""
    text = (
        "import jaxeager as paddle\n"
        "from jaxeager.ops.row import ROWS\n"
        "paddle.ones([2]) * 2.0\n"
        "kernels = [k for row in ROWS.values() for k in row.forward_kernels.values()]\n"
        "print(sorted({type(k).__name__ for k in kernels}))"
    )
    assert printed_by(text) == "['PjitFunction']\n"


def test_warns_of_a_line_whose_segments_are_always_new(monkeypatch):
    monkeypatch.setattr(report, "_MANY_NEW", 20)

    @paddle.lazy()
    def lengths():
        for size in range(1, 22):
            y = paddle.to_tensor(np.ones(size, "float32"))
            for _ in range(9):
                y = y * 2.0
            y.numpy()

    with pytest.warns(UserWarning, match="the last 20 segments that ended here"):
        lengths()
