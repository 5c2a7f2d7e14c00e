"""fill_constant: the older form of ``paddle.full``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.tensor.names import functions
from jaxeager.tensor.tensor import Tensor

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike, PlaceLike, ShapeLike


def fill_constant(
    shape: ShapeLike,
    dtype: DTypeLike,
    value: bool | float | Tensor,
    force_cpu: bool = False,
    out: Tensor | None = None,
    place: PlaceLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Return a tensor filled with a value; ``paddle.full`` in another order.

    Args:
        shape: its shape.
        dtype: its dtype.
        value: a number, or a Tensor of one element.
        force_cpu: whether Paddle makes it on the host.
        out: a tensor that receives the value.
        place: the device.
        name: a name.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.tensor.fill_constant([2], "float32", 3).tolist()
        [3.0, 3.0]
    """
    full = functions(["full"])["full"]
    return full(shape, value, dtype, out=out, device="cpu" if force_cpu else place)
