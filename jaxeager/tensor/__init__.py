"""Tensor, in parts: what it is (tensor.py), and a file for each family of its methods.

``values`` reads it, ``layout`` has another form of it, ``conversions`` give it another dtype or
device, ``autograd`` asks it for gradients (the functions are in ``backward``), ``operators`` are
Python's, ``sources`` is what else becomes one, and ``printing`` and ``size`` are what printing and
``shape`` give. ``methods`` are those that come from rows of the op table.
"""

from jaxeager.tensor.tensor import (
    Parameter,
    Tensor,
    _rebuild,  # what a pickle of a tensor names
    to_tensor,
)

__all__ = ["Parameter", "Tensor", "to_tensor"]
