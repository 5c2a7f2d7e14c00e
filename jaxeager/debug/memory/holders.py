"""Finds the holders of arrays: the names of the program through which they live.

Note [Holders]
    The garbage collector knows which objects an object refers to. From the names of the program
    (the globals of its modules, the locals of running functions) the search follows these
    references, from all names at once, until it reaches the arrays; the shortest paths are the
    text. What the globals of libraries hold is not entered, so this takes milliseconds. For an
    array that no such name holds, the search goes on with the locals of waiting generators, then
    with the names of all libraries (a second or two), and finally backward from the array, to an
    object that only C code knows.
"""

from __future__ import annotations

import gc
import re
import sys
import types
from typing import TYPE_CHECKING

from jaxeager.debug.memory import program_roots
from jaxeager.debug.memory.path_text import Holder, Places, described
from jaxeager.debug.memory.program_roots import Root
from jaxeager.debug.memory.reach import ATOMS, Reach, Skipped
from jaxeager.debug.stacks import frames

if TYPE_CHECKING:
    from types import FrameType

MOST = 3  # holders of an array that are named
_MOST_OF_PROGRAM = 2_000_000  # objects that the search from the program's names enters
_MOST_OF_OTHERS = 300_000
_RINGS = 12
_MOST_UP = 20  # arrays that are searched from backward


def holders_of(arrays: list, most: int = MOST) -> dict[int, list[Holder]]:
    """Return, by the id of an array, its holders: public names and short paths first.

    Args:
        arrays: jax arrays.
        most: how many holders of each are searched for; fewer take less time.
    """
    was_enabled = gc.isenabled()
    gc.disable()  # what a search makes would be walked again and again
    try:
        return _holders_of(arrays, most)
    finally:
        if was_enabled:
            gc.enable()


def _holders_of(arrays: list, most: int) -> dict[int, list[Holder]]:
    wanted = {id(array) for array in arrays}
    found: dict[int, list[tuple[Root, list]]] = {id(array): [] for array in arrays}
    closed = {id(arrays), id(found), id(wanted)} | program_roots.namespaces()
    libraries = list(program_roots.of_libraries())
    own = [each for each in libraries if each[0].scope.startswith("of jaxeager")]
    of_libraries = closed | {id(value) for _, value in libraries}
    roots = list(program_roots.of_program())
    _search(roots, wanted, found, of_libraries, most, _MOST_OF_PROGRAM)
    for more, not_entered in (
        (program_roots.of_generators(), of_libraries),
        (own, closed),
        (libraries, closed),
    ):
        missing = {key for key, paths in found.items() if not paths}
        if missing:
            _search(list(more), missing, found, not_entered, 1, _MOST_OF_OTHERS)
    left = [each for each in arrays if not found[id(each)]][:_MOST_UP]
    if left:
        for path in _up(left, closed | {id(left)} | _own_objects()):
            found[id(path[-1])].append((_root_of(path[0]), path))
    places = Places()
    return {key: _texts(paths, places) for key, paths in found.items()}


def _texts(paths: list[tuple[Root, list]], places: Places) -> list[Holder]:
    """Return the holders of an array; those that differ only in an index once."""
    kept: dict[str, Holder] = {}
    texts = [(described(root, path, places), _length(path)) for root, path in paths]
    for holder, _ in sorted(texts, key=lambda each: (each[0].name.count("._"), each[1])):
        kept.setdefault(kind_of(holder), holder)
    return list(kept.values())[:MOST]


def _length(path: list) -> int:
    """Return the number of objects on a path."""
    return sum(each.objects if isinstance(each, Skipped) else 1 for each in path)


def kind_of(holder: Holder) -> str:
    """Return a holder's text without the indices of elements and the last node of its graph."""
    return re.sub(r"\[\d+\]|, \d+ nodes on.*", "", str(holder))


def _search(
    roots: list[tuple[Root, object]],
    wanted: set[int],
    found: dict,
    closed: set[int],
    most: int,
    objects: int,
) -> None:
    """Add the paths from roots to arrays.

    Args:
        roots: names and what they hold; of two names of one object the first counts.
        wanted: ids of arrays.
        found: by the id of an array, its paths; the search adds to it.
        closed: ids that are not entered.
        most: the most paths that an array gets.
        objects: how many objects are entered at most.
    """
    by_id: dict[int, tuple[Root, object]] = {}
    for root, value in roots:
        if id(value) not in closed and type(value) not in ATOMS:
            by_id.setdefault(id(value), (root, value))
    named = {
        key for key, (root, value) in by_id.items()
        if root.kind == "global" and isinstance(value, (type, types.FunctionType))
    }  # fmt: skip
    names = [root for root, _ in by_id.values()]
    values = [value for _, value in by_id.values()]
    for key, paths in Reach(closed | named).paths(values, wanted, most, objects).items():
        found[key] += [(names[position], path) for position, path in paths]


def _up(arrays: list, closed: set[int]) -> list[list]:
    """Return paths to arrays from objects that no other one refers to, as far as there are such."""
    paths = [[each] for each in arrays]
    tops = {id(each): each for each in arrays}
    closed = closed | {id(each) for each in (paths, tops, *paths)}
    for _ in range(_RINGS):  # each passes over all objects of the process
        parents: dict[int, list] = {key: [] for key in tops}
        for each in gc.get_referrers(*tops.values()):
            if id(each) not in closed and not isinstance(each, types.FrameType):
                for key in {id(child) for child in gc.get_referents(each)} & parents.keys():
                    parents[key].append(each)
        closed |= {id(parents), *map(id, parents.values())}
        tops.clear()
        for path in paths:
            on_path = {id(each) for each in path}
            for each in parents.get(id(path[0]), []):
                if id(each) not in on_path:
                    path.insert(0, each)
                    tops[id(each)] = each
                    break
        if not tops:
            break
    return [path for path in paths if len(path) > 1]


def _own_objects() -> set[int]:
    """Return the ids of what the running functions of this package hold."""
    found: set[int] = set()
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        names = frame.f_locals
        found.add(id(names))  # before Python 3.13 a dict that the frame keeps
        if frames.is_inside(frame.f_code.co_filename):
            for value in list(names.values()):
                found.add(id(value))
                if isinstance(value, (list, tuple, dict)):
                    found |= {id(each) for each in gc.get_referents(value)}
        frame = frame.f_back
    return found


def _root_of(thing: object) -> Root:
    """Return a root for an object that only C code holds."""
    return Root(f"a {type(thing).__qualname__}", "that C code holds", "", kind="C")
