"""Fixtures that tests of forward graphs share."""

import pytest

from jaxeager.debug.common import naming
from jaxeager.graph import events


@pytest.fixture
def counters_at_their_start():
    """Reset the counters of names, and check that no tool is left on."""
    naming.reset()
    yield
    assert not events.has_ops
    assert not events.has_graph
