"""Functions of tensors of sizes whose results are known sizes: ``paddle.concat`` of shapes.

``x.reshape(paddle.concat([paddle.shape(x)[:1], paddle.to_tensor([3, 1])]))`` needs the sizes in the
concatenated tensor, which open_number.py keeps through operators alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxeager.core import ports
from jaxeager.core.symbolic import is_symbolic
from jaxeager.ops.elementwise.complex import cast as cast_row
from jaxeager.ops.shape.joining import concat as concat_row
from jaxeager.ops.shape.joining import stack as stack_row
from jaxeager.tensor import Tensor, to_tensor
from jaxeager.tensor.open_number import OpenNumber, Ratio, with_known

_MOST = 64  # elements of a tensor of sizes


def tensor_of(data: Any, *args: Any, **named: Any) -> Any:
    """Return ``paddle.to_tensor(...)``, with known values for a list of ints."""
    found = to_tensor(data, *args, **named)
    if type(found) is not Tensor or found.ndim != 1 or found._array.dtype.kind not in "iu":
        return found
    if not isinstance(data, (list, tuple)) or len(data) > _MOST or set(map(type, data)) != {int}:
        return found
    return with_known(found, [Ratio(each, 1) for each in data])


def concat(*args: Any, **named: Any) -> Any:
    """Return ``paddle.concat(...)``, with known values if it joins tensors of sizes."""
    return _joined(concat_row(*args, **named), args, named, 1)


def stack(*args: Any, **named: Any) -> Any:
    """Return ``paddle.stack(...)``, with known values if it joins 0-D tensors of sizes."""
    return _joined(stack_row(*args, **named), args, named, 0)


def cast(x: Any, *args: Any, **named: Any) -> Any:
    """Return ``paddle.cast(...)``, also of a size; its value stays known."""
    if is_symbolic(x):
        x = ports.open_number(x)
    elif type(x) is int:
        x = to_tensor(x)
    if isinstance(x, OpenNumber):
        return x.astype(*args, **named)
    return cast_row(x, *args, **named)


def _joined(found: Any, args: tuple, named: dict, ndim: int) -> Any:
    """Return the result of joining tensors; as an OpenNumber if one of several sizes is open."""
    parts = args[0] if args else named.get("x", named.get("tensors"))
    if type(found) is not Tensor or found.ndim != 1 or "out" in named:
        return found
    if not isinstance(parts, (list, tuple)) or not any(map(_is_open, parts)):
        return found
    known = [_known(part) if part.ndim == ndim else None for part in parts]
    if None in known or not np.issubdtype(found._array.dtype, np.integer):
        return found
    return with_known(found, [each for part in known if part is not None for each in part])


def _is_open(part: object) -> bool:
    return isinstance(part, OpenNumber)


def _known(part: Tensor) -> list[Ratio] | None:
    """Return the known elements of a tensor; None if it has none."""
    known = part.known if isinstance(part, OpenNumber) else None
    return known if isinstance(known, list) or known is None else [known]
