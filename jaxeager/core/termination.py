"""SIGTERM as an exception, so that what a block has made is removed."""

import contextlib
import signal
import threading
from collections.abc import Generator
from typing import NoReturn

STATUS = 128 + signal.SIGTERM
"""The exit status of a process that SIGTERM has ended."""


@contextlib.contextmanager
def ended_by_sigterm() -> Generator[None]:
    """Make SIGTERM raise SystemExit in a block, unless the program handles it otherwise.

    Example:
        >>> with ended_by_sigterm():
        ...     try:
        ...         signal.raise_signal(signal.SIGTERM)
        ...     except SystemExit as error:
        ...         print(error.code == STATUS)
        True
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _end)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGTERM) is _end:
            signal.signal(signal.SIGTERM, before)


def _end(number: int, frame: object) -> NoReturn:
    raise SystemExit(STATUS)
