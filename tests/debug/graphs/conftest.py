"""What tests of forward graphs have in common."""

import pytest

from jaxeager.debug.common import naming
from jaxeager.graph import events


@pytest.fixture
def counters_at_their_start():
    """Names begin anew, and no tool is left on."""
    naming.reset()
    yield
    assert not events.has_ops
    assert not events.has_graph
