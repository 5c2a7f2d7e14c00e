"""Shapes of a program's inputs, in which unknown sizes are symbols of JAX.

Note [Which unknown sizes are equal]
    ``InputSpec([None, 8])`` of two inputs does not say whether both have as many rows. JAX has to
    know: it traces the program once, for all sizes. So there are attempts: first every unknown
    size is one of its own, which allows most; then the first sizes of all inputs are the same
    ("batch"); then all those that stand at the same axis are. The first attempt that the function
    goes along with is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from jax.export import SymbolicScope, symbolic_shape

from jaxeager.static.input_spec import InputSpec

# One for all: kernels are kept by their attributes, sizes among them, and JAX does not compare
# sizes of two scopes.
_SCOPE = SymbolicScope()


class Attempt(NamedTuple):
    """Shapes to trace a program for.

    Attributes:
        shapes: one of each input; ints and symbols.
        symbols: the names of the symbols.
    """

    shapes: list[tuple]
    symbols: list[str]


def attempts(specs: Sequence[InputSpec], is_recorded: bool) -> Iterator[Attempt]:
    """Yields shapes, those first that allow most: see Note [Which unknown sizes are equal].

    Args:
        specs: what describes the inputs.
        is_recorded: whether they come from a call, whose sizes nobody meant for good. Then the
            first size of each is opened, and, at last, none.
    """
    given = [list(spec.shape) for spec in specs]
    shapes = [[-1, *shape[1:]] if is_recorded and shape else shape for shape in given]
    told: list[list[str]] = []
    for naming in (_apart, _one_batch, _by_axis):
        texts = [naming(number, shape) for number, shape in enumerate(shapes)]
        if texts not in told and not (is_recorded and naming is _apart):
            told.append(texts)
            yield _attempt(texts)
    if is_recorded:
        yield Attempt([tuple(shape) for shape in given], [])


def _attempt(texts: list[str]) -> Attempt:
    shapes = [symbolic_shape(text, scope=_SCOPE) for text in texts]
    symbols = {part for text in texts for part in text.split(", ") if not part.isdigit()}
    return Attempt([tuple(shape) for shape in shapes], sorted(symbols - {""}))


def _apart(number: int, shape: list[int]) -> str:
    where = f"_{number}" if number else ""
    return _text(shape, lambda axis: f"batch{where}" if axis == 0 else f"size{axis}{where}")


def _one_batch(number: int, shape: list[int]) -> str:
    where = f"_{number}" if number else ""
    return _text(shape, lambda axis: "batch" if axis == 0 else f"size{axis}{where}")


def _by_axis(number: int, shape: list[int]) -> str:
    return _text(shape, lambda axis: "batch" if axis == 0 else f"size{axis}")


def _text(shape: list[int], name) -> str:
    return ", ".join([name(axis) if n == -1 else str(n) for axis, n in enumerate(shape)])
