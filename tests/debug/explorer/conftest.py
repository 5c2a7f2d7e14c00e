"""A browser, and the page of a run."""

import pytest

from jaxeager.debug import record
from tests.debug.explorer.browser import Page
from tests.debug.explorer.programs import Square, nan_in_layer_7, tower_of_ten
from tests.support.browser import browser


@pytest.fixture(scope="session")
def started():
    """Yield a browser for all tests."""
    with browser() as found:
        yield found


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    """Return the page of a run with Layers, a PyLayer, a NaN and log lines."""
    path = tmp_path_factory.mktemp("pages") / "run.html"
    tower = tower_of_ten()
    with record(path, log=4):
        Square.apply(nan_in_layer_7(tower)).backward()
    return path


@pytest.fixture
def page(started, run):
    """Yield the open page; check that no error occurred in it."""
    opened = Page(started, run)
    yield opened
    opened.page.close()
    assert opened.errors == []
