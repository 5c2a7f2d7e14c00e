"""Several communicating processes, as launchers start them.

A program of tests/distributed/programs has many checks, as starting a process takes seconds.
"""

import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jaxeager.distributed.communication import world
from jaxeager.errors import InvalidArgumentError, UnavailableError
from tests.support.here import AS_ON_A_CPU

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).parent / "programs"
NONE_WAITS_LONG = {"FLAGS_collective_late": "2", "PADDLE_PG_TIMEOUT": "300000"}


def run(folder, program, *arguments, count=2, launcher=(), **environment):
    """Run a program of the folder with the launcher, and return how it ended."""
    command = [
        sys.executable, "-m", "jaxeager.distributed.launch", f"--nproc_per_node={count}",
        "--log_dir", folder / "log", *launcher, PROGRAMS / program, *arguments,
    ]  # fmt: skip
    given = {**os.environ, **AS_ON_A_CPU, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "default"}
    given |= environment
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, env=given, check=False, timeout=300
    )
    done.said = done.stdout + done.stderr  # rank 0's output is on one of them
    return done


def line(text):
    """Return the place in failures.py of a line with a text."""
    lines = (PROGRAMS / "failures.py").read_text().splitlines()
    return (
        f"{PROGRAMS / 'failures.py'}:{next(n for n, each in enumerate(lines, 1) if text in each)}"
    )


def log_of(folder, rank):
    return (folder / "log" / f"workerlog.{rank}").read_text()


@pytest.mark.parametrize("count", [2, pytest.param(4, marks=pytest.mark.deep)])
def test_calls_between_processes(tmp_path, count):
    done = run(tmp_path, "collectives.py", count=count)
    assert done.returncode == 0, done.stderr
    assert f"rank 0 of {count} is done" in done.stdout
    for rank in range(1, count):
        assert f"rank {rank} of {count} is done" in log_of(tmp_path, rank)


@pytest.mark.parametrize("count", [2, pytest.param(4, marks=pytest.mark.deep)])
def test_models_that_ranks_share_train_as_on_one(tmp_path, count):
    done = run(tmp_path, "hybrid.py", count, count=count)
    assert done.returncode == 0, done.stderr
    assert f"rank 0 of {count} is done" in done.stdout


@pytest.fixture(scope="module")
def together(tmp_path_factory):
    """Run programs that need little in one launch; return it, and its folder."""
    folder = tmp_path_factory.mktemp("together")
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    return run(folder, "together.py", folder / "checkpoint", f"127.0.0.1:{port}"), folder


def test_parts_of_a_checkpoint_are_read_by_other_ranks(together):
    done, folder = together
    assert "parts.py has ended" in done.stdout, done.stderr
    assert "parts.py has ended" in log_of(folder, 1)


@pytest.mark.parametrize("count", [2, pytest.param(4, marks=pytest.mark.deep)])
def test_states_that_ranks_share_train_as_on_one(tmp_path, count):
    done = run(tmp_path, "sharded.py", count, count=count)
    assert done.returncode == 0, done.stderr
    assert f"rank 0 of {count} is done" in done.stdout


@pytest.mark.deep
@pytest.mark.parametrize("count", [2, 4])
def test_sparse_gradients_are_averaged(tmp_path, count):
    done = run(tmp_path, "sparse_rows.py", count=count)
    assert done.returncode == 0, done.said
    assert f"rank 0 of {count} is done" in done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who listens in /proc")
def test_ranks_of_one_machine_listen_on_its_loopback_alone(together):
    done, folder = together
    assert "rank 0 listens at 127.0.0.1\n" in done.stdout, done.said
    assert "rank 1 listens at 127.0.0.1\n" in log_of(folder, 1)


def test_functions_are_called_in_other_processes(together):
    done, folder = together
    assert done.returncode == 0, done.said
    assert "remote_calls.py has ended" in done.stdout
    assert "remote_calls.py has ended" in log_of(folder, 1)


def test_a_rank_that_is_killed_ends_the_others(tmp_path):
    began = time.monotonic()
    done = run(tmp_path, "failures.py", "killed")
    assert time.monotonic() - began < 120  # and not indefinitely
    assert done.returncode == 128 + 9
    text = done.stderr.partition("What each rank was doing:")
    assert "Rank 1 (process " in text[0]
    assert "was killed by SIGKILL" in text[0]
    where = line("# killed meanwhile")
    assert f"rank 0: in all_reduce(float32[4], SUM), number 5 of group 0, at {where}" in text[2]
    assert f"rank 1: after all_reduce(float32[4], SUM), number 4 of group 0, at {where}" in text[2]


@pytest.mark.parametrize(("how", "code"), [("raises", 1), ("exits", 7)])
@pytest.mark.deep  # a rank that is killed, and one that a call fails, are tested always
def test_a_rank_that_fails_ends_the_others(tmp_path, how, code):
    done = run(tmp_path, "failures.py", how)
    assert done.returncode == code
    assert f"ended with exit code {code}, " in done.stderr
    assert "Rank 1 (process " in done.stderr
    assert ("ValueError: on purpose" in done.stderr) == (how == "raises")


def test_calls_that_differ_are_named_before_they_run(tmp_path):
    done = run(tmp_path, "differ.py", "at_once")
    assert done.returncode == 0, done.said
    names = re.findall(
        r"^    \"(\w+)\": lambda", (PROGRAMS / "differ.py").read_text(), re.MULTILINE
    )
    for printed in (done.stdout, log_of(tmp_path, 1)):
        assert "ended well" not in printed
        assert re.findall(r"^(\w+): \(InvalidArg.*make the same call", printed, re.M) == names
        assert len(re.findall(rf"\n  rank [01]: .*, at {PROGRAMS}.*", printed)) == 2 * len(names)
    assert "rank 1: all_reduce(float32[n], MAX), at " in done.stdout
    assert "rank 1: send or recv(int32[n], 0 to 1), at " in done.stdout
    assert "{'op': 4} float32[2, 30] float32[30, 2], at " in done.stdout


@pytest.mark.parametrize(
    ("how", "number", "others"),
    [
        pytest.param("known", 3, ("SUM", "MAX"), marks=pytest.mark.deep),
        ("stuck", 5, ("float32[2]", "float32[3]")),
        pytest.param("many", 3, ("SUM", "MAX"), marks=pytest.mark.deep),
        pytest.param("half_new", 3, ("PROD", "SUM"), marks=pytest.mark.deep),
        pytest.param("unseen", 3, ("float32", "int32"), marks=pytest.mark.deep),
    ],
)
def test_calls_that_differ_never_end_well(tmp_path, how, number, others):
    done = run(tmp_path, "differ.py", how)
    assert done.returncode == 1
    assert f"The ranks of group 0 do not make the same call, number {number}:\n" in done.said
    assert "still there" not in done.said
    rows = done.said.partition("do not make the same call")[2]
    for rank, what in enumerate(others):
        assert what in re.search(rf"rank {rank}: all_reduce\((.*)\), at {PROGRAMS}", rows)[1]


@pytest.mark.deep
@pytest.mark.parametrize("how", ["other_shape", "other_call"])
def test_each_call_is_compared_with_the_flag(tmp_path, how):
    done = run(tmp_path, "failures.py", how, FLAGS_check_collectives="1")
    assert done.returncode == 1
    assert "The ranks of group 0 do not make the same call, number 2:\n" in done.said
    mine, other = {
        "other_shape": ("all_reduce(float32[4], SUM)", "all_reduce(float32[8], SUM)"),
        "other_call": ("all_gather(float32[4])", "all_reduce(float32[4], SUM)"),
    }[how]
    assert f"  rank 0: {mine}, at {PROGRAMS / 'failures.py'}:" in done.said
    assert f"  rank 1: {other}, at {PROGRAMS / 'failures.py'}:" in done.said


@pytest.mark.deep
def test_calls_that_differ_are_named_when_none_is_compared(tmp_path):
    done = run(tmp_path, "failures.py", "other_call", FLAGS_check_collectives="0")
    assert done.returncode == 1
    assert "The ranks of group 0 do not make the same call:\n" in done.said
    assert "all_reduce(float32[4], SUM), number 2 of group 0" in done.said
    assert "all_gather(float32[4]), number 2 of group 0" in done.said


@pytest.mark.deep
def test_a_rank_that_does_not_come_is_named(tmp_path):
    done = run(tmp_path, "failures.py", "late", FLAGS_collective_late="1", PADDLE_PG_TIMEOUT="8000")
    assert done.returncode == 1
    assert "has waited" in done.said
    assert "number 2 of group 0, has not ended within 8 s on rank 0 at " in done.said
    assert f"its program is at {line('sleep(600)')}" in done.said


@pytest.mark.deep
def test_a_rank_that_has_ended_is_named(tmp_path):
    done = run(tmp_path, "failures.py", "gone")
    assert done.returncode == 1
    assert "cannot end: rank 1 has ended without it" in done.said


def test_a_master_that_cannot_be_one_is_refused():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        taken.listen()
        with pytest.raises(UnavailableError, match=f"port {port} is in use by another program"):
            world.check_master_port(f"127.0.0.1:{port}")
        with pytest.raises(UnavailableError, match=r"at host\.invalid:1: .*machine of rank 0"):
            world.check_master_port("host.invalid:1")
        world.check_master_port(f"192.0.2.1:{port}")  # what a cluster may forward to this machine
    world.check_master_port(f"127.0.0.1:{port}")
    for wrong in ("127.0.0.1", "here:", "here:port", ":80", "127.0.0.1:70000"):
        with pytest.raises(InvalidArgumentError, match="is an address and a port"):
            world.check_master_port(wrong)


def test_a_port_in_use_ends_the_launch_at_once(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run(tmp_path, "failures.py", "late", launcher=[f"--master=127.0.0.1:{port}"])
    assert done.returncode == 2
    assert f"error: Rank 0 cannot wait for the other ranks at 127.0.0.1:{port}: " in done.stderr
    assert not (tmp_path / "log").exists()  # no rank was started


def test_spawn(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "jaxeager", PROGRAMS / "spawned.py"],
        capture_output=True, text=True, check=False, timeout=300,
        env={**os.environ, **AS_ON_A_CPU, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "[11.0, 11.0]" in done.stdout
    assert "Process 1 terminated with the following error:\n\nTraceback" in done.stdout
    assert "KeyError: 'on purpose'" in done.stdout
    assert "rank 1: in no call between ranks yet" in done.stdout
