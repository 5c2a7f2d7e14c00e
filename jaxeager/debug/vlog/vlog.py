"""Verbose logs as Paddle writes them with GLOG_v: levels, modules, and the lines themselves.

Note [Verbose logs]
    A line has a module, one of Paddle's C++ files (``dygraph_functions`` has the lines of an op's
    forward), and a level; it is written if its module's level is at least as high. Levels are set
    by the environment and ``set_vlog_level`` for the process, and by guards for their thread; a
    module's own level takes precedence over the level of all, as in glog. A guard is one entry of
    its thread's list, so leaving it restores the previous levels, in any order and after any error.
    The writers are two observers (graph/events.py): forward.py and backward.py.
    They are imported and activated when a level first reaches 1, and deactivated when no level
    does. A prefix has Paddle's file, which is the module, and the line number of the file here that
    writes; FLAGS_log_prefix=program adds the program's own file and line before it. The time is
    that of the line, even if several are written together.
"""

import contextlib
import fnmatch
import functools
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator

from jaxeager.core import ports
from jaxeager.debug.common import naming
from jaxeager.debug.vlog import prefix
from jaxeager.debug.vlog.modules import check_module, number_in, parse_levels, warn_once
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.graph import events

WARNINGS = 1  # warnings are written from this level on
LOWEST = 3  # the lowest level of all other lines


class Levels(dict):
    """The levels of modules, cached on request; the settings never change, a change makes a copy.

    Attributes:
        everywhere: the level of all modules.
        modules: the level of some, by name or pattern.
        highest: the highest of them.
    """

    __slots__ = ("everywhere", "highest", "modules")

    def __init__(self, everywhere: int = 0, modules: dict[str, int] | None = None):
        self.everywhere = everywhere
        self.modules = modules or {}
        self.highest = max(everywhere, *self.modules.values()) if modules else everywhere

    def __missing__(self, module: str) -> int:
        """Return a module's level: by name, else by the last matching pattern, else that of all."""
        level = self.modules.get(module)
        if level is None:
            fitting = (n for n in reversed(self.modules) if fnmatch.fnmatchcase(module, n))
            level = self.modules.get(next(fitting, ""), self.everywhere)
        self[module] = level
        return level

    def changed(self, change: dict[str, int]) -> "Levels":
        """Return changed levels: ``"*"`` means all modules."""
        modules = {name: level for name, level in self.modules.items() if name not in change}
        modules |= {name: level for name, level in change.items() if name != "*"}
        return Levels(change.get("*", self.everywhere), modules)

    def settled(self) -> "Levels":
        """Return the same levels, without modules whose own level equals the level of all."""
        kept = {name: level for name, level in self.modules.items() if level != self.everywhere}
        has_patterns = any(set(name) & set("*?[") for name in kept)  # they may match such a module
        return self if has_patterns else Levels(self.everywhere, kept)


class _Thread(threading.local):
    """The state of a thread: the changes of its guards, the resulting levels, indent and number.

    Its lines go to ``hearers``, if there are any, instead of stderr.
    """

    def __init__(self):
        self.changes: list[dict[str, int]] = []
        self.levels, self.version = Levels(), -1
        self.depth, self.epoch = 0, 0
        self.number = _thread_number()
        self.hearers: list[Callable[[str], None]] = []


def _thread_number() -> str:
    return f"{threading.get_native_id():5}"


_lock = threading.RLock()
_writing = threading.RLock()  # the user's stream may run ops, which write
_process = Levels()
_guards: list[dict[str, int]] = []  # the changes of every thread's guards
_version = 0  # increases with every change of any level
_epoch = 0  # increases when the writers are deactivated, which ends all indents
_holds: set[object] = set()  # one per block that keeps the writers active
_active: list[events.Observer] = []
_has_names = False  # whether calls are counted for the log
_thread = _Thread()


def _begin_child() -> None:
    """Replace the locks in a forked child: the threads that held them do not exist there."""
    global _lock, _writing
    _lock, _writing = threading.RLock(), threading.RLock()
    _thread.number = _thread_number()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_child)


# ---- levels


def level_of(module: str) -> int:
    """Return the level that a module has in this thread."""
    return levels()[module]


def text_level(module: str) -> int:
    """Return the level by which the tensors in a module's lines are shown in this thread."""
    found = levels()
    return max(found[module], found["utils"])


def is_on(module: str, level: int) -> bool:
    """Return whether this thread writes a module's lines of a level."""
    return levels()[module] >= level


def levels() -> Levels:
    """Return the levels of all modules in this thread, for callers that need several."""
    thread = _thread
    if thread.version != _version:
        _resolve(thread)
    return thread.levels


def epoch() -> int:
    """Return a number that increases when the logs go off; running calls are then forgotten."""
    return _epoch


def is_active() -> bool:
    """Return whether the writers are observing events, in any thread."""
    return bool(_active)


def _resolve(thread: _Thread) -> None:
    with _lock:
        thread.levels, thread.version = _process, _version
    for change in thread.changes:
        thread.levels = thread.levels.changed(change)


def _moved() -> None:
    """Notify every thread that levels have changed."""
    global _version
    _version += 1
    _switch()


def _switch() -> None:
    """Activate or deactivate the writers; count calls for lines with names."""
    global _has_names
    levels = [_process.highest, *(level for each in _guards for level in each.values())]
    has_names = max(levels) >= LOWEST or bool(_holds)
    is_wanted = has_names or max(levels) >= WARNINGS
    if (is_wanted, has_names) == (bool(_active), _has_names):
        return
    with events.at_once():
        if has_names != _has_names:
            _has_names = has_names
            (naming.begin_use if has_names else naming.end_use)()
        if is_wanted != bool(_active):
            (_activate if is_wanted else _deactivate)()


def _activate() -> None:
    _active.extend(_writers())
    for each in _active:  # the first one gives nodes the numbers that were announced
        events.observe(each, first=each is _active[0])


def _deactivate() -> None:
    global _epoch
    for each in _active:
        events.unobserve(each)
    _active.clear()
    _epoch += 1


@functools.cache
def _writers() -> list[events.Observer]:
    return ports.log_writers()


def writer_of_backward() -> events.Observer:
    """Return the observer that writes the lines of backward, active or not."""
    return _writers()[1]


@contextlib.contextmanager
def hold() -> Iterator[None]:
    """Keep the writers active for a block, whatever the levels, so that they may change often.

    Example:
        >>> from jaxeager.debug.vlog import vlog
        >>> with vlog.hold():
        ...     vlog.is_on("nodes", 3)
        False
    """
    block = object()
    try:
        with _lock:
            _holds.add(block)
            _switch()
        yield
    finally:
        with _lock:
            _holds.discard(block)
            _switch()


@contextlib.contextmanager
def _changing(change: dict[str, int]) -> Iterator[None]:
    """Apply a change of levels for a block, in this thread."""
    changes, change = _thread.changes, dict(change)  # it may be left in another thread
    try:
        with _lock:
            changes.append(change)
            _guards.append(change)
            _moved()
        yield
    finally:
        with _lock:
            _remove(changes, change)
            _remove(_guards, change)
            _moved()


def _remove(changes: list, change: dict) -> None:
    """Remove this very object; an equal one may be in the list too."""
    for position, each in enumerate(changes):
        if each is change:
            del changes[position]
            return


@contextlib.contextmanager
def override(level: int) -> Iterator[None]:
    """Give all modules a level for a block, in this thread, without a line in the log.

    It does not activate the writers: the caller holds them, because it is entered once per node.

    Example:
        >>> from jaxeager.debug.vlog import vlog
        >>> with vlog.override(2):
        ...     vlog.level_of("nodes")
        2
    """
    thread, change = _thread, {"*": level}
    try:
        thread.changes.append(change)
        thread.version = -1
        yield
    finally:
        _remove(thread.changes, change)
        thread.version = -1


# ---- public functions


def set_vlog_level(level: int | dict[str, int]) -> None:
    """Set how much is written to stderr about ops and backward.

    It applies to the whole process; inside a guard of this thread, to the rest of its block.

    Args:
        level: the level of all modules, or a dict of module to level. Modules are Paddle's C++
            files without extension, or patterns with ``*``; ``"*"`` means all. A module keeps its
            own level until it is given another; a silenced one follows the level of all again when
            that is set.

    Raises:
        InvalidArgumentError: when it is neither an int nor a dict.
        InvalidTypeError: when the dict is not one of str to int.

    Example:
        >>> from jaxeager.base import core
        >>> core.set_vlog_level({"dygraph_functions": 4})
        >>> core.set_vlog_level({"dygraph_functions": 0})
    """
    global _process
    if not isinstance(level, (int, dict)):
        raise InvalidArgumentError(
            "The parameters of set_vlog_level must be int or dict! "
            f"But received {type(level).__name__}: {level!r}."
        )
    change = _change(level)
    _announce(change)
    with _lock:
        if _thread.changes:
            _thread.changes[-1].update(change)
        else:
            if "*" in change:
                kept = {name: old for name, old in _process.modules.items() if old > 0}
                _process = Levels(0, kept)
            _process = _process.changed(change).settled()
        _moved()


def vlog_guard(level: int | dict[str, int]) -> contextlib.AbstractContextManager[None]:
    """Write to stderr the lines of this thread's ops and backward, for a block or a function.

    Args:
        level: the level of all modules, or a dict of module to level, as for ``set_vlog_level``.

    Returns:
        a context manager, also a decorator. Leaving it restores the previous levels.

    Raises:
        InvalidTypeError: when it is neither an int nor a dict of str to int.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.base.framework import vlog_guard
        >>> with vlog_guard({"dygraph_functions": 0}):
        ...     y = paddle.ones([2]) + 1
    """
    if not isinstance(level, (int, dict)):
        raise InvalidTypeError(
            f"The input of vlog_guard must be int or dict but got {type(level).__name__}"
        )
    return _guarded(_change(level))


@contextlib.contextmanager
def _guarded(change: dict[str, int]) -> Iterator[None]:
    _announce(change)
    before = {name: level_of(name) for name in change if name != "*"}
    if "*" in change:
        before["*"] = levels().everywhere
    with _changing(change):
        try:
            yield
        finally:
            _announce(before)


def _change(level) -> dict[str, int]:
    """Return the user's argument as a dict, with ``"*"`` for all."""
    if isinstance(level, int):
        return {"*": int(level)}
    for name, value in level.items():
        if not isinstance(name, str) or not isinstance(value, int):
            raise InvalidTypeError(
                "Levels of modules are given as a dict of str to int, such as "
                f"{{'dygraph_functions': 4}}, but received {name!r}: {value!r}."
            )
        check_module(name)
    return {name: int(value) for name, value in level.items()}


def _announce(change: dict[str, int]) -> None:
    """Write, at the current levels, that they are about to change."""
    for name, level in change.items():
        if name == "*":
            log("pybind", 3, f"Set the VLOG level of all modules to {level}")
        elif is_on("vlog_is_on", 1):
            text = f'RAW: Set VLOG level for "{name}" to {level}'
            _put(f"I0000 00:00:00.000000 {_thread.number} vlog_is_on.cc:0] {text}\n")


# ---- the environment


def read_environment() -> None:
    """Apply GLOG_v and GLOG_vmodule; warn of parts that are invalid."""
    global _process
    change = {}
    text = os.environ.get("GLOG_v", "")  # noqa: SIM112 - glog's spelling
    level = number_in(text)
    if level is not None:
        change["*"] = level
    elif text:
        warn_once(f"GLOG_v of the environment is ignored: it takes a number, but it is {text!r}.")
    change |= parse_levels(os.environ.get("GLOG_vmodule", ""))  # noqa: SIM112
    with _lock:
        _process = _process.changed(change)
        _moved()


# ---- lines


def log(module: str, level: int, text: str) -> None:
    """Write a line if this thread's level of the module is at least as high."""
    if levels()[module] >= level:
        write(module, 0, text)


def write(module: str, line: int, text: str, severity: str = "I") -> None:
    """Write a line with glog's prefix to stderr, whatever the levels. About 2 us.

    Args:
        module: the module shown in the prefix.
        line: the line number shown; 0 for that of the caller.
        text: the message; it may have several lines.
        severity: "I", "W", "E" or "F".
    """
    source = prefix.source(module, line or prefix.writer_line())
    _put(f"{severity}{_stamp()} {prefix.program()}{source}] {text}\n")


def line_of(module: str, text: str) -> str:
    """Return a line of a module, without the time that ``stamped`` adds."""
    return f"{prefix.source(module, prefix.writer_line())}] {text}\n"


def stamped(line: str) -> str:
    """Return a line from ``line_of`` with the current time, for ``write_all``."""
    return f"I{_stamp()} {prefix.program()}{line}"


def write_all(lines: list[str]) -> None:
    """Write lines together, each with its own time."""
    _put("".join(lines))


def _stamp() -> str:
    """Return "1122 02:16:43.123456 12345": the time, and this thread."""
    now = str(time.time_ns())
    return f"{prefix.second(now[:-9])}.{now[-9:-3]} {_thread.number}"


def _put(text: str) -> None:
    """Write whole messages together, each line with the indent of this thread."""
    thread, stream = _thread, sys.stderr
    if thread.depth and thread.epoch == _epoch:
        tabs = "\t" * thread.depth
        text = tabs + text[:-1].replace("\n", f"\n{tabs}") + "\n"
    for hear in thread.hearers:
        hear(text)
    if thread.hearers:
        return
    try:
        with _writing:
            if stream is not None:
                stream.write(text)
                stream.flush()
    except (OSError, ValueError):  # closed, full, or without a reader
        pass


@contextlib.contextmanager
def heard_by(hear: Callable[[str], None]) -> Iterator[None]:
    """Pass the lines that this thread writes in a block to a function instead of to stderr."""
    hearers = _thread.hearers
    hearers.append(hear)
    try:
        yield
    finally:
        hearers.remove(hear)


def indent(change: int) -> None:
    """Indent the lines that this thread writes from now on, by tabs.

    The indent ends at the latest when the logs are switched off.
    """
    thread = _thread
    depth = thread.depth if thread.epoch == _epoch else 0
    thread.depth = max(0, depth + change)
    thread.epoch = _epoch
