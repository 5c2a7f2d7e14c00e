"""Collating: a list of samples becomes one batch of tensors."""

from __future__ import annotations

import numbers
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from jaxeager.errors import InvalidArgumentError, InvalidTypeError, UnmatchedError


def tensor_class() -> type | None:
    """Return the class of tensors, or None in a worker that has created none (see light.py)."""
    module = sys.modules.get("jaxeager.tensor")
    return getattr(module, "Tensor", None)


def default_collate_fn(batch: Sequence) -> Any:
    """Combine a list of samples into one: stack arrays, tensors and numbers, merge containers.

    A field of tuples or lists becomes a list, a field of dicts a dict; strings and bytes are
    left as they are.
    Python floats become float64, as in Paddle.

    Raises:
        InvalidTypeError: for a sample of a type that cannot be stacked.
        InvalidArgumentError: when samples differ in shape or number of fields.

    Example:
        >>> from jaxeager.io.collate import default_collate_fn
        >>> default_collate_fn([(1, "a"), (2, "b")])
        [array([1, 2]), ('a', 'b')]
    """
    sample = batch[0]
    tensor = tensor_class()
    if tensor is not None and isinstance(sample, tensor):
        from jaxeager import public

        return public.stack(batch, axis=0)
    if isinstance(sample, (np.ndarray, np.generic, numbers.Number)):
        return _stack(batch)
    if isinstance(sample, (str, bytes)):
        return batch
    if isinstance(sample, Mapping):
        return {key: default_collate_fn([item[key] for item in batch]) for key in sample}
    if isinstance(sample, (tuple, list)):
        if any(len(item) != len(sample) for item in batch):
            raise UnmatchedError(
                "fields number not same among samples: "
                f"{sorted({len(item) for item in batch})}; pass a collate_fn to the DataLoader."
            )
        return [default_collate_fn(field) for field in zip(*batch, strict=True)]
    raise InvalidTypeError(
        "batch data can only contain: tensor, numpy.ndarray, dict, list, tuple, number or string, "
        f"but got {type(sample).__name__}; pass a collate_fn to the DataLoader."
    )


def default_convert_fn(batch: object) -> Any:
    """Return a sample with its containers as dicts, tuples with names, and lists; nothing else.

    Example:
        >>> from jaxeager.io.collate import default_convert_fn
        >>> default_convert_fn((1, "a"))
        [1, 'a']
    """
    if isinstance(batch, Mapping):
        return {key: default_convert_fn(value) for key, value in batch.items()}
    if isinstance(batch, tuple) and hasattr(batch, "_fields"):
        return type(batch)(*(default_convert_fn(each) for each in batch))
    if isinstance(batch, Sequence) and not isinstance(batch, (str, bytes)):
        return [default_convert_fn(each) for each in batch]
    return batch


def _stack(batch: Sequence) -> np.ndarray:
    try:
        return np.stack(batch)
    except ValueError:
        shapes = sorted({np.shape(item) for item in batch})
        raise InvalidArgumentError(
            f"The samples of a batch have different shapes, {shapes}, so they cannot be stacked; "
            "pass a collate_fn that pads them to the DataLoader."
        ) from None
