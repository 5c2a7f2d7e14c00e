"""The settings of jax that importing jaxeager changes, and the environment switches against them.

- ``jax_enable_x64`` is turned on, because int64 and float64 are Paddle's everyday dtypes;
  ``JAXEAGER_ENABLE_X64=0`` leaves it as it is.
- compiled kernels are kept on disk (25 ms to compile one, 2 ms to load it):
  ``JAXEAGER_COMPILATION_CACHE`` names the folder, ``off`` leaves jax's setting as it is. When the
  user configured a cache of jax's own, that one is used. A folder that other users can write is not
  used, with a warning.
- JAX 0.10 reuses the contexts that it lowers in, as 0.11 does: see mlir_contexts.py.
- Python's garbage collector is off until ``end_of_import``: it would walk all objects of JAX for 50
  ms and find nothing. The imported objects are then moved to the oldest generation, because the
  first walk after the import would take 12 ms.
"""

import gc
import os
import pathlib
import warnings

import jax

from jaxeager.core import own_files
from jaxeager.kernels import jax_cache, kernel_files, mlir_contexts

_was_collecting = gc.isenabled()
gc.disable()


def end_of_import() -> None:
    """Switch the garbage collector on again, if it was on before."""
    if not _was_collecting:
        return
    if not gc.get_freeze_count():  # a program that froze objects keeps them frozen
        gc.freeze()
        gc.unfreeze()  # into the oldest generation
    gc.enable()


if os.environ.get("JAXEAGER_ENABLE_X64", "1") != "0":
    jax.config.update("jax_enable_x64", True)


def _cache_folder() -> str | None:
    wanted = os.environ.get("JAXEAGER_COMPILATION_CACHE", "")
    if wanted == "off" or (not wanted and getattr(jax.config, "jax_compilation_cache_dir", None)):
        return None
    if wanted:
        return wanted
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return str(pathlib.Path(base) / "jaxeager" / "xla")


mlir_contexts.share()
_folder = _cache_folder()
if _folder is not None:
    _place = pathlib.Path(_folder).absolute()
    _why = own_files.why_not(_place)
    if _why:
        warnings.warn(kernel_files.not_kept(_place, _why), RuntimeWarning, stacklevel=2)
    else:
        kernel_files.set_folder(_place / "kernels")
        jax_cache.keep_in(_place)
