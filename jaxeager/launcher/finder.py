"""The finder: ``import paddle.x.y`` returns the module ``jaxeager.x.y``, the same object.

Note [One module, two names]
Every module of jaxeager is in ``sys.modules`` under both names, so there is one class per name
however it was imported, and a patch through one name is visible through the other. ``import
paddle.x`` imports ``jaxeager.x`` and enters the second name; the import system then finds an
existing module, and runs nothing. The names of all other modules that were imported on the way are
also entered: otherwise the import system would bind a submodule to its package again when it
imports it, and the module ``paddle.io.random_split`` would replace the function.

The light workers of DataLoaders also read this file: it imports nothing but Python.
"""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Sequence
from types import CodeType, ModuleType

OURS, THEIRS = "jaxeager", "paddle"


def our_name(name: str) -> str:
    """Return the name in jaxeager of a module of Paddle.

    Example:
        >>> our_name("paddle.nn.functional")
        'jaxeager.nn.functional'
    """
    return OURS + name.removeprefix(THEIRS)


def their_name(name: str) -> str:
    """Return Paddle's name of a module of jaxeager; those in ``legacy`` are at its top.

    Example:
        >>> their_name("jaxeager.nn.functional"), their_name("jaxeager.legacy.base")
        ('paddle.nn.functional', 'paddle.base')
    """
    return THEIRS + name.removeprefix(OURS).removeprefix(".legacy")


def is_theirs(name: str) -> bool:
    """Return whether a name is ``paddle`` or the name of a module below it."""
    return name == THEIRS or name.startswith(f"{THEIRS}.")


class Finder:
    """Finds ``paddle`` and its modules in jaxeager.

    Args:
        explain: returns the error text for a module that does not exist here; None for Python's
            own.
        watch: called with every module that gets Paddle's name, and ``enter``.
    """

    def __init__(
        self,
        explain: Callable[[str], str] | None = None,
        watch: Callable[[ModuleType, Callable[[], None]], None] | None = None,
    ):
        self._explain, self._watch = explain, watch

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of a module of Paddle, which loads the one of jaxeager.

        Raises:
            ModuleNotFoundError: for an import of a module that jaxeager does not have. A plain
                lookup (``importlib.util.find_spec``) returns None, as for any module.
        """
        if not is_theirs(name):
            return None
        try:
            found = importlib.util.find_spec(our_name(name))
        except ModuleNotFoundError as error:  # its package does not exist
            if not is_theirs(error.name or "") and not (error.name or "").startswith(OURS):
                raise
            found = None
        if found is not None:
            is_package = found.submodule_search_locations is not None
            return importlib.machinery.ModuleSpec(
                name,
                ExistingModule(our_name(name), self._loaded),
                origin=found.origin,
                is_package=is_package,
            )
        is_import = sys._getframe(2).f_code.co_name == "_find_and_load_unlocked"
        if self._explain is None or not is_import:
            return None
        raise ModuleNotFoundError(self._explain(name), name=name)

    def _loaded(self, name: str, module: ModuleType) -> None:
        self.enter_one(name, module)
        self.enter()

    def enter(self) -> None:
        """Enter Paddle's name for every module of jaxeager that is imported."""
        ours = f"{OURS}."  # most modules of a process have other names
        for name, module in list(sys.modules.items()):
            if name.startswith(ours) or name == OURS:
                theirs = their_name(name)
                if theirs not in sys.modules:
                    self.enter_one(theirs, module)

    def enter_one(self, name: str, module: ModuleType) -> None:
        """Enter one module under Paddle's name for it."""
        sys.modules[name] = module
        if self._watch is not None:
            self._watch(module, self.enter)


class ExistingModule(importlib.abc.Loader):
    """Loads a module as another one, which is imported if necessary; both are one object.

    Args:
        real: the name of the other module.
        loaded: called with the alias and the module, after each import.
    """

    def __init__(self, real: str, loaded: Callable[[str, ModuleType], None] | None = None):
        self._real, self._loaded = real, loaded

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """Return the other module, after importing it if necessary."""
        module = importlib.import_module(self._real)
        spec.loader_state = module.__spec__
        return module

    def get_code(self, name: str) -> CodeType | None:
        """Return the code of a module that is run as a program, ``python -m``."""
        spec = importlib.util.find_spec(self._real)
        get_code = getattr(spec and spec.loader, "get_code", None)
        return None if get_code is None else get_code(self._real)

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its own spec back, which the import system replaced."""
        alias = module.__spec__
        if alias is not None and alias.loader is self:
            module.__spec__ = alias.loader_state
            if self._loaded is not None:
                self._loaded(alias.name, module)


def install(finder: Finder) -> None:
    """Insert a finder before all others; ``paddle`` is jaxeager from here on."""
    sys.meta_path.insert(0, finder)  # type: ignore[arg-type]
    finder.enter()


def uninstall() -> None:
    """Remove the finder, and Paddle's names of jaxeager's modules."""
    sys.meta_path[:] = [each for each in sys.meta_path if type(each) is not Finder]
    loaded = list(sys.modules.items())
    ours = {id(module) for name, module in loaded if name.partition(".")[0] == OURS}
    for name, module in loaded:
        if is_theirs(name) and id(module) in ours:
            del sys.modules[name]


def is_installed() -> bool:
    """Return whether ``paddle`` is jaxeager in this process."""
    return any(type(each) is Finder for each in sys.meta_path)
