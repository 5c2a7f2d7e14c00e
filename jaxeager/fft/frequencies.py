"""The frequencies of a transform, and their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxeager.core import dtypes
from jaxeager.errors import InvalidArgumentError
from jaxeager.fft.arguments import axis_of
from jaxeager.ops.call.keywords import also_called
from jaxeager.ops.creation.sequences import arange
from jaxeager.ops.elementwise.copies import assign
from jaxeager.ops.shape.manipulation import roll

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike, PlaceLike
    from jaxeager.tensor.tensor import Tensor


def _spaced(first, last, n, d, dtype, out, device, requires_grad, shift=0):
    """Return the numbers from ``first`` to ``last - 1``, rolled, over ``n * d``."""
    steps = arange(first, last, dtype=dtypes.get_default_dtype() if dtype is None else dtype)
    steps = steps if device is None else steps.to(device)
    steps.stop_gradient = not requires_grad
    found = (roll(steps, shift) if shift else steps) * (1.0 / (n * d))
    if out is not None:
        assign(found, out)
    return found


def _check_spacing(n, d) -> None:
    if n * d == 0:
        raise InvalidArgumentError(f"d or n should not be 0, but received n={n} and d={d}.")


def fftfreq(
    n: int,
    d: float = 1.0,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    *,
    out: Tensor | None = None,
    device: PlaceLike | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return the frequency of each output of ``fft``, in cycles per unit of ``d``.

    Args:
        n: number of points.
        d: distance between two samples.
        dtype: element type; by default, and for integers, the default dtype.
        name: accepted for compatibility.
        out: tensor that the result is also written to.
        device: the device of the result.
        requires_grad: whether gradients are recorded from the result on.

    Returns:
        Tensor of shape [n]: 0 first, then the positive ones, then the negative ones.

    Raises:
        InvalidArgumentError: when ``n`` or ``d`` is 0.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.fft.fftfreq(4).tolist()
        [0.0, 0.25, -0.5, -0.25]
    """
    _check_spacing(n, d)
    below = n // 2
    return _spaced(-below, (n + 1) // 2, n, d, dtype, out, device, requires_grad, -below)


def rfftfreq(
    n: int,
    d: float = 1.0,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    *,
    out: Tensor | None = None,
    device: PlaceLike | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return the frequency of each output of ``rfft``; see ``fftfreq``.

    Returns:
        Tensor of shape [n // 2 + 1].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.fft.rfftfreq(4).tolist()
        [0.0, 0.25, 0.5]
    """
    _check_spacing(n, d)
    return _spaced(0, n // 2 + 1, n, d, dtype, out, device, requires_grad)


def _shifted(x, axes, towards):
    """Roll each axis by half its size."""
    if axes is None:
        axes = range(x.ndim)
    found = [axis_of(x, axis) for axis in ([axes] if isinstance(axes, int) else axes)]
    if not found:
        return assign(x)
    return roll(x, [towards(x.shape[axis]) for axis in found], found)


@also_called("input=x dim=axes")
def fftshift(x: Tensor, axes: Sequence[int] | None = None, name: str | None = None) -> Tensor:
    """Return a spectrum with frequency 0 in the middle of each axis.

    Paddle: 3.3.1 fails when axes are given; here they work as documented.

    Args:
        x: tensor of any shape and dtype.
        axes: int, or sequence of ints: the axes to shift, all of them by default.
        name: accepted for compatibility.

    Returns:
        Tensor of the same shape.

    Raises:
        InvalidArgumentError: for an axis out of range.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.fft.fftshift(paddle.fft.fftfreq(4)).tolist()
        [-0.5, -0.25, 0.0, 0.25]
    """
    return _shifted(x, axes, lambda size: size // 2)


@also_called("input=x dim=axes")
def ifftshift(x: Tensor, axes: Sequence[int] | None = None, name: str | None = None) -> Tensor:
    """Return a spectrum with frequency 0 first again; undo ``fftshift``, also for odd sizes.

    Args:
        x: tensor of any shape and dtype.
        axes: int, or sequence of ints: the axes to shift, all of them by default.
        name: accepted for compatibility.

    Returns:
        Tensor of the same shape.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.fft.ifftshift(paddle.to_tensor([-1.0, 0.0, 1.0])).tolist()
        [0.0, 1.0, -1.0]
    """
    return _shifted(x, axes, lambda size: (size + 1) // 2)
