"""Shapes of a program's inputs, with JAX symbols for unknown sizes.

Note [Which unknown sizes are equal]
    ``InputSpec([None, 8])`` of two inputs does not state whether both have the same number of rows.
    JAX must know, because it traces the program once, for all sizes. So there are several attempts.
    First every unknown size is a separate symbol, which is the most general. Then the first sizes
    of all inputs are the same ("batch"). Then all unknown sizes at the same axis are. The first
    attempt that works for the function is used.

Note [What a program asks of sizes]
    ``x.topk(2)`` is valid for sizes from 2, and ``x[:, ::2] + x[:, 1::2]`` for even ones. JAX does
    not know such a property of a symbol. So where the library needs one, the function is traced
    again under the condition that it holds. The condition is part of the program: the loaded
    program refuses other sizes, as the function itself does. A condition in the user's own program
    (``if n > 2``) is not such a condition but a branch, which is refused.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from jax.export import SymbolicScope

from jaxeager.core.open_conditions import Condition, conditions_for_sign, conditions_for_zero
from jaxeager.core.open_size import open_shape
from jaxeager.core.size_comparisons import Undecided
from jaxeager.static.input_spec import InputSpec


@functools.cache
def _scope(bounds: tuple[str, ...]) -> SymbolicScope:
    """Return the scope of some bounds, one for all programs.

    Kernels are cached by their attributes, which include sizes, and JAX does not compare sizes of
    two scopes.
    """
    return SymbolicScope(bounds)


class Attempt(NamedTuple):
    """Shapes to trace a program for.

    Attributes:
        shapes: one for each input; ints and symbols.
        symbols: the names of the symbols.
        texts: the shapes as text, in JAX's notation.
        bounds: the conditions on symbols, in JAX's notation: "size1 >= 2".
    """

    shapes: list[tuple]
    symbols: list[str]
    texts: tuple[str, ...]
    bounds: tuple[str, ...] = ()

    def under(self, conditions: Sequence[Condition]) -> Attempt | None:
        """Return the same under further conditions; None where these change nothing.

        Equal symbols get one name. A symbol that must be a multiple is replaced by the count.
        """
        texts, bounds = self.texts, self.bounds
        for each in conditions:
            if each.kind in (">=", "<="):
                bounds = (*bounds, f"{each.name} {each.kind} {each.value}")
                continue
            substitute = each.value if each.kind == "same" else f"{each.value}*{each.name}"
            substitute += f" - {each.rest}" if each.rest else ""
            texts = tuple(_written(text, each.name, substitute) for text in texts)
            bounds = tuple(bound for bound in bounds if bound.split()[0] != each.name)
        if (texts, bounds) == (self.texts, self.bounds) or len(set(bounds)) < len(bounds):
            return None
        try:
            return _attempt(texts, bounds)
        except ValueError:  # bounds that contradict each other
            return None


def _written(text: str, name: str, substitute: str) -> str:
    """Return a shape in which a symbol is replaced by another text."""
    if re.search(rf"\d\*{name}\b", text):
        substitute = (
            substitute if " - " not in substitute else name
        )  # its multiples are not supported
    return re.sub(rf"\b{name}\b", substitute, text)


def conditions_of(error: BaseException, doubts: Sequence[object]) -> list[list[Condition]]:
    """Return conditions under which a function might not have failed, the likeliest first.

    Args:
        error: its error.
        doubts: differences of sizes that were assumed not to be 0 before.
    """
    undecided = undecided_in(error)
    if undecided is None:
        return [found for found in map(conditions_for_zero, reversed(doubts)) if found][:1]
    if undecided.is_users or undecided.difference is None:
        return []
    if not undecided.of_zero:
        return conditions_for_sign(undecided.difference)
    is_zero = conditions_for_zero(undecided.difference)
    return [is_zero] if is_zero else conditions_for_sign(undecided.difference - 1)


def undecided_in(error: BaseException | None) -> Undecided | None:
    """Return the undecided question about a size that caused an error."""
    met = set()
    while error is not None and id(error) not in met:
        if isinstance(error, Undecided):
            return error
        met.add(id(error))
        error = error.__cause__ or error.__context__
    return None


def attempts(specs: Sequence[InputSpec], is_recorded: bool) -> Iterator[Attempt]:
    """Yield shapes, the most general first: see Note [Which unknown sizes are equal].

    Args:
        specs: the descriptions of the inputs.
        is_recorded: whether they come from a call, whose sizes may have been accidental. Then the
            first size of each is opened, and, finally, none.
    """
    given = [list(spec.shape) for spec in specs]
    shapes = [[-1, *shape[1:]] if is_recorded and shape else shape for shape in given]
    tried: list[list[str]] = []
    for naming in (_apart, _one_batch, _by_axis):
        texts = [naming(number, shape) for number, shape in enumerate(shapes)]
        if texts not in tried and not (is_recorded and naming is _apart):
            tried.append(texts)
            yield _attempt(texts)
    if is_recorded:
        yield Attempt([tuple(shape) for shape in given], [], ())


def _attempt(texts: Sequence[str], bounds: tuple[str, ...] = ()) -> Attempt:
    scope = _scope(bounds)
    shapes = [open_shape(text, scope) for text in texts]
    symbols = {name for text in texts for name in re.findall(r"[a-z]\w*", text)}
    for symbol in symbols if bounds else ():
        bool(open_shape(symbol, scope)[0] > 0)  # JAX evaluates the bounds at the first query
    return Attempt(shapes, sorted(symbols), tuple(texts), bounds)


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
