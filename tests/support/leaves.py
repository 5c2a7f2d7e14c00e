"""Leaves: tensors that tests create themselves, and whose gradients they look at."""

from typing import Any

import numpy as np

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


def small_leaf(dtype="float32", shape=(2, 2), seed=0) -> Any:
    """Return a leaf of random numbers between 0.5 and 1.5."""
    numbers = np.random.RandomState(seed).rand(*shape) + 0.5
    return leaf(numbers, dtype)


def lists_of(tensors) -> list:
    """Return the values of tensors as nested lists, None for None."""
    return [None if tensor is None else tensor.tolist() for tensor in tensors]
