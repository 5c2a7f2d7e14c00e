"""``import paddle`` imports jaxeager: in the launcher, notebooks, tests, and programs themselves.

python -m jaxeager train.py             # the launcher (docs/drop-in.md)
import jaxeager.compat; jaxeager.compat.install()   # first line of a program or a notebook
%load_ext jaxeager.compat               # the same in a notebook
python -m pytest -p jaxeager.compat     # before pytest imports the tests

``import jaxeager`` alone renames nothing: an installed Paddle stays importable.

The module is also Paddle's ``paddle.compat``: functions with PyTorch's argument names.
"""

from __future__ import annotations

import sys
from typing import Any

from jaxeager.compat import nn
from jaxeager.compat.functions import (
    equal,
    max,
    median,
    min,
    nanmedian,
    seed,
    slogdet,
    sort,
    unique,
)
from jaxeager.launcher import finder
from jaxeager.legacy.functional import split

__all__ = [
    "equal", "install", "is_installed", "max", "median", "min", "nanmedian", "nn", "seed",
    "slogdet", "sort", "split", "uninstall", "unique",
]  # fmt: skip


def install() -> None:
    """Make ``import paddle``, and every ``import paddle.x.y``, import jaxeager in this process.

    Modules are the same objects under both names. ``paddle.__version__`` becomes the version of the
    Paddle whose names jaxeager has, and classes that programs print get Paddle's names. Worker
    processes of DataLoaders, and processes that ``multiprocessing`` starts, also use it. A second
    call does nothing.

    Raises:
        PreconditionNotMetError: when Paddle itself is already imported.

    Example:
        >>> import jaxeager.compat
        >>> jaxeager.compat.install()
        >>> import paddle.nn.functional as F
        >>> F is jaxeager.nn.functional
        True
        >>> jaxeager.compat.uninstall()
    """
    import jaxeager
    from jaxeager.errors import PreconditionNotMetError
    from jaxeager.launcher import missing_names, paddle_names, processes

    if finder.is_installed():
        return
    found = sys.modules.get(finder.THEIRS)
    if found is not None and found is not jaxeager:
        raise PreconditionNotMetError(
            f"Paddle itself is imported already, from {getattr(found, '__file__', None)}: its "
            "objects and jaxeager's do not mix. Call jaxeager.compat.install() before the first "
            "`import paddle`, or start the program with `python -m jaxeager`."
        )
    finder.install(finder.Finder(missing_names.module_text, missing_names.watch))
    paddle_names.put_on()
    processes.tell_children(install)


def uninstall() -> None:
    """Undo ``install``; a later ``import paddle`` finds an installed Paddle again.

    Code that imported ``paddle`` earlier keeps jaxeager. Without ``install`` this does nothing.

    Example:
        >>> import jaxeager.compat
        >>> jaxeager.compat.install()
        >>> jaxeager.compat.uninstall()
        >>> "paddle" in __import__("sys").modules
        False
    """
    from jaxeager.launcher import missing_names, paddle_names, processes

    if not finder.is_installed():
        return
    processes.forget()
    paddle_names.take_off()
    missing_names.unwatch()
    finder.uninstall()


def is_installed() -> bool:
    """Return whether ``import paddle`` imports jaxeager in this process.

    Example:
        >>> import jaxeager.compat
        >>> jaxeager.compat.is_installed()
        False
    """
    return finder.is_installed()


def pytest_load_initial_conftests() -> None:
    """Install, for ``pytest -p jaxeager.compat``: pytest calls it before it imports any test."""
    install()


def load_ipython_extension(shell: object) -> None:
    """Install, for ``%load_ext jaxeager.compat``."""
    install()


def unload_ipython_extension(shell: object) -> None:
    """Uninstall, for ``%unload_ext jaxeager.compat``."""
    uninstall()
