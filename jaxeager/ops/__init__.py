"""What can be computed: one row per op. Importing this package registers every row.

Each room here holds one kind of ops; the files beside them are what makes a row an op. Every module
is imported, so a family of ops is added by adding its file.
"""

from importlib import import_module
from pkgutil import walk_packages

for _module in walk_packages(__path__, f"{__name__}."):
    import_module(_module.name)
