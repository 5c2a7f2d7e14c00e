"""The transforms over two axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxeager.fft.arguments import check_plane
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
def fft2(
    x: Tensor,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str = "backward",
    name: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Returns the discrete Fourier transform over two axes.

    Args:
        x: real or complex tensor; integers become the default floating dtype.
        s: numbers of points, one an axis: the signal is cropped to them, or padded with zeros.
        axes: the two axes, the last ones by default.
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
        >>> paddle.fft.fft2(paddle.ones([2, 3])).real().sum().item()
        6.0
    """
    check_plane(x, s, axes)
    return over_axes(complex_to_complex, x, s, axes, norm, True, out)


@also_called("input=x dim=axes")
def ifft2(
    x: Tensor,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str = "backward",
    name: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Returns the inverse discrete Fourier transform over two axes.

    Args:
        x: real or complex tensor; integers become the default floating dtype.
        s: numbers of points, one an axis: the signal is cropped to them, or padded with zeros.
        axes: the two axes, the last ones by default.
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
        >>> paddle.fft.ifft2(paddle.ones([2, 3])).real().sum().item()
        1.0
    """
    check_plane(x, s, axes)
    return over_axes(complex_to_complex, x, s, axes, norm, False, out)


@also_called("input=x dim=axes")
def rfft2(
    x: Tensor,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
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
        axes: the two axes, the last ones by default.
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
        >>> paddle.fft.rfft2(paddle.ones([4, 8])).shape
        [4, 5]
    """
    check_plane(x, s, axes)
    return over_axes(real_to_complex, x, s, axes, norm, True, out)


@also_called("input=x dim=axes")
def irfft2(
    x: Tensor,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str = "backward",
    name: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Returns the real signal whose transform has the given first half; undoes ``rfft2``.

    The last of the axes is the one of which half is enough; over the others the transform
    is complex.

    Args:
        x: the first half, ``s[-1] // 2 + 1`` numbers along the last axis; complex or real.
        s: numbers of points of the result, one an axis; an even one along the last by default.
        axes: the two axes, the last ones by default.
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
        >>> paddle.fft.irfft2(paddle.ones([4, 5])).shape
        [4, 8]
    """
    check_plane(x, s, axes)
    return over_axes(complex_to_real, x, s, axes, norm, False, out)


@also_called("input=x dim=axes")
def hfft2(
    x: Tensor,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
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
        axes: the two axes, the last ones by default.
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
        >>> paddle.fft.hfft2(paddle.ones([4, 5])).shape
        [4, 8]
    """
    check_plane(x, s, axes)
    return over_axes(complex_to_real, x, s, axes, norm, True, out)


@also_called("input=x dim=axes")
def ihfft2(
    x: Tensor,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str = "backward",
    name: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Returns one half of the Hermitian signal whose transform is real; undoes ``hfft2``.

    The last of the axes is the one of which half is enough; over the others the transform
    is complex.

    Args:
        x: real tensor; integers become the default floating dtype.
        s: numbers of points, one an axis: the signal is cropped to them, or padded with zeros.
        axes: the two axes, the last ones by default.
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
        >>> paddle.fft.ihfft2(paddle.ones([4, 8])).shape
        [4, 5]
    """
    check_plane(x, s, axes)
    return over_axes(real_to_complex, x, s, axes, norm, False, out)
