"""The differences with a known reason: `known.toml`, read and matched."""

import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).with_name("known.toml")
KINDS = ("Paddle is wrong: ", "documented difference: ")


class Entry(NamedTuple):
    """One reason, and what it explains: patterns in family, program and line."""

    family: re.Pattern
    program: re.Pattern
    line: re.Pattern
    reason: str


class Known:
    """The entries of `known.toml`, and how often each has explained a line."""

    def __init__(self, file: Path = FILE):
        self.entries = []
        for given in tomllib.loads(file.read_text())["known"]:
            if not given["reason"].startswith(KINDS):
                raise ValueError(f"a reason starts with one of {KINDS}: {given}")
            patterns = (re.compile(given.get(key, "")) for key in ("family", "program", "line"))
            self.entries.append(Entry(*patterns, given["reason"]))
        self.met: Counter = Counter()

    def unexplained(self, finding) -> list[str]:
        """Return the lines of a finding that no entry explains."""
        return [line for line in finding.lines if not self._explains(finding.program, line)]

    def _explains(self, program, line: str) -> bool:
        for number, entry in enumerate(self.entries):
            if (
                entry.family.search(program.family)
                and entry.program.search(program.source)
                and entry.line.search(line)
            ):
                self.met[number] += 1
                return True
        return False

    def unused(self) -> list[str]:
        """Return the entries that have explained nothing yet."""
        return [
            f"{entry.program.pattern!r}, {entry.line.pattern!r}"
            for number, entry in enumerate(self.entries)
            if not self.met[number]
        ]
