"""paddle.audio: features of sound, WAV files, and sets of recordings."""

from jaxeager.audio import backends, datasets, features, functional
from jaxeager.audio.backends.wave_backend import info, load, save

__all__ = ["backends", "datasets", "features", "functional", "info", "load", "save"]
