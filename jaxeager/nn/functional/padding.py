"""F.pad and F.zeropad2d: padding of images, sequences and any tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.errors import InvalidArgumentError, RefusedArgumentError
from jaxeager.ops.register import composite
from jaxeager.ops.rules.attrs import as_shape
from jaxeager.ops.shape.padding import PAD_MODES
from jaxeager.ops.shape.padding import pad as pad_any
from jaxeager.ops.shape.padding import pad3d as pad_spatial

if TYPE_CHECKING:
    from typing import Any

    from jaxeager.core.types import ShapeLike
    from jaxeager.tensor.tensor import Tensor

# By number of dimensions: the layouts, and the axes to insert to make it 5-D.
LAYOUTS = {
    3: {"NCL": ("NCDHW", [2, 3]), "NLC": ("NDHWC", [1, 2])},
    4: {"NCHW": ("NCDHW", [2]), "NHWC": ("NDHWC", [1])},
    5: {"NCDHW": ("NCDHW", []), "NDHWC": ("NDHWC", [])},
}


@composite(public="functional", method=False)
def pad(
    x: Tensor,
    pad: Any,
    mode: str = "constant",
    value: float | Tensor = 0.0,
    data_format: str | None = None,
    pad_from_left_axis: bool = True,
    name: str | None = None,
) -> Tensor:
    """Return a tensor with elements added (or, with pad3d, removed) at its borders.

    Records the same ops as Paddle: one ``pad``, or ``pad3d`` between ``unsqueeze`` and ``squeeze``
    when the spatial dimensions of a batch are padded.

    Args:
        x: tensor of any shape; modes other than "constant" require 3 to 5 dimensions.
        pad: two numbers per dimension. If they do not cover all dimensions, they start at the last
            spatial one: ``[left, right, top, bottom]`` for an image.
        mode: "constant", "reflect", "replicate" or "circular".
        value: the padding value in mode "constant".
        data_format: "NCL", "NLC", "NCHW", "NHWC", "NCDHW" or "NDHWC"; channels first by default.
        pad_from_left_axis: whether a list for all dimensions starts at the first one.
        name: accepted for compatibility.

    Returns:
        Tensor of the padded shape.

    Raises:
        InvalidArgumentError: for an invalid mode, layout or length.

    Example:
        >>> import jaxeager as paddle
        >>> import jaxeager.nn.functional as F
        >>> F.pad(paddle.ones([1, 1, 2, 3]), [1, 1, 0, 2]).shape
        paddle.Size([1, 1, 4, 5])
    """
    paddings = list(as_shape(pad))
    if mode not in PAD_MODES:
        raise RefusedArgumentError(
            f"pad: the mode must be one of {', '.join(PAD_MODES)}, but received {mode!r}."
        )
    ndim = x.ndim
    is_spatial = ndim in LAYOUTS and len(paddings) == 2 * (ndim - 2)
    if mode == "constant" and not is_spatial:
        return pad_any(x, _all_dimensions(paddings, ndim, pad_from_left_axis), value)
    if not is_spatial:
        raise RefusedArgumentError(
            f"pad: mode {mode!r} takes a tensor of 3, 4 or 5 dimensions and two numbers per "
            f"spatial dimension, but received {ndim} dimensions and {paddings}."
        )
    return _pad_spatial(x, paddings, mode, value, data_format)


def _all_dimensions(paddings: list[int], ndim: int, from_left: bool) -> list[int]:
    """Return two numbers per dimension, starting from the first dimension."""
    if len(paddings) % 2 or len(paddings) > 2 * ndim:
        raise InvalidArgumentError(
            f"pad: takes two numbers per dimension, at most {2 * ndim} for a tensor of {ndim} "
            f"dimensions, but received {paddings}."
        )
    if len(paddings) == 2 * ndim and from_left:
        return paddings
    pairs = [paddings[i : i + 2] for i in range(0, len(paddings), 2)]
    rest = [0, 0] * (ndim - len(pairs))
    return rest + [n for pair in reversed(pairs) for n in pair]


def _pad_spatial(x, paddings, mode, value, data_format):
    layouts = LAYOUTS[x.ndim]
    layout = data_format or next(iter(layouts))
    if layout not in layouts:
        raise InvalidArgumentError(
            f"pad: data_format must be {' or '.join(layouts)} for a tensor of {x.ndim} "
            f"dimensions, but received {data_format!r}."
        )
    layout_5d, new_axes = layouts[layout]
    if new_axes:
        x = x.unsqueeze(new_axes)
    out = pad_spatial(x, paddings + [0] * (6 - len(paddings)), mode, value, layout_5d)
    return out.squeeze(new_axes) if new_axes else out


@composite(public="functional", method=False)
def zeropad2d(
    x: Tensor, padding: ShapeLike, data_format: str = "NCHW", name: str | None = None
) -> Tensor:
    """Pad a batch of images with zeros at the borders.

    Args:
        x: 4-D tensor.
        padding: ``[left, right, top, bottom]``.
        data_format: "NCHW" or "NHWC".
        name: accepted for compatibility.

    Returns:
        Tensor of the padded shape.

    Example:
        >>> import jaxeager as paddle
        >>> import jaxeager.nn.functional as F
        >>> F.zeropad2d(paddle.ones([1, 1, 2, 2]), [1, 0, 0, 1]).shape
        paddle.Size([1, 1, 3, 3])
    """
    return pad(x, padding, "constant", 0.0, data_format)
