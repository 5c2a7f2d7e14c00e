"""paddle.incubate.autograd.utils: tensors as a tuple."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jaxeager.tensor import Tensor


def as_tensors(xs: object) -> Any:
    """Return a tensor, or a sequence of tensors, as a tuple; anything else as it is.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.incubate.autograd.utils import as_tensors
        >>> len(as_tensors(paddle.ones([2])))
        1
    """
    if isinstance(xs, Tensor):
        return (xs,)
    return tuple(xs) if isinstance(xs, Sequence) else xs
