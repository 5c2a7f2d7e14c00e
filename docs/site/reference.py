"""The pages of the reference, from docstrings.

A public module has a page of tables, which lead to the page of each class and to those of its
functions; functions of one file share a page. ``jaxeager.Tensor`` is treated as such a module. A
name that is public in several modules is described in one of them, and the others refer to it.
"""

import builtins
import functools
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, get_origin

# Packages that are not rooms of the public interface, though Python finds them.
INSIDE = "arrays core graph jax_bridge kernels launcher legacy.base notebook ops tensor".split()
TENSOR = "jaxeager.Tensor"


class Name(NamedTuple):
    """A public name: its full form, and its value."""

    full: str
    value: Any


class Room(NamedTuple):
    """What the page of a public module is made from.

    Attributes:
        title: the module's name.
        head: the directive that prints its description.
        classes: the classes that are described here.
        families: the functions that are described here, by family.
        data: constants.
        others: names that are described elsewhere, each with the name that it is described as.
    """

    title: str
    head: str
    classes: list[Name]
    families: dict[str, list[Name]]
    data: list[Name]
    others: list[tuple[str, str]]


def write_reference(folder: Path) -> list[str]:
    """Write all pages into a folder; return the names of those that the menu has."""
    rooms = public_rooms()
    home = homes(rooms)
    made = [_room(name, module, home) for name, module in rooms.items()]
    made.insert(1, _tensor())
    for room in made:
        for page, text in _pages(room):
            (folder / f"{page}.rst").write_text(text)
    return [room.title for room in made]


# ---- what is public


def public_rooms() -> dict[str, ModuleType]:
    """Return the modules that list their names: the package and its rooms."""
    package = importlib.import_module("jaxeager")
    found = {"jaxeager": package}
    inside = tuple(f"jaxeager.{room}." for room in INSIDE)
    for each in pkgutil.walk_packages(package.__path__, "jaxeager."):
        is_inner = "._" in each.name or f"{each.name}.".startswith(inside)
        if each.ispkg and not is_inner:
            module = importlib.import_module(each.name)
            if public_names(module):
                found[each.name] = module
    return found


def public_names(module: ModuleType) -> list[str]:
    """Return the names of a module, without other modules."""
    names = getattr(module, "__all__", ())
    return sorted(n for n in names if not inspect.ismodule(getattr(module, n)))


def homes(rooms: dict[str, ModuleType]) -> dict[int, str]:
    """Return the full name of each object.

    Of several rooms it is in the innermost one that it was defined in; of several names it has its
    own.
    """
    found: dict[int, tuple[int, bool, str]] = {}
    for room, module in rooms.items():
        for name in public_names(module):
            value = getattr(module, name)
            is_inside = f"{getattr(value, '__module__', '')}.".startswith(f"{room}.")
            is_own = getattr(value, "__name__", name) == name
            rank = len(room) if is_inside else 0, is_own, f"{room}.{name}"
            if id(value) not in found or rank[:2] > found[id(value)][:2]:
                found[id(value)] = rank
    return {each: name for each, (*_, name) in found.items()}


def _room(title: str, module: ModuleType, home: dict[int, str]) -> Room:
    classes, data, others, functions = [], [], [], []
    for each in public_names(module):
        name = Name(f"{title}.{each}", getattr(module, each))
        if get_origin(name.value) is not None or not callable(name.value):
            data.append(name)
        elif home[id(name.value)] != name.full:
            others.append((name.full, home[id(name.value)]))
        elif inspect.isclass(name.value):
            classes.append(name)
        else:
            functions.append(name)
    head = f".. automodule:: {title}\n   :no-members:"
    return Room(title, head, classes, _by_family(functions), data, others)


def _tensor() -> Room:
    tensor = importlib.import_module("jaxeager").Tensor
    members = [name for name in dir(tensor) if not name.startswith("_")]
    names = [Name(f"{TENSOR}.{each}", inspect.getattr_static(tensor, each)) for each in members]
    return Room(TENSOR, f".. autoclass:: {TENSOR}", [], _by_family(names), [], [])


# ---- families


def _by_family(names: list[Name]) -> dict[str, list[Name]]:
    files = _files_of_rows()
    found: dict[str, list[Name]] = {}
    for name in names:
        value = getattr(name.value, "fget", name.value)
        module = files.get(id(value)) or getattr(value, "__module__", None) or "jaxeager"
        found.setdefault(_family(module), []).append(name)
    return dict(sorted(found.items()))


def _family(module: str) -> str:
    """Return the name of the functions of a file: ``pooling``, or ``indexing: gather`` of an op."""
    *folders, file = module.replace("_", " ").split(".")
    return f"{folders[-1]}: {file}" if "ops" in folders[:-1] else file


@functools.cache
def _files_of_rows() -> dict[int, str]:
    """Return the file of each function that the op table makes."""
    from generate import place_of

    from jaxeager.debug.ops_command import functions_of
    from jaxeager.ops.row import ROWS

    return {
        id(function): f"jaxeager.ops.{'.'.join(place_of(row))}"
        for row in ROWS.values()
        for _, function in functions_of(row)
    }


# ---- pages


def _pages(room: Room) -> Iterator[tuple[str, str]]:
    """Yield the name and text of each page of a room."""
    described = _described_in(room)
    yield room.title, "\n".join([*_titled(room.title), room.head, "", *_tables(room)])
    for name in room.classes:
        if name.full == TENSOR:  # it is a room
            continue
        page = [":orphan:", "", *_titled(name.full), f"In {described}.", ""]
        directive = [f".. autoclass:: {name.full}", "   :members:", "   :show-inheritance:", ""]
        yield name.full, "\n".join([*page, *directive])
    for family, names in room.families.items():
        title = f"{room.title}: {family}"
        page = [":orphan:", "", *_titled(title), f"In {described}.", ""]
        for name in names:
            page += [*_directive(name), ""]
        yield _page_of(room, family), "\n".join(page)


def _described_in(room: Room) -> str:
    kind = "class" if room.title == TENSOR else "mod"
    return f":py:{kind}:`{room.title}`"


def _page_of(room: Room, family: str) -> str:
    return f"{room.title}-{family.replace(': ', '-').replace(' ', '_')}"


def _titled(title: str) -> list[str]:
    return [title, "=" * len(title), ""]


def _directive(name: Name) -> list[str]:
    if not name.full.startswith(f"{TENSOR}."):
        return [f".. autofunction:: {name.full}"]
    if isinstance(name.value, property):
        return [f".. autoproperty:: {name.full}"]
    if callable(name.value) or isinstance(name.value, (classmethod, staticmethod)):
        return [f".. automethod:: {name.full}"]
    return [f".. autoattribute:: {name.full}"]


def _tables(room: Room) -> list[str]:
    """Return the lines of a room's tables."""
    lines: list[str] = []
    if room.classes:
        lines += [*_headed("Classes"), *_grouped(room, _by_family(room.classes), str)]
    if room.families:
        lines += _headed("Methods and attributes" if room.title == TENSOR else "Functions")
        lines += _grouped(room, room.families, lambda f: f":doc:`{f} <{_page_of(room, f)}>`")
    if room.data:
        lines += _headed("Constants and types")
    for name in room.data:
        lines += [f".. py:data:: {_short(name.full)}", *_described_data(name), ""]
    if room.others:
        lines += _headed("Described elsewhere")
    for full, home in room.others:  # the search shows where they are described
        lines += [f".. py:data:: {_short(full)}", "   :no-index:", ""]
        lines += [f"   The same as :py:obj:`{home}`.", ""]
    return lines


def _short(full: str) -> str:
    """Return a name within the module of its page."""
    return full.rpartition(".")[2]


def _grouped(
    room: Room, families: dict[str, list[Name]], heading: Callable[[str], str]
) -> list[str]:
    """Return a table of the families of one name, then a table of each larger family."""
    single = [names[0] for names in families.values() if len(names) == 1]
    single.sort(key=lambda name: name.full)
    lines = _table(room, single) if single else []
    for family, names in families.items():
        if len(names) > 1:
            lines += [f".. rubric:: {heading(family)}", "", *_table(room, names)]
    return lines


def _headed(title: str) -> list[str]:
    return [title, "-" * len(title), ""]


def _table(room: Room, names: list[Name]) -> list[str]:
    """Return a table of names and first lines; names are relative to the module of the page."""
    module = "" if room.title == TENSOR else f"{room.title}."
    rows = [f"   ~{name.full.removeprefix(module)}" for name in names]
    return [".. autosummary::", "   :nosignatures:", "", *rows, ""]


def _described_data(name: Name) -> list[str]:
    if get_origin(name.value) is not None:  # its docstring is that of a class of Python
        return [f"   :value: {name.value}"]
    lines = [f"   :type: {type(name.value).__name__}"]
    # Where `int` is an object of the site, each annotation would lead to it.
    return [*lines, "   :no-index:"] if hasattr(builtins, _short(name.full)) else lines
