"""``python -m jaxeager attach PID``: what a running program does."""

import contextlib
import os
import re
import socket
import subprocess
import sys
import threading
import time

import pytest

import jaxeager as paddle
from jaxeager.debug.hangs import attach, listener, now, recorder

HANGS = """
import queue
import sys
import paddle

x = paddle.ones([2, 3])
x.stop_gradient = False
y = (x * 2).exp()
y.register_hook(lambda grad: queue.Queue().get())  # the hook
print("ready", flush=True)
y.sum().backward()  # backward
"""
JOB = """
import time
import paddle.distributed as dist
import paddle

dist.init_parallel_env()
x = paddle.ones([4])
dist.all_reduce(x)
print("ready", flush=True)
if dist.get_rank() == 1:
    time.sleep(120)  # the late rank
dist.all_reduce(x)  # the call
"""


@pytest.fixture
def listening():
    """Let this process answer."""
    assert listener.start()
    yield
    listener.stop()


def line_of(program, comment):
    """Return the number of the line of a program with a comment."""
    lines = program.splitlines()
    return next(number for number, text in enumerate(lines, 1) if text.endswith(f"# {comment}"))


def started(folder, program, *before):
    """Start a program that prints "ready", and wait for that."""
    path = folder / "train.py"
    path.write_text(program)
    process = subprocess.Popen(
        [sys.executable, "-m", *before, str(path)], cwd=folder, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    while "ready" not in (line := process.stdout.readline()):
        assert process.poll() is None, line
    return process, path


def test_a_process_that_listens_answers_with_its_threads(listening):
    over = threading.Event()
    thread = threading.Thread(target=over.wait, name="waiter")
    thread.start()
    (answer,) = [each for each in attach.attach(os.getpid()) if each.pid == os.getpid()]
    over.set()
    thread.join()
    assert answer.is_whole
    assert f"Thread MainThread: runs no op, at {__file__}:" in answer.text
    assert "Thread waiter: runs no code of the program" in answer.text
    assert "jaxeager attach" not in answer.text


def test_the_last_ops_are_there_while_they_are_recorded(listening):
    recorder.begin_use()
    try:
        paddle.ones([2, 3]).tanh()
        text = now.text()
    finally:
        recorder.end_use()
    assert re.search(r"done +op +tanh\(float32\[2, 3\]\)", text)
    without = now.text()
    assert not re.search(r"done +op", without)


def test_a_running_op_is_named_by_its_frames():
    seen = []

    def look(grad):
        seen.append(now.doing(sys._getframe()))

    x = paddle.ones([3])
    x.stop_gradient = False
    y = x.exp()
    y.register_hook(look)
    y.sum().backward()
    assert seen == [f"runs the node ExpGradNode, at {__file__}:{look.__code__.co_firstlineno + 1}"]


def test_a_process_that_does_not_listen_is_described_by_the_system(monkeypatch):
    monkeypatch.setattr(attach, "_from_py_spy", lambda pid: "")
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        try:
            (answer,) = attach.attach(process.pid)
        finally:
            process.kill()
    assert not answer.is_whole
    assert "It was not started by `python -m jaxeager`" in answer.text
    assert re.search(rf"Thread {process.pid} \S+: [RSD] \(", answer.text)


def test_a_stopped_process_is_reported_as_silent(monkeypatch):
    monkeypatch.setattr(attach, "_from_py_spy", lambda pid: "")
    monkeypatch.setattr(listener, "_text", lambda: time.sleep(0.5) or "late")
    assert listener.start()
    try:
        text, why = attach._asked(os.getpid(), 0.1)
    finally:
        listener.stop()
    assert text == ""
    assert why.startswith("It listens, but does not answer")


@pytest.fixture
def imposter():
    """Return a function that binds the address of a process, and sends a text."""
    threads = []
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:

        def bind(pid):
            server.bind(listener.address_of(pid))
            server.listen()
            threads.append(threading.Thread(target=send, daemon=True))
            threads[0].start()

        def send():
            with contextlib.suppress(OSError):  # the reader, or the test, may have ended before
                connection, _ = server.accept()
                with connection:
                    connection.sendall(b"a false answer")

        yield bind
        server.shutdown(socket.SHUT_RDWR)  # a thread that accepts would keep the address in use
    for thread in threads:
        thread.join(30)


def test_another_process_at_the_address_is_not_believed(imposter):
    imposter(1)
    text, why = attach._asked(1, 5)
    assert text == ""
    assert f"process {os.getpid()} of user {os.getuid()} has its address" in why


def test_a_process_of_another_user_is_not_believed(imposter, monkeypatch):
    pid, user = os.getpid(), os.getuid()
    imposter(pid)
    monkeypatch.setattr(os, "getuid", lambda: user + 1)
    text, why = attach._asked(pid, 5)
    assert text == ""
    assert f"process {pid} of user {user} has its address" in why
    assert f"process {pid} of user {user + 1} is expected" in why


def test_root_may_ask_any_process(imposter, monkeypatch):
    imposter(os.getpid())
    monkeypatch.setattr(os, "getuid", lambda: listener.ROOT)
    assert attach._asked(os.getpid(), 5)[0] == "a false answer"


def test_an_unknown_process(capsys):
    assert attach.attach(2**22 + 1) == []
    from jaxeager.__main__ import main

    assert main(["attach", str(2**22 + 1)]) == 2
    assert "there is no process" in capsys.readouterr().err


def test_a_program_that_hangs_in_a_hook(tmp_path):
    process, path = started(tmp_path, HANGS, "jaxeager")
    try:
        end = time.monotonic() + 30
        said = ""
        while "ExpGradNode" not in said and time.monotonic() < end:
            said = "".join(each.text for each in attach.attach(process.pid))
    finally:
        process.kill()
        process.communicate()
    hook = line_of(HANGS, "the hook")
    assert f"Thread MainThread: runs the node ExpGradNode, at {path}:{hook}" in said
    assert f'File "{path}", line {line_of(HANGS, "backward")}, in <module>' in said


@pytest.mark.deep
def test_all_ranks_of_a_job(tmp_path):
    process, path = started(tmp_path, JOB, "jaxeager.distributed.launch", "--nproc_per_node", "2")
    try:
        end = time.monotonic() + 60
        said = ""
        while f"line {line_of(JOB, 'the late rank')}" not in said and time.monotonic() < end:
            found = attach.attach(process.pid)
            said = "".join(each.text for each in found)
    finally:
        process.terminate()
        process.communicate()
    assert len(found) == 3
    assert all(each.is_whole for each in found)
    place = f"at {path}:{line_of(JOB, 'the call')}"
    assert re.search(
        r"ago: in all_reduce\(float32\[4\], SUM\), number 2 of group 0, " + place, said
    )
