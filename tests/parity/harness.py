"""Drives the process that runs programs under real Paddle."""

import importlib.metadata
import os
import pickle
import select
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from .records import PADDLE_VERSION

NOT_COMPARED = "was NOT compared with Paddle"  # in the reason of every test skipped for its absence
ABSENT = (
    f"real Paddle is not installed here (pip install paddlepaddle=={PADDLE_VERSION}, or name a "
    f"Python that has it in JAXEAGER_PADDLE_PYTHON): this {NOT_COMPARED}"
)
START_LIMIT_S = 300
PROGRAM_LIMIT_S = 60
SCRIPT = Path(__file__).with_name("worker.py")


class WorkerDied(RuntimeError):
    """The worker's process ended while it ran a program (Paddle can crash).

    Attributes:
        how: the cause of its end: "died of SIGSEGV".
    """

    def __init__(self, text: str, how: str):
        super().__init__(text)
        self.how = how


class ProgramFailed(RuntimeError):
    """A program raised under real Paddle; the text is its traceback."""


def paddle_python() -> str | None:
    """Return the Python that has real Paddle, None when there is none.

    It is the environment's JAXEAGER_PADDLE_PYTHON, else this interpreter if Paddle is installed in
    it. Paddle is looked up by its distribution and never imported here.
    """
    if chosen := os.environ.get("JAXEAGER_PADDLE_PYTHON"):
        return chosen
    for distribution in ("paddlepaddle", "paddlepaddle-gpu"):
        try:
            importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            continue
        return sys.executable
    return None


def needed_paddle() -> str:
    """Return the Python that has real Paddle; skip the test when there is none.

    The end of the run then names the test's file among those that were not compared.
    """
    python = paddle_python()
    if python is None:
        pytest.skip(ABSENT)
    return python


def not_compared(skipped) -> dict[str, dict[str, int]]:
    """Return, by reason and then by file, the number of tests not compared with Paddle.

    Args:
        skipped: the reports of the tests that were skipped.
    """
    found: dict[str, dict[str, int]] = {}
    for report in skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
        if NOT_COMPARED in reason:
            files = found.setdefault(reason.removeprefix("Skipped: "), {})
            file = report.nodeid.partition("::")[0]
            files[file] = files.get(file, 0) + 1
    return found


class Worker:
    """A process that runs programs under a library; it is started again after a crash.

    Args:
        python: the interpreter to run.
        library: the module that programs get as `paddle`.
        script: the script of the process; it answers messages as `worker.py` does.
        extra: environment variables besides those that all workers get.
        arguments: further arguments of the script, after the library's name.
    """

    def __init__(
        self,
        python: str,
        library: str = "paddle",
        script: Path = SCRIPT,
        extra: Mapping[str, str] | None = None,
        arguments: Sequence[str] = (),
    ):
        self.python = python
        self.library = library
        self.script = script
        self.extra = dict(extra or {})
        self.arguments = tuple(arguments)
        self.version = ""
        self.deaths: list[str] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - as long-lived as the worker
        self._home = tempfile.TemporaryDirectory()  # so that no earlier run left data there

    def run(self, name: str) -> Any:
        """Return the result of a program."""
        return self.ask(("run", name, None), name)

    def write(self, name: str, folder: Path) -> None:
        """Run the writing half of an exchange."""
        self.ask(("write", name, str(folder)), name)

    def read(self, name: str, folder: Path) -> Any:
        """Return the result of the reading half of an exchange."""
        return self.ask(("read", name, str(folder)), name)

    def ask(self, request: Any, name: str, limit_s: float = PROGRAM_LIMIT_S) -> Any:
        """Return the answer to a request; `name` identifies it in the text of an error."""
        if self._process is None:
            self.start()
        body = pickle.dumps(request)
        try:
            self._process.stdin.write(struct.pack("<Q", len(body)) + body)  # pyright: ignore
        except BrokenPipeError:
            self._died(f"{name}: {self._how_it_ended()}")
        state, result = self._receive(name, limit_s)
        if state == "failed":
            raise ProgramFailed(f"{name} raised under {self.library}:\n{result}")
        return result

    def start(self) -> None:
        """Start the process and waits until it has imported the library."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("FLAGS_")}
        environment |= {"GLOG_minloglevel": "3", "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
        environment |= {"HOME": self._home.name} | self.extra
        self._process = subprocess.Popen(
            [self.python, "-W", "ignore", str(self.script), self.library, *self.arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            bufsize=0,
            env=environment,
        )
        _, self.version = self._receive("import", START_LIMIT_S)

    def stop(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.stdin.close()  # pyright: ignore[reportOptionalMemberAccess]
            self._process.stdout.close()  # pyright: ignore[reportOptionalMemberAccess]
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None

    def close(self) -> None:
        """End the process and drop its output."""
        self.stop()
        self._stderr.close()
        self._home.cleanup()

    def _receive(self, name: str, limit_s: float) -> tuple[str, Any]:
        deadline = time.monotonic() + limit_s
        header = self._read(8, name, deadline)
        return pickle.loads(self._read(struct.unpack("<Q", header)[0], name, deadline))

    def _read(self, count: int, name: str, deadline: float) -> bytes:
        pipe = self._process.stdout.fileno()  # pyright: ignore[reportOptionalMemberAccess]
        got = bytearray()
        while len(got) < count:
            if not select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))[0]:
                self._process.kill()  # pyright: ignore[reportOptionalMemberAccess]
                self._died(f"{name}: no answer in time, ended")
            block = os.read(pipe, count - len(got))
            if not block:
                self._died(f"{name}: {self._how_it_ended()}")
            got += block
        return bytes(got)

    def _how_it_ended(self) -> str:
        code = self._process.wait()  # pyright: ignore[reportOptionalMemberAccess]
        return f"died of {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"

    def _died(self, how: str) -> None:
        self.deaths.append(how)
        self.stop()
        self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, self._stderr.tell() - 2000))
        tail = self._stderr.read().decode(errors="replace")
        text = f"the {self.library} process {how}; its last words:\n{tail}"
        raise WorkerDied(text, how.partition(": ")[2])
