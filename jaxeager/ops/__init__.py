"""The ops, one row each. Importing this package registers every row.

A row is data (``row``); ``register`` makes an op from it. Three subpackages hold no rows: ``call``
is the path of a call, ``rules`` holds what rows share, and ``derived`` makes rows from rows. Every
other subpackage holds one kind of op. Every module is imported, so adding a file adds a family of
ops.
"""

from importlib import import_module
from pkgutil import walk_packages

for _module in walk_packages(__path__, f"{__name__}."):
    import_module(_module.name)
