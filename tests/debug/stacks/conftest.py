"""Fixtures that tests of stacks share."""

import pytest

import jaxeager as paddle


@pytest.fixture
def level():
    """Yield a function that sets the level; it is 1 again after the test."""
    yield lambda number: paddle.set_flags({"FLAGS_call_stack_level": number})
    paddle.set_flags({"FLAGS_call_stack_level": 1})
