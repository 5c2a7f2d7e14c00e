"""Tensor, in parts: what it is (tensor.py), and a file for each family of its methods.

``values`` reads it, ``layout`` has another form of it, ``autograd`` asks it for gradients (the
functions are in ``backward``), ``operators`` are Python's, ``sources`` is what else becomes one,
and ``printing`` and ``size`` are what printing and ``shape`` give. ``methods``
is what comes from rows of the op table.
"""

from jaxeager.tensor.tensor import (
    Parameter,
    Tensor,
    _rebuild,  # what a pickle of a tensor names
    to_tensor,
)

__all__ = ["Parameter", "Tensor", "to_tensor"]
