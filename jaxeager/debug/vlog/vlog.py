"""Verbose logs as Paddle writes them with GLOG_v: levels, modules, and the lines themselves.

Note [Verbose logs]
    A line has a module, one of Paddle's C++ files (``dygraph_functions`` writes what the forward of
    an op does), and a level; it is written where its module's level is as high. Levels come from
    the environment and ``set_vlog_level`` for the process, and from guards for their thread; a
    module's own level beats the level of all, as in glog. A guard is one entry of its thread's
    list, so leaving it brings back whatever there was, in any order and after any error.

    Who writes is an observer (graph/events.py) per half: forward.py and backward.py.
    They are imported and put in force when some level first reaches 1, and taken back when none
    does. A prefix has Paddle's file, which is the module, and the line of the file of ours that
    writes; FLAGS_log_prefix=program puts the program's own file and line in front. The time is
    that of the line, also where several are written at once.
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

WARNINGS = 1  # the level from which on warnings are written
LOWEST = 3  # the lowest level that any other line has


class Levels(dict):
    """The level of every module that was asked for; what it goes by is never changed, made anew.

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
        """Return a module's level: by its name, else the last pattern that fits, else of all."""
        level = self.modules.get(module)
        if level is None:
            fitting = (n for n in reversed(self.modules) if fnmatch.fnmatchcase(module, n))
            level = self.modules.get(next(fitting, ""), self.everywhere)
        self[module] = level
        return level

    def changed(self, change: dict[str, int]) -> "Levels":
        """Return other levels: ``"*"`` stands for all modules."""
        modules = {name: level for name, level in self.modules.items() if name not in change}
        modules |= {name: level for name, level in change.items() if name != "*"}
        return Levels(change.get("*", self.everywhere), modules)

    def settled(self) -> "Levels":
        """Return the same levels, where a module given the level of all has none of its own."""
        kept = {name: level for name, level in self.modules.items() if level != self.everywhere}
        has_patterns = any(set(name) & set("*?[") for name in kept)  # one might fit in its stead
        return self if has_patterns else Levels(self.everywhere, kept)


class _Thread(threading.local):
    """What one thread has: the changes of its guards, the levels they make, indent and number.

    Its lines go to ``hearers``, where there are any, instead of stderr.
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
_writing = threading.RLock()  # a stream of the user's may run ops, which write
_process = Levels()
_guards: list[dict[str, int]] = []  # the changes of every thread's guards
_version = 0  # moves with every change of any level
_epoch = 0  # moves when the writers are taken back; indents do not outlive that
_holds: set[object] = set()  # one per block that keeps the writers in force
_in_force: list[events.Observer] = []
_has_names = False  # whether calls are counted for the log
_thread = _Thread()


def _begin_child() -> None:
    """Make the locks anew in a forked child: the threads that held them are not there."""
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
    """Says whether this thread writes a module's lines of a level."""
    return levels()[module] >= level


def levels() -> Levels:
    """Return the level of every module in this thread: for who asks for several at a time."""
    thread = _thread
    if thread.version != _version:
        _resolve(thread)
    return thread.levels


def epoch() -> int:
    """Return a number that moves when the logs go off; nothing in flight outlives that."""
    return _epoch


def is_in_force() -> bool:
    """Says whether the writers are told of what happens, in any thread."""
    return bool(_in_force)


def _resolve(thread: _Thread) -> None:
    with _lock:
        thread.levels, thread.version = _process, _version
    for change in thread.changes:
        thread.levels = thread.levels.changed(change)


def _moved() -> None:
    """Let every thread know that levels have changed."""
    global _version
    _version += 1
    _switch()


def _switch() -> None:
    """Bring the writers into force, or take them back; and count calls for lines with names."""
    global _has_names
    levels = [_process.highest, *(level for each in _guards for level in each.values())]
    has_names = max(levels) >= LOWEST or bool(_holds)
    is_wanted = has_names or max(levels) >= WARNINGS
    if (is_wanted, has_names) == (bool(_in_force), _has_names):
        return
    with events.at_once():
        if has_names != _has_names:
            _has_names = has_names
            (naming.begin_use if has_names else naming.end_use)()
        if is_wanted != bool(_in_force):
            (_put_in_force if is_wanted else _take_back)()


def _put_in_force() -> None:
    _in_force.extend(_writers())
    for each in _in_force:  # the first gives nodes the numbers they were said to have
        events.observe(each, first=each is _in_force[0])


def _take_back() -> None:
    global _epoch
    for each in _in_force:
        events.unobserve(each)
    _in_force.clear()
    _epoch += 1


@functools.cache
def _writers() -> list[events.Observer]:
    return ports.log_writers()


def writer_of_backward() -> events.Observer:
    """Return the observer that writes what backward does, in force or not."""
    return _writers()[1]


@contextlib.contextmanager
def hold() -> Iterator[None]:
    """Keep the writers in force for a block, whatever the levels, so that they may change often.

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
    """Have a change of levels in force for a block, in this thread."""
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
    """Remove the very object; an equal one may be there too."""
    for position, each in enumerate(changes):
        if each is change:
            del changes[position]
            return


@contextlib.contextmanager
def override(level: int) -> Iterator[None]:
    """Give all modules a level for a block, in this thread, without a word.

    It brings no writer into force: who uses it holds them, because it is entered per node.

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


# ---- what users call


def set_vlog_level(level: int | dict[str, int]) -> None:
    """Set how much is written to stderr about ops and backward.

    It concerns the whole process; inside a guard of this thread, the rest of that guard's block.

    Args:
        level: of all modules, or of some: a dict of module to level. Modules are Paddle's C++ files
            without extension, or patterns with ``*``; ``"*"`` is all. A module keeps a level of its
            own until it is given another; one that was silenced speaks again when all get a level.

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
    """Write to stderr what this thread's ops and backward do, for a block or a function.

    Args:
        level: of all modules, or a dict of module to level, as for ``set_vlog_level``.

    Returns:
        a context manager, also a decorator. Leaving it brings back the levels there were before.

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
    """Return what a user gave as a dict, with ``"*"`` for all."""
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
    """Write, at the levels there are, that they are about to change."""
    for name, level in change.items():
        if name == "*":
            log("pybind", 3, f"Set the VLOG level of all modules to {level}")
        elif is_on("vlog_is_on", 1):
            text = f'RAW: Set VLOG level for "{name}" to {level}'
            _put(f"I0000 00:00:00.000000 {_thread.number} vlog_is_on.cc:0] {text}\n")


# ---- the environment


def read_environment() -> None:
    """Do what GLOG_v and GLOG_vmodule say; what they have that cannot be used is warned of."""
    global _process
    change = {}
    text = os.environ.get("GLOG_v", "")  # noqa: SIM112 - so it is spelled
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
    """Write a line when this thread's level of the module is as high."""
    if levels()[module] >= level:
        write(module, 0, text)


def write(module: str, line: int, text: str, severity: str = "I") -> None:
    """Write a line to stderr behind glog's prefix, whatever the levels. About 2 us.

    Args:
        module: where it says it comes from.
        line: the line number it says; 0: that of who writes.
        text: the message; it may have several lines.
        severity: "I", "W", "E" or "F".
    """
    source = prefix.source(module, line or prefix.writer_line())
    _put(f"{severity}{_stamp()} {prefix.program()}{source}] {text}\n")


def line_of(module: str, text: str) -> str:
    """Return a line of a module, which ``stamped`` gives its time."""
    return f"{prefix.source(module, prefix.writer_line())}] {text}\n"


def stamped(line: str) -> str:
    """Return what ``line_of`` has made with the time of now, as ``write_all`` takes it."""
    return f"I{_stamp()} {prefix.program()}{line}"


def write_all(lines: list[str]) -> None:
    """Write lines at once, each with the time it was given."""
    _put("".join(lines))


def _stamp() -> str:
    """Return "1122 02:16:43.123456 12345": now, and this thread."""
    now = str(time.time_ns())
    return f"{prefix.second(now[:-9])}.{now[-9:-3]} {_thread.number}"


def _put(text: str) -> None:
    """Write whole messages at once, each of their lines with the indent of this thread."""
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
    except (OSError, ValueError):  # closed, full, nobody reads it
        pass


@contextlib.contextmanager
def heard_by(hear: Callable[[str], None]) -> Iterator[None]:
    """Give the lines that this thread writes in a block to a function instead of to stderr."""
    hearers = _thread.hearers
    hearers.append(hear)
    try:
        yield
    finally:
        hearers.remove(hear)


def indent(change: int) -> None:
    """Move the lines that this thread writes from now on, by tabs.

    What is moved ends at the latest when the logs are switched off.
    """
    thread = _thread
    depth = thread.depth if thread.epoch == _epoch else 0
    thread.depth = max(0, depth + change)
    thread.epoch = _epoch
