"""What a program does now: the op, node or call between ranks of each thread, and its stack.

Note [What runs now]
    Nothing is recorded for this. The frames of a running op and of backward have local variables
    that name the op and the node, and other threads can read them. Ops that have ended leave no
    frame, so earlier ones are known only while the flight recorder is on.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import TYPE_CHECKING

from jaxeager.debug.hangs import recorder, report, sections
from jaxeager.debug.memory.program_roots import is_seen
from jaxeager.debug.stacks import frames
from jaxeager.debug.stacks.lines import line_of_node

if TYPE_CHECKING:
    from types import FrameType

_OPS = os.path.join(frames.PACKAGE, "ops", "call", "")
_ENGINE = os.path.join(frames.PACKAGE, "graph", "")
_GENERATED = "<jaxeager op "
_NOTHING = "runs no code of the program"
_MOST_OPS = 20  # ops that are shown


def text() -> str:
    """Return what each thread does now, its stack, the ranks' calls, and the last ops."""
    main = threading.main_thread().ident
    names = {each.ident: each.name for each in threading.enumerate()}
    found = list(sys._current_frames().items())
    parts = [f"{time.strftime('%Y-%m-%d %H:%M:%S')}  {' '.join(sys.argv) or 'python'}"]
    for ident, frame in sorted(found, key=lambda each: each[0] != main):
        name = names.get(ident, str(ident))
        if name in recorder.OWN_THREADS:
            continue
        does = doing(frame)
        stack = "" if does == _NOTHING else recorder.stack_text(frame)
        parts.append(f"Thread {name}: {does}\n{stack}".rstrip())
    parts += [line for lines in sections.sections for line in lines()]
    tape = recorder.current()
    if tape is not None:
        last = tape.records()[-_MOST_OPS:]
        parts.append(f"What ran last:\n{report.text_of(last, time.time())}".rstrip())
    return "\n".join(parts) + "\n"


def doing(frame: FrameType | None) -> str:
    """Return what a thread does, and at which line: "runs the op exp, at train.py:12"."""
    what, line, walked = "", "", frame
    while walked is not None:
        what = what or _named(walked)
        if not line and is_seen(walked.f_code.co_filename):
            line = f"{walked.f_code.co_filename}:{walked.f_lineno}"
        walked = walked.f_back
    text = what or ("runs no op" if line else _NOTHING)
    return f"{text}, at {line}" if line else text


def _named(frame: FrameType) -> str:
    """Return the op or the node that a frame runs, "" for another frame."""
    file = frame.f_code.co_filename
    if file.startswith(_GENERATED):
        return f"runs the op {file.removeprefix(_GENERATED).rstrip('>')}"
    if file.startswith(_OPS):
        names = frame.f_locals
        call, row = names.get("call"), names.get("row")
        row = getattr(call, "row", None) if row is None else row
        name = getattr(row, "api_name", None)
        return f"runs the op {name}" if isinstance(name, str) else ""
    if file.startswith(_ENGINE) and frame.f_code.co_name == "drain":
        node = frame.f_locals.get("node")
        if node is not None:
            where = str(line_of_node(node))
            return f"runs the node {node.name()}" + (f", recorded at {where}" if where else "")
    return ""
