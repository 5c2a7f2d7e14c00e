"""The names that Paddle has, those available here, and the reasons why the others are not.

``paddle_names.json`` has the public names with their signatures, ``paddle_modules.txt`` the names
of every module, public or not, ``paddle_imported.txt`` the names that modules import from others,
``absent.toml`` the reasons, and ``absent_inner.toml`` those of names that are not public.
tools/record_paddle_names.py records the first three from Paddle.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import json
import re
import sys
import tomllib
from collections.abc import Iterator, Set
from importlib.resources import files
from types import ModuleType
from typing import Any

from jaxeager.core.unsupported_names import refused
from jaxeager.launcher.finder import THEIRS, our_name

_FILES = files("jaxeager.launcher")


def _text(name: str) -> str:
    return _FILES.joinpath(name).read_text(encoding="utf-8")


@functools.cache
def recorded() -> dict[str, Any]:
    """Return the contents of paddle_names.json: the version, and {module: {name: signature}}.

    The key "paddle" has its prefix, other modules do not; "Tensor" has the methods.
    """
    return json.loads(_text("paddle_names.json"))


@functools.cache
def modules() -> dict[str, set[str]]:
    """Return the names of every module of Paddle, including those that are not public."""
    lines = [line.partition(":") for line in _text("paddle_modules.txt").splitlines()]
    return {module: set(names.split()) for module, _, names in lines}


@functools.cache
def _imported() -> dict[str, str]:
    """Return {module: the names it imports from others of Paddle}, from paddle_imported.txt."""
    lines = [line.partition(": ") for line in _text("paddle_imported.txt").splitlines()]
    return {module: homes for module, _, homes in lines}


# What ``elsewhere`` and ``is_offered`` look for at present: Paddle's imports are circular.
_sought: set[tuple[str, str]] = set()
# Modules and values that most modules of Paddle import under these names.
_COMMON = {
    "core": "paddle.base.core",
    "VarDesc": "paddle.base.core.VarDesc",
    "paddle": "paddle",
}


def elsewhere(module: str, name: str) -> object:
    """Return the object that a module of Paddle imports from another one; None if there is none.

    Example:
        >>> elsewhere("paddle.nn.layer.layers", "in_declarative_mode").__module__
        'jaxeager.legacy.base.dygraph.base'
    """
    home = home_of(module, name)
    if home is None and name in modules().get(module, ()):
        home = _COMMON.get(name)
    if home is None or (module, name) in _sought:
        return None
    with _seeking(module, name):
        found = find(home)
    return None if found is _NOTHING else found


def home_of(module: str, name: str) -> str | None:
    """Return the full name of what a module of Paddle imports from another; None if it does not.

    Example:
        >>> home_of("paddle.vision.transforms.transforms", "F")
        'paddle.vision.transforms.functional'
    """
    return _homes(module).get(name)


@functools.cache
def _homes(module: str) -> dict[str, str]:
    """Return {name: the full name of what it is} of the names that a module imports."""
    found = {}
    for home, names in re.findall(r"([\w.]+)\(([^)]*)\)", _imported().get(module, "")):
        for each in names.split():
            own, _, alias = each.partition("=")
            found[alias or own] = f"{home}.{own}"
    return found


@contextlib.contextmanager
def _seeking(module: str, name: str) -> Iterator[None]:
    _sought.add((module, name))
    try:
        yield
    finally:
        _sought.discard((module, name))


def given(module: str, name: str) -> object:
    """Return what a name of a module of Paddle is, wherever it is kept here; None if it is missing.

    Example:
        >>> given("paddle.nn.layer.pooling", "MaxPool2D").__name__
        'MaxPool2D'
    """
    found = above(module, name)
    return elsewhere(module, name) if found is None else found


@functools.cache
def is_offered(module: str) -> bool:
    """Return whether an inner module of Paddle has anything here: a name, or a module below it.

    Example:
        >>> is_offered("paddle.nn.layer.pooling"), is_offered("paddle.distributed.passes.cpp_pass")
        (True, False)
    """
    if module not in modules() or (module, "") in _sought:
        return False
    with _seeking(module, ""):
        names = {name for name in modules()[module] if name not in _COMMON}
        if any(given(module, name) is not None for name in names):
            return True
        if any(is_offered(each) for each in _below().get(module, ())):
            return True
        if not names and names_from_others(module):
            return any(given(module, name) is not None for name in names_from_others(module))
        return not names and module not in packages()


def names_from_others(module: str) -> list[str]:
    """Return the names that a module of Paddle imports from others of Paddle.

    Example:
        >>> names_from_others("paddle.nn.parameter")
        ['EagerParamBase', 'Parameter']
    """
    return list(_homes(module))


@functools.cache
def _below() -> dict[str, list[str]]:
    """Return {package: the modules in it}."""
    found: dict[str, list[str]] = {}
    for module in modules():
        found.setdefault(module.rpartition(".")[0], []).append(module)
    return found


def packages() -> Set[str]:
    """Return the modules of Paddle that have modules."""
    return _below().keys()


@functools.cache
def reasons() -> dict[str, str]:
    """Return {"module.name": why it is missing}."""
    return _of_each("reason")


@functools.cache
def classes() -> dict[str, str]:
    """Return {"module.name": the kind of the missing name, such as "static graph"}."""
    return _of_each("class")


def _of_each(field: str) -> dict[str, str]:
    return _listed("absent.toml", field)


@functools.cache
def _inner_classes() -> dict[str, str]:
    return _listed("absent_inner.toml", "class")


def of_vendor(module: str, name: str) -> object:
    """Return an object that raises when called, for a name of one maker's chips; else None."""
    api = f"{module}.{name}"
    short = api.removeprefix(f"{THEIRS}.")
    kind = classes() if is_public(api) else _inner_classes()
    if not is_known(api) or _reason_in(kind, short) != "vendor":
        return None
    return refused(module, reason(api), name)[name]


@functools.cache
def inner_reasons() -> dict[str, str]:
    """Return {"module.name" or "module.*": why a name that is not public is missing}."""
    return _listed("absent_inner.toml", "reason")


def _listed(file: str, field: str) -> dict[str, str]:
    groups = tomllib.loads(_text(file))["absent"]
    return {name: group.get(field, "") for group in groups for name in group["names"].split()}


def version() -> str:
    """Return the version of Paddle that was recorded."""
    return recorded()["version"]


@functools.cache
def public() -> frozenset[str]:
    """Return the public names of Paddle, such as "paddle.nn.Linear" and "paddle.Tensor.add"."""
    found = [
        f"{_full(module)}.{name}"
        for module, names in recorded()["modules"].items()
        for name in names
    ]
    return frozenset(found) | {_full(module) for module in recorded()["modules"]}


def _full(module: str) -> str:
    return module if module == THEIRS else f"{THEIRS}.{module}"


def is_public(api: str) -> bool:
    """Return whether a name is one of Paddle's public ones."""
    return api in public()


def is_known(api: str) -> bool:
    """Return whether Paddle has a name, public or not."""
    parent, _, name = api.rpartition(".")
    is_recorded = api in public() or api in modules() or name in modules().get(parent, ())
    return is_recorded or home_of(parent, name) is not None


def reason(api: str) -> str:
    """Return why a name is missing: its own reason, its module's, or that of its home; else ""."""
    if why := refusal(find(api)):
        return why
    short = api if api.count(".") == 1 else api.removeprefix(f"{THEIRS}.")
    is_inner = is_known(api) and not is_public(api)
    why = _reason_in(inner_reasons(), short) if is_inner else ""
    why = why or _reason_in(reasons(), short)
    if why or not is_inner:
        return why
    parent, _, name = api.rpartition(".")
    home = home_of(parent, name)
    return "" if home is None or home == api else reason(home)


def _reason_in(by_name: dict[str, str], name: str) -> str:
    """Return the reason of a name, of the module it names, or of a module above."""
    module = name.removeprefix(f"{THEIRS}.")
    for each in (name, f"{module}.*"):
        if each in by_name:
            return by_name[each]
    while "." in module:
        module = module.rpartition(".")[0]
        if f"{module}.*" in by_name:
            return by_name[f"{module}.*"]
    return ""


def refusal(value: object) -> str:
    """Return why an importable name raises when it is called; "" for any other."""
    why = getattr(value, "refused", "")
    return why if isinstance(why, str) else ""


def is_here(api: str) -> bool:
    """Return whether jaxeager has a name, and its value; import the modules on the way to it.

    Example:
        >>> is_here("paddle.nn.functional.relu"), is_here("paddle.MmapStorage")
        (True, False)
    """
    found = find(api)
    if found is not _NOTHING:
        return not refusal(found)
    module, _, name = api.rpartition(".")
    return module in modules() and above(module, name) is not None


# Packages whose inner modules have functions with the same names as Paddle's, but different.
_APART = set(
    "_C_ops _legacy_C_ops cinn compat decomposition distributed incubate jit pir sparse "
    "static".split()
)


# Modules that have names of the packages above them for something else: other devices, programs.
_SEPARATE = {"paddle.autograd.ir_backward", "paddle.device.custom_device", "paddle.device.xpu"}


def above(module: str, name: str) -> object:
    """Return the name that a package above a module of Paddle has; None if there is none.

    Paddle defines public names in inner modules and shows them in packages: ``ReLU`` of
    ``paddle.nn.layer.activation`` is ``paddle.nn.ReLU``.

    Example:
        >>> above("paddle.nn.layer.activation", "ReLU").__name__
        'ReLU'
    """
    parts = [] if module in _SEPARATE else module.split(".")[:-1]
    while parts:
        above_it = ".".join(parts)
        package = _package(above_it) if name[:2] != "__" else None
        is_apart = len(parts) == 1 and module.split(".")[1] in _APART
        is_inner = name[:1] == "_" and name in modules().get(module, ())
        is_shown = name in modules().get(above_it, ()) or is_public(f"{above_it}.{name}")
        is_meant = is_inner or is_shown
        if package is not None and not is_apart and is_meant:
            listed = name in vars(package).get("__all__", ())  # some are imported on first use
            found = getattr(package, name, None) if listed else vars(package).get(name)
            if found is not None and not isinstance(found, ModuleType):
                return found
        parts.pop()
    return None


def _package(name: str) -> ModuleType | None:
    """Return a package of Paddle here, None if there is none; import those that are public."""
    found = sys.modules.get(our_name(name))
    if found is not None or not is_public(name):
        return found
    try:
        return importlib.import_module(our_name(name))
    except ModuleNotFoundError:
        return None


def has_names(api: str) -> bool:
    """Return whether a name refers to a module or a class here, which have names."""
    return isinstance(find(api), (ModuleType, type))


_NOTHING = object()


def find(api: str) -> object:
    """Return the object that a name of Paddle refers to here; a sentinel if it is missing."""
    first, *rest = our_name(api).split(".")
    found, name = importlib.import_module(first), first
    for part in rest:
        name = f"{name}.{part}"
        if hasattr(found, part):
            found = getattr(found, part)
            continue
        try:
            found = importlib.import_module(name)
        except ModuleNotFoundError:
            return _NOTHING
    return found
