"""Failures that DataLoaders survive: a killed or interrupted server, endless descriptors."""

import contextlib
import gc
import os
import resource
import signal

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import UnavailableError
from jaxeager.io import fork_server as servers
from jaxeager.io.by_value import dump_by_value
from jaxeager.io.fork_main import Forks
from tests.support.datasets import Made

io = paddle.io


def _loader(make=int, n=4, **how):
    return io.DataLoader(Made(make, n), num_workers=2, **how)


def _read(loader):
    return [batch.item() for batch in loader]


def _kill_server():
    process = servers.fork_server()._process
    process.kill()
    process.wait()


def _count_files():
    return len(os.listdir("/dev/fd"))


@contextlib.contextmanager
def _file_limit(limit):
    """Allow a number of open files, and restore the limit."""
    old = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, old[1]))
    opened: list[int] = []
    try:
        yield opened
    finally:
        for file in opened:
            os.close(file)
        resource.setrlimit(resource.RLIMIT_NOFILE, old)


@pytest.mark.parametrize("ends_first", [True, False])
def test_the_server_keeps_nothing_of_released_workers(ends_first):
    """It keeps neither their exit status nor a time, which would wake it up five times a second."""
    forks = Forks()
    pid = os.posix_spawn("/bin/sleep", ["sleep", "30"], {})
    forks.alive.add(pid)
    if not ends_first:
        forks.release([pid])
        forks.reap()
        assert list(forks.deadlines) == [pid]
    os.kill(pid, signal.SIGTERM)
    assert forks.code(pid) == (-signal.SIGTERM if ends_first else None)
    forks.release([pid])
    assert (forks.alive, forks.codes, forks.deadlines) == (set(), {}, {})


def test_a_server_that_is_killed():
    """Started work is finished; the next pass has another server; nothing stays open."""
    assert _read(_loader()) == [0, 1, 2, 3]
    gc.collect()  # files that other tests left open must not close in between
    before = _count_files()
    reading = iter(_loader(n=20))
    next(reading)
    _kill_server()
    assert len(_read(reading)) == 19
    assert _read(_loader()) == [0, 1, 2, 3]
    assert _count_files() == before


def test_a_worker_that_dies_when_the_server_is_gone():
    """Its exit status is unknown; it is an error all the same."""
    reading = iter(_loader(lambda index: os.getpid(), 100, use_buffer_reader=False))
    pid = next(reading).item()
    _kill_server()
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(UnavailableError, match=r"the workers of DataLoaders has ended \(exit"):
        list(reading)


def test_an_interrupt_in_the_middle_of_an_order(monkeypatch):
    """Its answer is not taken for that of the next order."""
    server = servers.fork_server()

    def interrupted(size):
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(server, "_read", interrupted)
    with pytest.raises(KeyboardInterrupt):
        _read(_loader())
    assert not server.is_usable()
    assert _read(_loader()) == [0, 1, 2, 3]
    assert servers.fork_server() is not server


def test_an_interrupt_while_persistent_workers_are_sent_their_tasks(monkeypatch):
    """They may have received half a message, so the next pass has others."""
    loader = _loader(persistent_workers=True)
    assert _read(loader) == [0, 1, 2, 3]
    workers = loader._workers

    def interrupted(*task):
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(workers, "send", interrupted)
    with pytest.raises(KeyboardInterrupt):
        _read(loader)
    assert _read(loader) == [0, 1, 2, 3]
    assert loader._workers is not workers


def test_an_iterator_is_collected_in_the_middle_of_an_order(monkeypatch):
    """Its workers are freed with the next order, and nothing waits for itself."""
    held: list = [iter(_loader())]
    held.append(held)
    server = servers.fork_server()
    released = []

    def collected(size, read=server._read):
        if held:
            held.clear()
            gc.collect()
            released.extend(server._released)
        return read(size)

    monkeypatch.setattr(server, "_read", collected)
    assert _read(_loader()) == [0, 1, 2, 3]
    assert len(released) == 2
    assert server._released == []


def test_workers_have_the_environment_of_their_iteration(monkeypatch):
    """It is not the environment at the server's start, or in an earlier iteration."""
    is_set = lambda index: int("JAXEAGER_TEST_VALUE" in os.environ)  # noqa: E731
    monkeypatch.setenv("JAXEAGER_TEST_VALUE", "1")
    assert _read(_loader(is_set)) == [1] * 4
    monkeypatch.delenv("JAXEAGER_TEST_VALUE")
    assert _read(_loader(is_set)) == [0] * 4


def test_more_than_1024_open_files():
    """The limit may be large; ``select`` cannot wait for descriptors above 1024."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if most != resource.RLIM_INFINITY and most < 4096:
        pytest.skip(f"the system allows {most} open files")
    with _file_limit(4096) as opened:
        opened += [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
        _kill_server()
        assert _read(_loader()) == [0, 1, 2, 3]
    _kill_server()


def test_no_more_open_files():
    """A batch in shared memory that cannot be opened is an error, not a wait."""
    make = lambda index: np.full(20_000, index)  # noqa: E731
    reading = iter(_loader(make, 40, batch_size=None, use_buffer_reader=False))
    next(reading)
    gc.collect()  # no file of other tests may close, and make room, in between
    with _file_limit(_count_files() + 20) as opened, pytest.raises(OSError, match="Too many open"):  # noqa: PT012
        with contextlib.suppress(OSError):
            while True:
                opened.append(os.open(os.devnull, os.O_RDONLY))
        list(reading)


def test_an_empty_array_in_the_dataset():
    """It is sent like any other."""
    loader = _loader()
    loader.dataset.table = np.zeros((0, 3))
    assert _read(loader) == [0, 1, 2, 3]


@pytest.mark.parametrize(("mode", "there"), [("r", "r"), ("r+", "r+"), ("w+", "r+"), ("c", None)])
def test_a_mapped_file_in_the_dataset(tmp_path, mode, there):
    """It is sent by name, not by content; a part, or a copy that may have changed, by value."""
    path = tmp_path / "rows.bin"
    np.arange(100_000).tofile(path)
    rows = np.memmap(path, "int64", mode, offset=80, shape=(2, 40_000), order="F")
    if mode == "w+":
        rows[:] = np.arange(10, 80_010).reshape((2, 40_000), order="F")
    body, buffers, _ = dump_by_value(rows, "It")
    size = len(body) + sum(map(len, buffers))
    assert (size > 600_000) == (there is None)
    part, part_buffers, _ = dump_by_value(rows[:, 5:], "It")
    assert len(part) + sum(map(len, part_buffers)) > 600_000
    loader = _loader(lambda index: [rows[1, index], rows[:, 5:][0, index], rows.mode == there])
    assert [[f.item() for f in batch] for batch in loader] == [
        [11 + 2 * index, 20 + 2 * index, True] for index in range(4)
    ]
