"""The families of random programs: each module has `program(draw)`, which adds its statements."""

from importlib import import_module
from pkgutil import iter_modules


def load():
    """Returns the families by name."""
    names = sorted(found.name for found in iter_modules(__path__))
    return {name: import_module(f"{__name__}.{name}") for name in names}
