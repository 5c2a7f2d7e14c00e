"""VarType: the numbers of Paddle's protocol buffers for kinds of variables."""

import enum

import numpy as np

from jaxeager.core import dtypes


class VarType(enum.Enum):
    """Kinds of variables, and dtypes, under the numbers of Paddle's protocol buffers.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.core.VarDesc.VarType.FP32.value
        5
    """

    BOOL = 0
    INT16 = 1
    INT32 = 2
    INT64 = 3
    FP16 = 4
    FP32 = 5
    FP64 = 6
    DENSE_TENSOR = LOD_TENSOR = 7
    SELECTED_ROWS = 8
    FEED_MINIBATCH = 9
    FETCH_LIST = 10
    STEP_SCOPES = 11
    DENSE_TENSOR_ARRAY = LOD_TENSOR_ARRAY = 13
    PLACE_LIST = 14
    READER = 15
    RAW = 17
    UINT8 = 20
    INT8 = 21
    BF16 = 22
    COMPLEX64 = 23
    COMPLEX128 = 24
    STRING = 25
    STRINGS = 26
    VOCAB = 27
    SPARSE_COO = 30
    FP8_E4M3FN = 32
    FP8_E5M2 = 33
    UINT16 = 36
    UINT32 = 37
    UINT64 = 38

    def __repr__(self) -> str:
        return f"<VarType.{self.name}: {self.value}>"

    def __int__(self) -> int:
        return self.value

    @property
    def dtype(self) -> np.dtype:
        """The dtype that this kind is, for which it can be given anywhere.

        Raises:
            AttributeError: for a kind of variables.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.ones([1], dtype=paddle.base.core.VarDesc.VarType.INT64).dtype
            paddle.int64
        """
        if self.name not in _DTYPES:
            raise AttributeError(f"{self!r} is not a dtype.")
        return _DTYPES[self.name].dtype


_FLOATS = {
    "float16": "FP16", "bfloat16": "BF16", "float32": "FP32", "float64": "FP64",
    "float8_e4m3fn": "FP8_E4M3FN", "float8_e5m2": "FP8_E5M2",
}  # fmt: skip
_DTYPES = {_FLOATS.get(name, name.upper()): dtypes.as_dtype(name) for name in dtypes.NAMES}
_DTYPES["UINT16"] = dtypes.uint16


def of_dtype(dtype: dtypes.DType) -> VarType:
    """Return the kind that is a dtype.

    Example:
        >>> of_dtype(dtypes.bfloat16)
        <VarType.BF16: 22>
    """
    return _KINDS[dtype]


_KINDS = {dtype: VarType[name] for name, dtype in _DTYPES.items()}
