"""Fixtures that tests of mixed precision share."""

import pytest

import jaxeager as paddle
from jaxeager.ops.call.observers import lookers


@pytest.fixture
def nothing_is_left_behind():
    """Check that mixed precision is off before and after the test."""
    assert not paddle.is_autocast_enabled()
    assert "auto_cast" not in lookers
    yield
    assert not paddle.is_autocast_enabled()
    assert "auto_cast" not in lookers


@pytest.fixture
def for_float16():
    """Reset scalers to float16, which a test's auto_cast of another dtype changes."""
    with paddle.amp.auto_cast(dtype="float16"):
        pass
