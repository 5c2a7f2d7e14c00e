"""``python -m jaxeager attach PID``: what a running program does, and all ranks of a job."""

import argparse
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from jaxeager.debug.hangs import listener, report

_MOST_OPS = 20  # ops of a tape that are shown
_PROC = Path("/proc")


class Answer(NamedTuple):
    """What is known of one process.

    Attributes:
        pid: its number.
        text: what it does.
        is_whole: whether its stacks are in the text.
    """

    pid: int
    text: str
    is_whole: bool


def add_command(commands, name: str) -> None:
    """Add the command to the result of ``add_subparsers``."""
    parser = commands.add_parser(
        name,
        help="what a running program does: stacks, the current op, the last ops",
        description="Prints what each thread of a running program does, on Linux: its op or node, "
        "its line and its stack; the calls between ranks; and the last ops if the program has a "
        "flight recorder. The processes that it has started are shown as well, so the number of a "
        "launcher shows all ranks. A program that a launcher has started answers itself; of any "
        "other one, py-spy reads the stacks if it is installed.",
        epilog="Exit status: 0 all stacks are shown, 1 some are not, 2 there is no such process.",
    )
    parser.add_argument("pid", type=int, metavar="PID", help="the number of the process")
    parser.add_argument(
        "--wait", type=float, default=5.0, metavar="SECONDS",
        help="how long to wait for an answer (default: 5)",
    )  # fmt: skip
    parser.set_defaults(run=_run)


def _run(chosen: argparse.Namespace) -> int:
    if not _PROC.is_dir():
        print(f"attach: {sys.platform} has no /proc, which attach reads", file=sys.stderr)
        return 2
    found = attach(chosen.pid, chosen.wait)
    if not found:
        print(f"attach: there is no process {chosen.pid}", file=sys.stderr)
        return 2
    for each in found:
        print(f"---- process {each.pid} ----\n{each.text.rstrip()}\n")
    return 0 if all(each.is_whole for each in found) else 1


def attach(pid: int, seconds: float = 5.0) -> list[Answer]:
    """Return what a process and those that it has started do; [] if there is no such process.

    Args:
        pid: the number of the process.
        seconds: how long to wait for each answer.

    Example:
        >>> attach(2**22 + 1)
        []
    """
    return [_answer(each, seconds) for each in _family(pid)]


def _family(pid: int) -> list[int]:
    """Return a process and the Python processes that it has started, the oldest first."""
    children: dict[int, list[int]] = {}
    known = set()
    for entry in _PROC.iterdir():
        if entry.name.isdecimal():
            parent = re.search(r"^PPid:\s*(\d+)", _read(entry / "status"), re.MULTILINE)
            if parent:
                known.add(int(entry.name))
                children.setdefault(int(parent[1]), []).append(int(entry.name))
    if pid not in known:
        return []
    found, left = [], [pid]
    while left:
        found.append(left.pop(0))
        left += [each for each in sorted(children.get(found[-1], ())) if _is_shown(each)]
    return found


def _is_shown(pid: int) -> bool:
    """Return whether a process runs Python, and is not the helper of a flight recorder."""
    command = _read(_PROC / str(pid) / "cmdline").replace("\0", " ")
    return "python" in command.split(" ")[0] and report.__file__ not in command


def _answer(pid: int, seconds: float) -> Answer:
    text, why = _asked(pid, seconds)
    if text:
        return Answer(pid, text, True)
    stacks = _from_py_spy(pid)
    return Answer(
        pid, f"{why}\n{stacks or _NO_STACKS}{_thread_states(pid)}{_last_ops(pid)}", bool(stacks)
    )


_DOES_NOT_LISTEN = (
    "It was not started by `python -m jaxeager` or `python -m jaxeager.distributed.launch`, which "
    "make a program answer."
)
_DOES_NOT_ANSWER = "It listens, but does not answer: C code holds Python's lock, or it is stopped."
_NO_STACKS = (
    "Its stacks cannot be read: install py-spy, or start the program by `python -m jaxeager`.\n"
)


def _asked(pid: int, seconds: float) -> tuple[str, str]:
    """Return the answer of a process, or "" and why there is none."""
    received = b""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(seconds)
        try:
            connection.connect(listener.address_of(pid))
        except OSError:
            return "", _DOES_NOT_LISTEN
        process, user = listener.peer_of(connection)
        if process != pid or os.getuid() not in (listener.ROOT, user):
            return "", (
                f"Its answer is not shown: process {process} of user {user} has its address, where "
                f"process {pid} of user {os.getuid()} is expected."
            )
        try:
            while part := connection.recv(65536):
                received += part
        except OSError:
            return "", _DOES_NOT_ANSWER
    return received.decode(errors="replace"), _DOES_NOT_ANSWER


def _from_py_spy(pid: int) -> str:
    """Return the stacks that py-spy reads, "" without it."""
    program = shutil.which("py-spy") or str(Path(sys.executable).parent / "py-spy")
    try:
        done = subprocess.run(
            [program, "dump", "--pid", str(pid)], capture_output=True, text=True, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return f"{done.stdout.rstrip()}\n" if done.returncode == 0 else ""


def _thread_states(pid: int) -> str:
    """Return what the system knows: the state and the wait of each thread."""
    command = _read(_PROC / str(pid) / "cmdline").replace("\0", " ").strip()
    lines = [f"Command: {command}"]
    for task in sorted((_PROC / str(pid) / "task").glob("*"), key=lambda each: int(each.name)):
        state = re.search(r"^State:\s*(.*)", _read(task / "status"), re.MULTILINE)
        name = _read(task / "comm").strip()
        waits = _read(task / "wchan").strip().strip("0")
        if name.startswith("python") or task.name == str(pid):
            where = f", in {waits}" if waits else ""
            lines.append(f"Thread {task.name} {name}: {state[1] if state else 'gone'}{where}")
    return "\n".join(lines) + "\n"


def _last_ops(pid: int) -> str:
    """Return the last ops of a process's flight recorder, "" without one."""
    mapped = set(re.findall(r"(/\S*\.tape)$", _read(_PROC / str(pid) / "maps"), re.MULTILINE))
    text = ""
    for path in sorted(mapped):
        try:
            records = report.records_of(Path(path).read_bytes())[-_MOST_OPS:]
        except OSError:
            continue
        text += f"What ran last ({path}):\n{report.text_of(records, time.time())}"
    return text


def _read(path: Path) -> str:
    """Return a file of the system, "" for one that is gone or not ours."""
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
