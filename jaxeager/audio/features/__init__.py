"""paddle.audio.features: layers from audio to spectrograms and cepstral coefficients."""

from jaxeager.audio.features.layers import MFCC, LogMelSpectrogram, MelSpectrogram, Spectrogram

__all__ = ["MFCC", "LogMelSpectrogram", "MelSpectrogram", "Spectrogram"]
