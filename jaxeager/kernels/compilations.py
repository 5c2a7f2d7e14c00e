"""The journal of kernels that this process compiled or loaded, and its warning of recompilation.

Note [Journal of kernels]
    Nothing here runs while a kernel is found in memory. Two events are noted, both in a call that
    misses its kernel. First: a rule was traced (``traced``, in tracing.py), which announces a
    kernel; then JAX reports that it compiled the kernel or found it in its own cache
    (compile_events.py). This holds for kernels that get a file and for those that JAX handles
    alone. Second: a kernel was loaded without tracing (``loading``). Kernels that JAX compiles and
    this package has not traced (a user's ``jax.jit``, JAX's own small functions) are noted under
    JAX's name. So is a kernel of this package that JAX need not trace, because a user's ``jax.jit``
    traced it before.

    Notes are summed up in a ``Site``: the name of what was called, the line of the user's program,
    and the layers that the call is within. The layers distinguish forty layers that are called once
    from one layer that is called with forty shapes: a warning is about one site. A backward has no
    layers, so it never warns: a new shape there was new to the forward call before. A kernel that
    another thread compiles ahead of its call (compile_threads.py) is noted by that call, at the
    line that traced it. A site keeps its first and its latest shapes. There are at most
    ``MOST_SITES``; the counts of older ones are kept by name.
"""

import concurrent.futures
import contextlib
import functools
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from types import FrameType
from typing import NamedTuple

import jax

from jaxeager.core import flags, user_lines
from jaxeager.core.user_lines import UserLine
from jaxeager.kernels import compile_events
from jaxeager.kernels.call_shapes import Change, Shapes, changes, shapes_of, text_of
from jaxeager.kernels.compile_events import Compiled, Taken, announced

MOST_SITES = 4096
_KEPT_SHAPES = 16  # of a site
_MOST_WARNINGS = 5  # of a process
SOURCES: tuple[str, ...] = ("loaded", "cached", "quick", "full")
_BETWEEN = (
    os.path.dirname(os.path.abspath(jax.__file__)) + os.sep,
    os.path.abspath(contextlib.__file__),
    os.path.abspath(functools.__file__),
    os.path.abspath(threading.__file__),
    os.path.dirname(os.path.abspath(concurrent.futures.__file__)) + os.sep,
)
_IN_PROGRAMS = "Make numbers that change on each call tensors. "
_BACKWARD = os.path.join("jaxeager", "graph", "engine.py")


class CallSite(NamedTuple):
    """The place that a kernel was called from.

    Attributes:
        file: of the user's line; "" if there is none, as in a thread of this package.
        line: its number.
        layers: the objects whose ``forward`` contains the call, as a hash.
        in_backward: whether a backward called it.
    """

    file: str
    line: int
    layers: int
    in_backward: bool


class Site:
    """The kernels that were compiled and loaded for one call of the program.

    Attributes:
        name: the row or rule.
        place: where it was called.
        counts: how many kernels came from each of ``SOURCES``.
        cpu_seconds: CPU time of the process since the tracing began.
        seconds: elapsed time since the tracing began.
        shapes: what the kernels were made for: the first one and the latest ones.
    """

    __slots__ = ("counts", "cpu_seconds", "name", "place", "seconds", "shapes")

    def __init__(self, name: str, place: CallSite):
        self.name, self.place = name, place
        self.counts = dict.fromkeys(SOURCES, 0)
        self.cpu_seconds = self.seconds = 0.0
        self.shapes: deque[Shapes] = deque(maxlen=_KEPT_SHAPES)

    def add(self, counts: dict[str, int], cpu_seconds: float, seconds: float) -> None:
        """Add kernels and the time they took."""
        for source, count in counts.items():
            self.counts[source] += count
        self.cpu_seconds += cpu_seconds
        self.seconds += seconds

    def kernels(self) -> int:
        """Return the number of kernels."""
        return sum(self.counts.values())


class Noted(NamedTuple):
    """One new kernel, as passed to listeners (``on_noted``).

    Attributes:
        site: of its call; it counts the kernel already.
        source: one of ``SOURCES``.
        shapes: what it was made for; None for a function that this package has not jitted.
        seconds: elapsed time since the beginning of the tracing, or of the reading.
        is_users: whether a line of the user is running; this package's own threads have none.
    """

    site: Site
    source: str
    shapes: Shapes | None
    seconds: float
    is_users: bool

    def cause(self) -> str:
        """Return the differences from the kernel before it for the same call."""
        if self.shapes is None:
            return "not of this package"
        if self.shapes.against is not None:
            return text_of(self.shapes.against) or "the first program of this function"
        known = list(self.site.shapes)
        if len(known) < 2:
            return "the first kernel of this call"
        found = text_of(changes(known[-2:]))
        return found or "as before: it was freed, or it is of another layer"


class _Coming(NamedTuple):
    """A traced kernel, which JAX compiles next in this thread."""

    jax_name: str
    name: str
    shapes: Shapes
    began: tuple[float, float]


class _Caller(NamedTuple):
    """What called a kernel: the user's line that is running, if any, and its place."""

    line: UserLine | None
    place: CallSite


class Note(NamedTuple):
    """One new kernel, before it is added to its site.

    Attributes:
        source: one of ``SOURCES``.
        name: the row or rule, or JAX's name.
        shapes: what it was made for; None for a function that this package has not jitted.
        cpu_seconds: CPU time of the process since the tracing began.
        seconds: elapsed time since then.
        caller: what called it.
    """

    source: str
    name: str
    shapes: Shapes | None
    cpu_seconds: float
    seconds: float
    caller: _Caller


class Traced(NamedTuple):
    """A kernel that one thread traced and another one compiles.

    Attributes:
        announced: what the tracing announced.
        caller: what called it.
        cpu_seconds: CPU time of the process while it was traced.
        seconds: elapsed time of the tracing.
    """

    announced: Taken
    caller: _Caller
    cpu_seconds: float
    seconds: float


_sites: dict[tuple[str, CallSite], Site] = {}
_older: dict[str, Site] = {}  # by name: the counts of sites that are no longer kept
_lock = threading.RLock()
_of_thread = threading.local()
_warned: set[tuple[str, int]] = set()
_listeners: list[Callable[["Noted"], None]] = []


# ---- events


def now() -> tuple[float, float]:
    """Return the CPU time and the clock, in seconds."""
    return time.process_time(), time.perf_counter()


def traced(
    jax_name: str,
    name: str,
    static,
    call,
    began: tuple[float, float],
    against: tuple[Change, ...] | None = None,
) -> None:
    """Note that a rule was traced: see Note [Journal of kernels].

    Args:
        jax_name: JAX's name of the function.
        name: the row or rule.
        static: static values of the rule itself.
        call: the operands of the call, nested.
        began: ``now()`` when the tracing began.
        against: the differences from an earlier kernel, of a program that knows them.
    """
    shapes = shapes_of(static, call, against)
    announced.journal = _Coming(f"jit({jax_name})", name, shapes, began)


def take_traced() -> Traced:
    """Return the kernel that this thread has just traced, for ``collected`` in another one."""
    taken = compile_events.take_announced()
    cpu, clock = now()
    began = cpu, clock
    if taken[0] is not None:  # else JAX had traced it before
        began = taken[0].began
    return Traced(taken, _caller_of(sys._getframe(1)), cpu - began[0], clock - began[1])


@contextlib.contextmanager
def collected(traced: Traced) -> Iterator[list[Note]]:
    """Collect the notes of a block that compiles a kernel; ``add`` adds them later.

    A warning or a listener then runs in the thread that calls the kernel.
    """
    coming, memory = traced.announced
    if coming is not None:
        cpu, clock = now()
        coming = coming._replace(began=(cpu - traced.cpu_seconds, clock - traced.seconds))
    compile_events.announce_again((coming, memory))
    notes: list[Note] = []
    _of_thread.collected, _of_thread.caller = notes, traced.caller
    try:
        yield notes
    finally:
        _of_thread.collected = _of_thread.caller = None


def loading(name: str, static) -> Callable:
    """Return a callable to call with the operands once the kernel looked up now is loaded."""
    began = now()

    def loaded(call) -> None:
        _note("loaded", name, shapes_of(static, call), began)

    return loaded


@contextlib.contextmanager
def compiling(tier: str) -> Iterator[None]:
    """Mark a block as the making of one kernel of this package, from one of ``SOURCES``.

    Other kernels that JAX compiles on the way, for constants of the rule, are counted as JAX's.
    """
    before = getattr(_of_thread, "tier", None)
    _of_thread.tier = tier
    try:
        yield
    finally:
        _of_thread.tier, announced.journal = before, None


def _on_compiled(kernel: Compiled) -> None:
    """Note a kernel that JAX compiled, or found in its own cache."""
    tier = getattr(_of_thread, "tier", None)
    coming: _Coming | None = announced.journal
    if coming is not None and kernel.jax_name in (coming.jax_name, ""):
        announced.journal = None
        source = "cached" if kernel.was_cached else tier or "full"
        _note(source, coming.name, coming.shapes, coming.began)
        return
    if tier is None:  # the traced rule is part of a function that is not ours
        announced.journal = None
    cpu, clock = now()
    began = cpu - kernel.seconds, clock - kernel.seconds
    _note("cached" if kernel.was_cached else "full", kernel.jax_name, None, began)


compile_events.on_compiled(_on_compiled)


def _note(source: str, name: str, shapes: Shapes | None, began: tuple[float, float]) -> None:
    cpu, clock = now()
    caller = getattr(_of_thread, "caller", None) or _caller_of(sys._getframe(1))
    note = Note(source, name, shapes, cpu - began[0], clock - began[1], caller)
    notes: list[Note] | None = getattr(_of_thread, "collected", None)
    if notes is None:
        add([note])
    else:
        notes.append(note)


def add(notes: list[Note]) -> None:
    """Add notes to their sites; warn, and call the listeners."""
    for note in notes:
        _add(note)


def _add(note: Note) -> None:
    source, name, shapes, cpu_seconds, seconds, (line, place) = note
    with _lock:
        site = _sites.get((name, place))
        if site is None:
            site = _sites[name, place] = Site(name, place)
            _keep_few()
        site.add({source: 1}, cpu_seconds, seconds)
        if shapes is not None:
            if len(site.shapes) == _KEPT_SHAPES:  # the first one stays
                del site.shapes[1]
            site.shapes.append(shapes)
    if line is not None and shapes is not None and not place.in_backward:
        _warn_of(site, line)
    if _listeners:
        noted = Noted(site, source, shapes, seconds, line is not None)
        held = getattr(_of_thread, "held", None)
        if held is None:
            _show(noted)
        else:
            held.append(noted)


def _show(noted: Noted) -> None:
    for listener in tuple(_listeners):
        listener(noted)


@contextlib.contextmanager
def shown_after() -> Iterator[None]:
    """Call the listeners after a block, for the kernels that it makes.

    A listener that raises would otherwise interrupt JAX before it has stored the kernel.
    """
    if not _listeners or getattr(_of_thread, "held", None) is not None:
        yield
        return
    held: list[Noted] = []
    _of_thread.held = held
    try:
        yield
    finally:
        _of_thread.held = None
    for noted in held:
        _show(noted)


@contextlib.contextmanager
def not_shown() -> Iterator[None]:
    """Call no listeners for the kernels that a block makes."""
    before = getattr(_of_thread, "held", None)
    _of_thread.held = []
    try:
        yield
    finally:
        _of_thread.held = before


def _keep_few() -> None:
    """Merge the oldest site into the sums by name when there are too many."""
    if len(_sites) > MOST_SITES:
        oldest = _sites.pop(next(iter(_sites)))
        older = _older.setdefault(oldest.name, Site(oldest.name, CallSite("", 0, 0, False)))
        older.add(oldest.counts, oldest.cpu_seconds, oldest.seconds)


def _caller_of(frame: FrameType) -> _Caller:
    """Return the user's line that is running, if any, and its place."""
    user: FrameType | None = None
    layers: list[int] = []
    in_backward = False
    while True:
        file = frame.f_code.co_filename
        if user is None and user_lines.is_users(file) and not file.startswith(_BETWEEN):
            user = frame
        in_backward = in_backward or file.endswith(_BACKWARD)
        if frame.f_code.co_name == "forward":
            layers.append(id(frame.f_locals.get("self")))
        if frame.f_back is None:
            break
        frame = frame.f_back
    line = None if user is None else user_lines.line_of(user)
    file, number = ("", 0) if line is None else line[:2]
    return _Caller(line, CallSite(file, number, hash(tuple(layers)), in_backward))


# ---- listeners and reports


def on_noted(listener: Callable[[Noted], None]) -> None:
    """Call a function after every kernel that is noted, in the thread that needed it.

    An exception that it raises leaves the call that needed the kernel. The kernel exists then,
    unless it is one that JAX handles itself, such as that of a user's ``jax.jit``.
    """
    _listeners.append(listener)


def unlisten(listener: Callable[[Noted], None]) -> None:
    """Undo one ``on_noted``."""
    _listeners.remove(listener)


def is_listened_to() -> bool:
    """Return whether a function has to be called after a kernel is noted."""
    return bool(_listeners)


def sites() -> list[Site]:
    """Return the sites, oldest first, followed by the sums by name of those no longer kept."""
    with _lock:
        return [*_sites.values(), *_older.values()]


def forget() -> None:
    """Forget all notes and warnings, and start again."""
    with _lock:
        _sites.clear()
        _older.clear()
        _warned.clear()


def _warn_of(site: Site, line: UserLine) -> None:
    """Warn, once per line, of a call that needs new kernels repeatedly."""
    bound = int(flags.flag("FLAGS_warn_compilations"))
    if not bound or site.kernels() < bound:
        return
    number = site.place.file, site.place.line
    found = changes(site.shapes)
    with _lock:
        if number in _warned or len(_warned) >= _MOST_WARNINGS or not found:
            return
        _warned.add(number)
    is_program = site.shapes[-1].against is not None
    user_lines.warn(
        f"{site.name} needed {site.kernels()} kernels at this line ({site.seconds:.1f} s), because "
        f"its arguments change ({found[0]}). {_IN_PROGRAMS if is_program else ''}Pad to a few "
        "lengths: paddle.io.BucketBatchSampler, docs/memory.md. print(paddle.debug.compilations()) "
        "lists all; FLAGS_warn_compilations=0 is silent.",
        line,
    )
