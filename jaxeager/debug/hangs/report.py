"""The report of a flight recorder, and the process that writes it when the program cannot.

    python report.py BASE PID

The process is started with the program, waits until the program has ended, and reads the last
events from disk. So this file imports only the standard library.
"""

import contextlib
import os
import re
import sys
import time
from typing import NamedTuple

WIDTH = 320  # bytes of a record on the tape
RUNNING, DONE, FAILED = "runs", "done", "fails"
_RULE = "-" * 38
_SHORT_RULE = "-" * 22
# From the message of Python's fault handler to the name of a signal and Paddle's words for it.
_FAULTS = {
    "Segmentation fault": ("SIGSEGV", "Segmentation fault"),
    "Aborted": ("SIGABRT", "Process abort signal"),
    "Bus error": ("SIGBUS", "Access to an undefined portion of a memory object"),
    "Floating point exception": ("SIGFPE", "Erroneous arithmetic operation"),
    "Floating-point exception": ("SIGFPE", "Erroneous arithmetic operation"),
    "Illegal instruction": ("SIGILL", "Illegal instruction"),
}
ENDED_WELL = b"."


class Record(NamedTuple):
    """One recorded operation.

    Attributes:
        state: "runs", "done" or "fails".
        number: the index of the record, from 0.
        began: seconds since the epoch.
        thread: the system's number of the thread.
        what: "op", "node", "layer", "step", "hook" or "read".
        name: the name of the op or node.
        given: dtypes and shapes.
        line: the program's file and line.
    """

    state: str
    number: int
    began: float
    thread: int
    what: str
    name: str
    given: str
    line: str


def packed(record: Record) -> bytes:
    """Return a record as bytes of the tape: the state first, so that it can be overwritten."""
    state, number, began, thread, what, name, given, line = record
    text = f"{state:<5}\t{number}\t{began:.6f}\t{thread}\t{what}\t{name}\t{given}\t{line}"
    data = text.encode(errors="backslashreplace")[: WIDTH - 1]
    return data.replace(b"\n", b" ").ljust(WIDTH - 1) + b"\n"


def records_of(tape: bytes) -> list[Record]:
    """Return the records on a tape, the oldest first; incomplete ones are omitted."""
    found = []
    for at in range(0, len(tape), WIDTH):
        fields = tape[at : at + WIDTH].decode(errors="replace").rstrip("\n ").split("\t")
        with contextlib.suppress(ValueError, TypeError):
            state, number, began, thread, *rest = fields
            found.append(Record(state.strip(), int(number), float(began), int(thread), *rest))
    return sorted(found, key=lambda each: each.number)


def text_of(records: list[Record], ended: float) -> str:
    """Return a table of records: seconds before the end, thread, operation, and line."""
    lines = [f"{'seconds':>12}  {'thread':>7}  {'state':<5}  {'what':<5}  name, operands, line"]
    for each in records:
        given = f"({each.given})" if each.given else ""
        lines.append(
            f"{each.began - ended:12.6f}  {each.thread:>7}  {each.state:<5}  {each.what:<5}  "
            f"{each.name}{given}  {each.line}"
        )
    return "\n".join(lines) + "\n"


def report(program: str, records: list[Record], stacks: str, summary: str, ended: float) -> str:
    """Return the whole report: the last operations, the stacks, and the cause."""
    return (
        f"Flight recorder of {program}\n\n{_RULE}\nWhat ran last:\n{_RULE}\n"
        f"{text_of(records, ended)}\n{_RULE}\n"
        f"Python stacks:\n{_RULE}\n{stacks.strip()}\n\n{_SHORT_RULE}\n"
        f"Error Message Summary:\n{_SHORT_RULE}\n{summary}\n"
    )


def signal_summary(name: str, words: str, pid: int, thread: str, when: float) -> str:
    """Return Paddle's summary of a signal: its name, the time, and the receiving thread."""
    seconds = int(when)
    return (
        f"FatalError: `{words}` is detected by the operating system.\n"
        f'  [TimeInfo: *** Aborted at {seconds} (unix time) try "date -d @{seconds}" if you are '
        f"using GNU date ***]\n"
        f"  [SignalInfo: *** {name} received by PID {pid} (TID {thread}) ***]\n"
    )


# ---- the separate process


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def cause_of(fault: str, term: str, pid: int, when: float) -> str:
    """Return the summary, from the output of Python's fault handler.

    Args:
        fault: its output for a fault, "" for none.
        term: its output at SIGTERM.
        pid: the process id of the program.
        when: the time at which the program ended.
    """
    thread = re.search(r"Current thread (0x[0-9a-f]+)", fault or term)
    number = hex(int(thread[1], 16)) if thread else "unknown"
    found = re.match(r"Fatal Python error: (.*)", fault)
    if found:
        message = found[1].strip()
        return signal_summary(*_FAULTS.get(message, ("a signal", message)), pid, number, when)
    if term:
        return signal_summary("SIGTERM", "Termination signal", pid, number, when)
    return (
        f"FatalError: process {pid} ended suddenly, without a message. SIGKILL does that (the "
        "system sends it when memory runs out), or os._exit.\n"
        f"  [TimeInfo: *** Ended at {int(when)} (unix time) ***]\n"
    )


def watch(base: str, pid: int) -> None:
    """Wait until the program has ended, and write its report unless it ended normally."""
    program = sys.stdin.buffer.readline().decode(errors="replace").strip()
    is_well = sys.stdin.buffer.read().endswith(ENDED_WELL)
    ended = time.time()
    tape, fault, term = (f"{base}.{end}" for end in ("tape", "fault", "term"))
    if not is_well:
        fault_text, term_text = _read(fault), _read(term)
        with open(tape, "rb") as file:
            records = records_of(file.read())
        summary = cause_of(fault_text, term_text, pid, ended)
        with open(base, "a", encoding="utf-8") as file:
            file.write(report(program, records, fault_text or term_text, summary, ended))
        last = next((each for each in reversed(records) if each.state == RUNNING), None)
        last_call = "" if last is None else f"  {last.name} was running, at {last.line}.\n"
        with contextlib.suppress(OSError):
            sys.stderr.write(f"\n{summary}{last_call}  What ran last, and the stacks: {base}\n")
    for path in (tape, fault, term):
        with contextlib.suppress(OSError):
            os.remove(path)


if __name__ == "__main__":
    watch(sys.argv[1], int(sys.argv[2]))
