"""paddle._typing.shape: types of shapes, and of sizes such as those of kernels and strides."""

from collections.abc import Sequence
from typing import TypeAlias

from jaxeager.tensor import Tensor

_DynamicShapeLike: TypeAlias = Sequence[int | Tensor | None] | Tensor
_StaticShapeLike: TypeAlias = Sequence[int] | Tensor
ShapeLike: TypeAlias = _DynamicShapeLike | _StaticShapeLike

Size1: TypeAlias = int | tuple[int] | list[int]
Size2: TypeAlias = int | tuple[int, int] | list[int]
Size3: TypeAlias = int | tuple[int, int, int] | list[int]
Size4: TypeAlias = int | tuple[int, int, int, int] | list[int]
Size5: TypeAlias = int | tuple[int, int, int, int, int] | list[int]
Size6: TypeAlias = int | tuple[int, int, int, int, int, int] | list[int]
SizeN: TypeAlias = int | tuple[int, ...] | list[int]
