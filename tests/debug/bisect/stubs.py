"""Judges that run no program, so that tests of the search take milliseconds."""

from jaxeager.debug.bisect.judge import Verdict
from jaxeager.debug.bisect.search import BAD, GOOD, SKIP


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
