"""WeightGradStore: gradients of weights that a pipeline computes later."""

from __future__ import annotations

import queue
from collections.abc import Callable
from typing import ClassVar

from jaxeager.errors import RefusedStateError


class WeightGradStore:
    """Functions that compute gradients of weights, in the order in which they are to be called.

    A backward pass puts them here, so that the gradient of the input, for which another stage of
    the pipeline waits, comes first. There is one store in a process.

    Attributes:
        enabled: whether layers put their functions here; the store itself does not read it.
        cache: the functions since the last ``flush``.
        funcs_queue: lists of functions, one from each ``flush``.

    Example:
        >>> done = []
        >>> WeightGradStore.put(lambda: done.append("gradient of w"))
        >>> WeightGradStore.flush()
        >>> WeightGradStore.pop()
        >>> done
        ['gradient of w']
    """

    enabled: ClassVar[bool] = False
    cache: ClassVar[list[Callable[[], object]]] = []
    funcs_queue: ClassVar[queue.Queue[list[Callable[[], object]]]] = queue.Queue()

    @classmethod
    def put(cls, func: Callable[[], object]) -> None:
        """Add a function of no arguments."""
        cls.cache.append(func)

    @classmethod
    def flush(cls) -> None:
        """End a list: one ``pop`` calls the functions that were put since the last ``flush``."""
        cls.funcs_queue.put(cls.cache)
        cls.cache = []

    @classmethod
    def pop(cls) -> None:
        """Call the functions of the oldest list, and remove it.

        Raises:
            RefusedStateError: if no list is left.
        """
        if cls.funcs_queue.empty():
            raise RefusedStateError("WeightGradStore.pop: it is empty. Call flush() first.")
        for func in cls.funcs_queue.get():
            func()

    @classmethod
    def clear(cls) -> None:
        """Remove all functions without calling them."""
        cls.cache = []
        cls.funcs_queue = queue.Queue()
