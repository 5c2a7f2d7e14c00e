"""A fixture for tests of counts: no compilation that an earlier test started is still running."""

import pytest

from jaxeager.kernels.lazy import mode
from tests.support.compile_threads import wait_for_threads


@pytest.fixture(autouse=True)
def _nothing_is_compiled():
    """Wait for what the threads of lazy mode compile."""
    if mode.is_installed:
        wait_for_threads()
