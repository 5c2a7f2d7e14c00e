"""The format of the lines of the verbose log: prefix, indent, stream, threads and processes."""

import contextlib
import io
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import jaxeager as paddle
from jaxeager.base.framework import vlog_guard
from jaxeager.debug.common import naming
from jaxeager.debug.vlog import forward, vlog
from jaxeager.graph import events
from tests.debug.vlog_lines import entries_of, heads, run_python

pytestmark = pytest.mark.usefixtures("untouched")


def test_a_line_has_glogs_prefix(capsys):
    vlog.write("tensor_wrapper", 7, "one\ntwo", "W")
    log = capsys.readouterr().err
    assert re.fullmatch(
        rf"W\d{{4}} [\d:]{{8}}\.\d{{6}} {threading.get_native_id():5} tensor_wrapper\.h:7\] "
        r"one\ntwo\n",
        log,
    )


def test_every_line_of_an_indented_message_is_indented(capsys):
    with vlog_guard(3):
        vlog.indent(+1)
        vlog.indent(+1)
        vlog.log("nodes", 3, "\nx {\n\ty\n}")
        vlog.indent(-1)
        vlog.log("nodes", 3, "z")
        vlog.log("nodes", 4, "not written")
    lines = capsys.readouterr().err.split("\n")
    assert [line[: len(line) - len(line.lstrip("\t"))] for line in lines[:5]] == [
        "\t\t", "\t\t", "\t\t\t", "\t\t", "\t",
    ]  # fmt: skip
    assert "not written" not in "".join(lines)


def test_an_indent_ends_with_the_logs(capsys):
    with vlog_guard(3):
        vlog.indent(+1)
    with vlog_guard(3):
        vlog.log("nodes", 3, "z")
        vlog.indent(-1)
        vlog.log("nodes", 3, "z")
    lines = [line for line in capsys.readouterr().err.split("\n") if "nodes" in line]
    assert [line[0] for line in lines] == ["I", "I"]


def test_threads_do_not_write_into_each_others_lines(capfd):
    def write():
        for _ in range(50):
            vlog.write("nodes", 0, "a\n" * 200)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    log = capfd.readouterr().err
    assert [each.text for each in entries_of(log)] == ["a\n" * 200] * 200


def test_changes_of_levels_are_written(capsys):
    with vlog_guard(3):
        with vlog_guard(4):
            pass
        with vlog_guard({"api": 5}):
            pass
    lines = [line.partition("] ")[2] for line in capsys.readouterr().err.splitlines()]
    assert lines == [
        "Set the VLOG level of all modules to 4",
        "Set the VLOG level of all modules to 3",
        'RAW: Set VLOG level for "api" to 5',
        'RAW: Set VLOG level for "api" to 3',
        "Set the VLOG level of all modules to 0",
    ]


class Full(io.StringIO):
    """A stream that cannot be written to."""

    def write(self, text):
        raise BrokenPipeError


def closed():
    stream = io.StringIO()
    stream.close()
    return stream


@pytest.mark.parametrize("make", [lambda: None, closed, Full], ids=["gone", "closed", "broken"])
def test_a_stderr_that_cannot_be_written_is_no_error(make, monkeypatch):
    monkeypatch.setattr(sys, "stderr", make())
    with vlog_guard(6):
        x = paddle.to_tensor([1.0], stop_gradient=False)
        (x * 2).backward()
    assert x.grad.item() == 2.0


def test_lines_go_to_the_stderr_of_the_moment():
    stream = io.StringIO()
    with vlog_guard(3):
        with contextlib.redirect_stderr(stream):
            paddle.ones([1])
        paddle.zeros([1]).abs()
    assert "Running_AD_API: full" in stream.getvalue()
    assert "abs" not in stream.getvalue()


def test_a_stream_may_run_ops_itself(monkeypatch):
    class Counting(io.StringIO):
        def write(self, text):
            if "abs" in text:
                paddle.zeros([1]).exp()
            return super().write(text)

    stream = Counting()
    monkeypatch.setattr(sys, "stderr", stream)
    with vlog_guard(3):
        paddle.zeros([1]).abs()
    assert "Running_AD_API: abs" in stream.getvalue()
    assert "Running_AD_API: exp" in stream.getvalue()


@pytest.mark.parametrize("level", [3, 6])
def test_a_call_is_written_before_its_kernel_and_at_its_end(level, monkeypatch):
    x, written = paddle.ones([2]), []

    class Lists(io.StringIO):
        def write(self, text):
            written.append(text)

    x.abs()
    with vlog_guard(level):
        monkeypatch.setattr(sys, "stderr", Lists())
        x.abs()
        monkeypatch.undo()
    before, after = written
    assert "Running_C++_API: abs1" in before
    assert after.index("Finish_C++_API: abs1") < after.index("Finish_AD_API: abs")


class Looks(events.Observer):
    def kernel_ran(self, *what):
        sys.stderr.write("somebody else writes\n")


def look_on(x):
    with events.observing(Looks()):
        x.exp()


def look_from_a_hook(x):
    def pack(tensor):
        sys.stderr.write("somebody else writes\n")
        return tensor

    with paddle.autograd.saved_tensors_hooks(pack, lambda tensor: tensor):
        x.exp()


@pytest.mark.parametrize("call", [look_on, look_from_a_hook])
def test_another_observer_writes_after_the_lines_of_the_kernel(call, capsys):
    x = paddle.to_tensor([1.0], stop_gradient=False)
    with vlog_guard(3):
        call(x)
    log = capsys.readouterr().err
    lines = ["Running_C++_API", "Finish_C++_API", "somebody else writes", "Finish_AD_API"]
    places = [log.index(each) for each in lines]
    assert places == sorted(places)


KILLED = """
import os, signal
import jaxeager as paddle
from jaxeager.base.framework import vlog_guard
from jaxeager.graph import events

class Kills(events.Observer):
    def kernel_found(self, call):
        os.kill(os.getpid(), signal.SIGKILL)

x = paddle.ones([2])
with vlog_guard(3):
    x.exp()
    events.observe(Kills())
    x.abs()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no SIGKILL here")
def test_every_line_is_there_when_the_process_is_killed():
    done = subprocess.run(
        [sys.executable, "-c", KILLED], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == -signal.SIGKILL
    assert heads(entries_of(done.stderr)) == [
        "Running_AD_API: exp", "Running_C++_API: exp1", "Finish_C++_API: exp1",
        "Forward Debug Info {", "Finish_AD_API: exp",
        "Running_AD_API: abs", "Running_C++_API: abs1",
    ]  # fmt: skip


FORKED = """
import os, signal, sys, threading, warnings
import jaxeager as paddle
from jaxeager.debug.vlog import vlog
warnings.simplefilter("ignore")
is_writing, go_on, real = threading.Event(), threading.Event(), sys.stderr
class Slow:
    flush = real.flush
    def write(self, text):
        if "parent" in text:
            is_writing.set()
            go_on.wait()
        real.write(text)
sys.stderr = Slow()
thread = threading.Thread(target=vlog.write, args=("api", 0, "parent"))
thread.start()
is_writing.wait()
child = os.fork()
if child == 0:
    signal.alarm(60)  # kills it if it waits for the lock of a thread that is not there
    vlog.write("api", 0, "child")
    os._exit(0)
_, status = os.waitpid(child, 0)
go_on.set()
thread.join()
print("status", status, file=real)
print("child", child, file=real)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_writes_though_a_thread_was_writing():
    log = run_python(FORKED)
    child = re.search(r"child (\d+)", log.partition("status")[2])[1]
    assert re.search(rf" {child:>5} api.cc:\d+\] child\n", log)  # with its own number
    assert re.search(r" api.cc:\d+\] parent\n", log)
    assert "status 0\n" in log


# ---- prefixes


def prefixes(text):
    """Return the (module, line number) of the lines of a log."""
    return re.findall(
        r"^\t*[IW]\d{4} [\d:.]+ +\d+ (?:\S+\.py:\d+ )?(\w+)\.\w+:(\d+)\] ", text, re.M
    )


def test_a_prefix_has_the_line_that_writes(capfd):
    source = Path(vlog.__file__).parent
    with vlog_guard(5):
        x = paddle.to_tensor([1.0], stop_gradient=False)
        (x * 2).backward()
    lines = {
        "dygraph_functions": (source / "forward.py").read_text().splitlines(),
        "grad_node_info": (source / "forward.py").read_text().splitlines(),
        "nodes": (source / "backward.py").read_text().splitlines(),
    }
    found = [each for each in prefixes(capfd.readouterr().err) if each[0] in lines]
    assert len({number for _, number in found}) > 8
    writes = ("say", "_bar", "line_of", "vlog.", "_say", '"', "stamped")
    for module, number in found:
        near = " ".join(lines[module][int(number) - 3 : int(number) + 2])
        assert any(each in near for each in writes), (module, number)


def test_every_line_has_its_own_time(monkeypatch, capfd):
    clock = iter(range(10**18, 10**19, 1000))
    monkeypatch.setattr(vlog.time, "time_ns", lambda: next(clock))
    x = paddle.ones([2])
    with vlog_guard(5):
        x.abs()
    times = re.findall(r"^[IW]\d{4} ([\d:.]+) ", capfd.readouterr().err, re.M)
    assert len(times) > 6
    assert times == sorted(set(times))


def test_a_prefix_may_have_the_programs_line(capfd):
    paddle.set_flags({"FLAGS_log_prefix": "program"})
    try:
        with vlog_guard(3):
            paddle.ones([2])
            sum(paddle.ones([1]) for _ in "a")
    finally:
        paddle.set_flags({"FLAGS_log_prefix": "module"})
    text = capfd.readouterr().err
    assert set(re.findall(r" (\S+\.py):\d+ dygraph", text)) == {"test_writing.py"}
    with pytest.raises(ValueError, match="takes module or program, but received 'line'"):
        paddle.set_flags({"FLAGS_log_prefix": "line"})


# ---- level 1


def test_level_1_has_the_warning_of_promotion_and_nothing_else(capfd, monkeypatch):
    monkeypatch.setattr(forward, "_warned", set())
    x, y = paddle.ones([2]), paddle.ones([2], "float64")
    with vlog_guard(1):
        for _ in range(2):
            (x + y).abs()
        z = x + y
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == 1
    assert re.match(r"W\d{4} .* dygraph_functions\.cc:\d+\] Got different data type", lines[0])
    assert z.name.startswith("eager_tmp")
    assert not naming.is_in_use()
