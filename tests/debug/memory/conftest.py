"""The program that the tools search is the module of the test, not all modules of tests."""

import pytest

from tests.support.program_of_tests import shown


@pytest.fixture(autouse=True)
def program(request):
    """Let the names of the test's module be those of the program."""
    with shown(request.module.__name__):
        yield
