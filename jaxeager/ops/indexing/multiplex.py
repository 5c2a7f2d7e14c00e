"""multiplex: each row of the result is the same row of one of several tensors."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError, PreconditionNotMetError
from jaxeager.ops.indexing.index_parse import check_within
from jaxeager.ops.register import composite, op
from jaxeager.ops.rules.attrs import Tensors
from jaxeager.ops.rules.axes import index_dtype
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, values
from jaxeager.ops.shape.joining import consistent

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def multiplex_forward(inputs: Tensors, index):
    """Take row i from the tensor that index[i] names."""
    _check(inputs, index)
    rows = jnp.arange(index.shape[0])
    return jnp.stack([each[: index.shape[0]] for each in inputs])[index[:, 0], rows]


def _check(inputs, index) -> None:
    consistent(inputs)
    index_dtype(index)
    if len(inputs) < 2:
        raise ValueError("multiplex needs more than one tensor to choose from.")
    shapes = [list(each.shape) for each in inputs]
    if inputs[0].ndim < 2 or any(shape != shapes[0] for shape in shapes):
        raise ValueError(f"the tensors must share one shape of 2 dimensions or more, not {shapes}.")
    if index.ndim != 2 or index.shape[1] != 1 or index.shape[0] > inputs[0].shape[0]:
        raise ValueError(
            f"the index must have shape [n, 1] with n up to {inputs[0].shape[0]}, not "
            f"{list(index.shape)}."
        )


def multiplex_vjp(inputs, index, dout):
    """Return the gradient of each tensor: nonzero in the rows that were taken from it."""
    chosen = index.reshape(-1, *(1,) * (dout.ndim - 1))
    left = inputs[0].shape[0] - dout.shape[0]
    padding = [(0, left)] + [(0, 0)] * (dout.ndim - 1)
    zero = jnp.zeros((), dout.dtype)
    return [
        jnp.pad(jnp.where(chosen == number, dout, zero), padding) for number in range(len(inputs))
    ]


def multiplex_reference(inputs, index):
    """Take row by row."""
    rows = [inputs[number][row] for row, number in enumerate(np.reshape(index, -1))]
    return np.stack(rows) if rows else inputs[0][:0]


def multiplex_samples():
    """Yield two and three tensors, fewer rows than they have, and no rows."""
    pair = [values((3, 2)), values((3, 2), seed=1)]
    yield Sample(pair, np.array([[1], [0], [1]], np.int32))
    three = [*pair, values((3, 2), seed=2)]
    yield Sample(three, np.array([[2], [0]], np.int32))
    yield Sample([values((2, 2, 2)), values((2, 2, 2), seed=1)], np.zeros((2, 1), np.int32))
    yield Sample(pair, np.zeros((0, 1), np.int32))


def multiplex_errors():
    """Yield one tensor, shapes that differ, and an index of another shape."""
    a, index, bad = np.ones((2, 2)), np.zeros((2, 1), np.int32), InvalidArgumentError
    yield BadInput(([a], index), {}, bad, "more than one tensor")
    yield BadInput(([a, np.ones((2, 3))], index), {}, bad, "must share one shape")
    yield BadInput(([a, a], index[:, 0]), {}, bad, "the index must have shape [n, 1]")
    yield BadInput(([a, a], index.astype(np.float32)), {}, bad, "must hold integers")


_multiplex = op(
    "multiplex", multiplex_forward, vjp=multiplex_vjp, saves="index", shapes="inputs",
    nondiff="index", public=None, dtypes=WITH_COMPLEX, reference=multiplex_reference,
    samples=multiplex_samples, errors=multiplex_errors,
    formula="dinputs = dout, put where inputs were read",
    doc="Take each row from one of several tensors.",
)  # fmt: skip


@composite()
def multiplex(inputs: "Sequence[Tensor]", index: "Tensor", name: str | None = None) -> "Tensor":
    """Return a tensor whose row ``i`` is row ``i`` of ``inputs[index[i]]``.

    Args:
        inputs: list of two tensors or more, of one shape [m, ...] and dtype.
        index: int tensor [n, 1], with n up to m.
        name: accepted for compatibility.

    Returns:
        Tensor [n, ...].

    Raises:
        InvalidArgumentError: when shapes or dtypes do not fit.
        PreconditionNotMetError: for an index that names no tensor; see ``FLAGS_check_index``.

    Example:
        >>> import jaxeager as paddle
        >>> a, b = paddle.to_tensor([[1, 2], [3, 4]]), paddle.to_tensor([[5, 6], [7, 8]])
        >>> paddle.multiplex([a, b], paddle.to_tensor([[1], [0]], dtype="int32")).tolist()
        [[5, 6], [3, 4]]
    """
    array = index._array

    def error(bad: int) -> PreconditionNotMetError:
        return PreconditionNotMetError(
            "index exceeds the number of candidate tensors: it must be in "
            f"[0, {len(inputs)}), but holds {bad}."
        )

    if isinstance(inputs, (list, tuple)):
        check_within(array, 0, len(inputs), error)
    return _multiplex(inputs, index)
