"""Starts each library in its own process, and sends it requests.

All run on JAX's device: on a GPU, PyTorch is configured to use it too (Paddle's wheel has none).
The processes exist at the same time, so JAX allocates memory as it needs it (run.py).
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import jax

WORKER = Path(__file__).with_name("worker.py")
VARIABLES = {"paddle": "JAXEAGER_PADDLE_PYTHON", "torch": "JAXEAGER_TORCH_PYTHON"}
TITLES = {"jaxeager": "jaxeager", "paddle": "Paddle", "torch": "PyTorch", "jax": "one jax.jit step"}


class PeerMissing(Exception):
    """The library is not installed in the Python that was named."""


class Peer:
    """A process that runs one library's programs."""

    def __init__(self, library: str):
        self.library = library
        variable = VARIABLES.get(library)
        self.python = os.environ.get(variable, sys.executable) if variable else sys.executable
        self._require(variable)
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            [self.python, str(WORKER), library],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env=os.environ | {"BENCH_BACKEND": jax.default_backend()},
        )
        self.version = self.ask("hello")["version"]

    def _require(self, variable: str | None) -> None:
        """Raise PeerMissing when the library is not installed; let a broken one fail loudly."""
        look = "import importlib.util as u, sys; sys.exit(u.find_spec(sys.argv[1]) is None)"
        try:
            run = subprocess.run([self.python, "-c", look, self.library], capture_output=True)
        except OSError as error:
            raise PeerMissing(
                f"{variable} names {self.python}, which cannot be run: {error}"
            ) from error
        if run.returncode:
            where = "here" if self.python == sys.executable else f"in {variable}"
            raise PeerMissing(f"{TITLES[self.library]} is not installed {where}: not compared")

    @property
    def title(self) -> str:
        """Return the name of the library in the table, with its version."""
        title = TITLES[self.library]
        return title if self.library == "jax" else f"{title} {self.version}"

    def ask(self, what: str, **arguments) -> dict:
        """Return the answer to one request.

        Raises:
            RuntimeError: when the process ended instead, with the end of its stderr.
        """
        try:
            self._process.stdin.write(json.dumps({"do": what, **arguments}) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            status = self._process.wait()
            self._errors.seek(0)
            said = "".join(self._errors.readlines()[-15:])
            how = f"{self.library}'s process ended with status {status} during {what}"
            raise RuntimeError(f"{how}:\n{said}")
        return json.loads(line)

    def close(self) -> None:
        """End the process."""
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        self._errors.close()


def start(libraries: list[str]) -> tuple[dict[str, Peer], dict[str, str]]:
    """Return the peers that could be started, and for the others the reason."""
    peers, missing = {}, {}
    for library in libraries:
        try:
            peers[library] = Peer(library)
        except PeerMissing as reason:
            missing[library] = str(reason)
    return peers, missing


def answer_of(library: str, what: str, **arguments) -> dict:
    """Return the answer of a new process of a library to one request."""
    peer = Peer(library)
    try:
        return peer.ask(what, **arguments)
    finally:
        peer.close()


def seconds_of(library: str, what: str, **arguments) -> Any:
    """Return the seconds that a new process of a library answers with: a number, or one by name."""
    return answer_of(library, what, **arguments)["seconds"]
