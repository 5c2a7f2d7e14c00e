"""The text of errors with FLAGS_call_stack_level 2 and 3, in Paddle's layout.

Note [Error text]
    At level 2 an error shows its path through the package and JAX, in the block where Paddle has
    its C++ frames, and then the message under "Error Message Summary". At level 3 an error of
    backward begins with the forward stack of the node that failed and ends with the node's name.
    An error that left a PyLayer is put in braces, four columns deeper, and so is one that passed
    through a backward inside a backward; each level has separate blocks.

    An exception keeps its type. Errors of the package have the text as their message, as in Paddle;
    those of users and of Python (raised in a hook, in ``PyLayer.backward``) already have a message,
    so the text is added as a note. At level 1 and below errors are plain, with a note that names
    the node. At every level a line on stderr reports each node that fails, as in Paddle, but not
    for Ctrl-C.
"""

import sys
import textwrap
import traceback
from collections.abc import Iterator
from types import CodeType, FrameType, TracebackType

from jaxeager import errors
from jaxeager.core import ports
from jaxeager.debug.common import naming
from jaxeager.debug.stacks import frames, stacks
from jaxeager.graph import engine, events
from jaxeager.graph.pylayer import GradNodePyLayer

PLAIN, WITH_PATH, WITH_STACK = 1, 2, 3

_HEAD = "-" * 38
_SUMMARY = f"\n{'-' * 22}\nError Message Summary:\n{'-' * 22}\n"
_LINE = "=" * 28
_LAST_LINE = "=" * 112
NOT_REMEMBERED = "    (not remembered: it was recorded while FLAGS_call_stack_level was not 3)\n"

# Code that writes the text or notifies observers of the error is not part of the path.
_OWN = (__file__, errors.__file__, events.__file__)
_TELLERS = ("add_node_note", "_notified_apply")
_APPLY = "PyLayer.apply"

_DRAIN = engine.Run.drain.__code__

_level = PLAIN


class _Note(str):
    """A note on a user's exception; ``text`` includes the blank lines it begins with."""

    __slots__ = ()

    @property
    def text(self) -> str:
        return f"\n\n  {self}" if self.startswith("Forward") else f"\n\n{self}"


class _Teller(events.Observer):
    """Puts the text of an error that leaves a PyLayer's forward in braces."""

    def layer_failed(self, layer, error):
        if isinstance(error, Exception):
            _wrap(error, f"forward of {layer.__name__}")


_teller = _Teller()


def set_level(level: int) -> None:
    """Apply FLAGS_call_stack_level: 1 and below plain, 3 with stacks, else paths."""
    global _level
    before, after = _level, PLAIN if level < WITH_PATH else level if level == 3 else WITH_PATH
    _level = after
    if (before == WITH_STACK) != (after == WITH_STACK):
        (stacks.begin_use if after == WITH_STACK else stacks.end_use)()
    if (before == PLAIN) != (after == PLAIN):
        is_on = after != PLAIN
        (events.observe if is_on else events.unobserve)(_teller)
        ports.on_error = _add_path if is_on else None


# ---- errors


def describe_failure(error: BaseException, node) -> None:
    """Add to an exception the node that it left, the node's forward stack and the error's path.

    At level 1 and below only the node's name is added.

    Args:
        error: the exception that leaves the node; it keeps its type and its own message.
        node: a GradNode, a GradNodePyLayer or a leaf's GradNodeAccumulation.
    """
    if not isinstance(error, Exception):  # such as KeyboardInterrupt
        engine.name_node(error, node)
        return
    name = naming.node_name(node)
    _warn(name)
    if _level == PLAIN:
        engine.name_node(error, node)
        return
    forward = _forward_block(node) if _level == WITH_STACK else ""
    last = f"\n  [GradNode < {name} > error]" if _level == WITH_STACK else "\n"
    is_nested = _has_passed(error)
    if is_nested or (isinstance(node, GradNodePyLayer) and _raised_at(error.__traceback__)):
        _wrap(error, f"backward of {name}({node.node_ptr():#x})", forward, last)
    else:
        path = error.path if isinstance(error, errors.JaxEagerError) else None
        path = path or _path(error.__traceback__)
        _say(error, forward, path, _summary(error), last)
        _mark(error)


def _add_path(error: errors.JaxEagerError) -> None:
    """Add to a new error of the package its path through the package and JAX."""
    cause = sys.exc_info()[1]
    path = _path(None if cause is None else cause.__traceback__)
    error.path = path
    _say(error, "", path, _summary(error), "\n")


def _wrap(error: BaseException, what: str, forward: str = "", last: str = "\n") -> None:
    """Put an exception's text in braces, under a head that states its origin."""
    inner = _text_of(error)
    inner = _message(error) if inner is None else inner
    kind = type(error).__name__
    lines = "".join(f"  {line}\n" for line in [*_raised_at(error.__traceback__), *_called_from()])
    text = f"{_LINE} Error message in {what}{_LINE}\n{kind}: {inner}\n"
    text += f"\nAt:\n{lines}\n{_LAST_LINE}\n\n"
    _say(error, forward, _path(None), f"{kind}: \n{{\n{_deeper(text)}}}", last)
    _mark(error)


def _deeper(text: str) -> str:
    return textwrap.indent(text, "    ", lambda line: True)


def _mark(error: BaseException) -> None:
    """Mark an error of the package as having left a node or a PyLayer."""
    if isinstance(error, errors.JaxEagerError):
        error.has_passed = True


def _say(error: BaseException, forward: str, path: list[str], summary: str, last: str) -> None:
    """Build the text from its blocks, and store it on the exception."""
    lines = "".join(f"{number:<4}{frame}\n" for number, frame in enumerate(path))
    text = (
        f"\n{forward}\n{_HEAD}\nC++ Traceback (most recent call last):\n{_HEAD}\n{lines}"
        f"{_SUMMARY}{summary}{last}"
    )
    if isinstance(error, errors.JaxEagerError):
        error.text = text
        return
    for note in _notes(error):
        error.__notes__.remove(note)
    engine.add_note(error, _Note(text.strip()))


def _text_of(error: BaseException) -> str | None:
    """Return the text that was stored on an exception before, None if there is none."""
    if isinstance(error, errors.JaxEagerError):
        return error.text
    notes = _notes(error)
    return notes[0].text if notes else None


def _notes(error: BaseException) -> list[_Note]:
    """Return this module's notes on an exception; ``__notes__`` may not be a list."""
    notes = getattr(error, "__notes__", None)
    return [each for each in notes if isinstance(each, _Note)] if isinstance(notes, list) else []


def _has_passed(error: BaseException) -> bool:
    """Return whether an exception has already left an inner node or an inner PyLayer."""
    if isinstance(error, errors.JaxEagerError):
        return error.has_passed
    return _text_of(error) is not None


def _summary(error: BaseException) -> str:
    return f"{type(error).__name__}: {_message(error)}"


def _message(error: BaseException) -> str:
    if isinstance(error, errors.JaxEagerError):
        return error.message
    try:
        return str(error)
    except Exception:  # a user's __str__ may raise
        return "<no message>"


def _forward_block(node) -> str:
    """Return the forward stack of a node under its head."""
    lines = textwrap.indent(stacks.stack_text(node), "  ") or NOT_REMEMBERED
    return f"\n  Forward Traceback (most recent call last):\n{lines}\n"


# ---- frames


def _path(trace: TracebackType | None) -> list[str]:
    """Return the frames inside the package and JAX, the outermost first.

    Args:
        trace: the traceback of the exception being handled; if that was caught elsewhere (for
            example a user calls an op in an ``except``), it is unrelated to the error.
    """
    running = [(f, f.f_lineno) for f in _of_program(list(_callers())) if _is_path(f.f_code)]
    raised = list(traceback.walk_tb(trace))
    catchers = [frame for frame, _ in running[:3]]
    if raised and raised[0][0] in catchers:
        running = running[catchers.index(raised[0][0]) + 1 :]
    else:
        raised = []
    return [_frame_text(*each) for each in [*running[::-1], *raised] if _is_path(each[0].f_code)]


def _of_program(running: list[FrameType]) -> list[FrameType]:
    """Return frames, the innermost first, without those of the launcher of the program."""
    outer = len(running)
    while outer and frames.is_inside(running[outer - 1].f_code.co_filename):
        outer -= 1
    return running[:outer] or running


def _frame_text(frame: FrameType, line: int | None) -> str:
    code = frame.f_code
    module = frame.f_globals.get("__name__", "jaxeager.ops")
    return f"{module}.{code.co_qualname} ({frames.short_path(code.co_filename)}:{line})"


def _is_path(code: CodeType) -> bool:
    is_own = code.co_filename in _OWN or code.co_name in _TELLERS
    return frames.is_inside(code.co_filename) and not is_own


def _raised_at(trace: TracebackType | None) -> list[str]:
    """Return the frames of a traceback that are shown, the innermost first, as Paddle lists them.

    They end at a nested backward or PyLayer, which has listed its own frames.
    """
    found: list[tuple] = []
    for position, (frame, line) in enumerate(traceback.walk_tb(trace)):
        code = frame.f_code
        if (position and code is _DRAIN) or (code.co_qualname == _APPLY and frames.users(found)):
            break
        found.insert(0, (code, frame, line))
    return [_at(frame, line) for _, frame, line in frames.shown(found)]


def _called_from() -> list[str]:
    """Return the running frames that are shown, the innermost first."""
    running = [(frame.f_code, frame) for frame in _callers()]
    return [_at(frame, frame.f_lineno) for _, frame in frames.shown(running)]


def _at(frame: FrameType, line: int | None) -> str:
    return f"{frame.f_code.co_filename}({line}): {frame.f_code.co_name}"


def _callers() -> Iterator[FrameType]:
    """Yield the running frames, the innermost first."""
    frame = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back


def _warn(name: str) -> None:
    """Write one line to stderr for a node that fails, as in Paddle."""
    from jaxeager.debug.vlog import vlog

    text = f"While running Node ({name}) raises an EnforceNotMet exception"
    vlog.write("backward", 0, text, "W")
