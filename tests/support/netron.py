"""The display of a file by the package netron, in a browser without a window."""

import contextlib
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser import browser

# Netron removes eval() from its page, and playwright needs it there.
_KEEP_EVAL = """(() => {
    const own = window.eval;
    Object.defineProperty(window, "eval", {get: () => own, set: () => {}});
})()"""
_STATE = "document.body.className"
_IS_DONE = f"""!{_STATE}.includes("spinner") &&
    ["default", "alert", "notification"].some((name) => {_STATE}.includes(name))"""


@contextlib.contextmanager
def netron_page(path: Path, width: int = 1200, height: int = 900) -> Iterator[Any]:
    """Yield playwright's page on which Netron shows a model.

    Skip if there is no package netron, or no browser.
    """
    netron = pytest.importorskip("netron", reason='this asks Netron: pip install -e ".[browser]"')
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with browser() as started:
        netron.start(str(path), address=("127.0.0.1", port), browse=False)
        try:
            size = {"width": width, "height": height}
            page = started.new_context(bypass_csp=True, viewport=size).new_page()
            page.add_init_script(_KEEP_EVAL)
            page.goto(f"http://127.0.0.1:{port}/")
            page.wait_for_function(_IS_DONE, timeout=60_000)
            if "notification" in page.evaluate(_STATE):  # of its cookies
                page.click("#message-button")
                page.wait_for_function(_IS_DONE.replace(', "notification"', ""), timeout=60_000)
            if "alert" in page.evaluate(_STATE):
                pytest.fail(page.inner_text("#message-text"))
            yield page
        finally:
            netron.stop(("127.0.0.1", port))


def shown_by_netron(path: Path) -> list[str]:
    """Return the texts that Netron shows of a model: of nodes, weights and arrows."""
    with netron_page(path) as page:
        shown = page.evaluate("document.querySelector('#target').innerText")
    return shown.replace("\u00d7", "x").splitlines()
