"""Which names Paddle has, which of them are here, and why the others are not.

``paddle_names.json`` has the public names with their signatures, ``paddle_modules.txt`` the names
of every module, public or not, ``paddle_imported.txt`` what modules have from others, and
``absent.toml`` the reasons. docs/record_paddle_names.py asks Paddle for the first three.
"""

import functools
import importlib
import json
import re
import sys
import tomllib
from importlib.resources import files
from types import ModuleType
from typing import Any

from jaxeager.paddle_name import THEIRS, our_name

_FILES = files("jaxeager.compat")


def _text(name: str) -> str:
    return _FILES.joinpath(name).read_text(encoding="utf-8")


@functools.cache
def recorded() -> dict[str, Any]:
    """Return what is in paddle_names.json: the version, and {module: {name: signature}}.

    The module "paddle" is called so, others without that prefix; "Tensor" has the methods.
    """
    return json.loads(_text("paddle_names.json"))


@functools.cache
def modules() -> dict[str, set[str]]:
    """Return the names of every module of Paddle, those that are not public among them."""
    lines = [line.partition(": ") for line in _text("paddle_modules.txt").splitlines()]
    return {module: set(names.split()) for module, _, names in lines}


@functools.cache
def _imported() -> dict[str, str]:
    """Return {module: what it has from others of Paddle}, as paddle_imported.txt has it."""
    lines = [line.partition(": ") for line in _text("paddle_imported.txt").splitlines()]
    return {module: homes for module, _, homes in lines}


def elsewhere(module: str, name: str) -> Any:
    """Return what a module of Paddle has because it imports it from another; None without any.

    Example:
        >>> elsewhere("paddle.nn.layer.layers", "in_declarative_mode").__module__
        'jaxeager.base.dygraph.base'
    """
    for home in re.finditer(r"([\w.]+)\(([^)]*)\)", _imported().get(module, "")):
        if name in home[2].split():
            found = find(f"{home[1]}.{name}")
            return None if found is _NOTHING else found
    return None


@functools.cache
def packages() -> frozenset[str]:
    """Return the modules of Paddle that have modules."""
    return frozenset(module.rpartition(".")[0] for module in modules())


@functools.cache
def reasons() -> dict[str, str]:
    """Return {"module.name": why it is missing}."""
    return _of_each("reason")


@functools.cache
def classes() -> dict[str, str]:
    """Return {"module.name": what kind of name is missing, such as "static graph"}."""
    return _of_each("class")


def _of_each(field: str) -> dict[str, str]:
    groups = tomllib.loads(_text("absent.toml"))["absent"]
    return {name: group[field] for group in groups for name in group["names"].split()}


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
    """Says whether a name is one of Paddle's public ones."""
    return api in public()


def is_known(api: str) -> bool:
    """Says whether Paddle has a name, public or not."""
    parent, _, name = api.rpartition(".")
    return api in public() or api in modules() or name in modules().get(parent, ())


def reason(api: str) -> str:
    """Return why a name is missing: what it says itself, its reason, or its module's; else ""."""
    if said := refusal(find(api)):
        return said
    short = api if api.count(".") == 1 else api.removeprefix(f"{THEIRS}.")
    if short in reasons():
        return reasons()[short]
    while "." in short:
        short = short.rpartition(".")[0]
        if f"{short}.*" in reasons():
            return reasons()[f"{short}.*"]
    return ""


def refusal(value: Any) -> str:
    """Return why a name that can be imported raises when it is called; "" for any other."""
    said = getattr(value, "refused", "")
    return said if isinstance(said, str) else ""


def is_here(api: str) -> bool:
    """Says whether jaxeager has a name, and what it calls; imports the modules on the way to it.

    Example:
        >>> is_here("paddle.nn.functional.relu"), is_here("paddle.MmapStorage")
        (True, False)
    """
    found = find(api)
    if found is not _NOTHING:
        return not refusal(found)
    module, _, name = api.rpartition(".")
    return module in modules() and above(module, name) is not None


# Packages whose inner modules have functions called as Paddle's own, which are others.
_APART = set(
    "_C_ops _legacy_C_ops cinn compat decomposition distributed incubate jit pir sparse "
    "static".split()
)


def above(module: str, name: str) -> Any:
    """Return what a package above a module of Paddle has under its name; None without any.

    Paddle defines public names in inner modules and shows them in packages: ``ReLU`` of
    ``paddle.nn.layer.activation`` is ``paddle.nn.ReLU``.

    Example:
        >>> above("paddle.nn.layer.activation", "ReLU").__name__
        'ReLU'
    """
    parts = module.split(".")[:-1]
    while parts:
        package = sys.modules.get(our_name(".".join(parts)))
        is_apart = len(parts) == 1 and module.split(".")[1] in _APART
        is_inner = name[:1] == "_" and name in modules().get(module, ())
        is_meant = is_inner or is_public(".".join([*parts, name]))
        if package is not None and not is_apart and is_meant:
            found = vars(package).get(name)
            if found is not None and not isinstance(found, ModuleType):
                return found
        parts.pop()
    return None


def has_names(api: str) -> bool:
    """Says whether what is here under a name is a module or a class, which have names."""
    return isinstance(find(api), (ModuleType, type))


_NOTHING = object()


def find(api: str) -> Any:
    """Return what a name of Paddle is here; a mark of its own when it is not."""
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
