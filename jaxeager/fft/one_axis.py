"""The transforms over one axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.fft.transform import (
    complex_to_complex,
    complex_to_real,
    over_axis,
    real_to_complex,
)
from jaxeager.ops.keywords import also_called

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


@also_called("input=x dim=axis")
def fft(
    x: Tensor,
    n: int | None = None,
    axis: int = -1,
    norm: str = "backward",
    name: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Returns the discrete Fourier transform over one axis.

    Args:
        x: real or complex tensor; integers become the default floating dtype.
        n: number of points: the signal is cropped to it, or padded with zeros. The axis' size.
        axis: the axis, the last one by default.
        norm: "backward" divides the inverse by the number of points, "forward" the forward
            transform, "ortho" both by its root.
        name: accepted for compatibility.
        out: tensor that the result is written into as well.

    Returns:
        Complex tensor with ``n`` points along the axis.

    Raises:
        InvalidArgumentError: for sizes, axes or a norm that do not fit, and half precision.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.fft.fft(paddle.to_tensor([1.0, 2.0, 3.0])).real().tolist()[:1]
        [6.0]
    """
    return over_axis(complex_to_complex, x, n, axis, norm, True, out)


@also_called("input=x dim=axis")
def ifft(
    x: Tensor,
    n: int | None = None,
    axis: int = -1,
    norm: str = "backward",
    name: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Returns the inverse discrete Fourier transform over one axis.

    Args:
        x: real or complex tensor; integers become the default floating dtype.
        n: number of points: the signal is cropped to it, or padded with zeros. The axis' size.
        axis: the axis, the last one by default.
        norm: "backward" divides the inverse by the number of points, "forward" the forward
            transform, "ortho" both by its root.
        name: accepted for compatibility.
        out: tensor that the result is written into as well.

    Returns:
        Complex tensor with ``n`` points along the axis.

    Raises:
        InvalidArgumentError: for sizes, axes or a norm that do not fit, and half precision.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.fft.ifft(paddle.to_tensor([1.0, 2.0, 3.0])).real().tolist()[:1]
        [2.0]
    """
    return over_axis(complex_to_complex, x, n, axis, norm, False, out)


@also_called("input=x dim=axis")
def rfft(
    x: Tensor,
    n: int | None = None,
    axis: int = -1,
    norm: str = "backward",
    name: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Returns the half of a real signal's transform that the rest follows from.

    Args:
        x: real tensor; integers become the default floating dtype.
        n: number of points: the signal is cropped to it, or padded with zeros. The axis' size.
        axis: the axis, the last one by default.
        norm: "backward" divides the inverse by the number of points, "forward" the forward
            transform, "ortho" both by its root.
        name: accepted for compatibility.
        out: tensor that the result is written into as well.

    Returns:
        Complex tensor with ``n // 2 + 1`` frequencies along the axis.

    Raises:
        InvalidArgumentError: for sizes, axes or a norm that do not fit, complex input and half
            precision.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.fft.rfft(paddle.ones([8])).shape
        [5]
    """
    return over_axis(real_to_complex, x, n, axis, norm, True, out)


@also_called("input=x dim=axis")
def irfft(
    x: Tensor,
    n: int | None = None,
    axis: int = -1,
    norm: str = "backward",
    name: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Returns the real signal whose transform has the given first half; undoes ``rfft``.

    Args:
        x: the first half, ``n // 2 + 1`` numbers along the axis; complex or real.
        n: number of points of the result; an even one, ``2 * (size - 1)``, by default.
        axis: the axis, the last one by default.
        norm: "backward" divides the inverse by the number of points, "forward" the forward
            transform, "ortho" both by its root.
        name: accepted for compatibility.
        out: tensor that the result is written into as well.

    Returns:
        Real tensor with ``n`` points along the axis.

    Raises:
        InvalidArgumentError: for sizes, axes or a norm that do not fit, and half precision.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.fft.irfft(paddle.ones([5])).tolist()[:2]
        [1.0, 0.0]
    """
    return over_axis(complex_to_real, x, n, axis, norm, False, out)


@also_called("input=x dim=axis")
def hfft(
    x: Tensor,
    n: int | None = None,
    axis: int = -1,
    norm: str = "backward",
    name: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Returns the real transform of a Hermitian signal, of which one half is given.

    Args:
        x: the first half, ``n // 2 + 1`` numbers along the axis; complex or real.
        n: number of points of the result; an even one, ``2 * (size - 1)``, by default.
        axis: the axis, the last one by default.
        norm: "backward" divides the inverse by the number of points, "forward" the forward
            transform, "ortho" both by its root.
        name: accepted for compatibility.
        out: tensor that the result is written into as well.

    Returns:
        Real tensor with ``n`` points along the axis.

    Raises:
        InvalidArgumentError: for sizes, axes or a norm that do not fit, and half precision.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.fft.hfft(paddle.ones([5])).shape
        [8]
    """
    return over_axis(complex_to_real, x, n, axis, norm, True, out)


@also_called("input=x dim=axis")
def ihfft(
    x: Tensor,
    n: int | None = None,
    axis: int = -1,
    norm: str = "backward",
    name: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Returns one half of the Hermitian signal whose transform is real; undoes ``hfft``.

    Args:
        x: real tensor; integers become the default floating dtype.
        n: number of points: the signal is cropped to it, or padded with zeros. The axis' size.
        axis: the axis, the last one by default.
        norm: "backward" divides the inverse by the number of points, "forward" the forward
            transform, "ortho" both by its root.
        name: accepted for compatibility.
        out: tensor that the result is written into as well.

    Returns:
        Complex tensor with ``n // 2 + 1`` frequencies along the axis.

    Raises:
        InvalidArgumentError: for sizes, axes or a norm that do not fit, complex input and half
            precision.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.fft.ihfft(paddle.ones([8])).shape
        [5]
    """
    return over_axis(real_to_complex, x, n, axis, norm, False, out)
