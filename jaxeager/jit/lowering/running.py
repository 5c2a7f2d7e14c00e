"""What is known while converted functions become a program."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import Any

from jaxeager.core.user_lines import user_frame
from jaxeager.errors import UnimplementedError
from jaxeager.graph.mode import grad_mode
from jaxeager.jit.capture.refusals import line_of
from jaxeager.jit.lowering.reach import watch


class Flow:
    """What is known of one program.

    Attributes:
        missing: why a variable has no value, by its name.
        depth: how many branches and bodies on tensors are around what runs.
        watched: functions that say what a call inside of a branch has set around itself, or None.
    """

    def __init__(self) -> None:
        self.missing: dict[str, str] = {}
        self.depth = 0
        self.watched: list[Callable[[], str | None]] = []


_flow: ContextVar[Flow | None] = ContextVar("jaxeager.flow", default=None)


def flow() -> Flow | None:
    """Return what is known of the program that is made, None while there is none."""
    return _flow.get()


@contextlib.contextmanager
def in_program() -> Iterator[None]:
    """Note that a program is made, and says why a variable of it has no value."""
    token = _flow.set(Flow())
    try:
        yield
    except NameError as error:
        known = flow()
        why = known and known.missing.get(name_in(error))
        if why is None:
            raise
        raise UnimplementedError(f"{why} {line_of(error)}".strip()) from error
    finally:
        _flow.reset(token)


def name_in(error: NameError) -> str:
    """Return the name of the variable that an error is about."""
    found = re.search(r"'([^']*)'", str(error))
    return found.group(1) if found else ""


def refuse(text: str) -> Any:
    """Raise: a function does what no program can do."""
    grad_mode.capture.refuse(text)


def refuse_here(text: str) -> Any:
    """Raise as ``refuse`` does, with the user's line that runs."""
    frame = user_frame()
    refuse(f"{text} It is at {frame.f_code.co_filename}:{frame.f_lineno}.")


@contextlib.contextmanager
def inside(what: str, values: Sequence[tuple[str, Any]] = ()) -> Iterator[None]:
    """Run a branch or a body on a tensor, and refuse what it sets where it cannot be seen.

    Args:
        what: the branch, for the error.
        values: what it uses, and what that is called: see reach.py.
    """
    known = _flow.get()
    if known is None:
        yield
        return
    before, known.watched = known.watched, [watch(*each) for each in values]
    known.depth += 1
    try:
        yield
        for changed in known.watched:
            name = changed()
            if name is not None:
                refuse(
                    f"{what} changes {name}, which a program would do once, whichever way it "
                    "goes. Return the value, and set it outside."
                )
    finally:
        known.depth -= 1
        known.watched = before
