"""The meaning of the words of formulas, in NumPy and SciPy: see Note [What a formula says]."""

import math

import numpy as np
from scipy import linalg, special


class Identity:
    """The identity matrix of any size: ``I - x @ out``."""

    __array_ufunc__ = None

    def __sub__(self, other):
        return np.eye(other.shape[-1]) - other

    def __rsub__(self, other):
        return other - np.eye(other.shape[-1])

    def __add__(self, other):
        return np.eye(other.shape[-1]) + other

    __radd__ = __add__

    def __rmul__(self, other):
        return other * np.eye(other.shape[-1])


CONSTANTS = {
    "pi": math.pi,
    "i": 1j,
    "inf": math.inf,
    "I": Identity(),
    "None": None,
    "True": True,
    "False": False,
}


def adjoint(x: np.ndarray) -> np.ndarray:
    """Return conjugate transposes of matrices."""
    return np.conj(np.swapaxes(x, -1, -2))


def inverse(x: np.ndarray) -> np.ndarray:
    """Return inverses of matrices; infinite for singular ones."""
    try:
        return np.linalg.inv(x)
    except np.linalg.LinAlgError:
        return np.full_like(x, np.inf)


def sign(x: np.ndarray) -> np.ndarray:
    """Return x / |x|, and 0 at 0."""
    return np.where(np.equal(x, 0), 0, np.divide(x, np.abs(x)))


def sigmoid(x: np.ndarray) -> np.ndarray:
    """Return 1 / (1 + exp(-x))."""
    return 1 / (1 + np.exp(-x)) if np.iscomplexobj(x) else special.expit(x)


def softplus(x: np.ndarray) -> np.ndarray:
    """Return log(1 + exp(x))."""
    return np.log(1 + np.exp(x)) if np.iscomplexobj(x) else np.logaddexp(0.0, x)


def cofactors(x: np.ndarray) -> np.ndarray:
    """Return the matrix of cofactors of matrices, minor by minor."""
    size = x.shape[-1]
    found = np.ones_like(x)
    for row in range(size):
        for column in range(size):
            minor = np.delete(np.delete(x, row, -2), column, -1)
            found[..., row, column] = (-1) ** (row + column) * np.linalg.det(minor)
    return found


def diagonal_matrix(x: np.ndarray) -> np.ndarray:
    """Return matrices that have vectors on their diagonals."""
    return x[..., None, :] * np.eye(x.shape[-1])


def hermitian(x: np.ndarray) -> np.ndarray:
    """Return the Hermitian part of matrices."""
    return (x + adjoint(x)) / 2


def exponential_of_blocks(blocks: list) -> np.ndarray:
    """Return exponentials of matrices composed of blocks; 0 represents one of zeros."""
    like = blocks[0][0]
    filled = [[np.zeros_like(like) if np.ndim(b) == 0 else b for b in row] for row in blocks]
    whole = np.concatenate([np.concatenate(row, axis=-1) for row in filled], axis=-2)
    return linalg.expm(whole) if whole.size else whole


def upper_right(x: np.ndarray) -> np.ndarray:
    """Return the upper right quarters of matrices."""
    half = x.shape[-1] // 2
    return x[..., :half, half:]


def outer(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the outer product of vectors."""
    return x[..., :, None] * y[..., None, :]


def product_of_others(x: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    """Return, at each element, the product of the others along the axes."""
    lines = np.moveaxis(x, axes, range(-len(axes), 0)) if axes else x[None][..., None]
    flat = lines.reshape(*lines.shape[: lines.ndim - max(len(axes), 1)], -1)
    parts = [np.prod(np.delete(flat, k, -1), axis=-1) for k in range(flat.shape[-1])]
    products = np.stack(parts, -1).reshape(lines.shape) if parts else lines
    return np.moveaxis(products, range(-len(axes), 0), axes) if axes else products.reshape(x.shape)


def reverse_cumsum(x: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    """Return sums from each element to the end of its line."""
    axis = axes[0] if axes and x.ndim > 1 else 0
    return np.flip(np.cumsum(np.flip(x, axis), axis), axis) if x.ndim else x


def mean(x: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    """Return averages along the axes; nan for empty ones."""
    total = np.sum(x, axis=axes, keepdims=True)
    return total / np.float64(x.size / total.size if total.size else 1)


FUNCTIONS = {
    **{
        name: getattr(np, name)
        for name in "conj real imag exp log sqrt sin cos tan sinh cosh tanh floor abs trunc".split()
    },
    "max": np.maximum,
    "min": np.minimum,
    "sign": sign,
    "sigmoid": sigmoid,
    "softplus": softplus,
    "erf": special.erf,
    "gamma": special.gamma,
    "digamma": special.digamma,
    "polygamma": lambda x, n: special.polygamma(n, x),
    "i0": special.i0,
    "i1": special.i1,
    "i0e": special.i0e,
    "i1e": special.i1e,
    "clip": np.clip,
    "cdf": special.ndtr,
    "pdf": lambda x: np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi),
    "ndim": np.ndim,
    "size": np.size,
    "argsort": np.argsort,
    "einsum": np.einsum,
    "inverse": inverse,
    "hermitian": hermitian,
    "cofactors": cofactors,
    "diag": diagonal_matrix,
    "outer": outer,
    "expm": exponential_of_blocks,
    "upper_right": upper_right,
    "tril": np.tril,
    "triu": np.triu,
}

# Functions of values along the axes that the op runs over; they keep these axes, with size 1.
ALONG = {
    "sum": lambda x, axes: np.sum(x, axis=axes, keepdims=True),
    "mean": mean,
    "flip": lambda x, axes: np.flip(x, axis=axes),
    "product_of_others": product_of_others,
    "reverse_cumsum": reverse_cumsum,
}
FUNCTIONS |= ALONG
