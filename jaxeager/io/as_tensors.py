"""Conversion of the arrays in a batch to tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from jaxeager.tensor import Tensor, to_tensor

if TYPE_CHECKING:
    from typing import Any


def as_tensors(batch: object, place=None) -> Any:
    """Return a batch with tensors for its arrays; tuples become lists, as in Paddle.

    Example:
        >>> import numpy as np
        >>> from jaxeager.io.as_tensors import as_tensors
        >>> as_tensors((np.array([1, 2]), "name"))[0].tolist()
        [1, 2]
    """
    if isinstance(batch, np.ndarray) and batch.dtype.kind not in "OUSmM":
        return to_tensor(batch, place=place)
    if isinstance(batch, np.generic):
        return to_tensor(np.asarray(batch), place=place)
    if isinstance(batch, Tensor):
        return batch if place is None else batch.to(place)
    if isinstance(batch, Mapping):
        return {key: as_tensors(value, place) for key, value in batch.items()}
    if isinstance(batch, (tuple, list)):
        return [as_tensors(item, place) for item in batch]
    return batch
