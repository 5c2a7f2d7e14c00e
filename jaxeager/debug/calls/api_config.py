"""The configuration text of a call, as Paddle's tools write it and PaddleAPITest reads it.

``paddle.sum(Tensor([2, 3],"float32"), axis=list[0,], keepdim=True, )``: Tensors are written as
shape and dtype, everything else as its value.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from jaxeager.core.dtypes import DType
from jaxeager.core.places import Place
from jaxeager.core.symbolic import is_symbolic

if TYPE_CHECKING:
    from typing import Any


class NoText(Exception):
    """An argument that cannot be written in the text form.

    Attributes:
        kind: its type.
    """

    def __init__(self, kind: type):
        super().__init__(kind)
        self.kind = kind


def config_text(name: str, arguments: tuple, named: dict) -> str:
    """Return the text of a call, on one line.

    Args:
        name: the API, "paddle.sum".
        arguments: the positional arguments.
        named: the keyword arguments.

    Raises:
        NoText: for an argument that cannot be written.

    Example:
        >>> config_text("paddle.full", ([2, 3], float("inf")), {"dtype": "float32"})
        'paddle.full(list[2,3,], math.inf, dtype="float32", )'
    """
    texts = [text_of(value) for value in arguments]
    texts += [f"{key}={text_of(value)}" for key, value in named.items()]
    return f"{name}({''.join(f'{text}, ' for text in texts)})"


def text_of(value: Any) -> str:
    """Return the text of one argument.

    Raises:
        NoText: when its type has no text form.

    Example:
        >>> text_of((1, None, slice(2, 3))), text_of("a"), text_of(1 - 2j)
        ('tuple(1,None,slice(2,3,None),)', '"a"', 'complex(1.0,-2.0)')
    """
    if isinstance(value, np.generic) and not isinstance(value, np.void):
        value = value.item()
    for kinds, write in _WRITERS:
        if isinstance(value, kinds):
            return write(value)
    if hasattr(value, "_array") or hasattr(value, "__array__"):
        return f'Tensor({list(value.shape)},"{_dtype(value.dtype)}")'
    if is_symbolic(value):
        return str(value)
    raise NoText(type(value))


def _dtype(dtype) -> str:
    return str(dtype).removeprefix("paddle.")


def _number(value: float) -> str:
    if math.isinf(value):
        return "math.inf" if value > 0 else "-math.inf"
    return str(value)


def _quoted(value: str) -> str:
    return '"' + value.replace("\n", "\\n") + '"'


def _bound(value) -> str:
    """Return the text of one end of a slice; a Tensor is written as its value."""
    return str(int(value)) if hasattr(value, "_array") else str(value)


_WRITERS: tuple = (
    (type(None), str),
    (bool, str),
    (int, str),
    (float, _number),
    (complex, lambda value: f"complex({_number(value.real)},{_number(value.imag)})"),
    (str, _quoted),
    (list, lambda value: f"list[{''.join(f'{text_of(each)},' for each in value)}]"),
    (tuple, lambda value: f"tuple({''.join(f'{text_of(each)},' for each in value)})"),
    (slice, lambda s: f"slice({_bound(s.start)},{_bound(s.stop)},{_bound(s.step)})"),
    (type(Ellipsis), str),
    ((DType, np.dtype), lambda value: f"Dtype({_dtype(value)})"),
    (Place, str),
    (type, lambda value: f"type({value.__module__}.{value.__qualname__})".replace("builtins.", "")),
)
