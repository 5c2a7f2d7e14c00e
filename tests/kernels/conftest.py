"""A fixture for tests of counts: no compilation that an earlier test started is still running."""

import pytest

from jaxeager.kernels.lazy import mode, segments


@pytest.fixture(autouse=True)
def _nothing_is_compiled():
    """Wait for the segments of lazy mode that another thread compiles."""
    if mode.is_installed:
        segments._compilers().submit(int).result()
