"""The text that Python prints of an uncaught error: the program's frames, not the package's.

Note [Short tracebacks]
    With FLAGS_call_stack_level 1, the default, an error reports what was wrong and where in the
    program; level 2 also shows the path inside the package. The exception itself has its whole
    traceback at every level, for debuggers, and for test runners, which print their own. Only the
    default ``sys.excepthook`` is replaced. Ctrl-C is shown whole, because the program may hang
    inside the package.
"""

import contextlib
import os
import sys
import traceback
from collections.abc import Generator
from types import TracebackType

import jax

from jaxeager.core import flags
from jaxeager.core.user_lines import is_users

_JAX = os.path.dirname(os.path.abspath(jax.__file__)) + os.sep
_HIDDEN = "[{count} frames inside jaxeager and JAX are not shown: FLAGS_call_stack_level=2]\n"
_JAX_NOTE = "For simplicity, JAX has removed its internal frames"


def install() -> None:
    """Print uncaught errors without frames of the package, unless another hook is installed."""
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = print_short


def print_short(
    kind: type[BaseException], value: BaseException, trace: TracebackType | None
) -> None:
    """Print an error as Python does, without inner frames at level 1 and below."""
    if not isinstance(value, Exception) or int(flags.flag("FLAGS_call_stack_level")) > 1:
        sys.__excepthook__(kind, value, trace)
        return
    with _shortened(value, trace) as count:
        # Before Python 3.12 only this hook knows which names to suggest; traceback does not.
        sys.__excepthook__(kind, value, value.__traceback__)
    if count and sys.stderr is not None:
        sys.stderr.write(_HIDDEN.format(count=count))


def short_text(error: BaseException, trace: TracebackType | None) -> str:
    """Return the text of an error, without the frames of the package and of JAX.

    Args:
        error: an exception.
        trace: its traceback, or the part of it to show.

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
def _shortened(error: BaseException, trace: TracebackType | None) -> Generator[int, None, None]:
    """Remove inner frames from an error and its causes while it is printed.

    Args:
        error: the error.
        trace: its traceback, or the part of it to show.

    Yields:
        the number of removed frames.
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
            notes: list[str] | None = getattr(each, "__notes__", None)
            if isinstance(notes, list):
                each.__notes__ = [note for note in notes if _JAX_NOTE not in str(note)]
        yield count
    finally:
        for each, whole, notes in before:
            each.__traceback__ = whole
            if notes is not None:
                each.__notes__ = notes


def _with_causes(error: BaseException) -> list[BaseException]:
    """Return an error and all its causes, each once."""
    found: dict[int, BaseException] = {}
    left: list[BaseException | None] = [error]
    while left:
        each = left.pop()
        if each is not None and id(each) not in found:
            found[id(each)] = each
            left += [each.__cause__, each.__context__]
            if isinstance(each, BaseExceptionGroup):
                left += each.exceptions  # pyright: ignore[reportUnknownMemberType]  # of any kind
    return list(found.values())


def _without_inner(trace: TracebackType | None) -> tuple[int, TracebackType | None]:
    """Return the number of inner frames of a traceback, and a traceback of the others."""
    every: list[TracebackType] = []
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
