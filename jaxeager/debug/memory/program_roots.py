"""The names by which a program holds objects: its globals, and the locals of running functions."""

from __future__ import annotations

import functools
import gc
import os
import sys
import sysconfig
import threading
import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from jaxeager.debug.stacks import frames

if TYPE_CHECKING:
    from types import FrameType

_PATHS = sysconfig.get_paths()
_INSTALLED = tuple(
    os.path.join(_PATHS[each], "") for each in ("stdlib", "platstdlib", "purelib", "platlib")
)
_PACKAGES = ("jaxeager", "jax", "jaxlib")


class Root(NamedTuple):
    """A name that holds an object.

    Attributes:
        name: the variable.
        scope: where it is: "of __main__", "in train", "in a generator".
        file: the file where it is written.
        within: the first and the last line of its function; None for a global.
        line: the line that its function is at, 0 for a global.
        kind: "global", "local", "thread", "generator" or "library".
    """

    name: str
    scope: str
    file: str
    within: tuple[int, int] | None = None
    line: int = 0
    kind: str = "global"


def is_installed_file(file: str) -> bool:
    """Return whether a file is of Python, of an installed package, or of this one."""
    return file.startswith(_INSTALLED) or file.startswith("<frozen ") or frames.is_inside(file)


def is_librarys_class(kind: type) -> bool:
    """Return whether a class was made by Python, an installed package, or this one."""
    module = getattr(kind, "__module__", None)
    return not isinstance(module, str) or is_librarys(module)


@functools.lru_cache(4096)
def is_librarys(module: str) -> bool:
    """Return whether a module belongs to Python, an installed package, or this one."""
    if module.partition(".")[0] in _PACKAGES:
        return True
    if module == "__main__":
        return False
    file = getattr(sys.modules.get(module), "__file__", None)
    return file is None or file.startswith(_INSTALLED)


def of_program() -> Iterator[tuple[Root, object]]:
    """Yield the globals of a program's modules, and the locals of its running functions."""
    for name, module in list(sys.modules.items()):
        if isinstance(module, types.ModuleType) and not is_librarys(name):
            yield from _globals(vars(module), _file_of(module), "global")
    known = {id(vars(each)) for each in _modules()}
    main = threading.main_thread().ident
    names = {each.ident: each.name for each in threading.enumerate()}
    for ident, frame in list(sys._current_frames().items()):
        thread = None if ident == main else names.get(ident, str(ident))
        walked: FrameType | None = frame
        while walked is not None:
            if not is_seen(walked.f_code.co_filename):
                pass
            elif walked.f_code.co_name != "<module>":
                yield from _locals(walked, thread)
            elif id(walked.f_globals) not in known:  # a program that exec runs, as a doctest
                known.add(id(walked.f_globals))
                yield from _globals(walked.f_globals, walked.f_code.co_filename, "global")
            walked = walked.f_back


def namespaces() -> set[int]:
    """Return the ids of the globals of modules and of running programs."""
    found = {id(vars(each)) for each in _modules()}
    for frame in list(sys._current_frames().values()):
        walked: FrameType | None = frame
        while walked is not None:
            found.add(id(walked.f_globals))
            walked = walked.f_back
    return found


def _modules() -> list[types.ModuleType]:
    return [each for each in list(sys.modules.values()) if isinstance(each, types.ModuleType)]


def of_generators() -> Iterator[tuple[Root, object]]:
    """Yield the locals of the generators and coroutines that wait."""
    kinds = types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType
    for thing in gc.get_objects():
        if isinstance(thing, kinds):
            frame = next(
                (getattr(thing, each) for each in _FRAMES if getattr(thing, each, None)), None
            )
            if frame is not None and is_seen(frame.f_code.co_filename):
                for root, value in _locals(frame, None):
                    yield root._replace(kind="generator"), value


_FRAMES = "gi_frame", "cr_frame", "ag_frame"


def of_libraries() -> Iterator[tuple[Root, object]]:
    """Yield the globals of all modules that are not the program's."""
    for name, module in list(sys.modules.items()):
        if isinstance(module, types.ModuleType) and is_librarys(name):
            yield from _globals(vars(module), _file_of(module), "library")


def is_seen(file: str) -> bool:
    """Return whether the functions of a file are the program's."""
    return not is_installed_file(file)


def _globals(names: dict[str, object], file: str, kind: str) -> Iterator[tuple[Root, object]]:
    scope = f"of {names.get('__name__', 'a program')}"
    for name, each in list(names.items()):
        if not name.startswith("__"):
            yield Root(name, scope, file, kind=kind), each


def _file_of(module: types.ModuleType) -> str:
    return getattr(module, "__file__", None) or "<stdin>"


def _locals(frame: types.FrameType, thread: str | None) -> Iterator[tuple[Root, object]]:
    code = frame.f_code
    last = max([line for _, _, line in code.co_lines() if line is not None], default=0)
    scope = f"in {code.co_name}" + (f", which thread {thread} runs" if thread else "")
    within = code.co_firstlineno, last
    kind = "thread" if thread else "local"
    for name, value in list(frame.f_locals.items()):
        yield Root(name, scope, code.co_filename, within, frame.f_lineno, kind), value
