"""paddle.audio: audio features, WAV files, and datasets of recordings."""

from jaxeager.audio import backends, datasets, features, functional
from jaxeager.audio.backends.wave_backend import info, load, save

__all__ = ["backends", "datasets", "features", "functional", "info", "load", "save"]
