"""What checks of values refuse, at the call on a CPU, and when a value is read elsewhere.

An accelerator is not waited for, so there FLAGS_check_index=1 has the device look
(debug/checks/index_checks.py).
"""

import contextlib

import pytest

import jaxeager as paddle
from jaxeager.debug.checks import index_checks
from tests.support.here import IS_ON_CPU


@contextlib.contextmanager
def refused(kinds, match: str):
    """Does what pytest.raises does for calls with values that a check refuses."""
    with pytest.raises(kinds, match=match) as caught:  # noqa: PT012 - what is told last raises, too
        if IS_ON_CPU:
            yield caught
            return
        paddle.set_flags({"FLAGS_check_index": True})
        try:
            yield caught
            index_checks.report()
        finally:
            paddle.set_flags({"FLAGS_check_index": "auto"})
