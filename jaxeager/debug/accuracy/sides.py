"""Processes that run captured calls, one per library, and their answers within a time limit."""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxeager.debug.accuracy import replay
from jaxeager.errors import UnavailableError

if TYPE_CHECKING:
    from typing import IO

SIDES = ("jaxeager", "paddle", "torch", "grad")
_START_SECONDS = 180
_ROOT = Path(__file__).resolve().parents[3]


class Side:
    """A process with one library, restarted when it dies or takes too long.

    Args:
        name: one of ``SIDES``.
        python: the interpreter that has the library.
        timeout: the most seconds a call may take.

    Raises:
        UnavailableError: when the library cannot be imported there.
    """

    def __init__(self, name: str, python: str = sys.executable, timeout: float = 60.0):
        self.name, self._python, self._timeout = name, python, timeout
        self._process: Any = None
        self._answers: queue.Queue = queue.Queue()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        self._start()

    def _start(self) -> None:
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        if self.name in ("jaxeager", "grad"):
            environment["PYTHONPATH"] = str(_ROOT)
        self._process = subprocess.Popen(
            [self._python, str(Path(replay.__file__)), self.name],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, env=environment,
            cwd=tempfile.gettempdir(),
        )  # fmt: skip
        self._answers = queue.Queue()
        reading = (self._process.stdout, self._answers)
        self._reader = threading.Thread(target=_read, args=reading, daemon=True)
        self._reader.start()
        try:
            ready = self._answers.get(timeout=_START_SECONDS)
        except queue.Empty:
            ready = None
        if ready != "ready":
            self._stop()
            last_words = self._last_words()
            self._errors.close()
            raise UnavailableError(f"{self.name} does not start with {self._python}: {last_words}")

    def _last_words(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it printed nothing"

    def send(self, line: str, seed: int) -> None:
        """Send a line to the process; ``receive`` returns the answer."""
        try:
            pickle.dump((line, seed), self._process.stdin)
            self._process.stdin.flush()
        except OSError:  # the process has died: receive reports it
            pass

    def receive(self) -> tuple[str, Any]:
        """Return ("ok", (values, gradients)), or a word for the failure and its details.

        The words are "unusable", "error", "timeout" and "crash".
        """
        try:
            answer = self._answers.get(timeout=self._timeout)
        except queue.Empty:
            answer = "timeout", f"took more than {self._timeout:g} seconds"
        if answer is None:
            answer = "crash", f"ended with status {self._process.wait()}"
        if answer[0] in ("timeout", "crash"):
            self._stop()
            self._start()
        return answer

    def _stop(self) -> None:
        self._process.kill()
        self._process.wait()
        with contextlib.suppress(OSError):  # unread input
            self._process.stdin.close()
        self._reader.join()

    def close(self) -> None:
        """End the process."""
        self._stop()
        self._errors.close()


def _read(stream: IO[bytes], answers: queue.Queue) -> None:
    """Put the answers of a process into a queue, and None when it has ended."""
    with stream:
        try:
            while True:
                answers.put(pickle.load(stream))
        except (EOFError, OSError, pickle.UnpicklingError, ValueError):
            answers.put(None)
