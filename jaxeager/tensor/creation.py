"""paddle.tensor.creation: functions that make tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxeager.tensor.filling import fill_constant
from jaxeager.tensor.names import functions
from jaxeager.tensor.sources import as_tensor, asarray, from_numpy
from jaxeager.tensor.tensor import Tensor, to_tensor
from jaxeager.tensor.types import (
    BFloat16Tensor,
    BoolTensor,
    ByteTensor,
    CharTensor,
    DoubleTensor,
    FloatTensor,
    HalfTensor,
    IntTensor,
    LongTensor,
    ShortTensor,
)

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike

_TABLE = """
    arange assign cauchy_ clone complex diag diag_embed diagflat empty empty_like eye full
    full_like geometric_ linspace logspace meshgrid ones ones_like polar range split_with_sizes
    tril tril_ tril_indices triu triu_ triu_indices zeros zeros_like
""".split()
__all__ = [
    "BFloat16Tensor", "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor",
    "HalfTensor", "IntTensor", "LongTensor", "ShortTensor", "asarray", "fill_constant",
    "from_numpy", "resize_", "set_", "tensor", "to_tensor",
]  # fmt: skip
__all__ += _TABLE

tensor = as_tensor
globals().update(functions(_TABLE))


def create_global_var(
    shape: Sequence[int],
    value: float,
    dtype: DTypeLike,
    persistable: bool = False,
    force_cpu: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return a tensor filled with a value.

    Args:
        shape: of the tensor.
        value: of each element.
        dtype: of the tensor.
        persistable: the value of its attribute of this name.
        force_cpu: whether it is on the CPU.
        name: a name.

    Example:
        >>> from jaxeager.tensor.creation import create_global_var
        >>> create_global_var([2], 1.5, "float32").tolist()
        [1.5, 1.5]
    """
    made = functions(["full"])["full"](shape, value, dtype)
    made = made.cpu() if force_cpu else made
    made.persistable = persistable
    return made


def resize_(
    x: Tensor, shape: Sequence[int], fill_zero: bool = False, name: str | None = None
) -> Tensor:
    """Give a tensor another shape, in place, and return it; ``Tensor.resize_`` as a function.

    Args:
        x: the tensor.
        shape: the new shape.
        fill_zero: whether new elements are 0.
        name: a name.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.tensor.resize_(paddle.arange(6), [2, 3]).shape
        paddle.Size([2, 3])
    """
    return x.resize_(shape, fill_zero)


def set_(
    x: Tensor,
    source: Tensor | None = None,
    shape: Sequence[int] | None = None,
    stride: Sequence[int] | None = None,
    offset: int = 0,
    name: str | None = None,
) -> Tensor:
    """Give a tensor the memory of another one, and return it; ``Tensor.set_`` as a function.

    Args:
        x: the tensor.
        source: the other one.
        shape: of the visible part.
        stride: between its elements, per axis.
        offset: of its first element.
        name: a name.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.tensor.set_(paddle.zeros([2]), paddle.ones([3])).tolist()
        [1.0, 1.0, 1.0]
    """
    return x.set_(source, shape, stride, offset)
