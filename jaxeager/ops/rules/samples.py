"""Sample inputs for the tests of a row: Sample, BadInput and makers of the usual ones."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

# Dtypes of the table's tests for a row that also computes with complex numbers.
WITH_COMPLEX = "float32 float64 bfloat16 complex128"


class Sample:
    """One set of inputs: NumPy arrays (or lists of them) and attributes.

    Args:
        *inputs: float64, integer or bool arrays; the tests cast floating ones to each dtype.
        grad: whether the gradient is tested here (False at kinks and ties).
        **attrs: attributes of the call.
    """

    __slots__ = ("attrs", "grad", "inputs")

    def __init__(self, *inputs: Any, grad: bool = True, **attrs: Any):
        self.inputs = inputs
        self.grad = grad
        self.attrs = attrs

    def __repr__(self) -> str:
        shapes = ",".join(_describe(value) for value in self.inputs)
        attrs = "".join(f",{key}={value}" for key, value in self.attrs.items())
        return f"{shapes}{attrs}"


def _describe(value: np.ndarray | list[Any] | tuple[Any, ...] | float | None) -> str:
    if value is None:
        return "None"
    if isinstance(value, (list, tuple)):
        return f"[{','.join(_describe(item) for item in value)}]"
    return "x".join(map(str, np.shape(value))) or "0d"


class BadInput(NamedTuple):
    """A call that must fail.

    Attributes:
        args: positional arguments; NumPy arrays among them become tensors.
        kwargs: keyword arguments.
        error: the exception class that must be raised.
        text: a text that its message must contain.
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    error: type[Exception]
    text: str


def values(
    shape: tuple[int, ...], low: float = -2.0, high: float = 2.0, seed: int = 0
) -> np.ndarray:
    """Return distinct float64 values in (low, high), no two equal, in a fixed shuffled order."""
    count = int(np.prod(shape))
    grid = low + (np.arange(count) + 0.37) * (high - low) / max(count, 1)
    return np.random.default_rng(seed).permutation(grid).reshape(shape)


def unary(low: float = -2.0, high: float = 2.0) -> Callable[[], Iterator[Sample]]:
    """Return a sample function for one operand: a matrix, 0-D and zero-size."""

    def samples() -> Iterator[Sample]:
        yield Sample(values((2, 3), low, high))
        yield Sample(values((), low, high))
        yield Sample(values((0, 3), low, high))

    return samples


def binary(low: float = -2.0, high: float = 2.0) -> Callable[[], Iterator[Sample]]:
    """Return a sample function for two operands: same shapes, broadcasting, 0-D, zero-size."""

    def samples() -> Iterator[Sample]:
        yield Sample(values((2, 3), low, high), values((2, 3), low, high, seed=1))
        yield Sample(values((2, 1, 3), low, high), values((4, 1), low, high, seed=1))
        yield Sample(values((2, 3), low, high), values((), low, high, seed=1))
        yield Sample(values((), low, high), values((), (low + high) / 2, high))
        yield Sample(values((0, 3), low, high), values((1, 3), low, high, seed=1))

    return samples
