"""Leaves: tensors that tests create themselves, and whose gradients they look at."""

from typing import Any

import jaxeager as paddle


def leaf(values=(1.0, 2.0), dtype="float32", *, name=None, stop_gradient=False) -> Any:
    """Return a tensor of given values that requires a gradient, unless ``stop_gradient``."""
    made = paddle.to_tensor(values, dtype=dtype, stop_gradient=stop_gradient)
    if name is not None:
        made.name = name
    return made


def leaf64(values=(1.0, 2.0), **how) -> Any:
    """Return a leaf of float64, whose gradient has enough digits to be compared closely."""
    return leaf(values, "float64", **how)
