"""A real browser without a window, for tests of pages."""

import contextlib
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


@contextlib.contextmanager
def browser() -> Iterator[Any]:
    """Yield a browser that playwright drives; skip the test if there is none."""
    sync_api = pytest.importorskip(
        "playwright.sync_api",
        reason='the browser tests need playwright: pip install -e ".[browser]"',
    )
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(f"browser tests need one of these on PATH: {', '.join(NAMES)}")
    with sync_api.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            yield started
        finally:
            started.close()
