"""Every program of `programs/` under real Paddle and under jaxeager."""

import numpy as np
import pytest

import jaxeager

from .compare import differences
from .harness import WorkerDied
from .registry import ANYTHING, CRASHES, EXCHANGES, PROGRAMS, fresh, load_programs

load_programs()
AGREEING = [program for program in PROGRAMS.values() if program.right is None]
DIFFERING = [program for program in PROGRAMS.values() if program.right is not None]


def named(program):
    """Returns the test id of a program."""
    return f"{program.family}-{program.name}"


def agree(theirs, ours, rtol=None):
    """Asserts that two results agree; the message lists every place where they do not."""
    found = differences(theirs, ours, rtol)
    assert not found, "\n".join([f"{len(found)} places differ:", *found])


@pytest.fixture(autouse=True)
def fresh_state():
    """Starts each program as the worker does, and leaves nothing behind for the next test."""
    fresh(jaxeager)
    yield
    fresh(jaxeager)


@pytest.mark.parametrize("program", AGREEING, ids=named)
def test_program_agrees(program, oracle):
    """The program gives the same under both."""
    agree(oracle.run(program.name), program.run(jaxeager, np), program.rtol)


@pytest.mark.parametrize("program", DIFFERING, ids=named)
def test_jaxeager_is_right_where_paddle_is_not(program, oracle):
    """jaxeager gives the right answer, and Paddle 3.3.1 what it is known to give."""
    agree(program.right, program.run(jaxeager, np))
    if program.paddle_gives == CRASHES:  # or waits for ever: its handler of signals takes a lock
        with pytest.raises(WorkerDied, match=r"SIG|no answer in time"):
            oracle.run(program.name)
        return
    theirs = oracle.run(program.name)
    if program.paddle_gives == ANYTHING:
        assert differences(theirs, program.right), "Paddle is right now: make it a plain program"
    else:
        agree(program.paddle_gives, theirs)


@pytest.mark.parametrize("pair", EXCHANGES.values(), ids=list(EXCHANGES))
def test_files_cross(pair, oracle, tmp_path):
    """What one library writes, the other reads, in both directions."""
    theirs, ours = tmp_path / "paddle", tmp_path / "jaxeager"
    theirs.mkdir()
    ours.mkdir()
    oracle.write(pair.name, theirs)
    pair.write(jaxeager, np, ours)
    expected = oracle.read(pair.name, theirs)
    agree(expected, pair.read(jaxeager, np, theirs))
    agree(expected, oracle.read(pair.name, ours))
    agree(expected, pair.read(jaxeager, np, ours))
