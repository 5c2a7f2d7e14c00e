"""What a kernel was made for: shapes, dtypes and static values, and how they differ among calls."""

from typing import NamedTuple

import jax
import numpy as np

_KEPT_LEAVES = 64  # of a call


class Shapes(NamedTuple):
    """The operands and static values that one kernel was made for.

    Attributes:
        operands: shape and dtype of each array.
        static: the values that are not arrays.
        against: the differences from an earlier kernel, of a program that knows them; None for
            others, whose operands and static values are compared.
    """

    operands: tuple[tuple[tuple[int, ...], str], ...]
    static: tuple
    against: tuple["Change", ...] | None = None


def shapes_of(static, call, against: tuple["Change", ...] | None = None) -> Shapes:
    """Return the Shapes of a call: its operands, nested, and the static values of its rule."""
    leaves = jax.tree.leaves(call)
    arrays = [each for each in leaves if hasattr(each, "shape") and hasattr(each, "dtype")]
    others = [each for each in leaves if not hasattr(each, "shape")]
    operands = tuple([(tuple(each.shape), str(each.dtype)) for each in arrays[:_KEPT_LEAVES]])
    values = [*jax.tree.leaves(static), *others][:_KEPT_LEAVES]
    return Shapes(operands, tuple([each for each in values if _is_plain(each)]), against)


def _is_plain(value) -> bool:
    return isinstance(value, (int, float, complex, str, slice, np.dtype))


class Change(NamedTuple):
    """A difference among the kernels of one call.

    Attributes:
        what: "operand 0, axis 1", "dtype of operand 0", "a static value", ...
        values: the distinct values of the first and the latest kernels, in their order.
    """

    what: str
    values: tuple

    def __str__(self) -> str:
        shown = ", ".join([str(each) for each in self.values[:4]])
        return f"{self.what}: {shown}{', ...' if len(self.values) > 4 else ''}"


def changes(shapes) -> tuple[Change, ...]:
    """Return the differences among ``Shapes``: those known, of operands, or of static values.

    Example:
        >>> from jaxeager.kernels.call_shapes import Shapes, changes
        >>> seen = [Shapes((((8, length), "float32"),), ()) for length in (17, 23, 17)]
        >>> [str(change) for change in changes(seen)]
        ['operand 0, axis 1: 17, 23']
    """
    seen = list(shapes)
    if any(each.against is not None for each in seen):
        return merged([change for each in seen for change in each.against or ()])
    counts = _distinct([len(each.operands) for each in seen])
    if len(counts) > 1:
        return (Change("number of operands", counts),)
    found = [each for at in range(sum(counts)) for each in _changes_of_operand(seen, at)]
    return tuple(found or _changes_of_static(seen))


def text_of(found: tuple[Change, ...]) -> str:
    """Return the text of changes, of the first two if there are more."""
    return "; ".join([str(each) for each in found[:2]]) + ("; ..." if len(found) > 2 else "")


def merged(found: list[Change]) -> tuple[Change, ...]:
    """Return changes, with those of the same kind merged."""
    values: dict[str, dict] = {}
    for change in found:
        values.setdefault(change.what, {}).update({repr(each): each for each in change.values})
    return tuple([Change(what, tuple(each.values())) for what, each in values.items()])


def _changes_of_operand(seen: list[Shapes], at: int) -> list[Change]:
    operands = [each.operands[at] for each in seen]
    found = [(f"dtype of operand {at}", _distinct([dtype for _, dtype in operands]))]
    ranks = _distinct([len(shape) for shape, _ in operands])
    if len(ranks) > 1:
        found.append((f"rank of operand {at}", ranks))
    else:
        for axis in range(sum(ranks)):
            sizes = _distinct([shape[axis] for shape, _ in operands])
            found.append((f"operand {at}, axis {axis}", sizes))
    return [Change(what, values) for what, values in found if len(values) > 1]


def _changes_of_static(seen: list[Shapes]) -> list[Change]:
    counts = _distinct([len(each.static) for each in seen])
    if len(counts) > 1:
        return [Change("number of static values", counts)]
    columns = [_distinct([each.static[at] for each in seen]) for at in range(sum(counts))]
    return [Change("a static value", values) for values in columns if len(values) > 1]


def _distinct(values: list) -> tuple:
    """Return the distinct values in their order; 1, 1.0 and True are three values."""
    return tuple({repr(each): each for each in values}.values())
