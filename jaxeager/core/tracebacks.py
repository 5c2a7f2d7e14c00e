"""The text that Python prints of an uncaught error: the program's frames, not the package's.

Note [Short tracebacks]
    With FLAGS_call_stack_level 1, the default, an error reports what was wrong and where in the
    program; level 2 also shows the path inside the package. The exception itself has its whole
    traceback at every level, for debuggers, and for test runners, which print their own. Only the
    default ``sys.excepthook`` is replaced, and the hook of IPython, of which notebooks are a form.
    Ctrl-C is shown whole, because the program may hang inside the package.

    Under the launcher, where the program is one for Paddle, the printed text begins with the name
    of the class that Paddle raises, ``RuntimeError: (PermissionDenied) ...``: people and scripts
    look for that at the start of a line. The exception's class is the same as without.
"""

import contextlib
import functools
import os
import sys
import traceback
from collections.abc import Generator
from types import TracebackType
from typing import Any

import jax

from jaxeager import errors
from jaxeager.core import flags
from jaxeager.core.user_lines import is_users

_JAX = os.path.dirname(os.path.abspath(jax.__file__)) + os.sep
_HIDDEN = "[{count} frames inside jaxeager and JAX are not shown: FLAGS_call_stack_level=2]\n"
_JAX_NOTE = "For simplicity, JAX has removed its internal frames"


def install() -> None:
    """Print uncaught errors without frames of the package, unless another hook is installed."""
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = print_short
    ipython = sys.modules.get("IPython")
    shell: Any = None if ipython is None else ipython.get_ipython()
    if shell is not None and not shell.custom_exceptions:
        shell.set_custom_exc((Exception,), _print_in_ipython)


def _print_in_ipython(
    shell: Any,
    kind: type[BaseException],
    value: BaseException,
    trace: TracebackType | None,
    tb_offset: int | None = None,
) -> None:
    """Show an error as IPython does, without inner frames at level 1 and below."""
    lines_of = shell.InteractiveTB.structured_traceback
    if _is_whole(value):
        shell._showtraceback(kind, value, lines_of(kind, value, trace, tb_offset=tb_offset))
        return
    with _shortened(value, trace) as count:
        lines = lines_of(kind, value, value.__traceback__, tb_offset=tb_offset)
    shell._showtraceback(kind, value, [*lines, _HIDDEN.format(count=count)] if count else lines)


def _is_whole(value: BaseException) -> bool:
    """Return whether all frames of an error are shown."""
    return not isinstance(value, Exception) or int(flags.flag("FLAGS_call_stack_level")) > 1


def print_short(
    kind: type[BaseException], value: BaseException, trace: TracebackType | None
) -> None:
    """Print an error as Python does, without inner frames at level 1 and below."""
    if _is_whole(value):
        with _named_as_in_paddle(value):
            sys.__excepthook__(kind, value, trace)
        return
    with _shortened(value, trace) as count, _named_as_in_paddle(value):
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
    before = [
        (e, e.__traceback__, getattr(e, "__notes__", None), e.__cause__, e.__suppress_context__)
        for e in every
    ]
    count = 0
    try:
        for each in every:
            inner, each.__traceback__ = _without_inner(
                trace if each is error else each.__traceback__
            )
            count += inner
            if each.__cause__ is not None and _says_no_more(each.__cause__, each):
                each.__cause__ = None  # which leaves __suppress_context__ set
            notes: list[str] | None = getattr(each, "__notes__", None)
            if isinstance(notes, list):
                each.__notes__ = [note for note in notes if _JAX_NOTE not in str(note)]
        yield count
    finally:
        for each, whole, notes, cause, suppresses in before:
            each.__traceback__, each.__cause__ = whole, cause
            each.__suppress_context__ = suppresses
            if notes is not None:
                each.__notes__ = notes


_has_paddles_names = False


def use_paddles_names() -> None:
    """Print errors under the names of Paddle's classes: see Note [Short tracebacks]."""
    global _has_paddles_names
    _has_paddles_names = True


@contextlib.contextmanager
def _named_as_in_paddle(error: BaseException) -> Generator[None, None, None]:
    """Give an error and its causes the names that are printed, while they are printed.

    Their classes stay as they are, because other threads raise and catch errors of these classes
    in the meantime: an error is made an instance of a subclass that has the other name.
    """
    every = _with_causes(error) if _has_paddles_names else []
    own = [(each, type(each)) for each in every if type(each).__module__ == errors.__name__]
    try:
        for each, kind in own:
            each.__class__ = _shown_type(kind)
        yield
    finally:
        for each, kind in own:
            each.__class__ = kind


@functools.cache
def _shown_type(kind: type[BaseException]) -> type[BaseException]:
    """Return a subclass of an error's class with the name of Paddle's class."""
    shown = errors.paddles_type(kind)
    names = {"__module__": shown.__module__, "__qualname__": shown.__qualname__}
    return type(kind.__name__, (kind,), names)


def _says_no_more(cause: BaseException, error: BaseException) -> bool:
    """Return whether an error's text has that of its cause, which no line of the user raised."""
    _, shown = _without_inner(cause.__traceback__)
    return shown is None and cause.__cause__ is None and str(cause).rstrip(".") in str(error)


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
