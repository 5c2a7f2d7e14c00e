"""What can be computed: one row per op. Importing this package registers every row.

A row is data (``row``), which ``register`` makes an op. Three rooms hold no rows: ``call`` is the
path of a call, ``rules`` what rows share, ``derived`` makes rows of rows. Every other room holds
one kind of ops. Every module is imported, so a family of ops is added by adding its file.
"""

from importlib import import_module
from pkgutil import walk_packages

for _module in walk_packages(__path__, f"{__name__}."):
    import_module(_module.name)
