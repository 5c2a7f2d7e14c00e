"""The files that tools append to."""

import contextlib
import os
import signal
import threading
import warnings

import pytest

from jaxeager.debug.common.output_files import AppendedFile, check_writable
from jaxeager.errors import InvalidArgumentError


def test_paths_that_cannot_be_written_are_refused(tmp_path):
    (tmp_path / "file").write_text("")
    for path in ("", str(tmp_path), f"{tmp_path}/file/below", "a\0b"):
        with pytest.raises(InvalidArgumentError, match="FLAGS_x should name a file"):
            check_writable(path, "FLAGS_x")


def test_folders_are_made(tmp_path):
    check_writable(f"{tmp_path}/a/b/c", "FLAGS_x")
    assert (tmp_path / "a" / "b").is_dir()


def test_a_relative_path_leads_where_it_led_at_first(tmp_path, monkeypatch):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / "a")
    file = AppendedFile("out")
    monkeypatch.chdir(tmp_path / "b")
    file.write("x")
    file.close()
    assert (tmp_path / "a" / "out").read_text() == "x"


def leads_to(path):
    """Return the numbers of this process's descriptors that refer to a file."""
    wanted, found = os.stat(path), []
    for number in map(int, os.listdir("/dev/fd")):
        with contextlib.suppress(OSError):  # that of the listing, and closed ones
            if os.path.samestat(os.fstat(number), wanted):
                found.append(number)
    return found


def test_threads_write_while_another_closes(tmp_path):
    """No line is lost or cut, and none is written to a file that gets the number meanwhile."""
    file, together = AppendedFile(str(tmp_path / "out")), threading.Barrier(4)

    def write(name):
        try:
            for count in range(300):
                if count % 30 == 0:
                    together.wait(60)  # so that turns of the closer fall among the lines
                file.write(name * 50 + "\n")
        except BaseException:
            together.abort()
            raise

    threads = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for _ in range(10):
        together.wait(60)
        for _ in range(20):
            file.close()
            with open(tmp_path / "other", "w"):
                pass
    for thread in threads:
        thread.join()
    assert len(leads_to(tmp_path / "out")) <= 1
    file.close()
    lines = (tmp_path / "out").read_text().splitlines()
    assert sorted(lines) == sorted([name * 50 for name in "abc"] * 300)
    assert (tmp_path / "other").read_text() == ""
    assert leads_to(tmp_path / "out") == leads_to(tmp_path / "other") == []


def test_a_numbered_file_ends_in_the_process_id(tmp_path):
    file = AppendedFile(str(tmp_path / "out"), is_numbered=True)
    file.write("x")
    file.close()
    assert [each.name for each in tmp_path.iterdir()] == [f"out.{os.getpid()}"]


def test_a_forked_process_is_not_held_by_its_parents_locks(tmp_path):
    file = AppendedFile(str(tmp_path / "out"))
    held, done = threading.Event(), threading.Event()

    def hold():
        with file._lock:
            held.set()
            done.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(30)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a fork with other threads is what this tests
        child = os.fork()
    if not child:
        signal.alarm(60)  # kills it if it waits for the lock of a thread that no longer exists
        try:
            file.write("x")
            os._exit(0)
        finally:
            os._exit(1)
    done.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0
    assert (tmp_path / f"out.{child}").read_text() == "x"
