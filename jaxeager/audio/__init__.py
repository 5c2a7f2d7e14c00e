"""paddle.audio: features of sound, and WAV files. (The datasets need downloads: not here.)"""

from jaxeager.audio import backends, features, functional
from jaxeager.audio.backends.wave_backend import info, load, save

__all__ = ["backends", "features", "functional", "info", "load", "save"]
