"""The choice of the function that the calls of a row go through.

Note [Closures]
    ``one_operand``, ``two_operands`` and ``three_operands`` (few_operands.py) return the function
    that a row's calls go through, and so does ``several_operands`` for most other rows. The
    function's cells hold what is known of the row when it is registered, so a call does not check
    for features that its row lacks. The stages are those of ``path.run``, without its loops. That
    saves 1.5 us per call; closures for more shapes of call would save less. All make their results
    with ``wrap`` and their nodes with ``new_node``, which takes 3 percent longer than to set the
    attributes in each closure; those of several tensors go through ``record`` (3 to 9 percent).

    A closure handles the common case: operands are tensors, of one dtype where that matters, and
    the kernel exists. In any other case (numbers, promotion, a kernel that has to be made, an error
    to explain) the call starts over in ``path.run``, after the handler, so that an error raised
    there is not chained to the one that was caught.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.ops.call import few_operands, several_operands
from jaxeager.ops.call.path import run

if TYPE_CHECKING:
    from jaxeager.ops.call.types import Function
    from jaxeager.ops.row import OpRow


def closure_of(
    row: OpRow,
    general: Function = run,
    numbers: frozenset[type] = frozenset(),
    on_number: Function | None = None,
) -> Function | None:
    """Return the function that a row's calls go through, None when that is ``path.run``.

    Args:
        row: the op.
        general: the function that runs uncommon calls: ``path.run``, or one like it.
        numbers: types of y that the op does not handle itself.
        on_number: the function that is called instead, with (x, y), when y has one of these types.
    """
    shape = shape_of(row)
    if shape == 1:
        return few_operands.one_operand(row, general)
    if shape == 2:
        return few_operands.two_operands(row, general, numbers, on_number)
    if shape == 3:
        return few_operands.three_operands(row, general)
    return None if shape is None else several_operands.several_operands(row, general)


def shape_of(row: OpRow) -> int | None:
    """Return how many operands a row's closure takes as separate arguments; 0 for a tuple of them.

    None for a row that has no closure: one with several views.
    """
    has_list = row.returns_list or row.has_lists
    is_plain = len(row.outputs) == 1 and not (row.hidden or row.has_optional or has_list)
    count = len(row.operands)
    most = 2 if row.view is not None else 3
    if is_plain and (count == 1 or (count <= most and not row.scalars)):
        return count
    return None if row.view is not None else 0
