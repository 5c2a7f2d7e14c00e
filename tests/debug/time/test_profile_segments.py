"""debug.profile_segments: the segments of lazy mode, and the lines that their time is for."""

import subprocess
import sys

import pytest

import jaxeager as paddle
from jaxeager.debug.time.segments import kernels_by_segment, shares_of
from jaxeager.errors import InvalidArgumentError, PreconditionNotMetError
from jaxeager.kernels.lazy import mode, segments

STEPS = 7


def _step(weight, x):
    loss = paddle.matmul(x, weight).tanh().sum()
    loss.backward()
    return loss


@pytest.fixture(scope="module")
def seen():
    """Return the profile of some equal steps, each of which is read."""
    weight, x = paddle.rand([64, 64]), paddle.rand([64, 64])
    weight.stop_gradient = False
    with paddle.debug.profile_segments() as found:
        for _ in range(STEPS):
            float(_step(weight, x))
            weight.clear_grad(set_to_zero=False)
    return found


def test_the_lines_that_ended_segments(seen):
    (end,) = seen.ends
    assert (end.frame.file, end.times, end.calls) == (__file__, STEPS, STEPS * 6)
    assert end.why == "a value was read"
    assert end.one_by_one == segments.CHANGE_OVER - 1
    assert end.ns <= seen.seconds * 1e9
    assert "kernel by kernel, because they were new: 3" in seen.ends_text()


def test_the_time_is_that_of_the_segments(seen):
    rows = seen.rows()
    ran = [run.ns for run in seen.recorder.runs if not run.alone]
    assert sum(row.device_ns for row in rows) == pytest.approx(sum(ran))
    times = {row.name: row.calls for row in rows}
    assert times["matmul"] == times["matmul_grad"] == times["tanh"] == len(ran) == 4
    by_name = {row.name: row for row in rows}
    assert by_name["matmul"].device_ns > 0
    first = _step.__code__.co_firstlineno
    assert by_name["tanh"].frame.line == first + 1
    assert by_name["matmul_grad"].frame.line == first + 2  # where the backward was called


def test_by_line(seen):
    lines = {row.frame.line for row in seen.rows("line")}
    first = _step.__code__.co_firstlineno
    assert lines == {first + 1, first + 2}
    assert "loss.backward()" in seen.table(by="line")
    with pytest.raises(InvalidArgumentError, match="'op' or 'line'"):
        seen.rows("kernel")


def test_lazy_mode_is_on_in_the_block_alone():
    assert mode.recorder() is None
    with paddle.debug.profile_segments() as seen:
        assert mode.recorder() is not None
        with pytest.raises(PreconditionNotMetError, match="has not ended"):
            seen.rows()
        assert str(seen) == "a profile whose block has not ended"
    assert mode.recorder() is None
    assert segments.observer is None
    assert seen.ends_text() == "No kernel was called."


def test_two_at_a_time_are_refused():
    with paddle.debug.profile_segments():
        with pytest.raises(PreconditionNotMetError, match="already"):
            paddle.debug.profile_segments().__enter__()
        assert segments.observer is not None


def test_the_profile_of_ops_names_it_in_lazy_mode():
    x = paddle.ones([3])
    with paddle.lazy(), paddle.debug.profile(peaks=(1e12, 1e12)) as seen:
        x + 1
    assert "profile_segments (" in str(seen)
    with paddle.debug.profile(peaks=(1e12, 1e12)) as seen:
        x + 1
    assert "profile_segments (" not in str(seen)


def test_an_error_in_the_block_ends_it():
    seen, found = paddle.debug.profile_segments(), []

    def fail():
        with seen:
            found.append(paddle.ones([3]) + 1)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert segments.observer is None
    assert found[0].tolist() == [2, 2, 2]
    assert len(seen.recorder.runs) == 1


def test_ops_recorded_before_the_block_are_not_in_it():
    with paddle.lazy():
        before = paddle.ones([3]) + 1
        with paddle.debug.profile_segments() as seen:
            after = before * 3
        assert after.tolist() == [6, 6, 6]
    assert [len(run.segment.steps) for run in seen.recorder.runs] == [1]


FUSED = """HloModule jit_segment
%fused_computation (p: f32[2]) -> f32[2] {
  %p = f32[2] parameter(0)
  %a.1 = f32[2] add(%p, %p), metadata={op_name="jit(segment)/call0.add/add" stack_frame_id=1}
  %b.2 = f32[2] multiply(%a.1, %p), metadata={op_name="jit(segment)/call0.add/mul"}
  ROOT %c.3 = f32[2] negate(%b.2), metadata={op_name="jit(segment)/call12.neg/neg"}
}

ENTRY %main.4 (x: f32[2]) -> f32[2] {
  %x = f32[2] parameter(0)
  %fusion = f32[2] fusion(%x), kind=kLoop, calls=%fused_computation, metadata={op_name="jit(segment)/call12.neg/neg"}
  ROOT %dot.2 = f32[2] dot(%fusion, %x), metadata={op_name="jit(segment)/call13.matmul/jit(f)/dot"}
}
"""  # noqa: E501


def test_a_fusion_is_shared_by_its_instructions():
    shares = shares_of(FUSED)
    assert shares["fusion"] == {0: 2 / 3, 12: 1 / 3}
    assert shares["dot.2"] == {13: 1.0}
    assert "x" not in shares


def test_a_kernel_within_another_counts_once():
    def event(name, ts, dur, **args):
        return {"ph": "X", "name": name, "ts": ts, "dur": dur, "pid": 1, "tid": 2, "args": args}

    trace = {
        "traceEvents": [
            event("jaxeager segment 4", 100.0, 50.0),
            event("while", 110.0, 30.0, hlo_op="while"),
            event("add", 115.0, 10.0, hlo_op="add.1"),
            event("outside", 200.0, 5.0, hlo_op="add.1"),
            {"ph": "M", "name": "process_name"},
        ]
    }
    assert kernels_by_segment(trace) == {4: [("while", 20.0), ("add.1", 10.0)]}


def test_the_command(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(
        "import paddle\n"
        "x = paddle.rand([32, 32])\n"
        "for _ in range(6):\n"
        "    y = paddle.matmul(x, x).tanh()\n"
        "    print(float(y.sum()) != 0)\n"
    )
    command = [sys.executable, "-m", "jaxeager", "profile", "--lazy"]
    done = subprocess.run([*command, str(script)], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "True\n" * 6
    assert "train.py:5: a value was read" in done.stderr
    assert "matmul" in done.stderr
    assert "train.py:4  y = paddle.matmul(x, x).tanh()" in done.stderr
    refused = subprocess.run(
        [*command, "--flame", "f.svg", str(script)], capture_output=True, text=True, cwd=tmp_path
    )
    assert refused.returncode == 2
    assert "--kernels are for ops" in refused.stderr
