"""The paths of save: links, long names, concurrent processes, permissions."""

import fcntl
import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.framework.io import paths

SAVING = """
import sys, time
import jaxeager as paddle
from jaxeager.framework.io import paths
with paths.writing(sys.argv[1]) as file:
    file.write(b"half of it")
    file.flush()
    print("writing", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def saving(tmp_path):
    """Start a process that writes into a file and does not finish."""
    started = []

    def start(path):
        process = subprocess.Popen(
            [sys.executable, "-c", SAVING, str(path)], stdout=subprocess.PIPE, text=True
        )
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "writing\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


# ---- links


@pytest.mark.parametrize("is_relative", [False, True])
def test_a_link_stays_a_link(tmp_path, is_relative):
    """Its target has the new file, and no other file is left in either folder."""
    (tmp_path / "real").mkdir()
    (tmp_path / "links").mkdir()
    target, link = tmp_path / "real" / "net.pdparams", tmp_path / "links" / "net.pdparams"
    paddle.save({"n": 1}, target)
    link.symlink_to(Path("..", "real", "net.pdparams") if is_relative else target)
    paddle.save({"n": 2}, link)
    assert link.is_symlink()
    assert paddle.load(target) == {"n": 2}
    assert os.listdir(target.parent) == os.listdir(link.parent) == ["net.pdparams"]


def test_links_to_links_and_to_nothing(tmp_path):
    """The last target is written, also if it does not exist yet; a circle is an error."""
    (tmp_path / "first").symlink_to(tmp_path / "second")
    (tmp_path / "second").symlink_to(tmp_path / "third")
    paddle.save(1, tmp_path / "first")
    assert [(tmp_path / name).is_symlink() for name in ("first", "second", "third")] == [1, 1, 0]
    assert paddle.load(tmp_path / "third") == 1
    (tmp_path / "round").symlink_to(tmp_path / "round")
    with pytest.raises(OSError, match="symbolic links"):
        paddle.save(1, tmp_path / "round")
    assert (tmp_path / "round").is_symlink()


def test_a_linked_folder(tmp_path):
    """The folder may be a link as well."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    paddle.save(1, tmp_path / "link" / "x")
    assert os.listdir(tmp_path / "real") == ["x"]


def test_pipes_and_devices_are_written_to(tmp_path):
    """A pipe stays a pipe, and /dev/null stays a device."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    paddle.save({"n": 1}, pipe)
    reader.join()
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    (tmp_path / "copy").write_bytes(read[0])
    assert paddle.load(tmp_path / "copy") == {"n": 1}
    with pytest.raises(IsADirectoryError):
        paddle.save(1, tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["copy", "pipe"]


# ---- names


@pytest.mark.parametrize("letter", ["n", "\u00e9"])
def test_names_as_long_as_the_filesystem_takes(tmp_path, letter):
    """Saved, saved again and read."""
    most = os.pathconf(tmp_path, "PC_NAME_MAX")
    name = letter * ((most - 9) // len(letter.encode())) + ".pdparams"
    for number in (1, 2):
        paddle.save({"n": number}, tmp_path / name)
        assert os.listdir(tmp_path) == [name]
    assert paddle.load(tmp_path / name) == {"n": 2}
    with pytest.raises(OSError, match="name too long"):
        paddle.save(1, tmp_path / (name + "x" * 9))
    assert os.listdir(tmp_path) == [name]


def test_names_in_bytes_and_with_nulls(tmp_path):
    """A PathLike may give bytes; no file has a null character in its name."""

    class Named:
        def __fspath__(self):
            return os.fsencode(tmp_path / "x.pdparams")

    paddle.save({"n": 1}, Named())
    assert paddle.load(Named()) == {"n": 1}
    with pytest.raises(InvalidArgumentError, match="null characters"):
        paddle.save(1, str(tmp_path / "a\0b"))
    with pytest.raises(InvalidArgumentError, match="not exists"):
        paddle.load(str(tmp_path / "a\0b"))


# ---- leftovers of killed saves


def test_the_next_save_removes_the_file_a_killed_save_left(tmp_path, saving):
    """The next save of that name removes it, and only that."""
    paddle.save({"n": 1}, tmp_path / "net")
    process = saving(tmp_path / "net")
    process.send_signal(signal.SIGKILL)
    process.wait()
    (left,) = set(os.listdir(tmp_path)) - {"net"}
    paddle.save({"n": 1}, tmp_path / "other")
    assert left in os.listdir(tmp_path)
    assert paddle.load(tmp_path / "net") == {"n": 1}
    paddle.save({"n": 2}, tmp_path / "net")
    assert sorted(os.listdir(tmp_path)) == ["net", "other"]


def test_a_save_keeps_the_file_that_a_living_process_writes(tmp_path, saving):
    """A save after the end of that process removes the file."""
    process = saving(tmp_path / "net")
    (written,) = os.listdir(tmp_path)
    paddle.save({"n": 2}, tmp_path / "net")
    assert sorted(os.listdir(tmp_path)) == sorted(["net", written])
    process.kill()
    process.wait()
    paddle.save({"n": 3}, tmp_path / "net")
    assert os.listdir(tmp_path) == ["net"]


def test_many_threads_save_one_name(tmp_path):
    """No save removes another's file; the final file is complete."""
    failures = []

    def save(number):
        try:
            for _ in range(20):
                paddle.save([number] * 1000, tmp_path / "net")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=save, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert os.listdir(tmp_path) == ["net"]
    assert len(set(paddle.load(tmp_path / "net"))) == 1


def test_a_file_taken_before_it_was_locked(tmp_path, monkeypatch):
    """Another process may remove it between creation and locking; then a new one is created."""
    lock, taken = fcntl.flock, []

    def lock_late(file, how):
        if not taken:
            taken.extend(os.listdir(tmp_path))
            os.unlink(tmp_path / taken[0])
        lock(file, how)

    monkeypatch.setattr(fcntl, "flock", lock_late)
    paddle.save({"n": 1}, tmp_path / "net")
    assert len(taken) == 1
    assert os.listdir(tmp_path) == ["net"]


def test_a_file_that_another_writer_is_about_to_remove(tmp_path, monkeypatch):
    """It locked the new file first, and removes it after that: then a new one is created."""
    lock, taken = fcntl.flock, []

    def lock_late(file, how):
        if not taken:
            taken.append(open(file.name, "r+b"))  # noqa: SIM115 - its lock ends with it
            lock(taken[0], fcntl.LOCK_EX)
        lock(file, how)

    def replace(source, target):
        assert os.fsencode(source) != os.fsencode(taken[0].name)
        rename(source, target)

    rename = os.replace
    monkeypatch.setattr(fcntl, "flock", lock_late)
    monkeypatch.setattr(os, "replace", replace)
    paddle.save({"n": 1}, tmp_path / "net")
    os.unlink(taken[0].name)
    taken[0].close()
    assert os.listdir(tmp_path) == ["net"]


@pytest.mark.parametrize("has_module", [True, False])
def test_a_filesystem_without_locks(tmp_path, monkeypatch, has_module):
    """It saves as elsewhere, and removes nothing."""

    def refuse(file, how):
        raise OSError("no locks here")

    monkeypatch.setattr(fcntl, "flock", refuse)
    if not has_module:
        monkeypatch.setattr(paths, "fcntl", None)
    left = tmp_path / (paths._prefix(str(tmp_path / "net")) + "0" * 12)
    left.write_bytes(b"")
    paddle.save({"n": 1}, tmp_path / "net")
    assert sorted(os.listdir(tmp_path)) == sorted(["net", left.name])


# ---- permissions


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o777])
def test_a_replaced_file_keeps_its_permissions(tmp_path, mode):
    """They are kept whatever the umask."""
    path = tmp_path / "net"
    paddle.save(1, path)
    path.chmod(mode)
    paddle.save(2, path)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert paddle.load(path) == 2


def test_no_other_user_can_read_a_private_file_while_it_is_written(tmp_path):
    """The temporary file is as private as the file."""
    path = tmp_path / "net"
    path.write_bytes(b"")
    path.chmod(0o600)
    with paths.writing(path) as file:
        file.write(b"secret")
        modes = {entry.name: stat.S_IMODE(entry.stat().st_mode) for entry in os.scandir(tmp_path)}
        assert len(modes) == 2
        assert set(modes.values()) == {0o600}


def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path, monkeypatch):
    """open() refuses it, too."""
    path = tmp_path / "net"
    paddle.save(1, path)
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write everything
    with pytest.raises(PermissionError, match="net"):
        paddle.save(2, path)
    assert os.listdir(tmp_path) == ["net"]
    assert paddle.load(path) == 1


# ---- refusals of save: files that load could not read


def test_values_that_could_not_be_read_back_are_refused(tmp_path):
    """The error is raised before anything is written."""
    inside = []
    inside.append(inside)
    for value, kind, match in (
        (inside, InvalidArgumentError, "hold themselves, or nest too deep"),
        (np.zeros(2, [("a", "f4")]), InvalidTypeError, "of dtype .*only numbers, text and times"),
        (np.ma.array([1]), InvalidTypeError, "cannot write a MaskedArray"),
        ({paddle.ones([1]): 1}, InvalidTypeError, "a tensor for a key"),
    ):
        with pytest.raises(kind, match=match):
            paddle.save(value, tmp_path / "x")
    assert os.listdir(tmp_path) == []


def test_arrays_of_subclasses_are_saved_as_arrays(tmp_path):
    """Memory-mapped files have such arrays."""
    mapped = np.memmap(tmp_path / "mapped", np.float32, "w+", shape=(3,))
    mapped[:] = 2
    words = np.array(["a"]).view(type("Words", (np.ndarray,), {}))
    paddle.save({"x": mapped, "y": words}, tmp_path / "net")
    found = paddle.load(tmp_path / "net", return_numpy=True)
    assert [type(found["x"]), type(found["y"])] == [np.ndarray, np.ndarray]
    assert [found["x"].tolist(), found["y"].tolist()] == [[2, 2, 2], ["a"]]
