"""What tests of counts need: nothing that an earlier test has begun is compiled meanwhile."""

import pytest

from jaxeager.core.lazy import mode, segments


@pytest.fixture(autouse=True)
def _nothing_is_compiled():
    """Waits for the segments of lazy mode that another thread compiles."""
    if mode.is_installed:
        segments._compilers().submit(int).result()
