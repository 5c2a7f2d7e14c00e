"""The state of the conversion of functions to a program."""

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
    """The state of one program.

    Attributes:
        missing: the reason why a variable has no value, by its name.
        depth: the number of branches and bodies on tensors around the running code.
        watched: functions that return what a call in a branch has set outside itself, or None.
    """

    def __init__(self) -> None:
        self.missing: dict[str, str] = {}
        self.depth = 0
        self.watched: list[Callable[[], str | None]] = []


_flow: ContextVar[Flow | None] = ContextVar("jaxeager.flow", default=None)


def flow() -> Flow | None:
    """Return the state of the program that is being made; None if there is none."""
    return _flow.get()


@contextlib.contextmanager
def in_program() -> Iterator[None]:
    """Mark a block that makes a program; add to errors why a variable has no value."""
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
    """Return the name of the variable in a NameError."""
    found = re.search(r"'([^']*)'", str(error))
    return found.group(1) if found else ""


def refuse(text: str) -> Any:
    """Raise an error for an action that no program can do."""
    grad_mode.capture.refuse(text)


def refuse_here(text: str) -> Any:
    """Raise like ``refuse``, with the running line of the user."""
    frame = user_frame()
    refuse(f"{text} It is at {frame.f_code.co_filename}:{frame.f_lineno}.")


@contextlib.contextmanager
def inside(what: str, values: Sequence[tuple[str, object]] = ()) -> Iterator[None]:
    """Run a branch or a body on a tensor, and refuse changes that a program cannot see.

    Args:
        what: the branch, for the error.
        values: the objects that it uses, with their names: see reach.py.
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
                    f"{what} changes {name}, which a program would do once, whichever branch "
                    "it takes. Return the value, and set it outside."
                )
    finally:
        known.depth -= 1
        known.watched = before
