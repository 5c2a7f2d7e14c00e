"""Products of matrices and vectors."""

import string
from collections.abc import Sequence
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from jaxeager.core.size_comparisons import equal_sizes
from jaxeager.errors import InvalidArgumentError, RefusedArgumentError, UnmatchedError
from jaxeager.ops.register import composite, op
from jaxeager.ops.rules.attrs import Axis, Tensors
from jaxeager.ops.rules.axes import normal_axis, same_dtype
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, values

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

BOTH_SAVED = "x y"


def product_dtypes(*operands) -> None:
    """Check the operands of a product: one dtype, or one of the complex and one of the real ones.

    Raises:
        ValueError: for float32 with float64 and the like, which Paddle does not promote here.
    """
    for are_complex in (True, False):
        same_dtype(*(each for each in operands if jnp.iscomplexobj(each) == are_complex))


def inner_lengths(x, y, transpose_x: bool = False, transpose_y: bool = False) -> None:
    """Check that the rows of x are as long as the columns of y.

    Raises:
        ValueError: when they are not.
    """
    if not x.ndim or not y.ndim:
        raise ValueError("the operands must have at least one dimension.")
    over_x = x.ndim - 2 if transpose_x and x.ndim > 1 else x.ndim - 1
    over_y = max(0, y.ndim - 1 if transpose_y else y.ndim - 2)
    if x.shape[over_x] != y.shape[over_y]:
        raise ValueError(
            f"axis {over_x} of x and axis {over_y} of y are multiplied, so they must have the same "
            f"length, but have {x.shape[over_x]} and {y.shape[over_y]}."
        )


# ---- products


def matmul_forward(x, y, *, transpose_x: bool = False, transpose_y: bool = False):
    """Multiply matrices, batches of them, or vectors."""
    product_dtypes(x, y)
    inner_lengths(x, y, transpose_x, transpose_y)
    if transpose_x and x.ndim > 1:
        x = jnp.swapaxes(x, -1, -2)
    if transpose_y and y.ndim > 1:
        y = jnp.swapaxes(y, -1, -2)
    return jnp.matmul(x, y)


def matmul_reference(x, y, transpose_x=False, transpose_y=False):
    """Use NumPy's matmul."""
    x = np.swapaxes(x, -1, -2) if transpose_x and np.ndim(x) > 1 else x
    y = np.swapaxes(y, -1, -2) if transpose_y and np.ndim(y) > 1 else y
    return np.matmul(x, y)


def matmul_samples():
    """Yield matrices, vectors, broadcast batches, transposed operands, no inner dimension."""
    yield Sample(values((2, 3)), values((3, 4), seed=1))
    yield Sample(values((3,)), values((3,), seed=1))
    yield Sample(values((2, 1, 2, 3)), values((4, 3, 2), seed=1))
    yield Sample(values((3, 2)), values((4, 3), seed=1), transpose_x=True, transpose_y=True)
    yield Sample(values((3,)), values((2, 3, 2), seed=1), transpose_x=True)
    yield Sample(values((2, 0)), values((0, 3), seed=1))


def matmul_errors():
    """Yield inner dimensions that differ, 0-D operands and dtypes that differ."""
    yield BadInput((np.ones((2, 3)), np.ones((2, 3))), {}, InvalidArgumentError, "matmul")
    yield BadInput((np.ones(()), np.ones((2, 3))), {}, InvalidArgumentError, "matmul")
    narrow = np.ones((3, 2), np.float32)
    yield BadInput((np.ones((2, 3)), narrow), {}, InvalidArgumentError, "must have one dtype")


matmul = op(
    "matmul",
    matmul_forward,
    saves=BOTH_SAVED,
    reference=matmul_reference,
    samples=matmul_samples,
    errors=matmul_errors,
    formula="dx = dout @ conj(y)^T; dy = conj(x)^T @ dout",
    dtypes="float32 float64 bfloat16 complex128",
    doc="Multiply two matrices, batches of matrices (broadcast) or vectors.",
    example="paddle.matmul(paddle.to_tensor([[1.0, 2.0]]), paddle.to_tensor([[3.0], [4.0]]))",
)


def bmm_forward(x, y):
    """Multiply batches of matrices of equal length."""
    product_dtypes(x, y)
    if x.ndim != 3 or y.ndim != 3 or x.shape[0] != y.shape[0] or x.shape[2] != y.shape[1]:
        raise ValueError("takes x of shape [b, m, k] and y of shape [b, k, n].")
    return jnp.matmul(x, y)


def bmm_samples():
    """Yield batches of several and of no matrices."""
    yield Sample(values((2, 3, 4)), values((2, 4, 2), seed=1))
    yield Sample(values((1, 1, 3)), values((1, 3, 1), seed=1))
    yield Sample(values((0, 2, 3)), values((0, 3, 2), seed=1))


def bmm_errors():
    """Yield operands that are not batches, and batches of different length."""
    yield BadInput((np.ones((2, 3)), np.ones((3, 2))), {}, InvalidArgumentError, "[b, m, k]")
    wrong = np.ones((2, 3, 4)), np.ones((3, 4, 2))
    yield BadInput(wrong, {}, InvalidArgumentError, "[b, m, k]")


bmm = op(
    "bmm",
    bmm_forward,
    saves=BOTH_SAVED,
    reference="numpy.matmul",
    samples=bmm_samples,
    errors=bmm_errors,
    formula="dx = dout @ conj(y)^T; dy = conj(x)^T @ dout",
    doc="Multiply two batches of matrices, pair by pair.",
    example="paddle.bmm(paddle.ones([2, 3, 4]), paddle.ones([2, 4, 5]))",
    dtypes=WITH_COMPLEX,
)


def dot_forward(x, y):
    """Sum products over the last dimension, without conjugation."""
    product_dtypes(x, y)
    if x.shape != y.shape or x.ndim not in (1, 2):
        raise UnmatchedError("dot: takes two tensors of one shape, with 1 or 2 dimensions.")
    product = x * y
    return jnp.sum(product, axis=-1, dtype=product.dtype)


def dot_vjp(x, y, dout):
    """Multiply the gradient by the other operand."""
    dout = dout[..., None]
    return dout * jnp.conj(y), dout * jnp.conj(x)


def dot_reference(x, y):
    """Sum products over the last dimension."""
    return np.sum(x * y, axis=-1)


def dot_samples():
    """Yield vectors, rows of vectors and no elements."""
    yield Sample(values((4,)), values((4,), seed=1))
    yield Sample(values((2, 3)), values((2, 3), seed=1))
    yield Sample(values((0,)), values((0,), seed=1))


def dot_errors():
    """Yield shapes that differ."""
    yield BadInput((np.ones(3), np.ones(4)), {}, InvalidArgumentError, "of one shape")


dot = op(
    "dot",
    dot_forward,
    vjp=dot_vjp,
    saves=BOTH_SAVED,
    reference=dot_reference,
    samples=dot_samples,
    errors=dot_errors,
    formula="dx = dout * conj(y); dy = dout * conj(x)",
    dtypes="float32 float64 bfloat16 complex128",
    doc="Sum the products of two vectors, or of each pair of rows of two matrices.",
    example="paddle.dot(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 4.0]))",
)


def mv_forward(x, vec):
    """Multiply a matrix by a vector."""
    product_dtypes(x, vec)
    if x.ndim != 2 or vec.ndim != 1:
        raise ValueError("takes a matrix and a vector.")
    return jnp.matmul(x, vec)


def mv_samples():
    """Yield matrices with and without rows."""
    yield Sample(values((2, 3)), values((3,), seed=1))
    yield Sample(values((1, 1)), values((1,), seed=1))
    yield Sample(values((0, 3)), values((3,), seed=1))


def mv_errors():
    """Yield a matrix instead of the vector, and a vector of another length."""
    yield BadInput((np.ones((2, 3)), np.ones((3, 1))), {}, InvalidArgumentError, "a vector")
    yield BadInput((np.ones((2, 3)), np.ones(2)), {}, InvalidArgumentError, "mv")


mv = op(
    "mv",
    mv_forward,
    saves="x vec",
    reference="numpy.matmul",
    samples=mv_samples,
    errors=mv_errors,
    formula="dx = outer(dout, conj(vec)); dvec = conj(x)^T @ dout",
    doc="Multiply a matrix with a vector.",
    example="paddle.mv(paddle.ones([2, 3]), paddle.ones([3]))",
    dtypes=WITH_COMPLEX,
)


def addmm_forward(input, x, y, *, beta: float = 1.0, alpha: float = 1.0):
    """Add a scaled product to a scaled matrix."""
    same_dtype(input, x, y)
    if x.ndim != 2 or y.ndim != 2:
        raise ValueError("takes matrices x and y.")
    return _add_product(input, x, y, beta, alpha)


def baddbmm_forward(input, x, y, *, beta: float = 1.0, alpha: float = 1.0):
    """Add scaled products to a scaled batch of matrices."""
    same_dtype(input, x, y)
    if x.ndim != 3 or y.ndim != 3 or x.shape[0] != y.shape[0]:
        raise ValueError("takes batches of matrices x and y of equal length.")
    return _add_product(input, x, y, beta, alpha)


def _add_product(input, x, y, beta, alpha):
    product = jnp.matmul(x, y)
    if jnp.broadcast_shapes(input.shape, product.shape) != product.shape:
        raise ValueError(f"input must broadcast to the product's shape {list(product.shape)}.")
    return beta * input + alpha * product


def add_product_reference(input, x, y, beta=1.0, alpha=1.0):
    """Use NumPy's matmul, scaled and added."""
    return beta * input + alpha * np.matmul(x, y)


def addmm_samples():
    """Yield equal and broadcast inputs, and scales."""
    yield Sample(values((2, 4)), values((2, 3), seed=1), values((3, 4), seed=2))
    yield Sample(values((4,)), values((2, 3), seed=1), values((3, 4), seed=2), beta=0.5, alpha=-2.0)
    yield Sample(values((2, 1)), values((2, 0), seed=1), values((0, 3), seed=2), beta=3.0)


def baddbmm_samples():
    """Yield equal and broadcast inputs, and scales."""
    x, y = values((2, 2, 3), seed=1), values((2, 3, 4), seed=2)
    yield Sample(values((2, 2, 4)), x, y)
    yield Sample(values((1, 2, 4)), x, y, beta=0.5, alpha=-2.0)
    yield Sample(values((2, 1, 1)), x, y, beta=2.0)


def addmm_errors():
    """Yield operands that are not matrices, and an input larger than the product."""
    square = np.ones((2, 2))
    yield BadInput((square, np.ones(2), square), {}, InvalidArgumentError, "takes matrices")
    yield BadInput((np.ones((3, 2, 2)), square, square), {}, InvalidArgumentError, "broadcast")


def baddbmm_errors():
    """Yield operands that are not batches."""
    square = np.ones((2, 2))
    yield BadInput((square, square, square), {}, InvalidArgumentError, "takes batches")


addmm = op(
    "addmm",
    addmm_forward,
    saves="input x y",
    inplace=True,
    reference=add_product_reference,
    samples=addmm_samples,
    errors=addmm_errors,
    formula="dinput = beta * dout; dx = alpha * dout @ y^H; dy = alpha * x^H @ dout",
    doc="Compute beta * input + alpha * (x @ y) for matrices x and y.",
    example="paddle.addmm(paddle.ones([2, 2]), paddle.ones([2, 3]), paddle.ones([3, 2]), beta=0.5)",
    dtypes=WITH_COMPLEX,
)
baddbmm = op(
    "baddbmm",
    baddbmm_forward,
    saves="input x y",
    inplace=True,
    reference=add_product_reference,
    samples=baddbmm_samples,
    errors=baddbmm_errors,
    formula="dinput = beta * dout; dx = alpha * dout @ y^H; dy = alpha * x^H @ dout",
    doc="Compute beta * input + alpha * (x @ y) for batches of matrices x and y.",
    example="paddle.baddbmm(paddle.ones([2, 3, 3]), *[paddle.ones([2, 3, 3])] * 2, beta=0.5)",
    dtypes=WITH_COMPLEX,
)


def einsum_forward(operands: Tensors, *, equation: str):
    """Sum products according to an equation."""
    product_dtypes(*operands)
    terms, arrow, labels = equation.replace(" ", "").partition("->")
    names = "".join(dict.fromkeys(labels))
    if not arrow or "." in labels or len(names) == len(labels):
        return jnp.einsum(equation, *operands)
    return _on_diagonals(jnp.einsum(f"{terms}->{names}", *operands), names, labels)


def _on_diagonals(x, names: str, labels: str):
    """Return x, whose axes are named once, where a label that is repeated names a diagonal."""
    unused = (letter for letter in string.ascii_letters if letter not in labels)
    parts, factors, found = [names], [x], ""
    for label in labels:
        name = label
        if label in found:
            name = next(unused)
            parts.append(label + name)
            factors.append(jnp.eye(x.shape[names.index(label)], dtype=x.dtype))
        found += name
    return jnp.einsum(f"{','.join(parts)}->{found}", *factors)


def einsum_reference(operands, equation):
    """Use NumPy's einsum."""
    return np.einsum(equation, *operands)


def einsum_samples():
    """Yield a product, a trace, an outer product, a batch with ellipsis, three operands."""
    square = values((3, 3))
    yield Sample([values((2, 3)), values((3, 4), seed=1)], equation="ij,jk->ik")
    yield Sample([square], equation="ii->")
    yield Sample([values((2,)), values((3,), seed=1)], equation="i,j")
    yield Sample([values((2, 2, 3)), values((2, 3, 1), seed=1)], equation="...ij,...jk->...ik")
    yield Sample([values((2, 3)), square, values((3,), seed=2)], equation="ai,ij,j->a")


def einsum_errors():
    """Yield dimensions that do not fit."""
    operands = [np.ones((2, 3)), np.ones((2, 3))]
    yield BadInput((operands,), {"equation": "ij,jk->ik"}, InvalidArgumentError, "einsum")


_einsum = op(
    "einsum",
    einsum_forward,
    saves="operands",
    public=None,
    reference=einsum_reference,
    samples=einsum_samples,
    errors=einsum_errors,
    formula="each gradient is the einsum of dout with the conjugates of the other operands",
    doc="Sum products of elements over the indices an equation names.",
    dtypes=WITH_COMPLEX,
)


@composite(method=False)
def einsum(equation: str, *operands: "Tensor | Sequence[Tensor]") -> "Tensor":
    """Return the sums of products given by an equation in Einstein notation.

    Paddle's backward reads private copies of the operands, so it does not notice an in-place write
    after ``einsum``. Here that raises the usual error for a modified saved tensor.

    Args:
        equation: for example "ij,jk->ik"; without "->" the output has the indices that occur once,
            in alphabetical order. An index that the output repeats, as in "i->ii", is a diagonal.
        *operands: tensors, one per comma-separated term, or one list of them.

    Returns:
        Tensor with the dimensions after "->".

    Raises:
        RefusedArgumentError: for another number of terms, or an index that is not a letter.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.einsum("ij,ij->i", paddle.ones([2, 3]), paddle.ones([2, 3])).tolist()
        [3.0, 3.0]
    """
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = operands[0]  # type: ignore[assignment]
    _check_terms(equation, len(operands))
    return _einsum(list(operands), equation)


def _check_terms(equation: str, count: int) -> None:
    """Raise unless there is one term of letters for each of ``count`` operands."""
    terms = equation.partition("->")[0]
    wrong = next((each for each in terms if not (each.isalpha() or each in " ,.")), None)
    if wrong is not None:
        raise RefusedArgumentError(
            f"Invalid equation: {wrong} is not a valid label, which should be letters."
        )
    found = terms.count(",") + 1
    if found != count:
        raise RefusedArgumentError(
            f"Invalid equation: the number of operands is {count}, but found {found} segments in "
            "the label equation."
        )


# ---- products of elements


def kron_forward(x, y):
    """Compute the Kronecker product."""
    product_dtypes(x, y)
    return jnp.kron(x, y)


def kron_samples():
    """Yield matrices, tensors of different rank and 0-D."""
    yield Sample(values((2, 3)), values((3, 2), seed=1))
    yield Sample(values((2, 2, 2)), values((2, 3), seed=1))
    yield Sample(values(()), values((2,), seed=1))


kron = op(
    "kron",
    kron_forward,
    saves=BOTH_SAVED,
    reference="numpy.kron",
    samples=kron_samples,
    formula="dx = dout, times the weights with which x was read: those of y; dy = dout, times "
    "the weights with which y was read: those of x",
    doc="Compute the Kronecker product of two tensors.",
    example="paddle.kron(paddle.to_tensor([[1.0, 2.0]]), paddle.to_tensor([[1.0], [1.0]]))",
    dtypes=WITH_COMPLEX,
)


def cross_forward(x, y, *, axis: Axis = 9):
    """Compute cross products along an axis of size 3; 9 means the first such axis."""
    if x.shape != y.shape:
        raise ValueError("takes two tensors of one shape.")
    if axis == 9:
        axis = next((i for i, size in enumerate(x.shape) if equal_sizes(size, 3)), 9)
    if axis == 9 or x.shape[normal_axis(axis, x.ndim)] != 3:
        raise ValueError("takes vectors of 3 elements along its axis.")
    return jnp.cross(x, y, axis=axis)


def cross_reference(x, y, axis=9):
    """Use NumPy's cross product."""
    return np.cross(x, y, axis=np.shape(x).index(3) if axis == 9 else axis)


def cross_samples():
    """Yield rows, columns and the axis found by size."""
    yield Sample(values((2, 3)), values((2, 3), seed=1))
    yield Sample(values((3, 2)), values((3, 2), seed=1), axis=0)
    yield Sample(values((3,)), values((3,), seed=1), axis=-1)


def cross_errors():
    """Yield an axis that does not have 3 elements."""
    yield BadInput((np.ones((2, 2)), np.ones((2, 2))), {}, InvalidArgumentError, "3 elements")


cross = op(
    "cross",
    cross_forward,
    saves=BOTH_SAVED,
    promote="binary",
    reference=cross_reference,
    samples=cross_samples,
    errors=cross_errors,
    formula="dx = cross(conj(y), dout); dy = cross(dout, conj(x))",
    doc="Compute cross products of vectors of 3 elements along an axis.",
    example="paddle.cross(paddle.to_tensor([1.0, 0.0, 0.0]), paddle.to_tensor([0.0, 1.0, 0.0]))",
    dtypes=WITH_COMPLEX,
)
