"""paddle._typing.basic: types of numbers, of tensors, and of what is nested."""

from collections.abc import Sequence
from types import EllipsisType
from typing import Any, Never, TypeAlias, TypeVar, Union

import numpy as np
import numpy.typing as npt

from jaxeager.nn.initializer import Initializer
from jaxeager.nn.param_attr import ParamAttr
from jaxeager.regularizer import WeightDecayRegularizer
from jaxeager.tensor import Tensor

_T = TypeVar("_T")

Numeric: TypeAlias = bool | int | float | complex | np.number | Tensor
NumericSequence: TypeAlias = Sequence[Numeric]
TensorLike: TypeAlias = npt.NDArray[Any] | Numeric
TensorOrTensors: TypeAlias = Tensor | Sequence[Tensor]

_TensorIndexItem: TypeAlias = bool | int | slice | EllipsisType | Tensor | None
TensorIndex: TypeAlias = _TensorIndexItem | tuple[_TensorIndexItem, ...] | list[_TensorIndexItem]

# Each names itself, which only a string can; so the operator | cannot join them.
NestedList = Union[_T, list["NestedList[_T]"]]  # noqa: UP007
NestedSequence = Union[_T, Sequence["NestedSequence[_T]"]]  # noqa: UP007
NestedStructure = Union[  # noqa: UP007
    _T, Sequence["NestedStructure[_T]"], dict[str, "NestedStructure[_T]"]
]
NestedNumericSequence: TypeAlias = NestedSequence[Numeric]

ParamAttrLike: TypeAlias = ParamAttr | Initializer | WeightDecayRegularizer | str | bool


def unreached() -> Never:
    """Raise an error: a program calls this function where it never comes.

    Raises:
        RuntimeError: always.

    Example:
        >>> unreached()
        Traceback (most recent call last):
            ...
        RuntimeError: This line was reached, which the program rules out by unreached().
    """
    raise RuntimeError("This line was reached, which the program rules out by unreached().")
