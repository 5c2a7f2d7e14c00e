"""Every program of `programs/` under real Paddle and under jaxeager."""

import re

import numpy as np
import pytest

import jaxeager

from .compare import differences
from .harness import WorkerDied
from .registry import ANYTHING, CRASHES, EXCHANGES, PROGRAMS, fresh, load_programs

load_programs()
AGREEING = [program for program in PROGRAMS.values() if program.right is None]
DIFFERING = [program for program in PROGRAMS.values() if program.right is not None]
TRIES = 3  # what becomes of a Paddle that uses memory which is not its own is a matter of chance


def named(program):
    """Returns the test id of a program."""
    return f"{program.family}-{program.name}"


def agree(theirs, ours, rtol=None):
    """Asserts that two results agree; the message lists every place where they do not."""
    found = differences(theirs, ours, rtol)
    assert not found, "\n".join([f"{len(found)} places differ:", *found])


def paddle_says(oracle, program):
    """Returns Paddle's result; asks again if its process died, which another program may cause."""
    try:
        return oracle.run(program.name)
    except WorkerDied:
        return oracle.run(program.name)


def dies(oracle, program):
    """Says whether Paddle dies of a program, or waits for ever: its signal handler takes a lock."""
    try:
        oracle.run(program.name)
    except WorkerDied as death:
        return bool(re.search(r"SIG|no answer in time", str(death)))
    return False


def is_wrong(oracle, program):
    """Says whether Paddle gives anything but the right answer."""
    try:
        theirs = oracle.run(program.name)
    except WorkerDied:
        return True
    oracle.stop()  # the next program gets a process whose memory is in order
    return bool(differences(theirs, program.right))


@pytest.fixture(autouse=True)
def fresh_state():
    """Starts each program as the worker does, and leaves nothing behind for the next test."""
    fresh(jaxeager)
    yield
    fresh(jaxeager)


@pytest.mark.parametrize("program", AGREEING, ids=named)
def test_program_agrees(program, oracle):
    """The program gives the same under both."""
    agree(paddle_says(oracle, program), program.run(jaxeager, np), program.rtol)


@pytest.mark.parametrize("program", DIFFERING, ids=named)
def test_jaxeager_is_right_where_paddle_is_not(program, oracle):
    """jaxeager gives the right answer, and Paddle 3.3.1 what it is known to give."""
    agree(program.right, program.run(jaxeager, np))
    right_now = "Paddle is right now: make it a plain program"
    if program.paddle_gives == CRASHES:
        assert any(dies(oracle, program) for _ in range(TRIES)), right_now
    elif program.paddle_gives == ANYTHING:
        assert any(is_wrong(oracle, program) for _ in range(TRIES)), right_now
    else:
        agree(program.paddle_gives, paddle_says(oracle, program))


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
