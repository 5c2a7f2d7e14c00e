"""Several processes that call one another, as launchers start them.

A program of tests/distributed/programs has many checks, as a process takes seconds to begin.
"""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.here import AS_ON_A_CPU

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).parent / "programs"
NONE_WAITS_LONG = {"FLAGS_collective_late": "2", "PADDLE_PG_TIMEOUT": "300000"}


def run(folder, program, *arguments, count=2, **environment):
    """Runs a program of the folder by the launcher, and returns how it ended."""
    command = [
        sys.executable, "-m", "jaxeager.distributed.launch", f"--nproc_per_node={count}",
        "--log_dir", folder / "log", PROGRAMS / program, *arguments,
    ]  # fmt: skip
    given = {**os.environ, **AS_ON_A_CPU, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "default"}
    given |= environment
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, env=given, check=False, timeout=300
    )
    done.said = done.stdout + done.stderr  # what rank 0 prints comes on one, whatever it wrote to
    return done


def line(text):
    """Returns the place in failures.py of a line that has a text."""
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


@pytest.mark.parametrize("count", [2, pytest.param(4, marks=pytest.mark.deep)])
def test_states_that_ranks_share_train_as_on_one(tmp_path, count):
    done = run(tmp_path, "sharded.py", count, count=count)
    assert done.returncode == 0, done.stderr
    assert f"rank 0 of {count} is done" in done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who listens in /proc")
def test_ranks_of_one_machine_listen_on_its_loopback_alone(tmp_path):
    done = run(tmp_path, "listening.py")
    assert done.returncode == 0, done.said
    assert "rank 0 listens at 127.0.0.1\n" in done.stdout
    assert "rank 1 listens at 127.0.0.1\n" in log_of(tmp_path, 1)


def test_functions_are_called_in_other_processes(tmp_path):
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    done = run(tmp_path, "remote_calls.py", f"127.0.0.1:{port}")
    assert done.returncode == 0, done.said
    assert "rank 1 of 2 is done" in log_of(tmp_path, 1)


def test_a_rank_that_is_killed_ends_the_others(tmp_path):
    began = time.monotonic()
    done = run(tmp_path, "failures.py", "killed")
    assert time.monotonic() - began < 120  # and not for ever
    assert done.returncode == 128 + 9
    text = done.stderr.partition("What each rank was doing:")
    assert "Rank 1 (process " in text[0]
    assert "was killed by SIGKILL" in text[0]
    where = line("# killed meanwhile")
    assert f"rank 0: in all_reduce(float32[4], SUM), number 5 of group 0, at {where}" in text[2]
    assert f"rank 1: after all_reduce(float32[4], SUM), number 4 of group 0, at {where}" in text[2]


@pytest.mark.parametrize(("how", "code"), [("raises", 1), ("exits", 7)])
def test_a_rank_that_fails_ends_the_others(tmp_path, how, code):
    done = run(tmp_path, "failures.py", how)
    assert done.returncode == code
    assert f"ended with exit code {code}, " in done.stderr
    assert "Rank 1 (process " in done.stderr
    assert ("ValueError: on purpose" in done.stderr) == (how == "raises")


@pytest.mark.parametrize("how", ["other_shape", pytest.param("other_call", marks=pytest.mark.deep)])
def test_calls_that_differ_are_named(tmp_path, how):
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
def test_calls_that_differ_are_named_when_one_is_late(tmp_path):
    done = run(tmp_path, "failures.py", "other_call")
    assert done.returncode == 1
    assert "The ranks of group 0 do not make the same call:\n" in done.said
    assert "all_reduce(float32[4], SUM), number 2 of group 0" in done.said
    assert "all_gather(float32[4]), number 2 of group 0" in done.said


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
