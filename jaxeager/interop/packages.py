"""Packages that only some programs need."""

import importlib
from types import ModuleType

from jaxeager.errors import UnavailableError


def needed(name: str, what: str) -> ModuleType:
    """Return a package.

    Args:
        name: the import name of the package.
        what: the feature that needs it.

    Raises:
        UnavailableError: when it is not installed; it names the package to install.

    Example:
        >>> needed("math", "this").pi > 3
        True
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UnavailableError(
            f"{what} needs {name.partition('.')[0]}: pip install 'jaxeager[interop]'."
        ) from error
