"""VarType: the numbers of Paddle's protocol buffers for kinds of variables."""

import enum


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
