"""A client of pyright's language server, with the requests that an editor makes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


class LanguageServer:
    """A language server that runs as a process of its own, for the files of one folder.

    Args:
        folder: the root of the editor's workspace.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pyright.langserver", "--stdio"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=folder,
            env={**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1", "PYTHONPATH": str(ROOT)},
        )
        self.sent = 0
        root = {"uri": folder.as_uri(), "name": folder.name}
        hover = {"contentFormat": ["plaintext"]}
        self.ask(
            "initialize",
            processId=os.getpid(),
            rootUri=folder.as_uri(),
            workspaceFolders=[root],
            capabilities={
                "textDocument": {"hover": hover},
                "workspace": {"configuration": True, "workspaceFolders": True},
            },
        )
        self.tell("initialized")

    def __enter__(self) -> LanguageServer:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.communicate()

    def open(self, file: Path) -> None:
        """Open a file, as an editor does."""
        document = {"uri": file.as_uri(), "languageId": "python", "version": 1}
        self.tell("textDocument/didOpen", textDocument={**document, "text": file.read_text()})

    def hover(self, file: Path, line: int, column: int) -> str:
        """Return the text that is shown at a place; lines and columns count from 0."""
        found = self._at("hover", file, line, column)
        return "" if found is None else found["contents"]["value"]

    def completions(self, file: Path, line: int, column: int) -> list[str]:
        """Return the names that are offered at a place."""
        return [each["label"] for each in self._at("completion", file, line, column)["items"]]

    def _at(self, request: str, file: Path, line: int, column: int) -> Any:
        return self.ask(
            f"textDocument/{request}",
            textDocument={"uri": file.as_uri()},
            position={"line": line, "character": column},
        )

    def ask(self, method: str, **params: object) -> Any:
        """Send a request and return its result; requests of the server are answered meanwhile."""
        self.sent += 1
        self._send({"id": self.sent, "method": method, "params": params})
        while True:
            message = self._receive()
            if "method" in message and "id" in message:
                self._send({"id": message["id"], "result": self._answer(message)})
            elif message.get("id") == self.sent:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    def tell(self, method: str, **params: object) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def _answer(self, message: dict) -> Any:
        """Return the editor's answer to a request of the server: its settings."""
        if message["method"] != "workspace/configuration":
            return None
        settings = {"python": {"pythonPath": sys.executable}}
        return [settings.get(each.get("section"), {}) for each in message["params"]["items"]]

    def _send(self, message: dict) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def _receive(self) -> dict:
        length = 0
        out = self.process.stdout
        assert out is not None
        while line := out.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if not length:
            raise EOFError("the language server has ended")
        return json.loads(out.read(length))
