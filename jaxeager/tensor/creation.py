"""paddle.tensor.creation: functions that make tensors."""

from jaxeager.tensor.filling import fill_constant
from jaxeager.tensor.names import functions
from jaxeager.tensor.sources import asarray, from_numpy
from jaxeager.tensor.tensor import to_tensor
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

_TABLE = """
    arange assign cauchy_ clone complex diag diag_embed diagflat empty empty_like eye full
    full_like geometric_ linspace logspace meshgrid ones ones_like polar range split_with_sizes
    tril tril_ tril_indices triu triu_ triu_indices zeros zeros_like
""".split()
__all__ = [
    "BFloat16Tensor", "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor",
    "HalfTensor", "IntTensor", "LongTensor", "ShortTensor", "asarray", "fill_constant",
    "from_numpy", "to_tensor",
]  # fmt: skip
__all__ += _TABLE

globals().update(functions(_TABLE))
