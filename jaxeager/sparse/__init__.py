"""paddle.sparse: tensors that store only some entries.

See ``jaxeager/sparse/tensors.py`` for the definition of a sparse tensor.
"""

from jaxeager.sparse import nn
from jaxeager.sparse.binary import add, divide, multiply, subtract
from jaxeager.sparse.creation import (
    dense_to_coo,
    dense_to_csr,
    sparse_coo_tensor,
    sparse_csr_tensor,
)
from jaxeager.sparse.products import addmm, mask_as, masked_matmul, matmul, mv, pca_lowrank
from jaxeager.sparse.shapes import coalesce, is_same_shape, reshape, slice, sum, transpose
from jaxeager.sparse.tensors import SparseCooTensor, SparseCsrTensor
from jaxeager.sparse.unary import (
    abs,
    asin,
    asinh,
    atan,
    atanh,
    cast,
    deg2rad,
    expm1,
    isnan,
    log1p,
    neg,
    pow,
    rad2deg,
    sin,
    sinh,
    sqrt,
    square,
    tan,
    tanh,
)

__all__ = [
    "abs", "add", "addmm", "asin", "asinh", "atan", "atanh", "cast", "coalesce", "deg2rad",
    "divide", "expm1", "is_same_shape", "isnan", "log1p", "mask_as", "masked_matmul", "matmul",
    "multiply", "mv", "neg", "pca_lowrank", "pow", "rad2deg", "reshape", "sin", "sinh", "slice",
    "sparse_coo_tensor", "sparse_csr_tensor", "sqrt", "square", "subtract", "sum", "tan", "tanh",
    "transpose",
]  # fmt: skip
