"""Checks of Paddle's public classes here: their kinds, bases, members and positions.

record_paddle_names.py recorded Paddle's classes; tools/other_members.toml lists the differences
here, and their reasons.
"""

import fnmatch
import functools
import json
import pathlib
import tomllib

from paddle_coverage import NAMES, _parts, bare, find
from record_paddle_names import CLASSES, kind_of

HERE = pathlib.Path(__file__).resolve().parent


@functools.cache
def recorded() -> dict:
    """Return the recorded data of Paddle's classes."""
    return json.loads(CLASSES.read_text(encoding="utf-8"))


@functools.cache
def reasons() -> dict[str, str]:
    """Return {"module.Class.member", a pattern: why it differs here}."""
    table = tomllib.loads((HERE / "other_members.toml").read_text(encoding="utf-8"))
    return {name: group["reason"] for group in table["other"] for name in group["names"].split()}


def is_listed(name: str) -> bool:
    """Return whether a reason is recorded for a name."""
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in reasons())


def ours(name: str):
    """Return the object with a public name here; None if there is none."""
    import jaxeager

    module, _, last = name.rpartition(".")
    try:
        return getattr(find(jaxeager, module), last, None)
    except ModuleNotFoundError:
        return None


def other_kinds() -> dict[str, str]:
    """Return the names that are of another kind here: a class where Paddle has a function..."""
    found = {}
    for module, names in recorded()["kinds"].items():
        for name, kind in names.items():
            value = ours(f"{module}.{name}")
            if value is not None and kind_of(value) != kind:
                found[f"{module}.{name}"] = f"{kind_of(value)}, in Paddle a {kind}"
    return found


def other_bases() -> dict[str, str]:
    """Return the classes that lack a public base, or a builtin one, of Paddle's."""
    found = {}
    for name, facts in recorded()["classes"].items():
        cls = ours(name)
        for base in facts["bases"] if isinstance(cls, type) else ():
            wanted = ours(base) if "." in base else getattr(__import__("builtins"), base)
            if wanted is not None and not issubclass(cls, wanted):
                found[f"{name}:{base}"] = f"{name} is not a {base}"
    return found


def missing_members() -> dict[str, str]:
    """Return the members of Paddle's classes that ours lack."""
    found = {}
    for name, facts in recorded()["classes"].items():
        cls = ours(name)
        if isinstance(cls, type) and name != "paddle.Tensor":  # its names are in coverage.md
            written = _instance_attributes(cls)
            for member in facts["members"]:
                if not hasattr(cls, member) and member not in written:
                    found[f"{name}.{member}"] = "absent"
    return found


def _instance_attributes(cls: type) -> set[str]:
    """Return the attributes that the constructors of a class set on its instances."""
    names: set[str] = set()
    for each in cls.__mro__:
        code = getattr(vars(each).get("__init__"), "__code__", None)
        names |= set(code.co_names) if code else set()
        names |= set(getattr(each, "__annotations__", ()))
    return names


def other_positions() -> dict[str, str]:
    """Return the functions and methods whose positional parameters differ from Paddle's."""
    found = {}
    for module, names in json.loads(NAMES.read_text(encoding="utf-8"))["modules"].items():
        for name, signature in names.items():
            _compare(found, f"{module}.{name}", signature, int(module == "Tensor"))
    for name, facts in recorded()["classes"].items():
        for member, signature in facts["members"].items():
            cls = ours(name)
            if isinstance(cls, type) and hasattr(cls, member) and signature != "property":
                _compare(found, f"{name}.{member}", signature, 1, getattr(cls, member))
    return found


def _compare(found: dict, name: str, theirs: str | None, first: int, value=None) -> None:
    """Record a difference of the positional parameters from number ``first`` on."""
    value = ours(name) if value is None else value
    here = bare(value) if callable(value) else None
    if theirs is None or here is None or any(part[:1] == "*" for part in _parts(here)[:2]):
        return
    wanted, has = positional(theirs), positional(here)
    takes_all = any(part[:1] == "*" and part[1:2] not in ("", "*") for part in _parts(here))
    if not takes_all and has[first : len(wanted)] != wanted[first:]:
        found[name] = f"{here}, in Paddle {theirs}"


def positional(signature: str) -> list[str]:
    """Return the names of the parameters that can be passed by position."""
    names = []
    for part in _parts(signature):
        if part[:1] == "*":
            break
        names += [part] if part not in ("", "/") else []
    return names
