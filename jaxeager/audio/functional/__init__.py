"""paddle.audio.functional: windows, mel scales, decibels, the cosine transform."""

from jaxeager.audio.functional.mel import (
    compute_fbank_matrix,
    fft_frequencies,
    hz_to_mel,
    mel_frequencies,
    mel_to_hz,
)
from jaxeager.audio.functional.spectra import create_dct, power_to_db
from jaxeager.audio.functional.window import get_window

__all__ = [
    "compute_fbank_matrix", "create_dct", "fft_frequencies", "get_window", "hz_to_mel",
    "mel_frequencies", "mel_to_hz", "power_to_db",
]  # fmt: skip
