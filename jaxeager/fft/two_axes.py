"""The transforms over two axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from jaxeager.fft.arguments import check_plane
from jaxeager.fft.family import FFT, HFFT, IFFT, IHFFT, IRFFT, RFFT, TWO, Transform, published
from jaxeager.fft.transform import over_axes

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def _over_two_axes(kind: Transform, call: str, result: str) -> Callable[..., Tensor]:
    """Return the public function of a transform over two axes.

    Args:
        kind: the transform.
        call: the call in its docstring.
        result: the result of that call.
    """

    def transform(
        x: Tensor,
        s: Sequence[int] | None = None,
        axes: Sequence[int] = (-2, -1),
        norm: str = "backward",
        name: str | None = None,
        *,
        out: Tensor | None = None,
    ) -> Tensor:
        check_plane(x, s, axes)
        return over_axes(kind.numbers.compute, x, s, axes, norm, kind.forward, out)

    return published(transform, kind, TWO, call, result)


fft2 = _over_two_axes(FFT, "fft2(paddle.ones([2, 3])).real().sum().item()", "6.0")
ifft2 = _over_two_axes(IFFT, "ifft2(paddle.ones([2, 3])).real().sum().item()", "1.0")
rfft2 = _over_two_axes(RFFT, "rfft2(paddle.ones([4, 8])).shape", "paddle.Size([4, 5])")
irfft2 = _over_two_axes(IRFFT, "irfft2(paddle.ones([4, 5])).shape", "paddle.Size([4, 8])")
hfft2 = _over_two_axes(HFFT, "hfft2(paddle.ones([4, 5])).shape", "paddle.Size([4, 8])")
ihfft2 = _over_two_axes(IHFFT, "ihfft2(paddle.ones([4, 8])).shape", "paddle.Size([4, 5])")
