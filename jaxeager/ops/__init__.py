"""What can be computed: one row per op. Importing this package registers every row.

Every module here is imported, so a family of ops is added by adding its file.
"""

from importlib import import_module
from pkgutil import iter_modules

for _module in iter_modules(__path__):
    import_module(f"jaxeager.ops.{_module.name}")
