"""The flight recorder: the file on disk when a program ends by a signal, an error, or normally."""

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import jaxeager as paddle
from jaxeager.debug.hangs import recorder, report
from jaxeager.debug.hangs.report import DONE, FAILED, RUNNING, Record
from jaxeager.graph import events
from tests.support import leaves, py_layers
from tests.support.leaves import leaf
from tests.support.py_layers import Double

PROGRAMS = Path(__file__).with_name("programs.py")
FLAG = recorder.FLAG


def line_of(mark):
    """Return the line of programs.py with a comment."""
    lines = PROGRAMS.read_text().splitlines()
    (found,) = [number for number, line in enumerate(lines, 1) if line.endswith(f"# {mark}")]
    return f"{PROGRAMS}:{found}"


def run(name, folder, **flags):
    """Run a program with the recorder, and return its end, stderr, report and other files."""
    environment = {**os.environ, FLAG: str(folder / "flight"), **flags}
    process = subprocess.Popen(
        [sys.executable, str(PROGRAMS), name], env=environment, stderr=subprocess.PIPE, text=True
    )
    _, said = process.communicate(timeout=120)
    path = folder / f"flight.{process.pid}"
    text = path.read_text() if path.exists() else ""
    others = sorted(each.name for each in folder.iterdir() if each != path)
    return process.returncode, said, text, others


def rows(text):
    """Return the table of a report: (state, what, name, line)."""
    found = re.findall(r"^ +-[\d.]+ +(\d+)  (\w+) +(\w+) +(\S.*?)  (\S.*)$", text, re.MULTILINE)
    return [(state, what, name, line) for _, state, what, name, line in found]


def test_a_segfault_leaves_the_op_that_ran_its_line_and_the_stacks(tmp_path):
    code, said, text, others = run("segv", tmp_path)
    assert code == -11
    assert others == []
    assert rows(text)[-1] == ("runs", "op", "lookup(float32[2, 3])", line_of("the segfault"))
    assert [row[:3] for row in rows(text)[-3:-1]] == [
        ("done", "op", "tanh(float32[2, 3])"), ("done", "op", "scale(float32[2, 3])"),
    ]  # fmt: skip
    assert f'File "{PROGRAMS}", line {line_of("the segfault").rpartition(":")[2]} in segv' in text
    summary = (
        r"FatalError: `Segmentation fault` is detected by the operating system\.\n"
        r'  \[TimeInfo: \*\*\* Aborted at (\d+) \(unix time\) try "date -d @\1" if you are using '
        r"GNU date \*\*\*\]\n  \[SignalInfo: \*\*\* SIGSEGV received by PID \d+ \(TID 0x\w+\) "
    )
    assert re.search(summary, text)
    assert re.search(summary, said)
    assert f"lookup was running, at {line_of('the segfault')}." in said


def test_sigterm_leaves_the_hook_that_hung(tmp_path):
    code, _, text, others = run("term", tmp_path)
    assert code == -15
    assert others == []
    assert [row[:2] for row in rows(text)[-2:]] == [("runs", "node"), ("runs", "hook")]
    assert rows(text)[-1][3] == line_of("the hook")
    assert "SIGTERM received by PID" in text
    assert text.count("most recent call first") == 1  # the main thread's: others may run on
    assert re.search(r"Python stacks:\n-+\nStack .*\n( +File .*\n)* +File .* in term\n", text)


def test_even_sigkill_leaves_what_ran(tmp_path):
    code, said, text, _ = run("kill", tmp_path)
    assert code == -9
    assert [row[:3] for row in rows(text)][-1] == ("done", "op", "tanh(float32[2, 3])")
    assert len(set(re.findall(r"^ +-[\d.]+ +(\d+)  ", text, re.MULTILINE))) == 2  # threads
    assert "ended suddenly, without a message" in said


def test_an_exception_leaves_a_report_and_its_traceback(tmp_path):
    code, said, text, others = run("error", tmp_path)
    assert code == 1
    assert others == []
    assert rows(text)[-1][:2] == ("fails", "op")
    assert rows(text)[-1][3] == line_of("the error")
    assert "InvalidArgumentError: (InvalidArgument) matmul" in text
    assert "[What ran last, and the stacks: " in said


def test_a_program_that_ends_well_leaves_nothing(tmp_path):
    code, said, text, others = run("well", tmp_path)
    assert (code, text, others) == (0, "", [])
    assert "FatalError" not in said


# ---- here


@pytest.fixture
def records():
    """Yield records of calls in the test."""
    found = recorder.begin_use()
    yield lambda: [each for each in found.records() if each.what != "read"]
    recorder.end_use()
    assert recorder._recorder is None


def test_calls_backward_hooks_and_steps_are_recorded(records):
    x = leaf()
    sgd = paddle.optimizer.SGD(0.1, parameters=[x])
    y = Double.apply(x)
    y.register_hook(lambda grad: grad)
    y.sum().backward()
    sgd.step()
    found = [(each.what, each.name) for each in records()]
    assert found == [
        ("layer", "Double"), ("op", "scale"), ("op", "sum"), ("node", "SumGradNode"),
        ("node", "GradNodePyLayer_Double"), ("hook", found[5][1]), ("op", "scale"),
        ("node", "GradNodeAccumulation"), ("step", "sgd"),
    ]  # fmt: skip
    assert found[5][1].endswith("<lambda>")
    assert {each.state for each in records()} == {DONE}
    files = {each.line.split(":")[0] for each in records()}
    assert files == {__file__, leaves.__file__, py_layers.__file__}


def test_a_node_has_the_line_of_its_forward_and_a_layer_the_one_in_it(records):
    model = paddle.nn.Linear(2, 2)
    loss = model(leaf().reshape([1, 2])).sum()
    loss.backward()
    lines = {each.name: each.line for each in records()}
    assert " > nn/functional/common.py:" in lines["matmul"]
    assert lines["MatmulGradNode"] == lines["matmul"]
    assert lines["SumGradNode"] == lines["sum"]


def test_a_failed_event_and_those_it_left_open_are_marked(records):
    with pytest.raises(ValueError, match="matmul"):
        paddle.matmul(paddle.ones([2, 3]), paddle.ones([2, 3]))
    y = leaf() * 2
    y.register_hook(lambda grad: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        y.sum().backward()
    states = [(each.name.rpartition(".")[2], each.state) for each in records()]
    assert ("matmul", FAILED) in states
    assert states[-2:] == [("ScaleGradNode", FAILED), ("<lambda>", FAILED)]
    assert not recorder.running[threading.get_native_id()]


def test_a_tape_keeps_the_newest_records_and_marks_only_these():
    tape = recorder.Recorder(4)
    for number in range(6):
        tape.begin("op", number, f"op{number}", "", f"train.py:{number}")
    for number in reversed(range(6)):
        tape.end(number, FAILED if number == 3 else DONE)
    assert [(each.name, each.state) for each in tape.records()] == [
        ("op2", DONE), ("op3", FAILED), ("op4", DONE), ("op5", DONE),
    ]  # fmt: skip


def test_records_are_read_as_they_were_written_and_half_of_one_is_not():
    record = Record(RUNNING, 3, 1.5, 77, "op", "add", "float32[2, 3]", "träin.py:4 > nn/x.py:2")
    data = report.packed(record)
    assert len(data) == report.WIDTH
    long = report.packed(record._replace(number=4, line="x" * 1000))
    assert len(long) == report.WIDTH
    found = report.records_of(long + data + data[:9] + bytes(report.WIDTH - 9))
    assert found[0] == record
    assert found[1].number == 4


# The names that real Paddle 3.3.1 has for the signals that it handles.
WORDS = {
    "SIGABRT": ("Aborted", "Process abort signal"),
    "SIGBUS": ("Bus error", "Access to an undefined portion of a memory object"),
    "SIGFPE": ("Floating-point exception", "Erroneous arithmetic operation"),
    "SIGILL": ("Illegal instruction", "Illegal instruction"),
    "SIGSEGV": ("Segmentation fault", "Segmentation fault"),
}


@pytest.mark.parametrize("name", WORDS)
def test_signals_have_paddles_words(name):
    pythons, paddles = WORDS[name]
    fault = f"Fatal Python error: {pythons}\n\nCurrent thread 0x00007f0a (most recent call first):"
    assert report.cause_of(fault, "", 5, 9.7) == (
        f"FatalError: `{paddles}` is detected by the operating system.\n"
        '  [TimeInfo: *** Aborted at 9 (unix time) try "date -d @9" if you are using '
        "GNU date ***]\n"
        f"  [SignalInfo: *** {name} received by PID 5 (TID 0x7f0a) ***]\n"
    )


def test_there_is_no_observer_while_it_is_off(tmp_path):
    hooks = sys.excepthook, threading.excepthook
    paddle.set_flags({FLAG: str(tmp_path / "flight")})
    try:
        leaf().exp().sum().backward()
        names = {each.name.split(".", 2)[2] for each in tmp_path.iterdir()}
        assert names == {"tape", "fault", "term"}
    finally:
        paddle.set_flags({FLAG: ""})
    assert (sys.excepthook, threading.excepthook) == hooks
    assert not events._observers
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="FLAGS_flight_recorder should name a file"):
        paddle.set_flags({FLAG: str(tmp_path / "file" / "flight")})
    assert not events._observers


def crash(program=(str(PROGRAMS), "segv"), **flags):
    """Run a program without the recorder, and return its exit code and stderr."""
    done = subprocess.run(
        [sys.executable, *program], env={**os.environ, **flags}, capture_output=True, text=True,
        timeout=120,
    )  # fmt: skip
    return done.returncode, done.stderr


def test_without_a_flag_a_crash_shows_its_signal_and_line():
    code, said = crash()
    assert code == -11
    assert said.startswith("Fatal Python error: Segmentation fault")
    assert f'File "{PROGRAMS}", line {line_of("the segfault").rpartition(":")[2]} in segv' in said


def test_the_fault_handler_can_be_left_out():
    text = "import os, {}; os.abort()"
    on = text.format("jaxeager")
    off = text.format("jaxeager; jaxeager.disable_signal_handler()")
    assert "Fatal Python error: Aborted" in crash(("-c", on))[1]
    assert "Fatal" not in crash(("-c", off))[1]
