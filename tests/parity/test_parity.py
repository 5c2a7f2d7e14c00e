"""Every program of `programs/` under jaxeager, against real Paddle's results.

These are recorded (`records.py`); under `JAXEAGER_PADDLE=live` real Paddle runs too, and must agree
with the records.
"""

import datetime
import random

import numpy as np
import pytest

import jaxeager

from .compare import differences
from .on_a_cpu import digits_of, where_it_holds
from .oracle import asked_of, is_known, recorded
from .questions import is_live, write_files
from .registry import EXCHANGES, PROGRAMS, fresh, load_programs

load_programs()
AGREEING = [program for program in PROGRAMS.values() if program.right is None]
DIFFERING = [program for program in PROGRAMS.values() if program.right is not None]
HANDFUL = 40


def cases(programs):
    """Return programs as parameters of a test."""
    return [
        pytest.param(each, id=f"{each.family}-{each.name}", marks=[pytest.mark.deep] * each.is_deep)
        for each in programs
    ]


def agree(theirs, ours, rtol=None):
    """Assert that two results agree; the message lists all differences."""
    found = differences(theirs, ours, rtol)
    assert not found, "\n".join([f"{len(found)} places differ:", *found])


@pytest.fixture(autouse=True)
def fresh_state():
    """Start each program as the worker does, and clean up for the next test."""
    fresh(jaxeager)
    yield
    fresh(jaxeager)


# Some programs show that backward without a graph does nothing; Paddle does not warn of it.
@pytest.mark.filterwarnings("ignore:backward.. computes no gradients")
@pytest.mark.filterwarnings("ignore:dtype of input .value. needs")
@pytest.mark.parametrize("program", cases(AGREEING))
def test_program_agrees(program, oracle):
    """The program has the same results under both."""
    theirs = oracle(program)
    assert not theirs.ended
    with where_it_holds(program):
        agree(theirs.gives, program.run(jaxeager, np), digits_of(program))
    if is_live():
        agree(recorded(program).gives, theirs.gives, program.rtol)


@pytest.mark.parametrize("program", cases(DIFFERING))
def test_jaxeager_is_right_where_paddle_is_not(program, oracle):
    """jaxeager returns the right answer, and Paddle 3.3.1 the known one."""
    with where_it_holds(program):
        agree(program.right, program.run(jaxeager, np))
    theirs = oracle(program)
    assert is_known(program, theirs), f"make it a plain program if Paddle is right now: {theirs}"


@pytest.mark.parametrize("pair", EXCHANGES.values(), ids=list(EXCHANGES))
def test_files_cross(pair, oracle, tmp_path):
    """jaxeager reads Paddle's files as Paddle does, and its own files in the same way."""
    theirs, ours = tmp_path / "paddle", tmp_path / "jaxeager"
    theirs.mkdir()
    ours.mkdir()
    given = oracle(pair).gives
    write_files(given, theirs)
    pair.write(jaxeager, np, ours)
    agree(given["read"], pair.read(jaxeager, np, theirs))
    agree(given["read"], pair.read(jaxeager, np, ours))


# ---- real Paddle itself


@pytest.mark.live
@pytest.mark.parametrize("pair", EXCHANGES.values(), ids=list(EXCHANGES))
def test_paddle_reads_our_files(pair, worker, tmp_path):
    """This is the other direction, which no record can show."""
    with jaxeager.utils.unique_name.guard():  # other tests have parameters of these names
        pair.write(jaxeager, np, tmp_path)
    agree(recorded(pair).gives["read"], worker.read(pair.name, tmp_path))


def test_a_handful_of_records_is_what_paddle_gives_now(worker):
    """These are other programs every day, so that no record can be invented."""
    chosen = random.Random(datetime.date.today().toordinal()).sample(AGREEING, HANDFUL)
    for program in chosen:
        agree(recorded(program).gives, asked_of(worker, program).gives, program.rtol)
