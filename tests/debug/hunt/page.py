"""The table of docs/hunt.md: each bug, the command that finds it, and what others offer."""

import tempfile
from pathlib import Path

from tests.debug.hunt.bugs import BUGS, Bug
from tests.debug.hunt.run import ROOT, Found, find

PAGE = ROOT / "docs" / "hunt.md"
_HEAD = "| bug | command | seconds | it names | Paddle 3.3.1 | PyTorch 2.13 |"
_RULE = "| --- | --- | --- | --- | --- | --- |"


def rows_of(text: str) -> list[str]:
    """Return the rows of the table of a page."""
    lines = text.splitlines()
    first = lines.index(_RULE) + 1
    return [line for line in lines[first:] if line.startswith("| ")]


def write() -> None:
    """Run all commands, and replace the table of the page."""
    text = PAGE.read_text()
    table = text[text.index(_HEAD) : text.rindex("|\n") + 2]
    rows = []
    for bug in BUGS:
        with tempfile.TemporaryDirectory() as folder:
            found = find(bug, Path(folder))
        print(f"{found.seconds:6.1f} s  {bug.name}: {found.line or 'NOT FOUND'}", flush=True)
        rows.append(_row(bug, found))
    PAGE.write_text(text.replace(table, "\n".join([_HEAD, _RULE, *rows]) + "\n"))


def _row(bug: Bug, found: Found) -> str:
    command = bug.command.replace("python -m jaxeager", "jaxeager").replace(
        f"{bug.name}.py", "train.py"
    )
    tool = f"`{bug.tool}`" if bug.tool else f"`{command}`"
    names = "-" if not found.line else _KINDS.get(bug.name, "the line")
    cells = bug.what, tool, f"{found.seconds:.0f}", names, bug.paddle, bug.torch
    return f"| {' | '.join(cells)} |"


_KINDS = {
    "saturated": "the layer",
    "forgotten_parameter": "the layer",
    "eval_mode": "the layer",
    "frozen": "the parameter",
    "schedule_twice": "the schedule",
    "make_commits": "the commit, its files",
    "package_version": "the version",
}
