"""A hook for the examples of docstrings, which are outside of the folder of tests."""

import linecache

import pytest


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Forget the lines of source that were read before an example of a docstring.

    The debugger of Python, which runs it, asks for each of their files whether it has changed.
    """
    if isinstance(item, pytest.DoctestItem):
        linecache.clearcache()
