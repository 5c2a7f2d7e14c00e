"""paddle.tensor.linalg: linear algebra."""

from jaxeager.ops.linalg.determinant import det
from jaxeager.ops.linalg.eigen import eigh
from jaxeager.ops.linalg.lu import lu_solve
from jaxeager.ops.linalg.matrix_functions import matrix_exp
from jaxeager.ops.linalg.matrix_norm import matrix_norm, vector_norm
from jaxeager.ops.linalg.pseudo_inverse import matrix_rank
from jaxeager.ops.linalg.solvers import triangular_solve
from jaxeager.ops.linalg.svd import svd, svdvals
from jaxeager.tensor.names import functions

K_DEFAULT_DIM = 9  # the largest number of axes in Paddle's kernels
_TABLE = """
    bincount bmm broadcast_shape cast cdist cholesky cholesky_inverse cholesky_solve cond
    corrcoef cov cross diagonal dist dot eig eigvals eigvalsh full histogram histogram_bin_edges
    histogramdd householder_product lstsq lu lu_unpack matmul matrix_power matrix_transpose
    multi_dot mv norm ormqr pca_lowrank permute pinv qr slogdet solve svd_lowrank t t_ transpose
    transpose_ vecdot
""".split()
__all__ = [
    "det", "eigh", "lu_solve", "matrix_exp", "matrix_norm", "matrix_rank", "svd", "svdvals",
    "triangular_solve", "vector_norm",
]  # fmt: skip
__all__ += _TABLE

globals().update(functions(_TABLE))
