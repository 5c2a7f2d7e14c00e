"""Runs of the program, and the verdict on each: its exit status, checksums, or a user's command."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from jaxeager.debug.bisect.search import BAD, GOOD, SKIP, UnusableError
from jaxeager.debug.checksums import diff

ROOT = Path(__file__).resolve().parents[3]
_CANNOT_JUDGE = 125  # the exit status by which a script or a command refuses, as in git bisect
_CHECKSUMS = "FLAGS_tensor_md5_checksum_output_path"
_TAIL = 15
_SYNTAX = ("SyntaxError:", "IndentationError:", "TabError:")


class Start(NamedTuple):
    """How a run of the program starts.

    Attributes:
        command: the program and its arguments.
        folder: the working directory.
        environment: the environment variables.
    """

    command: list[str]
    folder: Path
    environment: dict[str, str]


class Verdict(NamedTuple):
    """The verdict on one run.

    Attributes:
        word: GOOD, BAD or SKIP.
        why: the reason, in a few words; "" for good.
        tail: the last lines of the output.
    """

    word: str
    why: str = ""
    tail: str = ""


class CannotStartError(Exception):
    """A candidate whose program cannot be started: it is skipped. The message states why."""


def start_of(program: list[str], folder: Path, first: list[str] | None = None) -> Start:
    """Return the start of ``python -m jaxeager`` with a program.

    Args:
        program: the script, or -m or -c, and its arguments.
        folder: the working directory.
        first: folders that precede those of PYTHONPATH.
    """
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    path = [*(first or []), *[os.path.abspath(each) for each in given if each]]
    if ROOT.name not in ("site-packages", "dist-packages"):
        path.append(str(ROOT))  # this library, when it is not installed
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path),
        # The files of two candidates can have the same time and size, so old bytecode would be run.
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return Start([sys.executable, "-m", "jaxeager", *program], folder, environment)


class Judge:
    """Runs a program and judges each run.

    Attributes:
        folder: a folder for the files of the latest run.
        with_checksums: whether a run is good if its checksums are those of the good end.
        test: a shell command that judges a run which has succeeded; "" for none.
        reference: the checksums of the good end, once it has run.
        latest_bad: the checksums of the latest bad run.
    """

    def __init__(self, folder: Path, with_checksums: bool = False, test: str = ""):
        self.folder = folder
        self.with_checksums = with_checksums
        self.test = test
        self.reference: diff.Run | None = None
        self.latest_bad: diff.Run | None = None

    def judge(self, start: Start) -> Verdict:
        """Run the program once and return the verdict."""
        status = self._run(start)
        why = f"signal {-status}" if status < 0 else f"exit status {status}"
        refusal = self._refusal(status)
        if refusal:
            return Verdict(SKIP, refusal, self._tail())
        if self.with_checksums:
            return self._compare(status, why)
        if status:
            return Verdict(BAD, why, self._tail())
        return self._ask_command(start) if self.test else Verdict(GOOD)

    def first_difference(self, good: str, bad: str) -> str:
        """Return the report of diff-md5 on the good end and the latest bad run, "" without one.

        Args:
            good: the name of the good end.
            bad: the name of the bad run.
        """
        if self.reference is None or self.latest_bad is None:
            return ""
        a, b = _named(self.reference, good), _named(self.latest_bad, bad)
        return diff.report(diff.compare(a, b))

    def _run(self, start: Start) -> int:
        """Run the program, write its output to files, and return its exit status."""
        environment = start.environment
        if self.with_checksums:
            self._checksums.unlink(missing_ok=True)
            environment = {**environment, _CHECKSUMS: str(self._checksums)}
        with self._output.open("wb") as out, self._errors.open("wb") as err:
            return subprocess.run(
                start.command, cwd=start.folder, env=environment, stdin=subprocess.DEVNULL,
                stdout=out, stderr=err,
            ).returncode  # fmt: skip

    def _refusal(self, status: int) -> str:
        """Return why a run cannot be judged; "" if it can."""
        if status == _CANNOT_JUDGE:
            return f"exit status {_CANNOT_JUDGE}"
        last = _last_lines(self._errors, 1)
        if status and last.startswith(f"{sys.executable}: "):  # Python or the launcher says so
            return f"does not start: {last.removeprefix(f'{sys.executable}: ')}"
        if status and last.startswith(_SYNTAX):
            return f"does not start: {last}"
        return ""

    def _compare(self, status: int, why: str) -> Verdict:
        """Return the verdict by checksums; the first run that succeeds is the reference."""
        try:
            run = diff.read_run(str(self._checksums))
        except diff.UnusableError:
            return Verdict(SKIP, f"{why}, and no op wrote a checksum", self._tail())
        if self.reference is None:
            if status:
                return Verdict(BAD, why, self._tail())
            self.reference = run
            return Verdict(GOOD)
        found = diff.compare(self.reference, run)
        if found.is_equal and not status:
            return Verdict(GOOD)
        if status and not _differs_before_the_end(found):
            return Verdict(SKIP, f"{why}, with equal checksums until then", self._tail())
        self.latest_bad = run
        return Verdict(BAD, "checksums differ", self._tail())

    def _ask_command(self, start: Start) -> Verdict:
        """Return the verdict of the user's command."""
        environment = {**start.environment, "JAXEAGER_BISECT_OUTPUT": str(self._output)}
        done = subprocess.run(
            self.test, shell=True, cwd=start.folder, env=environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, errors="replace",
        )  # fmt: skip
        if done.returncode == 0:
            return Verdict(GOOD)
        word = SKIP if done.returncode == _CANNOT_JUDGE else BAD
        tail = "\n".join([self._tail(), *(done.stdout + done.stderr).splitlines()[-_TAIL:]])
        return Verdict(word, f"--test returned {done.returncode}", tail)

    def _tail(self) -> str:
        """Return the last lines of the output."""
        parts = _last_lines(self._output, _TAIL), _last_lines(self._errors, _TAIL)
        return "\n".join([part for part in parts if part])

    @property
    def _output(self) -> Path:
        return self.folder / "output.txt"

    @property
    def _errors(self) -> Path:
        return self.folder / "errors.txt"

    @property
    def _checksums(self) -> Path:
        return self.folder / "checksums.log"


def _named(run: diff.Run, name: str) -> diff.Run:
    """Return checksums under a name instead of the file they were read from."""
    return diff.Run(name, run.names, run.checksums, run.cut)


def _differs_before_the_end(found: diff.Difference) -> bool:
    """Return whether a run that ended early differs in more than the calls it did not reach."""
    return bool(found.values) or any(s.b_end > s.b for s in found.steps if not s.is_matched)


def _last_lines(file: Path, count: int) -> str:
    """Return the last lines of a file that are not blank."""
    text = file.read_text(encoding="utf-8", errors="replace")
    return "\n".join([line for line in text.splitlines() if line.strip()][-count:])


def counted(count: int, thing: str) -> str:
    """Return a number of things.

    Example:
        >>> counted(1, "commit"), counted(3, "commit")
        ('1 commit', '3 commits')
    """
    return f"{count} {thing}" + ("" if count == 1 else "s")


class Trials:
    """Judges candidates, and prints a line for each.

    Attributes:
        judge: judges one run.
    """

    def __init__(self, judge: Judge):
        self.judge = judge

    def run(self, name: str, prepare: Callable[[], Start]) -> Verdict:
        """Judge one candidate.

        Args:
            name: the text of its line.
            prepare: makes the candidate ready and returns how it starts.
        """
        began = time.monotonic()
        print(f"{name} ... ", end="", flush=True)
        try:
            verdict = self.judge.judge(prepare())
        except CannotStartError as error:
            verdict = Verdict(SKIP, str(error))
        except BaseException:
            print(flush=True)
            raise
        why = f" ({printable(verdict.why)})" if verdict.why else ""
        print(f"{verdict.word}, {time.monotonic() - began:.1f} s{why}", flush=True)
        return verdict

    def check_good_end(self, name: str, prepare: Callable[[], Start]) -> None:
        """Judge the good end, with checksums twice: unseeded draws would change them in each run.

        Raises:
            UnusableError: if it is not good.
        """
        self._check_end("good", GOOD, self.run(name, prepare))
        if self.judge.with_checksums and self.run(name, prepare).word != GOOD:
            raise UnusableError(
                "two runs of the good end have different checksums, so checksums cannot judge. "
                "Seed the program (paddle.seed, numpy.random.seed), or judge by --test.\n"
                f"{self.judge.first_difference('the first run', 'the second run')}"
            )

    def check_bad_end(self, name: str, prepare: Callable[[], Start]) -> None:
        """Judge the bad end.

        Raises:
            UnusableError: if it is not bad.
        """
        self._check_end("bad", BAD, self.run(name, prepare))

    def _check_end(self, end: str, wanted: str, verdict: Verdict) -> None:
        if verdict.word == wanted:
            return
        found = "cannot be judged" if verdict.word == SKIP else f"is {verdict.word}"
        why = f" ({printable(verdict.why)})" if verdict.why else ""
        tail = f" The last lines of its output:\n{verdict.tail}" if verdict.tail else ""
        raise UnusableError(
            f"the {end} end {found}{why}. Choose another end, or judge by --judge or --test.{tail}"
        )


def printable(text: str) -> str:
    """Return a text on one line, without characters that control a terminal.

    Example:
        >>> printable("a subject\\x1b[2J")
        'a subject?[2J'
    """
    return "".join([each if each.isprintable() else "?" for each in text])
