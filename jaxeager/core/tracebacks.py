"""What Python prints of an error that nobody catches: the program's frames, not ours.

Note [Short tracebacks]
    With FLAGS_call_stack_level 1, the default, an error says what was wrong and where in the
    program; how the package came upon it is what level 2 is for. The exception itself has its
    whole traceback whatever the level, for debuggers, and for tests, which print their own. Only
    what stands in ``sys.excepthook`` by default is replaced, and Ctrl-C is shown whole: where it
    hung may be inside.
"""

import os
import sys
import traceback
from types import TracebackType

import jax

from jaxeager.core import flags
from jaxeager.core.user_lines import is_users

_JAX = os.path.dirname(os.path.abspath(jax.__file__)) + os.sep
_JAX_NOTE = "For simplicity, JAX has removed its internal frames"


def install() -> None:
    """Has uncaught errors printed without frames of the package, unless somebody else prints."""
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = print_short


def print_short(kind, value, trace) -> None:
    """Prints an error as Python does, at level 1 and below without inner frames."""
    if not isinstance(value, Exception) or int(flags.flag("FLAGS_call_stack_level")) > 1:
        sys.__excepthook__(kind, value, trace)
        return
    try:
        text = short_text(value, trace)
    except Exception:  # a user's own __str__ or __notes__
        sys.__excepthook__(kind, value, trace)
        return
    if sys.stderr is not None:
        sys.stderr.write(text)


def short_text(error: BaseException, trace: TracebackType | None) -> str:
    """Returns the text of an error, without the frames of the package and of JAX.

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
    found = traceback.TracebackException(type(error), error, trace)
    count = _shorten(found, set())
    text = "".join(found.format())
    if count:
        text += (
            f"[{count} frames inside jaxeager and JAX are not shown: FLAGS_call_stack_level=2]\n"
        )
    return text


def _shorten(found: traceback.TracebackException, seen: set) -> int:
    """Takes inner frames from an error and from those it came of; returns how many they were."""
    if id(found) in seen:
        return 0
    seen.add(id(found))
    shown = [each for each in found.stack if _is_shown(each.filename)]
    count = len(found.stack) - len(shown)
    found.stack = traceback.StackSummary.from_list(shown)
    notes = getattr(found, "__notes__", None)
    if isinstance(notes, list):
        found.__notes__ = [each for each in notes if _JAX_NOTE not in str(each)]
    others = [found.__cause__, found.__context__, *(getattr(found, "exceptions", None) or ())]
    return count + sum(_shorten(each, seen) for each in others if each is not None)


def _is_shown(file: str) -> bool:
    return is_users(file) and not file.startswith(_JAX)
