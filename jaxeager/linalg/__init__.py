"""paddle.linalg: linear algebra. The functions are rows and composites of jaxeager/ops."""

from jaxeager.ops.linalg.cholesky import cholesky, cholesky_inverse, cholesky_solve
from jaxeager.ops.linalg.determinant import det, slogdet
from jaxeager.ops.linalg.eigen import eig, eigh, eigvals, eigvalsh
from jaxeager.ops.linalg.least_squares import lstsq
from jaxeager.ops.linalg.low_rank import pca_lowrank, svd_lowrank
from jaxeager.ops.linalg.lu import lu, lu_solve, lu_unpack
from jaxeager.ops.linalg.matrix_functions import matrix_exp, matrix_power, multi_dot
from jaxeager.ops.linalg.matrix_norm import cond, matrix_norm, norm, vector_norm
from jaxeager.ops.linalg.products import cross, matmul
from jaxeager.ops.linalg.pseudo_inverse import matrix_rank, pinv
from jaxeager.ops.linalg.qr import householder_product, ormqr, qr
from jaxeager.ops.linalg.solvers import inverse as inv
from jaxeager.ops.linalg.solvers import solve, triangular_solve
from jaxeager.ops.linalg.svd import svd, svdvals
from jaxeager.ops.reductions.composite import vecdot
from jaxeager.ops.reductions.covariance import corrcoef, cov
from jaxeager.ops.shape.strided import diagonal, matrix_transpose

__all__ = [
    "cholesky", "cholesky_inverse", "cholesky_solve", "cond", "corrcoef", "cov", "cross", "det",
    "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "householder_product", "inv", "lstsq", "lu",
    "lu_solve", "lu_unpack", "matmul", "matrix_exp", "matrix_norm", "matrix_power", "matrix_rank",
    "matrix_transpose", "multi_dot", "norm", "ormqr", "pca_lowrank", "pinv", "qr", "slogdet",
    "solve", "svd", "svd_lowrank", "svdvals", "triangular_solve", "vecdot", "vector_norm",
]  # fmt: skip
