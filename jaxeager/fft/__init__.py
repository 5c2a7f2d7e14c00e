"""paddle.fft: discrete Fourier transforms."""

from jaxeager.fft.frequencies import fftfreq, fftshift, ifftshift, rfftfreq
from jaxeager.fft.many_axes import fftn, hfftn, ifftn, ihfftn, irfftn, rfftn
from jaxeager.fft.one_axis import fft, hfft, ifft, ihfft, irfft, rfft
from jaxeager.fft.two_axes import fft2, hfft2, ifft2, ihfft2, irfft2, rfft2

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "hfft2", "hfftn", "ifft", "ifft2",
    "ifftn", "ifftshift", "ihfft", "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn", "rfft",
    "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip
