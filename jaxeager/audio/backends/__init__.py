"""paddle.audio.backends: the backend of audio files. There is only one, Python's ``wave``."""

from jaxeager.audio.backends.wave_backend import AudioInfo
from jaxeager.errors import UnimplementedError

__all__ = ["AudioInfo", "get_current_backend", "list_available_backends", "set_backend"]

NAME = "wave_backend"


def list_available_backends() -> list[str]:
    """Return the names of the backends.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.audio.backends.list_available_backends()
        ['wave_backend']
    """
    return [NAME]


def get_current_backend() -> str:
    """Return the name of the backend that ``load``, ``save`` and ``info`` use.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.audio.backends.get_current_backend()
        'wave_backend'
    """
    return NAME


def set_backend(backend_name: str) -> None:
    """Choose a backend.

    Raises:
        UnimplementedError: for any other than the existing one.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.audio.backends.set_backend("wave_backend")
    """
    if backend_name != NAME:
        raise UnimplementedError(f"The only audio backend is {NAME!r}, not {backend_name!r}.")
