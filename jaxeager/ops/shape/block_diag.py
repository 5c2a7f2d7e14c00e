"""block_diag: one matrix with matrices along its diagonal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.call.bad_operands import listed
from jaxeager.ops.creation.creation import zeros
from jaxeager.ops.register import composite
from jaxeager.ops.shape.joining import concat
from jaxeager.ops.shape.manipulation import unsqueeze

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


@composite()
def block_diag(inputs: Sequence[Tensor], name: str | None = None) -> Tensor:
    """Return a matrix with the given matrices along its diagonal, zeros elsewhere.

    Args:
        inputs: list of tensors of one dtype and at most two dimensions; a vector is a row.
        name: accepted for compatibility.

    Returns:
        Tensor [sum of rows, sum of columns].

    Raises:
        InvalidArgumentError: for no tensors, one of more than two dimensions, or several dtypes.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.block_diag([paddle.ones([1, 2]), paddle.to_tensor(5.0)]).tolist()
        [[1.0, 1.0, 0.0], [0.0, 0.0, 5.0]]
    """
    blocks = [_as_matrix(each) for each in listed("block_diag", "inputs", inputs)]
    widths = [block.shape[1] for block in blocks]
    rows = []
    for number, block in enumerate(blocks):
        height, dtype = block.shape[0], block.dtype
        row = [zeros([height, width], dtype) for width in widths]
        row[number] = block
        rows.append(concat(row, 1))
    return concat(rows, 0)


def _as_matrix(x):
    if x.ndim > 2:
        raise InvalidArgumentError(
            "For 'block_diag', the dimension of each elements in 'inputs' must be 0, 1, or 2, but "
            f"got {x.ndim}"
        )
    while x.ndim < 2:
        x = unsqueeze(x, 0)
    return x
