"""The program that the tools search is this folder, not all modules of tests."""

import pytest

from tests.support.program_of_tests import shown


@pytest.fixture(autouse=True)
def program(request):
    """Let the names of the modules of this folder be those of the program."""
    with shown(request.module.__name__.rpartition(".")[0]):
        yield
