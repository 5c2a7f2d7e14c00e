"""The matrix of Jacobians and Hessians, whose rows are computed when they are first read."""

import math
from collections.abc import Callable, Sequence
from types import EllipsisType

import numpy as np

import jaxeager as paddle
from jaxeager.errors import InvalidTypeError, OutOfRangeError

Index = tuple[int | slice, ...]


class DerivativeRows:
    """The derivatives of all elements of some outputs by all elements of some inputs.

    One backward computes one row, that of one output element. Rows are kept, and are part of the
    graph, so that they can be differentiated again.

    Args:
        outputs: returns the outputs, Tensors; called for the first row.
        sizes: the number of elements of each output, without its batch.
        inputs: the Tensors they depend on.
        batch: the number of elements along axis 0 of every output and input, which do not depend
            on each other; None without a batch.
    """

    def __init__(
        self,
        outputs: Callable[[], Sequence],
        sizes: Sequence[int],
        inputs: Sequence,
        batch: int | None = None,
    ):
        self.outputs = outputs
        self.inputs = list(inputs)
        self.batch = () if batch is None else (batch,)
        self.axis = len(self.batch)
        self.starts = [sum(sizes[:place]) for place in range(len(sizes))]
        columns = sum(elements(each.shape[self.axis :]) for each in inputs)
        self.shape = (*self.batch, sum(sizes), columns)
        self.rows: dict[int, paddle.Tensor] = {}

    def row(self, number: int):
        """Return the derivatives of one output element: float[n], or float[batch, n]."""
        found = self.rows.get(number)
        if found is None:
            found = self.rows[number] = self._compute(number)
        return found

    def _compute(self, number: int):
        place = max(p for p, start in enumerate(self.starts) if start <= number)
        output = self.outputs()[place]
        seed = np.zeros((*self.batch, elements(output.shape[self.axis :])), "bool")
        seed[..., number - self.starts[place]] = True
        seed = paddle.to_tensor(seed.reshape(output.shape)).astype(output.dtype)
        return join(derivatives([output], self.inputs, [seed]), self.batch)

    def __getitem__(self, index: Index):
        """Return part of the matrix.

        Args:
            index: an int or a slice per axis of ``shape``, as ``full_index`` returns it.
        """
        wanted = index[self.axis]
        if isinstance(wanted, int):
            return self.row(wanted)[index[: self.axis] + index[self.axis + 1 :]]
        numbers = range(*wanted.indices(self.shape[self.axis]))
        if len(numbers) == 0:
            shape = (*self.batch, 0, self.shape[-1])
            part = paddle.zeros(shape, dtype=self.inputs[0].dtype)
        else:
            part = paddle.stack([self.row(number) for number in numbers], axis=self.axis)
        return part[(*index[: self.axis], slice(None), *index[self.axis + 1 :])]


def elements(shape) -> int:
    """Return the number of elements of a shape."""
    return math.prod(shape)


def derivatives(outputs: list, inputs: list, seeds: list | None = None) -> list:
    """Return the gradients of outputs by inputs, zeros without a path; part of a graph."""
    found = paddle.grad(outputs, inputs, seeds, create_graph=True, allow_unused=True)
    return [zeros_of(x) if grad is None else grad for x, grad in zip(inputs, found, strict=True)]


def zeros_of(tensor):
    """Return zeros of a tensor's shape and dtype that require a gradient when the tensor does."""
    zeros = paddle.zeros_like(tensor)
    zeros.stop_gradient = tensor.stop_gradient
    return zeros


def join(tensors: Sequence, batch: tuple):
    """Return the elements of all tensors in one row, or one row per element of the batch."""
    flat = [tensor.reshape([*batch, elements(tensor.shape[len(batch) :])]) for tensor in tensors]
    return flat[0] if len(flat) == 1 else paddle.concat(flat, axis=-1)


def full_index(index, shape: Sequence[int]) -> Index | None:
    """Return an index as one int or slice per axis; None when it has entries of other types.

    Raises:
        InvalidTypeError: for a fraction.
        OutOfRangeError: for more entries than axes, or an int outside its axis.
    """
    entries = index if isinstance(index, tuple) else (index,)
    kinds = (int, np.integer, slice, EllipsisType)
    if any(isinstance(entry, (float, np.floating)) for entry in entries):
        raise InvalidTypeError(f"An index must be made of integers and slices, but got {index}.")
    if any(isinstance(entry, bool) or not isinstance(entry, kinds) for entry in entries):
        return None
    dots = [place for place, entry in enumerate(entries) if entry is Ellipsis]
    given = len(entries) - len(dots)
    if len(dots) > 1 or given > len(shape):
        raise OutOfRangeError(
            f"A matrix of shape {list(shape)} takes at most {len(shape)} indices and one ..., but "
            f"received {index}."
        )
    split = dots[0] if dots else len(entries)
    entries = (*entries[:split], *[slice(None)] * (len(shape) - given), *entries[split + 1 :])
    return tuple(
        entry if isinstance(entry, slice) else _in_range(int(entry), axis, shape)
        for axis, entry in enumerate(entries)
    )


def _in_range(number: int, axis: int, shape: Sequence[int]) -> int:
    size = shape[axis]
    if not -size <= number < size:
        raise OutOfRangeError(
            f"The index {number} is out of bounds for axis {axis} of a matrix of shape "
            f"{list(shape)}; it must be in the range of [{-size}, {size})."
        )
    return number % size
