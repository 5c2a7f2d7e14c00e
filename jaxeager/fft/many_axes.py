"""The transforms over any number of axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from jaxeager.fft.family import FFT, HFFT, IFFT, IHFFT, IRFFT, MANY, RFFT, Transform, published
from jaxeager.fft.transform import over_axes

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def _over_many_axes(kind: Transform, call: str, result: str) -> Callable[..., Tensor]:
    """Return the public function of a transform over any number of axes.

    Args:
        kind: the transform.
        call: the call in its docstring.
        result: the result of that call.
    """

    def transform(
        x: Tensor,
        s: Sequence[int] | None = None,
        axes: Sequence[int] | None = None,
        norm: str = "backward",
        name: str | None = None,
        *,
        out: Tensor | None = None,
    ) -> Tensor:
        return over_axes(kind.numbers.compute, x, s, axes, norm, kind.forward, out)

    return published(transform, kind, MANY, call, result)


fftn = _over_many_axes(FFT, "fftn(paddle.ones([2, 3])).real().sum().item()", "6.0")
ifftn = _over_many_axes(IFFT, "ifftn(paddle.ones([2, 3])).real().sum().item()", "1.0")
rfftn = _over_many_axes(RFFT, "rfftn(paddle.ones([4, 8])).shape", "paddle.Size([4, 5])")
irfftn = _over_many_axes(IRFFT, "irfftn(paddle.ones([4, 5])).shape", "paddle.Size([4, 8])")
hfftn = _over_many_axes(HFFT, "hfftn(paddle.ones([4, 5])).shape", "paddle.Size([4, 8])")
ihfftn = _over_many_axes(IHFFT, "ihfftn(paddle.ones([4, 8])).shape", "paddle.Size([4, 5])")
