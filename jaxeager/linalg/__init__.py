"""paddle.linalg: linear algebra. The functions are rows and composites of jaxeager/ops."""

from jaxeager.ops.cholesky import cholesky, cholesky_inverse, cholesky_solve
from jaxeager.ops.composite import vecdot
from jaxeager.ops.covariance import corrcoef, cov
from jaxeager.ops.determinant import det, slogdet
from jaxeager.ops.eigen import eig, eigh, eigvals, eigvalsh
from jaxeager.ops.least_squares import lstsq
from jaxeager.ops.linalg import cross, matmul
from jaxeager.ops.low_rank import pca_lowrank, svd_lowrank
from jaxeager.ops.lu import lu, lu_solve, lu_unpack
from jaxeager.ops.matrix_functions import matrix_exp, matrix_power, multi_dot
from jaxeager.ops.matrix_norm import cond, matrix_norm, norm, vector_norm
from jaxeager.ops.pseudo_inverse import matrix_rank, pinv
from jaxeager.ops.qr import householder_product, ormqr, qr
from jaxeager.ops.solvers import inverse as inv
from jaxeager.ops.solvers import solve, triangular_solve
from jaxeager.ops.strided import diagonal, matrix_transpose
from jaxeager.ops.svd import svd, svdvals

__all__ = [
    "cholesky", "cholesky_inverse", "cholesky_solve", "cond", "corrcoef", "cov", "cross", "det",
    "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "householder_product", "inv", "lstsq", "lu",
    "lu_solve", "lu_unpack", "matmul", "matrix_exp", "matrix_norm", "matrix_power", "matrix_rank",
    "matrix_transpose", "multi_dot", "norm", "ormqr", "pca_lowrank", "pinv", "qr", "slogdet",
    "solve", "svd", "svd_lowrank", "svdvals", "triangular_solve", "vecdot", "vector_norm",
]  # fmt: skip
