"""paddle.pir.core: dtypes by the names and numbers that Paddle's programs give them."""

from jaxeager.core import dtypes, var_types
from jaxeager.core.var_types import VarType
from jaxeager.legacy.base.framework import convert_np_dtype_to_dtype_

__all__ = ["convert_np_dtype_to_dtype_", "datatype_to_vartype", "vartype_to_datatype"]

datatype_to_vartype = {
    dtype: var_types.of_dtype(dtype) for dtype in map(dtypes.as_dtype, dtypes.NAMES)
}
"""dtype -> VarType."""

vartype_to_datatype: dict[VarType, dtypes.DType] = {
    kind: dtype for dtype, kind in datatype_to_vartype.items()
}
"""VarType -> dtype."""
