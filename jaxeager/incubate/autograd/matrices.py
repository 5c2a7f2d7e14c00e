"""Jacobian and Hessian of a function: all its inputs and outputs in one matrix."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from jaxeager.autograd.derivative_rows import (
    DerivativeRows,
    derivatives,
    elements,
    full_index,
    join,
)
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, PreconditionNotMetError
from jaxeager.incubate.autograd.functional import call, check_tensors, separate

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class _Matrix:
    """The common part of Jacobian and Hessian: a shape, and an index that computes rows."""

    _rows: DerivativeRows

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape: (M, N), or (B, M, N) with a batch."""
        return self._rows.shape

    def __getitem__(self, index):
        entries = full_index(index, self.shape)
        if entries is None:
            raise InvalidTypeError(
                f"A {type(self).__name__} is indexed with ints, slices and ..., but received "
                f"{index!r}; for anything else take the whole of it first: J[:][...]."
            )
        return self._rows[entries]

    def __repr__(self) -> str:
        count = self.shape[-2]
        return f"{type(self).__name__}(shape={self.shape}, {len(self._rows.rows)} of {count} rows)"


class Jacobian(_Matrix):
    """The derivatives of all outputs of a function by all its inputs, computed by rows on access.

    Inputs are flattened and joined, and so are outputs; with ``is_batched`` all axes but 0.

    Args:
        func: takes the xs, each as a separate argument; returns a Tensor or a list of them.
        xs: a Tensor or a list of them.
        is_batched: whether axis 0 of all of them is a batch of independent samples.

    Raises:
        InvalidTypeError: when func does not return Tensors, or for an index of another type.
        InvalidArgumentError: for a batch, when inputs and outputs differ in its size.
        OutOfRangeError: for an index out of bounds.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> J = paddle.incubate.autograd.Jacobian(lambda x, y: paddle.matmul(x, y), [x, x])
        >>> J.shape
        (4, 8)
        >>> J[0].tolist()
        [1.0, 3.0, 0.0, 0.0, 1.0, 0.0, 2.0, 0.0]
    """

    def __init__(self, func: Callable, xs: Tensor | Sequence[Tensor], is_batched: bool = False):
        inputs, outputs = _run(func, xs)
        batch = _batch_of([*inputs, *outputs]) if is_batched else None
        sizes = [elements(y.shape[int(is_batched) :]) for y in outputs]
        self._rows = DerivativeRows(lambda: outputs, sizes, inputs, batch)


class Hessian(_Matrix):
    """The second derivatives of a scalar function, computed by rows on access.

    Inputs are flattened and joined; with ``is_batched`` all axes but 0.

    Args:
        func: takes the xs, each as a separate argument; returns a Tensor of one element, or of one
            element per sample.
        xs: a Tensor or a list of them.
        is_batched: whether axis 0 of all of them is a batch of independent samples.

    Raises:
        InvalidTypeError: when func does not return a Tensor, or for an index of another type.
        PreconditionNotMetError: when it returns more elements.
        InvalidArgumentError: for a batch, when inputs and outputs differ in its size.
        OutOfRangeError: for an index out of bounds.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0, 2.0])
        >>> H = paddle.incubate.autograd.Hessian(lambda x: (x * x * x).sum(), x)
        >>> H[:].tolist()
        [[6.0, 0.0], [0.0, 12.0]]
    """

    def __init__(self, func: Callable, xs: Tensor | Sequence[Tensor], is_batched: bool = False):
        inputs, outputs = _run(func, xs)
        batch = _batch_of([*inputs, *outputs]) if is_batched else None
        if sum(elements(y.shape[int(is_batched) :]) for y in outputs) != 1:
            raise PreconditionNotMetError(
                "The function given to Hessian should return as single element Tensor or batched "
                f"single element Tensor, but it returned shapes {[list(y.shape) for y in outputs]}."
            )
        sizes = [elements(x.shape[int(is_batched) :]) for x in inputs]

        @functools.cache
        def gradient():
            first = derivatives(outputs, inputs)
            return [join(first, () if batch is None else (batch,))]

        self._rows = DerivativeRows(gradient, [sum(sizes)], inputs, batch)


def _run(func: Callable, xs) -> tuple[list, list]:
    """Return the inputs, detached from their graph, and the outputs."""
    check_tensors("xs", xs)
    inputs = separate(xs)
    return inputs, call(func, [None], inputs)[1]


def _batch_of(tensors: list) -> int:
    """Return the size of axis 0 that all tensors share."""
    shapes = [list(tensor.shape) for tensor in tensors]
    size = shapes[0][0] if shapes[0] else -1
    if any(shape[:1] != [size] for shape in shapes):
        raise InvalidArgumentError(
            "With is_batched inputs and outputs must have axis 0 in common, but their shapes are "
            f"{shapes}."
        )
    return size
