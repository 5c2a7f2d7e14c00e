"""Triangles, diagonals and grids of given tensors; filling a tensor with a value."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import jax.numpy as jnp
import numpy as np

from jaxeager.core.open_size import as_array
from jaxeager.core.symbolic import is_symbolic
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.ops.elementwise.unary import zero_vjp
from jaxeager.ops.register import composite, op
from jaxeager.ops.row import ROWS
from jaxeager.ops.rules.attrs import Count, Scalar, Tensors
from jaxeager.ops.rules.axes import normal_axis, same_dtype
from jaxeager.ops.rules.promotion import NUMBERS
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, values
from jaxeager.ops.shape.manipulation import flatten

if TYPE_CHECKING:
    from jaxeager.core.types import Number
    from jaxeager.tensor.tensor import Tensor


def _needs_matrix(x) -> None:
    if x.ndim < 2:
        raise ValueError(f"the operand must have at least 2 dimensions, but has {x.ndim}.")


def _lower(x, diagonal: int):
    if not is_symbolic(diagonal):
        return jnp.tril(x, diagonal)
    return jnp.where(_columns_beyond(x.shape) <= as_array(diagonal), x, jnp.zeros((), x.dtype))


def _upper(x, diagonal: int):
    if not is_symbolic(diagonal):
        return jnp.triu(x, diagonal)
    return jnp.where(_columns_beyond(x.shape) >= as_array(diagonal), x, jnp.zeros((), x.dtype))


def _columns_beyond(shape: tuple[int, ...]):
    """Return column minus row of each element of a matrix."""
    return jnp.arange(shape[-1]) - jnp.arange(shape[-2])[:, None]


def tril_forward(x, *, diagonal: Count = 0):
    """Keep the elements on and below a diagonal."""
    _needs_matrix(x)
    return _lower(x, diagonal)


def triu_forward(x, *, diagonal: Count = 0):
    """Keep the elements on and above a diagonal."""
    _needs_matrix(x)
    return _upper(x, diagonal)


def tril_vjp(dout, *, diagonal):
    """Keep the same part of the gradient."""
    return _lower(dout, diagonal)


def triu_vjp(dout, *, diagonal):
    """Keep the same part of the gradient."""
    return _upper(dout, diagonal)


def tril_reference(x, diagonal=0):
    """Use NumPy's tril."""
    return np.tril(x, diagonal)


def triu_reference(x, diagonal=0):
    """Use NumPy's triu."""
    return np.triu(x, diagonal)


def triangle_samples():
    """Yield wide, high, batched and zero-size matrices and other diagonals."""
    yield Sample(values((3, 4)))
    yield Sample(values((4, 3)), diagonal=1)
    yield Sample(values((2, 3, 3)), diagonal=-1)
    yield Sample(values((0, 3)))


def _triangle(name: str, forward, vjp, reference, side: str):
    return op(
        name,
        forward,
        vjp=vjp,
        inplace=True,
        dtypes=WITH_COMPLEX,
        reference=reference,
        samples=triangle_samples,
        errors=lambda: (
            BadInput((np.ones(3),), {}, InvalidArgumentError, "at least 2 dimensions"),
        ),
        formula=f"dx = {name}(dout, diagonal)",
        doc=f"Keep the elements on and {side} a diagonal of each matrix; the others become 0.",
        example=f"paddle.{name}(paddle.ones([2, 2]))",
    )


tril = _triangle("tril", tril_forward, tril_vjp, tril_reference, "below")
triu = _triangle("triu", triu_forward, triu_vjp, triu_reference, "above")


def diag_forward(x, *, offset: int = 0, padding_value: Scalar = 0):
    """Make a matrix from its diagonal, or take the diagonal of a matrix."""
    if x.ndim > 2:
        raise ValueError(f"the operand must have 1 or 2 dimensions, but has {x.ndim}.")
    if x.ndim == 2:
        return jnp.diagonal(x, offset)
    x = x.reshape(-1)
    size = x.size + abs(offset)
    is_diagonal = jnp.eye(size, k=offset, dtype=bool)
    return jnp.where(is_diagonal, jnp.diag(x, offset), padding_value).astype(x.dtype)


def diag_vjp(x, dout, *, offset):
    """Take the gradient's diagonal, or write the gradient to a diagonal."""
    if len(x.shape) < 2:
        return jnp.diagonal(dout, offset).reshape(x.shape)
    rows = jnp.arange(dout.size) + max(-offset, 0)
    columns = jnp.arange(dout.size) + max(offset, 0)
    return jnp.zeros(x.shape, dout.dtype).at[rows, columns].set(dout)


def diag_reference(x, offset=0, padding_value=0):
    """Use NumPy's diag, with another value off the diagonal."""
    if x.ndim == 2:
        return np.diag(x, offset)
    x = x.reshape(-1)
    is_diagonal = np.eye(x.size + abs(offset), k=offset, dtype=bool)
    return np.where(is_diagonal, np.diag(x, offset), np.array(padding_value).astype(x.dtype))


def diag_samples():
    """Yield vectors and matrices, offsets, padding, 0-D and zero-size."""
    yield Sample(values((3,)))
    yield Sample(values((3,)), offset=-1, padding_value=9.0)
    yield Sample(values((2, 4)), offset=1)
    yield Sample(values((4, 2)), offset=-1)
    yield Sample(values(()))
    yield Sample(values((0,)))


diag = op(
    "diag",
    diag_forward,
    vjp=diag_vjp,
    shapes="x",
    dtypes=WITH_COMPLEX,
    reference=diag_reference,
    samples=diag_samples,
    errors=lambda: (
        BadInput((np.ones((1, 1, 1)),), {}, InvalidArgumentError, "1 or 2 dimensions"),
    ),
    formula="dx = dout, put where x was read",
    doc="Put a vector on a diagonal of a matrix, or take a diagonal of a matrix.",
    example="paddle.diag(paddle.to_tensor([1.0, 2.0]))",
)


@composite()
def diagflat(x: "Tensor", offset: int = 0, name: str | None = None) -> "Tensor":
    """Return a matrix with the elements of ``x``, in order, on a diagonal.

    Args:
        x: tensor of any shape.
        offset: the diagonal; 0 is the main one.
        name: accepted for compatibility.

    Returns:
        Tensor [n, n] for n elements, larger by the offset.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.diagflat(paddle.to_tensor([[1, 2]])).tolist()
        [[1, 0], [0, 2]]
    """
    return diag(flatten(x) if x.ndim > 1 else x, offset)


def diag_embed_forward(input, *, offset: int = 0, dim1: int = -2, dim2: int = -1):
    """Write the last dimension to the diagonal of two new ones."""
    if not input.ndim:
        raise ValueError("the operand must have at least 1 dimension, but has 0.")
    ndim = input.ndim + 1
    first, second = normal_axis(dim1, ndim), normal_axis(dim2, ndim)
    if first == second:
        raise ValueError(f"dim1 and dim2 must differ, but are {dim1} and {dim2}.")
    if first > second:
        first, second, offset = second, first, -offset
    size = input.shape[-1] + abs(offset)
    places = jnp.arange(input.shape[-1])
    out = jnp.zeros((*input.shape[:-1], size, size), input.dtype)
    out = out.at[..., places + max(-offset, 0), places + max(offset, 0)].set(input)
    return jnp.moveaxis(out, (-2, -1), (first, second))


def diag_embed_reference(input, offset=0, dim1=-2, dim2=-1):
    """Loop over the last dimension."""
    size = input.shape[-1] + abs(offset)
    out = np.zeros((*input.shape[:-1], size, size), input.dtype)
    for i in range(input.shape[-1]):
        out[..., i + max(-offset, 0), i + max(offset, 0)] = input[..., i]
    return np.moveaxis(out, (-2, -1), (dim1, dim2))


def diag_embed_samples():
    """Yield a vector, a matrix, an offset, other dimensions and zero-size."""
    yield Sample(values((3,)))
    yield Sample(values((2, 3)), offset=-1)
    yield Sample(values((2, 3)), offset=1, dim1=0, dim2=2)
    yield Sample(values((0, 3)))


diag_embed = op(
    "diag_embed",
    diag_embed_forward,
    shapes="input",
    public="both",
    dtypes=WITH_COMPLEX,
    reference=diag_embed_reference,
    samples=diag_embed_samples,
    errors=lambda: (BadInput((np.ones((2, 2)), 0, 1, 1), {}, InvalidArgumentError, "must differ"),),
    formula="dinput = diagonal(dout, offset, dim1, dim2): Paddle gives none",
    doc="Put the last dimension on a diagonal of two new dimensions.",
    example="paddle.diag_embed(paddle.to_tensor([1.0, 2.0]))",
)


def meshgrid_forward(inputs: Tensors, *, indexing: str = "ij"):
    """Broadcast vectors over the grid of all of them."""
    same_dtype(*inputs)
    if any(each.ndim > 1 for each in inputs):
        shapes = [tuple(each.shape) for each in inputs]
        raise ValueError(f"the inputs must have at most 1 dimension, but have shapes {shapes}.")
    if indexing not in ("ij", "xy"):
        raise ValueError(f"indexing must be 'ij' or 'xy', but is {indexing!r}.")
    vectors = [jnp.atleast_1d(each) for each in inputs]
    return jnp.meshgrid(*vectors, indexing="xy" if indexing == "xy" else "ij")


def meshgrid_reference(inputs, indexing: Literal["ij", "xy"] = "ij"):
    """Use NumPy's meshgrid."""
    return list(np.meshgrid(*inputs, indexing=indexing))


def meshgrid_samples():
    """Yield two and three vectors, both orders, and zero-size."""
    yield Sample([values((2,)), values((3,), seed=1)])
    yield Sample([values((2,)), values((3,), seed=1), values((4,), seed=2)], indexing="xy")
    yield Sample([values((2,)), values((0,))])
    yield Sample([values(()), values((2,))])


_meshgrid = op(
    "meshgrid",
    meshgrid_forward,
    shapes="inputs",
    outputs="out[]",
    public=None,
    dtypes=WITH_COMPLEX,
    reference=meshgrid_reference,
    samples=meshgrid_samples,
    errors=lambda: (
        BadInput(([np.ones((2, 2))],), {}, InvalidArgumentError, "at most 1 dimension"),
    ),
    formula="dinputs = dout, added where inputs were read",
    doc="Spread vectors over a grid of all of them.",
    example="paddle.meshgrid(paddle.arange(2), paddle.arange(3))",
)


@composite(method=False)
def meshgrid(
    *inputs: "Tensor | Sequence[Tensor]", indexing: str = "ij", name: str | None = None
) -> "list[Tensor]":
    """Return, for each vector, its values over the grid of all vectors.

    Args:
        *inputs: tensors of at most one dimension, or one list of them.
        indexing: "ij" (the first vector varies along the first axis) or "xy" (along the second).
        name: accepted for compatibility.

    Returns:
        list of tensors, one per vector, all of the grid's shape.

    Raises:
        InvalidArgumentError: for no tensors, several dtypes, or more than one dimension.

    Example:
        >>> import jaxeager as paddle
        >>> rows, columns = paddle.meshgrid(paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4]))
        >>> rows.tolist(), columns.tolist()
        ([[1, 1], [2, 2]], [[3, 4], [3, 4]])
    """
    if len(inputs) == 1 and isinstance(inputs[0], (list, tuple)):
        inputs = inputs[0]  # type: ignore[assignment]
    if not inputs:
        raise InvalidArgumentError("meshgrid(): the list of tensors must not be empty.")
    return _meshgrid(list(inputs), indexing)


def fill_forward(x, *, value: Scalar = 0.0):
    """Set every element to a value."""
    return jnp.full_like(x, value)


def fill_reference(x, value=0.0):
    """Use NumPy's full_like."""
    return np.full_like(x, value)


def fill_samples():
    """Yield values, 0-D and zero-size."""
    yield Sample(values((2, 3)), value=2.5)
    yield Sample(values(()))
    yield Sample(values((0, 3)), value=1.0)


fill = op(
    "fill",
    fill_forward,
    vjp=zero_vjp,
    inplace=True,
    public=None,
    dtypes=WITH_COMPLEX,
    reference=fill_reference,
    samples=fill_samples,
    errors=lambda: (BadInput(("a",), {}, InvalidTypeError, "must be Tensor"),),
    formula="dx = 0: nothing of the old value is left",
    doc="Set every element to a value.",
    example="paddle.ones([2]).fill_(3.0)",
)


@composite()
def fill_(x: "Tensor", value: "Number") -> "Tensor":
    """Set every element of ``x`` to a number and return ``x``; the old value gets no gradient.

    ``x`` is a tensor of any shape and dtype.

    Raises:
        InvalidTypeError: when ``value`` is not a number; ``x[...] = tensor`` accepts a tensor, and
            computes its gradient.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.ones([2]).fill_(3.0).tolist()
        [3.0, 3.0]
    """
    if type(value) not in NUMBERS:
        raise InvalidTypeError(
            "The type of 'value'  must be int or float, but received "
            f"{type(value).__name__}; x[...] = value takes a tensor."
        )
    return ROWS["fill"].inplace_function(x, value)


@composite()
def zero_(x: "Tensor") -> "Tensor":
    """Set every element of ``x`` to 0 and return ``x``; the old value gets no gradient.

    ``x`` is a tensor of any shape and dtype.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.ones([2]).zero_().tolist()
        [0.0, 0.0]
    """
    return ROWS["fill"].inplace_function(x, 0.0)
