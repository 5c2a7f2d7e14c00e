"""Errors about missing names: whether Paddle has the name, why it is missing, what is nearest.

Note [Names that are lacking]
While ``paddle`` is jaxeager, every module handles names it does not have: it gets a
``__getattr__``, which Python calls last. The error of ``paddle.x.y`` is an AttributeError that
builds its text when it is read, so that ``hasattr`` stays cheap. ``from paddle.x import y`` calls
it the same way, but Python replaces the text with its own; so the function checks whether the
calling instruction is IMPORT_FROM, and raises the ImportError itself. What only one maker's chips
compute can be imported so, as it can where real Paddle runs on a CPU: it raises when it is called.
"""

from __future__ import annotations

import builtins
import difflib
import dis
import functools
import importlib
import sys
from collections.abc import Callable
from types import FrameType, ModuleType

from jaxeager.launcher import known_names
from jaxeager.launcher.finder import THEIRS, their_name
from jaxeager.tensor import Tensor

_IMPORT_FROM = dis.opmap["IMPORT_FROM"]
_watched: list[tuple[ModuleType, Callable | None]] = []  # modules, and their previous __getattr__
_filled: list[tuple[ModuleType, str]] = []  # modules, and the names added to each


class _MissingNameError(AttributeError):
    """The error for a name that a module does not have."""

    def __str__(self) -> str:
        module, name = self.args
        return name_text(module, name)

    def __reduce__(self):
        return AttributeError, (str(self),)


# A program that prints the class sees the class that it can catch.
_MissingNameError.__module__ = "builtins"
_MissingNameError.__name__ = _MissingNameError.__qualname__ = "AttributeError"


# ---- watched modules


def fill(module: ModuleType) -> None:
    """Give a module the names of Paddle's module that jaxeager keeps in a package above it.

    Programs read ``paddle.nn.layer.activation.ReLU``, and the contents of a module's ``__dict__``.
    Names of Python's own functions (``min``) are left to ``__getattr__``: the module may call them.
    """
    theirs = their_name(module.__name__)
    if theirs in known_names.packages() and not hasattr(module, "__path__"):
        module.__path__ = []  # one file here, a package in Paddle: stand-ins replace its modules
        _filled.append((module, "__path__"))
    own = {*vars(module), *getattr(module, "__all__", ())}  # some names are imported on first use
    for name in known_names.modules().get(theirs, set()) - own - vars(builtins).keys():
        found = known_names.above(theirs, name)
        if found is not None:
            setattr(module, name, found)
            _filled.append((module, name))


def watch(module: ModuleType, enter: Callable[[], None]) -> None:
    """Make a module explain the names it does not have.

    Args:
        module: the module.
        enter: called when looking up a name here imported a module.
    """
    before = vars(module).get("__getattr__")
    if getattr(before, "watches", False):
        return
    _watched.append((module, before))
    fill(module)

    def find(name: str) -> object:
        if before is not None:
            try:
                value = before(name)
            except AttributeError as error:
                if not _is_about(error, name):
                    raise
            else:
                if isinstance(value, ModuleType):
                    enter()
                return value
        value = None if name.startswith("__") else _inner(module.__name__, name)
        if value is not None:
            enter()
            return value
        asking = sys._getframe(1)
        if _is_import(module.__name__, name, asking):
            value = known_names.of_vendor(their_name(module.__name__), name)
            if value is not None:
                return value
        raise _error(module.__name__, name, asking)

    find.watches = True  # type: ignore[attr-defined]
    module.__getattr__ = find  # type: ignore[method-assign]


def _inner(module: str, name: str) -> object:
    """Return a name, or a module, that Paddle's module has and that is kept elsewhere here."""
    theirs = their_name(module)
    if theirs not in known_names.modules():
        return None
    value = known_names.given(theirs, name)
    if value is not None or f"{theirs}.{name}" not in known_names.modules():
        return value
    try:
        return importlib.import_module(f"{module}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{module}.{name}":
            raise
        return None


def unwatch() -> None:
    """Restore the previous ``__getattr__`` of every module."""
    while _filled:
        module, name = _filled.pop()
        vars(module).pop(name, None)
    while _watched:
        module, before = _watched.pop()
        if before is None:
            del module.__getattr__
        else:
            module.__getattr__ = before  # type: ignore[method-assign]


def _is_about(error: AttributeError, name: str) -> bool:
    """Return whether an error of a module's own ``__getattr__`` is about the requested name."""
    return f"has no attribute {name!r}" in str(error)


def _error(module: str, name: str, asking: FrameType) -> Exception:
    """Return the error of a name, of the class that the caller expects."""
    theirs = module if module.startswith(THEIRS) else their_name(module)
    if name.startswith("__"):
        return AttributeError(f"module {theirs!r} has no attribute {name!r}")
    if _is_import(module, name, asking):
        return ImportError(import_text(theirs, name), name=theirs)
    return _MissingNameError(theirs, name)


def _is_import(module: str, name: str, asking: FrameType) -> bool:
    """Return whether a frame is at ``from module import name``."""
    code, at = asking.f_code.co_code, asking.f_lasti
    return at >= 0 and code[at] == _IMPORT_FROM and f"{module}.{name}" not in sys.modules


def note(error: BaseException) -> str:
    """Return the explanation of an error that ends a program; usually "".

    A method that a Tensor lacks cannot explain itself: a ``__getattr__`` on its class would slow
    every attribute access.
    """
    if not isinstance(error, AttributeError) or not isinstance(error.obj, Tensor):
        return ""
    api = f"{THEIRS}.Tensor.{error.name}"
    return about(api) if known_names.is_known(api) else ""


# ---- texts


def name_text(module: str, name: str) -> str:
    """Return the text of an error about ``module.name``.

    Args:
        module: "paddle" or a module below it.
        name: the name it does not have.

    Example:
        >>> print(name_text("paddle.nn", "Liner"))
        module 'paddle.nn' has no attribute 'Liner'. Paddle 3.3.1 has no paddle.nn.Liner either. The
        nearest here: paddle.nn.Linear.
    """
    return f"module {module!r} has no attribute {name!r}. {about(f'{module}.{name}')}"


def import_text(module: str, name: str) -> str:
    """Return the text of an error about ``from module import name``."""
    return f"cannot import name {name!r} from {module!r}. {about(f'{module}.{name}')}"


def module_text(module: str) -> str:
    """Return the text of an error about ``import module``."""
    return f"No module named {module!r}. {about(module)}"


@functools.lru_cache(maxsize=1000)
def about(api: str) -> str:
    """Return sentences about a name of Paddle that is missing here.

    Args:
        api: such as "paddle.nn.functional.relu"; a method as "paddle.Tensor.add".

    Example:
        >>> print(about("paddle.MmapStorage"))
        paddle.MmapStorage is an API of Paddle 3.3.1 that jaxeager lacks: Paddle's own memory-mapped
        storage class, which a jax.Array cannot live in.
    """
    version = known_names.version()
    if not known_names.is_known(api):
        parent = api.rpartition(".")[0]
        if parent != THEIRS and not known_names.is_known(parent):
            text = f"Paddle {version} has no {parent} either."
        else:
            text = f"Paddle {version} has no {api} either."
    else:
        kind = "an API" if known_names.is_public(api) else "an internal name"
        text = f"{api} is {kind} of Paddle {version} that jaxeager lacks"
        why = known_names.reason(api)
        text += f": {why}" if why else "."
    near = nearest(api)
    return f"{text} The nearest here: {', '.join(near)}." if near else text


def nearest(api: str) -> list[str]:
    """Return up to three existing names that are close to a missing one.

    The same name in another module precedes a similar one in the same module.
    """
    parent, _, name = api.rpartition(".")
    public = [each for each in known_names.public() if "._" not in each]
    public.sort(key=lambda each: (each.count("."), each))
    same = [each for each in public if each.rpartition(".")[2] == name]
    in_module = [each for each in public if each.rpartition(".")[0] == parent]
    close = difflib.get_close_matches(
        name, [each.rpartition(".")[2] for each in in_module], 2, 0.75
    )
    return _here(same)[:3] or _here([f"{parent}.{each}" for each in close])


def _here(apis: list[str]) -> list[str]:
    return [each for each in apis if known_names.is_here(each)]
