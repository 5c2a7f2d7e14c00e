"""paddle.incubate.multiprocessing: Python's ``multiprocessing``; tensors are sent by value.

Paddle: sends tensors of the host through shared memory, so that a write is seen by both processes.
"""

import multiprocessing
from multiprocessing import *  # noqa: F403 - all of its names

__all__ = list(multiprocessing.__all__)  # pyright: ignore[reportUnsupportedDunderAll]
