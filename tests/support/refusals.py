"""Refusals of value checks: at the call on a CPU, and when the device is waited for elsewhere.

Calls do not wait for an accelerator, so there FLAGS_check_index=1 makes the device check
(debug/checks/index_checks.py), and so do the checks of numbers (debug/numbers/late.py).
"""

import contextlib

import pytest

import jaxeager as paddle
from tests.support.here import IS_ON_CPU


@contextlib.contextmanager
def refused(kinds, match: str | None = None):
    """Do the same as pytest.raises for calls with values that a check refuses."""
    with pytest.raises(kinds, match=match) as caught:  # noqa: PT012 - waiting raises, too
        if IS_ON_CPU:
            yield caught
            return
        paddle.set_flags({"FLAGS_check_index": True})
        try:
            yield caught
            paddle.device.synchronize()
        finally:
            paddle.set_flags({"FLAGS_check_index": "auto"})


def raised(function, kind=Exception):
    """Return the exception that a function raises."""
    with pytest.raises(kind) as caught:
        function()
    return caught.value
