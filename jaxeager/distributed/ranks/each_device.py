"""The device that the running code is for, where one process runs it once for each device."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator
from typing import NamedTuple


class Device(NamedTuple):
    """The device that the running code is for.

    Attributes:
        number: its number.
        is_alone: whether this process runs the code for no other device.
    """

    number: int
    is_alone: bool


current: contextvars.ContextVar[Device | None] = contextvars.ContextVar("device", default=None)


@contextlib.contextmanager
def as_rank(number: int, is_alone: bool) -> Iterator[None]:
    """Let ``get_rank`` return the number of a device, in a block that runs for that device."""
    before = current.set(Device(number, is_alone))
    try:
        yield
    finally:
        current.reset(before)


def runs_for_each_device() -> bool:
    """Return whether this process runs the current code once for each of several devices."""
    device = current.get()
    return device is not None and not device.is_alone
