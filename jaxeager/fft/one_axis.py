"""The transforms over one axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from jaxeager.fft.family import FFT, HFFT, IFFT, IHFFT, IRFFT, ONE, RFFT, Transform, published
from jaxeager.fft.transform import over_axis

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def _over_one_axis(kind: Transform, call: str, result: str) -> Callable[..., Tensor]:
    """Return the public function of a transform over one axis.

    Args:
        kind: the transform.
        call: the call in its docstring.
        result: the result of that call.
    """

    def transform(
        x: Tensor,
        n: int | None = None,
        axis: int = -1,
        norm: str = "backward",
        name: str | None = None,
        *,
        out: Tensor | None = None,
    ) -> Tensor:
        return over_axis(kind.numbers.compute, x, n, axis, norm, kind.forward, out)

    return published(transform, kind, ONE, call, result)


fft = _over_one_axis(FFT, "fft(paddle.to_tensor([1.0, 2.0, 3.0])).real().tolist()[:1]", "[6.0]")
ifft = _over_one_axis(IFFT, "ifft(paddle.to_tensor([1.0, 2.0, 3.0])).real().tolist()[:1]", "[2.0]")
rfft = _over_one_axis(RFFT, "rfft(paddle.ones([8])).shape", "paddle.Size([5])")
irfft = _over_one_axis(IRFFT, "irfft(paddle.ones([5])).tolist()[:2]", "[1.0, 0.0]")
hfft = _over_one_axis(HFFT, "hfft(paddle.ones([5])).shape", "paddle.Size([8])")
ihfft = _over_one_axis(IHFFT, "ihfft(paddle.ones([8])).shape", "paddle.Size([5])")
