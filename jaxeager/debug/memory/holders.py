"""Finds the holders of arrays: the names of the program through which they live.

Note [Holders]
    The garbage collector knows which objects an object refers to. From each name of the program (a
    global of its modules, a local of a running function) the search follows these references until
    it reaches the arrays; the shortest way is the text. What the globals of libraries hold is not
    entered, so this takes milliseconds for each name. For an array that no such name holds, the
    search goes on with the locals of waiting generators, then with the names of all libraries (a
    second or two), and at last backward from the array, to an object that only C code knows.
"""

import gc
import re
import sys
import types
from typing import Any

from jaxeager.debug.memory import program_roots
from jaxeager.debug.memory.path_text import Holder, described
from jaxeager.debug.memory.program_roots import Root
from jaxeager.debug.memory.reach import ATOMS, Reach
from jaxeager.debug.stacks import frames

MOST = 3  # the most holders of an array
_RINGS = 12
_MOST_UP = 20  # arrays that are searched from backward: each step passes over all objects


def holders_of(arrays: list) -> dict[int, list[Holder]]:
    """Return, by the id of an array, its holders: public names and short ways first."""
    wanted = {id(array) for array in arrays}
    found: dict[int, list[tuple[Root, list]]] = {id(array): [] for array in arrays}
    closed = {id(arrays), id(found), id(wanted)} | program_roots.namespaces()
    libraries = list(program_roots.of_libraries())
    of_libraries = {id(value) for _, value in libraries}
    _search(list(program_roots.of_program()), wanted, found, closed | of_libraries)
    for more, not_entered in (
        (program_roots.of_generators(), closed | of_libraries),
        (libraries, closed),
    ):
        missing = {key for key, ways in found.items() if not ways}
        if missing:
            _search(list(more), missing, found, not_entered, is_joint=True)
    left = [each for each in arrays if not found[id(each)]][:_MOST_UP]
    for array in left:
        way = _up(array, closed | _own_objects())
        if way:
            found[id(array)].append((_root_of(way[0]), way))
    return {key: _texts(ways) for key, ways in found.items()}


def _texts(ways: list[tuple[Root, list]]) -> list[Holder]:
    """Return the holders of an array; those that differ only in an index once."""
    kept: dict[str, Holder] = {}
    texts = [(described(root, way), len(way)) for root, way in ways]
    for holder, _ in sorted(texts, key=lambda each: (each[0].name.count("._"), each[1])):
        kept.setdefault(kind_of(holder), holder)
    return list(kept.values())[:MOST]


def kind_of(holder: Holder) -> str:
    """Return a holder's text without the indices of elements and the last node of its graph."""
    return re.sub(r"\[\d+\]|, \d+ nodes on.*", "", str(holder))


def _search(
    roots: list[tuple[Root, Any]], wanted: set[int], found: dict, closed: set[int], is_joint=False
) -> None:
    """Add the ways from roots to arrays.

    Args:
        roots: names and what they hold; of two names of one object the first counts.
        wanted: ids of arrays.
        found: by the id of an array, its ways; the search adds to it.
        closed: ids that are not entered.
        is_joint: search from all roots at once, for the nearest way alone.
    """
    by_id: dict[int, tuple[Root, Any]] = {}
    for root, value in roots:
        if id(value) not in closed and type(value) not in ATOMS:
            by_id.setdefault(id(value), (root, value))
    if is_joint:
        together = [value for _, value in by_id.values()]
        for key, way in Reach(closed).ways(together, wanted).items():
            found[key].append((by_id[id(way[1])][0], way[1:]))
        return
    named = {
        key for key, (root, value) in by_id.items()
        if root.kind == "global" and isinstance(value, (type, types.FunctionType))
    }  # fmt: skip
    reach = Reach(closed | named)
    for root, value in by_id.values():
        for key, way in reach.ways(value, wanted).items():
            found[key].append((root, way))


def _up(array: Any, closed: set[int]) -> list:
    """Return the way to an array from an object that no other one refers to."""
    way = [array]
    seen = closed | {id(way)}
    for _ in range(_RINGS):
        parents = [
            each for each in gc.get_referrers(way[0])
            if id(each) not in seen and not isinstance(each, types.FrameType)
        ]  # fmt: skip
        if not parents:
            break
        seen |= {id(parents), id(parents[0])}
        way.insert(0, parents[0])
    return way if len(way) > 1 else []


def _own_objects() -> set[int]:
    """Return the ids of what the running functions of this package hold."""
    found: set[int] = set()
    frame: Any = sys._getframe(1)
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


def _root_of(thing: Any) -> Root:
    """Return a root for an object that only C code holds."""
    return Root(f"a {type(thing).__qualname__}", "that C code holds", "", kind="C")
