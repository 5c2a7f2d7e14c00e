"""What Python prints of an error that nobody catches: the program's frames, not ours.

Note [Short tracebacks]
    With FLAGS_call_stack_level 1, the default, an error says what was wrong and where in the
    program; how the package came upon it is what level 2 is for. The exception itself has its
    whole traceback whatever the level, for debuggers, and for tests, which print their own. Only
    what stands in ``sys.excepthook`` by default is replaced, and Ctrl-C is shown whole: where it
    hung may be inside.
"""

import contextlib
import os
import sys
import traceback
from collections.abc import Iterator
from types import TracebackType

import jax

from jaxeager.core import flags
from jaxeager.core.user_lines import is_users

_JAX = os.path.dirname(os.path.abspath(jax.__file__)) + os.sep
_HIDDEN = "[{count} frames inside jaxeager and JAX are not shown: FLAGS_call_stack_level=2]\n"
_JAX_NOTE = "For simplicity, JAX has removed its internal frames"


def install() -> None:
    """Have uncaught errors printed without frames of the package, unless somebody else prints."""
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = print_short


def print_short(kind, value, trace) -> None:
    """Print an error as Python does, at level 1 and below without inner frames."""
    if not isinstance(value, Exception) or int(flags.flag("FLAGS_call_stack_level")) > 1:
        sys.__excepthook__(kind, value, trace)
        return
    with _shortened(value, trace) as count:
        # Before Python 3.12 only this knows which names to suggest, not traceback.
        sys.__excepthook__(kind, value, value.__traceback__)
    if count and sys.stderr is not None:
        sys.stderr.write(_HIDDEN.format(count=count))


def short_text(error: BaseException, trace: TracebackType | None) -> str:
    """Return the text of an error, without the frames of the package and of JAX.

    Args:
        error: an exception.
        trace: its traceback, or as much of it as is to be shown.

    Example:
        >>> import jaxeager as paddle
        >>> try:
        ...     paddle.ones([2]).reshape([7])
        ... except ValueError as caught:
        ...     "frames inside jaxeager" in short_text(caught, caught.__traceback__)
        True
    """
    with _shortened(error, trace) as count:
        text = "".join(traceback.format_exception(error))
    return text + (_HIDDEN.format(count=count) if count else "")


@contextlib.contextmanager
def _shortened(error: BaseException, trace: TracebackType | None) -> Iterator[int]:
    """Take inner frames from an error and from those it came of, as long as it is printed.

    Args:
        error: the error.
        trace: its traceback, or as much of it as is to be shown.

    Yields:
        How many frames there were.
    """
    every = _with_causes(error)
    before = [(each, each.__traceback__, getattr(each, "__notes__", None)) for each in every]
    count = 0
    try:
        for each in every:
            inner, each.__traceback__ = _without_inner(
                trace if each is error else each.__traceback__
            )
            count += inner
            notes = getattr(each, "__notes__", None)
            if isinstance(notes, list):
                each.__notes__ = [note for note in notes if _JAX_NOTE not in str(note)]
        yield count
    finally:
        for each, whole, notes in before:
            each.__traceback__ = whole
            if notes is not None:
                each.__notes__ = notes


def _with_causes(error: BaseException) -> list[BaseException]:
    """Return an error and all that it came of, each once."""
    found: dict[int, BaseException] = {}
    left: list[BaseException | None] = [error]
    while left:
        each = left.pop()
        if each is not None and id(each) not in found:
            found[id(each)] = each
            left += [each.__cause__, each.__context__]
            left += each.exceptions if isinstance(each, BaseExceptionGroup) else ()
    return list(found.values())


def _without_inner(trace: TracebackType | None) -> tuple[int, TracebackType | None]:
    """Return how many frames of a traceback are inner ones, and a traceback of the others."""
    every = []
    while trace is not None:
        every.append(trace)
        trace = trace.tb_next
    shown = [each for each in every if _is_shown(each.tb_frame.f_code.co_filename)]
    if len(shown) == len(every):
        return 0, every[0] if every else None
    made = None
    for each in reversed(shown):
        made = TracebackType(made, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return len(every) - len(shown), made


def _is_shown(file: str) -> bool:
    return is_users(file) and not file.startswith(_JAX)
