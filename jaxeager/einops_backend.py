"""einops knows tensors of jaxeager, whichever of the two is imported first.

einops asks its backends whether a tensor is theirs. The one of Paddle belongs to a module
``paddle``, which is there under ``python -m jaxeager`` only. So a backend for jaxeager is defined
as soon as einops has defined those of its own.
"""

from __future__ import annotations

import sys
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

BACKENDS = "einops._backends"


class _AndRegister(Loader):
    """Loads einops' backends as their own loader does, and adds one."""

    def __init__(self, loader: Loader):
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        register(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


class _Finder:
    """Finds einops' backends; the import system asks it before it searches files."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != BACKENDS:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _AndRegister(spec.loader)
        return spec


def register(backends: Any) -> None:
    """Define a backend for jaxeager, if einops has one for Paddle.

    Args:
        backends: the module ``einops._backends``.
    """
    paddles = getattr(backends, "PaddleBackend", None)
    if paddles is None:
        return

    class JaxeagerBackend(paddles):
        framework_name = "jaxeager"

        def __init__(self):
            self.paddle = sys.modules["jaxeager"]

    backends.JaxeagerBackend = JaxeagerBackend  # a class that nothing refers to would be freed


def install() -> None:
    """Let einops know tensors, now or when it is imported."""
    if BACKENDS in sys.modules:
        register(sys.modules[BACKENDS])
    else:
        sys.meta_path.insert(0, _Finder)  # type: ignore[arg-type]
