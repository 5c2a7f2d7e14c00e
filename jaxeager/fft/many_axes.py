"""The transforms over any number of axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxeager.fft.transform import (
    complex_to_complex,
    complex_to_real,
    over_axes,
    real_to_complex,
)
from jaxeager.ops.keywords import also_called

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


@also_called("input=x dim=axes")
def fftn(
    x: Tensor,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
    name: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Returns the discrete Fourier transform over several axes.

    Args:
        x: real or complex tensor; integers become the default floating dtype.
        s: numbers of points, one an axis: the signal is cropped to them, or padded with zeros.
        axes: the axes; by default the last ``len(s)``, or all.
        norm: "backward" divides the inverse by the number of points, "forward" the forward
            transform, "ortho" both by its root.
        name: accepted for compatibility.
        out: tensor that the result is written into as well.

    Returns:
        Complex tensor with ``s`` points along the axes.

    Raises:
        InvalidArgumentError: for sizes, axes or a norm that do not fit, and half precision.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.fft.fftn(paddle.ones([2, 3])).real().sum().item()
        6.0
    """
    return over_axes(complex_to_complex, x, s, axes, norm, True, out)


@also_called("input=x dim=axes")
def ifftn(
    x: Tensor,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
    name: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Returns the inverse discrete Fourier transform over several axes.

    Args:
        x: real or complex tensor; integers become the default floating dtype.
        s: numbers of points, one an axis: the signal is cropped to them, or padded with zeros.
        axes: the axes; by default the last ``len(s)``, or all.
        norm: "backward" divides the inverse by the number of points, "forward" the forward
            transform, "ortho" both by its root.
        name: accepted for compatibility.
        out: tensor that the result is written into as well.

    Returns:
        Complex tensor with ``s`` points along the axes.

    Raises:
        InvalidArgumentError: for sizes, axes or a norm that do not fit, and half precision.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.fft.ifftn(paddle.ones([2, 3])).real().sum().item()
        1.0
    """
    return over_axes(complex_to_complex, x, s, axes, norm, False, out)


@also_called("input=x dim=axes")
def rfftn(
    x: Tensor,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
    name: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Returns the half of a real signal's transform that the rest follows from.

    The last of the axes is the one of which half is enough; over the others the transform
    is complex.

    Args:
        x: real tensor; integers become the default floating dtype.
        s: numbers of points, one an axis: the signal is cropped to them, or padded with zeros.
        axes: the axes; by default the last ``len(s)``, or all.
        norm: "backward" divides the inverse by the number of points, "forward" the forward
            transform, "ortho" both by its root.
        name: accepted for compatibility.
        out: tensor that the result is written into as well.

    Returns:
        Complex tensor with ``s[-1] // 2 + 1`` frequencies along the last axis.

    Raises:
        InvalidArgumentError: for sizes, axes or a norm that do not fit, complex input and half
            precision.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.fft.rfftn(paddle.ones([4, 8])).shape
        [4, 5]
    """
    return over_axes(real_to_complex, x, s, axes, norm, True, out)


@also_called("input=x dim=axes")
def irfftn(
    x: Tensor,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
    name: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Returns the real signal whose transform has the given first half; undoes ``rfftn``.

    The last of the axes is the one of which half is enough; over the others the transform
    is complex.

    Args:
        x: the first half, ``s[-1] // 2 + 1`` numbers along the last axis; complex or real.
        s: numbers of points of the result, one an axis; an even one along the last by default.
        axes: the axes; by default the last ``len(s)``, or all.
        norm: "backward" divides the inverse by the number of points, "forward" the forward
            transform, "ortho" both by its root.
        name: accepted for compatibility.
        out: tensor that the result is written into as well.

    Returns:
        Real tensor with ``s`` points along the axes.

    Raises:
        InvalidArgumentError: for sizes, axes or a norm that do not fit, and half precision.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.fft.irfftn(paddle.ones([4, 5])).shape
        [4, 8]
    """
    return over_axes(complex_to_real, x, s, axes, norm, False, out)


@also_called("input=x dim=axes")
def hfftn(
    x: Tensor,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
    name: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Returns the real transform of a Hermitian signal, of which one half is given.

    The last of the axes is the one of which half is enough; over the others the transform
    is complex.

    Args:
        x: the first half, ``s[-1] // 2 + 1`` numbers along the last axis; complex or real.
        s: numbers of points of the result, one an axis; an even one along the last by default.
        axes: the axes; by default the last ``len(s)``, or all.
        norm: "backward" divides the inverse by the number of points, "forward" the forward
            transform, "ortho" both by its root.
        name: accepted for compatibility.
        out: tensor that the result is written into as well.

    Returns:
        Real tensor with ``s`` points along the axes.

    Raises:
        InvalidArgumentError: for sizes, axes or a norm that do not fit, and half precision.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.fft.hfftn(paddle.ones([4, 5])).shape
        [4, 8]
    """
    return over_axes(complex_to_real, x, s, axes, norm, True, out)


@also_called("input=x dim=axes")
def ihfftn(
    x: Tensor,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
    name: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Returns one half of the Hermitian signal whose transform is real; undoes ``hfftn``.

    The last of the axes is the one of which half is enough; over the others the transform
    is complex.

    Args:
        x: real tensor; integers become the default floating dtype.
        s: numbers of points, one an axis: the signal is cropped to them, or padded with zeros.
        axes: the axes; by default the last ``len(s)``, or all.
        norm: "backward" divides the inverse by the number of points, "forward" the forward
            transform, "ortho" both by its root.
        name: accepted for compatibility.
        out: tensor that the result is written into as well.

    Returns:
        Complex tensor with ``s[-1] // 2 + 1`` frequencies along the last axis.

    Raises:
        InvalidArgumentError: for sizes, axes or a norm that do not fit, complex input and half
            precision.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.fft.ihfftn(paddle.ones([4, 8])).shape
        [4, 5]
    """
    return over_axes(real_to_complex, x, s, axes, norm, False, out)
