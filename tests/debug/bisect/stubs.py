"""Judges that run no program, so that tests of the search take milliseconds, and true pages."""

import re

from jaxeager.__main__ import main
from jaxeager.debug.bisect.judge import Verdict
from jaxeager.debug.bisect.search import BAD, GOOD, SKIP
from tests.docs.blocks import the_block


class FileJudge:
    """Judges a run by a file: it is good while "ok" is in it, and skipped while "broken" is.

    Attributes:
        starts: how each run would have started.
    """

    with_checksums = False

    def __init__(self, name):
        self._name = name
        self.starts = []

    def judge(self, start):
        self.starts.append(start)
        path = start.environment["PYTHONPATH"].split(":")
        file = next(p for p in (start.folder, *path) if (start.folder / p / self._name).exists())
        text = (start.folder / file / self._name).read_text()
        (start.folder / "written by the run").write_text("x")
        if "broken" in text:
            return Verdict(SKIP, "exit status 125")
        return Verdict(GOOD) if "ok" in text else Verdict(BAD, "exit status 1", "the tail")

    def first_difference(self, good, bad):
        return ""


def assert_page_is_true(head, kind, folder, capfd, monkeypatch, flags=""):
    """Run ``bisect --ops`` on the program of docs/bisect.md, and compare what it prints.

    Args:
        head: the heading of the program and of the output.
        kind: the value of ``--ops``.
        folder: an empty folder.
        capfd, monkeypatch: the test's.
        flags: XLA_FLAGS; the tests' own optimize less than a user's.
    """
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XLA_FLAGS", flags)
    (folder / "train.py").write_text(the_block("bisect.md", head, "python"))
    assert main(["bisect", "--ops", kind, "train.py"]) == 0
    out = capfd.readouterr().out.replace(str(folder), "/home/ada")
    page = the_block("bisect.md", head, "console").partition("\n")[2]
    assert re.sub(r"\d+\.\d s", "1.0 s", out) == re.sub(r"\d+\.\d s", "1.0 s", page)
