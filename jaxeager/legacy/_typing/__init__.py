"""paddle._typing: the types that annotations of programs for Paddle name.

Programs import them to annotate their own functions. ``jaxeager.core.types`` has those of this
library's signatures.
"""

from jaxeager.legacy._typing import backport, basic, device_like, dtype_like, layout, shape
from jaxeager.legacy._typing.backport import EllipsisType
from jaxeager.legacy._typing.basic import (
    NestedList,
    NestedNumericSequence,
    NestedSequence,
    NestedStructure,
    Numeric,
    NumericSequence,
    ParamAttrLike,
    TensorIndex,
    TensorLike,
    TensorOrTensors,
    unreached,
)
from jaxeager.legacy._typing.device_like import PlaceLike
from jaxeager.legacy._typing.dtype_like import DTypeLike
from jaxeager.legacy._typing.layout import (
    DataLayout0D,
    DataLayout1D,
    DataLayout1DVariant,
    DataLayout2D,
    DataLayout3D,
    DataLayoutImage,
    DataLayoutND,
)
from jaxeager.legacy._typing.shape import (
    ShapeLike,
    Size1,
    Size2,
    Size3,
    Size4,
    Size5,
    Size6,
    SizeN,
)

__all__ = [
    "DTypeLike", "DataLayout0D", "DataLayout1D", "DataLayout1DVariant", "DataLayout2D",
    "DataLayout3D", "DataLayoutImage", "DataLayoutND", "EllipsisType", "NestedList",
    "NestedNumericSequence", "NestedSequence", "NestedStructure", "Numeric", "NumericSequence",
    "ParamAttrLike", "PlaceLike", "ShapeLike", "Size1", "Size2", "Size3", "Size4", "Size5",
    "Size6", "SizeN", "TensorIndex", "TensorLike", "TensorOrTensors", "backport", "basic",
    "device_like", "dtype_like", "layout", "shape", "unreached",
]  # fmt: skip
