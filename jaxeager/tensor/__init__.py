"""Tensor, in parts: the class itself (tensor.py), and a file for each family of its methods.

``values`` reads it, ``layout`` changes its form in memory, ``conversions`` changes its dtype or
device, ``autograd`` has its gradients (the functions are in ``backward``), ``operators`` has
Python's operators, ``sources`` converts other data to a tensor, and ``printing`` and ``size``
implement its text and its ``shape``. ``methods`` are those from rows of the op table. Indexing is
an op: ops/indexing/getitem.py and setitem.py.

Paddle has all functions of tensors here too, and in modules like ``tensor.math``: they are looked
up on access. ``paddle.tensor`` itself can be called, as ``as_tensor``.
"""

import importlib
import sys
from types import ModuleType

from jaxeager.tensor import selected_rows
from jaxeager.tensor.tensor import (
    Parameter,
    Tensor,
    _rebuild,  # the name in a pickle of a tensor
    to_tensor,
)

__all__ = ["Parameter", "Tensor", "to_tensor"]

# Paddle's modules of functions, and those of their functions that the op table does not have.
_MODULES = (
    "array", "attribute", "creation", "linalg", "logic", "manipulation", "math", "ops", "random",
    "search", "stat", "to_string",
)  # fmt: skip
_OWN = {
    "array": "array_length array_read array_write create_array",
    "creation": "fill_constant resize_ set_",
    "linalg": "eigh lu_solve svd svdvals",
    "manipulation": "tensor_array_to_tensor",
    "random": "gaussian gaussian_",
    "to_string": "set_printoptions",
}
_HOMES = {name: module for module, names in _OWN.items() for name in names.split()}


def __getattr__(name: str):
    """Look up a function of the op table, or import a module of them."""
    if name in _MODULES:
        return importlib.import_module(f"jaxeager.tensor.{name}")
    if name in _HOMES:
        return getattr(importlib.import_module(f"jaxeager.tensor.{_HOMES[name]}"), name)
    if not name.startswith("__"):
        found = importlib.import_module("jaxeager.tensor.names").function(name)
        if found is not None:
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _CallableModule(ModuleType):
    def __call__(self, data, dtype=None, device=None, requires_grad=False, pin_memory=False):
        as_tensor = importlib.import_module("jaxeager.tensor.sources").as_tensor
        return as_tensor(data, dtype, device, requires_grad, pin_memory)


sys.modules[__name__].__class__ = _CallableModule
