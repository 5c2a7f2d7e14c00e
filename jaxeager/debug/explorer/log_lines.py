"""Assigns the lines of a verbose log to the nodes of a graph.

Note [Lines of nodes]
    A forward call writes its lines between ``Running_AD_API`` and ``Finish_AD_API``, and one of
    them contains its counted name or its node's pointer. A node that backward runs is named by its
    pointer in its first line; the lines after it are its own until the next node begins. Lines
    that belong to no node are kept as the log of the whole run.
"""

import re

from jaxeager.debug.explorer.table import Table

PREFIX = re.compile(r"^\t*([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ ([\w.-]+):\d+\] ?", re.MULTILINE)
_BEGIN = re.compile(r"=+Running_AD_API: (\w+)=+|^(\w+):Running PyLayer Apply")
_END = re.compile(r"=+Finish_AD_API: (\w+)=+|^(\w+):Finish PyLayer Apply")
_NAMED = re.compile(r"(?:Running_C\+\+_API: |API_Name: )(\w+)")
_CREATED = re.compile(r"(?i:create) (?:grad )?node \S+ addr (0x[0-9a-f]+)")
_RUNS = re.compile(r"^\w+ ?\((0x[0-9a-f]+)\) (?:Preparing|begin run)")
_OVER = re.compile(r"Start Backward|Finish Backward|Run in Backward")
_MOST_LINES = 60
_MOST_LETTERS = 6000


class _Call:
    """A forward call that is being read: its lines, and its node once it is known."""

    def __init__(self):
        self.lines: list[str] = []
        self.node: dict | None = None


def is_log(text: str) -> bool:
    """Return whether a text has lines of a verbose log."""
    return PREFIX.search(text) is not None


def attribute(table: Table, text: str) -> None:
    """Add the messages of a log to the nodes that they belong to.

    Args:
        table: the table whose nodes have counted names and pointers as keys.
        text: the text of a verbose log.
    """
    calls: list[_Call] = []
    running: dict | None = None
    for message in _messages(text):
        if _BEGIN.search(message):
            calls.append(_Call())
        if calls:
            call = calls[-1]
            call.lines.append(message)
            call.node = call.node or _node_of(table, message)
            if _END.search(message):
                calls.pop()
                _add(table, call.node or running, call.lines)
            continue
        began = _RUNS.match(message)
        if began:
            running = table.find(began.group(1))
        elif _OVER.search(message):
            running = None
        _add(table, running or _node_of(table, message), [message])
    for call in calls:  # still running at the end of the log
        _add(table, call.node or running, call.lines)


def _messages(text: str) -> list[str]:
    """Return the text after each prefix, up to the next prefix."""
    starts = list(PREFIX.finditer(text))
    ends = [found.start() for found in starts[1:]] + [len(text)]
    return [text[a.end() : end].strip("\n") for a, end in zip(starts, ends, strict=True)]


def _node_of(table: Table, message: str) -> dict | None:
    named = _NAMED.search(message) or _CREATED.search(message)
    return table.find(named.group(1)) if named else None


def _add(table: Table, node: dict | None, lines: list[str]) -> None:
    log = table.log if node is None else node["log"]
    for line in lines:
        if len(log) == _MOST_LINES:
            log.append("... (more lines are in the log itself)")
        if len(log) > _MOST_LINES:
            return
        log.append(line.strip()[:_MOST_LETTERS])
