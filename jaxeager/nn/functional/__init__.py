"""paddle.nn.functional: every function registered for it, by its public name.

Every module here is imported, so a new family of functions only needs a new file.
"""

from importlib import import_module
from pkgutil import iter_modules

from jaxeager.ops.register import FUNCTIONAL

for _module in iter_modules(__path__):
    import_module(f"jaxeager.nn.functional.{_module.name}")

globals().update(FUNCTIONAL)
__all__ = sorted(FUNCTIONAL)
