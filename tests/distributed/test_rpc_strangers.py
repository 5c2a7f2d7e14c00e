"""Ports of rpc: no stranger runs code, and none makes a call wait."""

import contextlib
import os
import random
import shutil
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from jaxeager.distributed.ranks import job_key
from jaxeager.distributed.rpc import agents, wire
from jaxeager.errors import (
    InvalidArgumentError,
    PermissionDeniedError,
    PreconditionNotMetError,
    UnavailableError,
)
from tests.support.examples import examples
from tests.support.here import AS_ON_A_CPU

ROOT = Path(__file__).resolve().parents[2]
KEY, OTHER = b"k" * 32, b"o" * 32


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the folder of this user's key, not created yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("JAXEAGER_JOB_KEY", raising=False)
    return tmp_path / "cache" / "jaxeager"


@pytest.fixture
def port():
    """Yield a port that sends back the data it receives."""

    def answer(connection):
        with connection:
            connection.send(connection.receive())

    made = wire.Port(("127.0.0.1", 0), KEY, answer)
    yield made
    made.close()


def echoed(address, key=KEY):
    with wire.connected(address, key) as connection:
        connection.send(b"hello")
        return bytes(connection.receive())


# ---- the key


def test_the_key_is_random_and_this_users_alone(folder):
    key = job_key.job_key("127.0.0.1")
    (file,) = folder.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert job_key.job_key("localhost") == key
    file.unlink()
    assert job_key.job_key("127.0.0.1") != key


def test_many_that_make_the_key_at_once_have_one(folder):
    keys = []
    threads = [
        threading.Thread(target=lambda: keys.append(job_key.job_key("127.0.0.1")))
        for _ in range(16)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(keys) == 16
    assert len(set(keys)) == 1
    assert len(list(folder.iterdir())) == 1


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda folder: (folder / "rpc.key").chmod(0o644), "other users can read there"),
        (lambda folder: (folder / "rpc.key").chmod(0o622), "other users can write there"),
        (lambda folder: folder.chmod(0o777), "other users can write there"),
        (lambda folder: (folder / "rpc.key").write_bytes(b""), "it has 0 bytes"),
        (lambda folder: os.rename(folder / "rpc.key", folder / "x")
            or os.symlink(folder / "x", folder / "rpc.key"), "is not a plain file"),
        (lambda folder: (folder / "rpc.key").unlink() or os.mkfifo(folder / "rpc.key", 0o600),
         "is not a plain file"),
    ],
)  # fmt: skip
def test_a_key_that_others_could_know_is_refused(folder, spoil, why):
    job_key.job_key("127.0.0.1")
    spoil(folder)
    with pytest.raises(PreconditionNotMetError, match=why) as raised:
        job_key.job_key("127.0.0.1")
    assert "set JAXEAGER_JOB_KEY to the same long random text" in str(raised.value)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file to another user")
def test_a_key_of_another_user_is_refused(folder):
    job_key.job_key("127.0.0.1")
    os.chown(folder / "rpc.key", 65534, 65534)
    with pytest.raises(PreconditionNotMetError, match="belongs to user 65534"):
        job_key.job_key("127.0.0.1")


def test_other_machines_need_a_key_that_is_given(folder, monkeypatch):
    with pytest.raises(PreconditionNotMetError, match="Set JAXEAGER_JOB_KEY to the same long"):
        job_key.job_key("10.1.2.3")
    assert not folder.exists()
    monkeypatch.setenv("JAXEAGER_JOB_KEY", "given")
    assert job_key.job_key("10.1.2.3") == job_key.job_key("127.0.0.1")


# ---- a port


def test_a_peer_without_the_key_is_sent_away(port):
    assert echoed(port.address) == b"hello"
    with pytest.raises(PermissionDeniedError, match="does not know the key of this job"):
        echoed(port.address, OTHER)
    assert echoed(port.address) == b"hello"


def test_silent_connections_keep_no_call_waiting(port):
    silent = [socket.create_connection(port.address) for _ in range(40)]
    for each in silent[::2]:
        each.sendall(b"jaxeager rpc")  # and no more of a greeting
    began = time.monotonic()
    assert echoed(port.address) == b"hello"
    assert time.monotonic() - began < wire.HANDSHAKE_SECONDS / 2
    for each in silent:
        each.close()


def test_garbage_ends_no_port(port):
    draw = random.Random(3)
    for _ in range(examples(100, 300)):
        with socket.create_connection(port.address) as end:
            garbage = draw.randbytes(draw.choice((0, 1, 47, 80, 81, 500, 20_000)))
            greeting = wire._HELLO + draw.randbytes(64) if draw.random() < 0.5 else b""
            with contextlib.suppress(OSError):
                end.sendall(greeting + garbage)
    assert echoed(port.address) == b"hello"


def test_a_port_bounds_its_strangers_and_gives_up_on_them(port, monkeypatch):
    monkeypatch.setattr(wire, "HANDSHAKE_SECONDS", 1.0)
    silent = [socket.create_connection(port.address) for _ in range(3 * wire._WAITING)]
    time.sleep(0.2)
    assert sum("_greet" in each.name for each in threading.enumerate()) <= wire._WAITING
    assert echoed(port.address) == b"hello"  # retried until one has been closed
    for each in silent:
        each.close()


def test_a_peer_that_listens_and_sends_nothing_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(wire, "HANDSHAKE_SECONDS", 0.3)
    with (
        socket.create_server(("127.0.0.1", 0)) as mute,
        pytest.raises(UnavailableError, match="does not answer like a process of this job"),
    ):
        wire.connected(mute.getsockname(), KEY)


@pytest.mark.parametrize("place", ["length", "message", "replayed"])
def test_changed_and_replayed_messages_are_refused(port, place):
    """An attacker at a port passes on the greetings, which are right, and then sends its own."""
    middle, ends = socket.create_server(("127.0.0.1", 0)), []

    def pass_on():
        caller, _ = middle.accept()
        server = socket.create_connection(port.address)
        ends.extend((caller, server))
        greeting = len(wire._HELLO) + 2 * wire._DIGEST
        back = threading.Thread(target=_copy, args=(server, caller), daemon=True)
        back.start()
        server.sendall(_exactly(caller, greeting))
        sent = bytearray(_exactly(caller, 8 + 32 + 5 + 32))
        if place == "length":
            sent[0] += 1
        elif place == "message":
            sent[8 + 32] ^= 1
        server.sendall(sent if place != "replayed" else sent[:0])
        if place == "replayed":  # as an answer of the server
            caller.sendall(sent)

    threading.Thread(target=pass_on, daemon=True).start()
    wanted = PermissionDeniedError if place == "replayed" else wire.Closed
    with middle, pytest.raises(wanted):
        echoed(middle.getsockname())
    for each in ends:
        each.close()


def _exactly(end, count):
    found = b""
    while len(found) < count:
        found += end.recv(count - len(found))
    return found


def _copy(source, target):
    with contextlib.suppress(OSError):
        while found := source.recv(4096):
            target.sendall(found)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


# ---- a meeting


@pytest.fixture
def endpoint(monkeypatch):
    monkeypatch.setenv("JAXEAGER_JOB_KEY", "of this test")
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{found.getsockname()[1]}"


def met(endpoint, ranks, size):
    """Return the data that each process of a meeting received, or the error."""
    found = {}

    def come(number, rank):
        meeting = agents.Meeting(endpoint, rank, size)
        try:
            found[number] = meeting.exchange(f"of {rank}")
        except Exception as error:
            found[number] = error
        meeting.close()

    threads = [threading.Thread(target=come, args=each) for each in enumerate(ranks)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    return [found[number] for number in range(len(ranks))]


def test_all_get_what_each_has_brought(endpoint):
    assert met(endpoint, [2, 0, 1], 3) == [["of 0", "of 1", "of 2"]] * 3


def test_two_processes_of_one_rank_are_reported(endpoint):
    found = met(endpoint, [0, 1, 1], 4)
    assert all(isinstance(each, InvalidArgumentError) for each in found)
    assert "a process connected as rank 1 of 4, which is taken" in str(found[0])


def test_a_wrong_endpoint_is_reported(monkeypatch):
    for wrong in ("127.0.0.1", "127.0.0.1:port", ":80"):
        with pytest.raises(InvalidArgumentError, match="is an address and a port, such as"):
            agents.Meeting(wrong, 0, 2)


# ---- processes

WORKER = """
import sys, os
from jaxeager.distributed import rpc
rank, endpoint = int(sys.argv[1]), sys.argv[2]
rpc.init_rpc(f"worker{rank}", rank, 2, endpoint)
assert rpc.rpc_sync(f"worker{1 - rank}", divmod, (7, 2), timeout=60) == (3, 1)
rpc.shutdown()
print("done", rank)
"""
STRANGER = """
import multiprocessing.connection, os, socket, sys, time
host, port, marker, key_file = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
class Evil:
    def __reduce__(self):
        return os.system, (f"touch {marker}",)
try:
    print(open(key_file).read())
except PermissionError:
    print("cannot read the key")
silent = [socket.create_connection((host, port)) for _ in range(8)]
try:
    key = b"processes of one machine"  # which was every user's, once
    multiprocessing.connection.Client((host, port), authkey=key).send(Evil())
    print("was let in")
except (OSError, EOFError, multiprocessing.AuthenticationError):
    print("was sent away")
sys.stdout.flush()
time.sleep(120)
"""


@pytest.mark.deep  # a peer without the key is refused above
@pytest.mark.skipif(
    os.getuid() != 0 or shutil.which("setpriv") is None,
    reason="only root can run a process as another user",
)
def test_another_user_of_the_machine_runs_no_code(folder, tmp_path):
    """Two processes without a launcher meet while another user tries what it can."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        endpoint = found.getsockname()
    given = {**os.environ, **AS_ON_A_CPU, "PYTHONPATH": str(ROOT)}

    def worker(rank):
        command = [sys.executable, "-c", WORKER, str(rank), f"127.0.0.1:{endpoint[1]}"]
        return subprocess.Popen(command, env=given, stdout=subprocess.PIPE, text=True)

    workers = [worker(0)]
    while True:
        with socket.socket() as tried:
            if tried.connect_ex(endpoint) == 0:
                break
        assert workers[0].poll() is None
        time.sleep(0.1)
    marker = tmp_path / "it-ran"
    as_nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    stranger = subprocess.Popen(
        [*as_nobody, sys.executable, "-I", "-c", STRANGER, endpoint[0], str(endpoint[1]), marker,
         folder / "rpc.key"],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert stranger.stdout is not None
    said = [stranger.stdout.readline().strip() for _ in range(2)]
    workers.append(worker(1))
    try:
        outputs = [each.communicate(timeout=120)[0] for each in workers]
    finally:
        for each in (stranger, *workers):
            each.kill()
            each.communicate()
    assert said == ["cannot read the key", "was sent away"]
    assert outputs == ["done 0\n", "done 1\n"]
    assert not marker.exists()
