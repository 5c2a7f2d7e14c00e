"""Runs many random programs on both libraries, batch by batch, and collects the differences."""

import os
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from tests.fuzz.compare import class_difference, differences
from tests.fuzz.draw import VARIANTS, Draw
from tests.fuzz.families import load
from tests.parity.harness import Worker, WorkerDied

SCRIPT = Path(__file__).with_name("worker.py")
BATCH = 40
LIMIT_S = 600
ALONE_LIMIT_S = 60
# Each new shape and dtype is compiled: quickly here, not well. Compiled programs fill memory.
CHEAP = {"XLA_FLAGS": "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"}
PROGRAMS_A_PROCESS = 1000


class Program(NamedTuple):
    """A random program: its statements follow from family and seed."""

    family: str
    seed: int
    statements: tuple[str, ...]

    @property
    def source(self) -> str:
        """Return its text."""
        return "\n".join(self.statements)

    @property
    def script(self) -> str:
        """Return a script that runs it from the repository's root, on either library."""
        return SCRIPT_HEAD.format(family=self.family, seed=self.seed) + self.source


SCRIPT_HEAD = """\
# python -m tests.fuzz {seed} --family {family}
import paddle  # or: import jaxeager as paddle
from tests.fuzz.prelude import prelude
globals().update(prelude(paddle))
"""


class Finding(NamedTuple):
    """A program whose results differ, and the places."""

    program: Program
    lines: list[str]
    is_steady: bool = True

    def __str__(self) -> str:
        return "\n".join([self.program.script, *(f"# {line}" for line in self.lines)])


def make(family: str, seed: int) -> Program:
    """Return the program of a family and a seed."""
    draw = Draw(family, seed)
    return Program(family, seed, tuple(load()[family].program(draw)))


def programs(seeds, families=None):
    """Yield the programs of some seeds, families in turn."""
    names = list(families or load())
    for seed in seeds:
        yield make(names[seed // VARIANTS % len(names)], seed)


class Libraries:
    """A process for each library, which both run the same programs.

    Args:
        python: the interpreter that has real Paddle.
    """

    def __init__(self, python: str):
        self.paddle = Worker(python, "paddle", SCRIPT, arguments=["fork"])
        self.jaxeager = Worker(sys.executable, "jaxeager", SCRIPT, CHEAP | _environment())
        self.count = 0

    def run(self, batch):
        """Return the results of each program of a batch under Paddle and under jaxeager."""
        self.count += len(batch)
        if self.count > PROGRAMS_A_PROCESS:
            self.count = len(batch)
            self.jaxeager.stop()
        return [_run(self.paddle, batch), _run(self.jaxeager, batch)]

    def close(self):
        """End both processes."""
        self.paddle.close()
        self.jaxeager.close()


def _environment():
    return {"JAX_PLATFORMS": os.environ.get("JAX_PLATFORMS", "cpu")}


def _run(worker, batch):
    """Return the results of a batch; after a death, program by program."""
    try:
        return worker.ask([each.statements for each in batch], "a batch", LIMIT_S)
    except WorkerDied:
        return [_run_alone(worker, each) for each in batch]


def _run_alone(worker, program):
    try:
        return worker.ask([program.statements], str(program.seed), ALONE_LIMIT_S)[0]
    except WorkerDied as death:
        return {"values": {}, "error": (-1, ["death"], death.how)}


class Campaign:
    """Runs programs and counts.

    Args:
        libraries: runs a batch on both sides.

    Attributes:
        findings: the programs whose results differ, with the places.
        classes: programs that both refuse, with exceptions that no one `except` catches.
        counts: programs, refusals by both, deaths of either process.
        names: how often each name was used in a statement that ran under jaxeager.
    """

    def __init__(self, libraries):
        self.libraries = libraries
        self.findings: list[Finding] = []
        self.classes: list[Finding] = []
        self.counts: Counter = Counter()
        self.names: Counter = Counter()

    def run(self, stream, say=lambda done: None):
        """Run all programs of a stream; `say` is called after each batch."""
        batch = []
        for program in stream:
            batch.append(program)
            if len(batch) == BATCH:
                self._run_batch(batch)
                say(self)
                batch = []
        if batch:
            self._run_batch(batch)
            say(self)

    def _run_batch(self, batch):
        from tests.fuzz.coverage import names_used

        differing = []
        for program, theirs, ours in zip(batch, *self.libraries.run(batch), strict=True):
            self.counts["programs"] += 1
            self.counts["refused by both"] += bool(theirs["error"] and ours["error"])
            done = ours["error"][0] if ours["error"] else len(program.statements)
            self.names.update(names_used(program.statements[: max(done, 0)]))
            if line := class_difference(theirs, ours):
                self.classes.append(Finding(program, [line]))
            if differences(theirs, ours):
                differing.append(program)
        if differing:
            for program, theirs, ours in zip(
                differing, *self.libraries.run(differing), strict=True
            ):
                lines = differences(theirs, ours)
                self.counts["not the same twice"] += not lines
                if lines:
                    self.findings.append(Finding(program, lines))
