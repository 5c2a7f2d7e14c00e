"""Every program of `programs/` under jaxeager, against what real Paddle gives.

That is what is recorded (`records.py`); under `JAXEAGER_PADDLE=live` real Paddle runs beside, and
must give what is recorded too.
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
    """Returns programs as parameters of a test."""
    return [
        pytest.param(each, id=f"{each.family}-{each.name}", marks=[pytest.mark.deep] * each.is_deep)
        for each in programs
    ]


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


@pytest.mark.parametrize("program", cases(AGREEING))
def test_program_agrees(program, oracle):
    """The program gives the same under both."""
    theirs = oracle(program)
    assert not theirs.ended
    with where_it_holds(program):
        agree(theirs.gives, program.run(jaxeager, np), digits_of(program))
    if is_live():
        agree(recorded(program).gives, theirs.gives, program.rtol)


@pytest.mark.parametrize("program", cases(DIFFERING))
def test_jaxeager_is_right_where_paddle_is_not(program, oracle):
    """jaxeager gives the right answer, and Paddle 3.3.1 what it is known to give."""
    with where_it_holds(program):
        agree(program.right, program.run(jaxeager, np))
    theirs = oracle(program)
    assert is_known(program, theirs), f"make it a plain program if Paddle is right now: {theirs}"


@pytest.mark.parametrize("pair", EXCHANGES.values(), ids=list(EXCHANGES))
def test_files_cross(pair, oracle, tmp_path):
    """What Paddle writes, jaxeager reads as Paddle does, and so it does what it writes itself."""
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
    """The other direction, which no record can show."""
    with jaxeager.utils.unique_name.guard():  # other tests have parameters of these names
        pair.write(jaxeager, np, tmp_path)
    agree(recorded(pair).gives["read"], worker.read(pair.name, tmp_path))


def test_a_handful_of_records_is_what_paddle_gives_now(worker):
    """Other programs every day, so that no record can be invented."""
    chosen = random.Random(datetime.date.today().toordinal()).sample(AGREEING, HANDFUL)
    for program in chosen:
        agree(recorded(program).gives, asked_of(worker, program).gives, program.rtol)
