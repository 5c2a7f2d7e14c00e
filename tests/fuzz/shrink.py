"""Removes the statements of a program that a difference does not need."""

from tests.fuzz.campaign import Finding
from tests.fuzz.compare import differences


def shrink(finding, libraries):
    """Return the finding with the fewest statements that still differ in the same way."""
    wanted = _kind(finding.lines[0])
    number = len(finding.program.statements) - 1
    while number >= 0:
        kept = finding.program.statements
        shorter = finding.program._replace(statements=kept[:number] + kept[number + 1 :])
        theirs, ours = (results[0] for results in libraries.run([shorter]))
        lines = [line for line in differences(theirs, ours) if _kind(line) == wanted]
        if lines and _misses_nothing(theirs, ours):
            finding = Finding(shorter, lines)
        number -= 1
    return finding


def _kind(line):
    """Return a line without its values."""
    return line.partition(":")[0].partition(" in statement")[0]


def _misses_nothing(theirs, ours):
    errors = [each["error"] for each in (theirs, ours) if each["error"]]
    return not any("NameError" in error[1] for error in errors)
