"""Which function the calls of a row go through.

Note [Closures]
    ``one_operand``, ``two_operands`` and ``three_operands`` (few_operands.py) return the function
    that a row's calls go through, and so does ``several_operands`` for most others. What is known
    of the row when it is registered stands in the function's cells, so that a call asks for
    nothing its row does not have; the stages are those of ``path.run``, without its loops. That is
    worth 1.5 us a call, and more shapes of call would be worth less. Each fills in its nodes where
    it makes them: through ``record`` a recorded ``stack`` or ``split`` would take 8 percent more,
    ``layer_norm`` 14.

    They go on while all is as it mostly is: operands are tensors, of one dtype where that matters,
    and the kernel is there. Whatever is not (numbers, promotion, a kernel that has to be made, an
    error to be explained) makes a call begin again in ``path.run``, behind the handler, so that
    what is raised there is no consequence of what was caught.
"""

from collections.abc import Callable

from jaxeager.ops.call import few_operands, several_operands, wrapping
from jaxeager.ops.call.path import run


def set_tensor_class(tensor_class: type) -> None:
    """Tell this room which class its results are."""
    few_operands.Tensor = several_operands.Tensor = tensor_class
    wrapping.set_tensor_class(tensor_class)


def closure_of(
    row,
    general: Callable = run,
    numbers: frozenset = frozenset(),
    on_number: Callable | None = None,
) -> Callable | None:
    """Return what a row's calls go through, None when that is ``path.run``.

    Args:
        row: the op.
        general: what goes on with a call that is not common: ``path.run``, or another of its kind.
        numbers: types that y may have and that are not for the op to look at.
        on_number: what is called instead, with (x, y), when y has one of them.
    """
    shape = shape_of(row)
    if shape == 1:
        return few_operands.one_operand(row, general)
    if shape == 2:
        return few_operands.two_operands(row, general, numbers, on_number)
    if shape == 3:
        return few_operands.three_operands(row, general)
    return None if shape is None else several_operands.several_operands(row, general)


def shape_of(row) -> int | None:
    """Return how many operands a row's closure takes one by one; 0 for a tuple of them.

    None for a row that has no closure, one with several views.
    """
    has_list = row.returns_list or row.has_lists
    is_plain = len(row.outputs) == 1 and not (row.hidden or row.has_optional or has_list)
    count = len(row.operands)
    most = 2 if row.view is not None else 3
    if is_plain and (count == 1 or (count <= most and not row.scalars)):
        return count
    return None if row.view is not None else 0
