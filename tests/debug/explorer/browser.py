"""An explorer's page in a real browser."""

from pathlib import Path
from typing import Any

SIZE = {"width": 1500, "height": 900}


class Page:
    """An explorer's page that is open in a browser.

    Attributes:
        page: playwright's.
        errors: errors and warnings of the script.
    """

    def __init__(self, started: Any, path: Path, scheme: str = "light"):
        self.page = started.new_page(viewport=SIZE, color_scheme=scheme)
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda message: self.errors.append(message.text))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())
        self.page.wait_for_function("window.JX && JX.ready", timeout=60_000)

    def ask(self, script: str) -> Any:
        """Return the value of an expression of JavaScript."""
        return self.page.evaluate(script)

    def picked(self) -> str | None:
        """Return the title of the selection, None when there is none."""
        return self.page.inner_text("#details-title") if self.ask("JX.page.picked()") else None

    def shown(self, pane: str) -> list[str]:
        """Return the labels in a pane."""
        return self.ask(f"JX.page.panes.{pane}.cy.nodes().map((node) => node.data('label'))")

    def open_to(self, label: str) -> None:
        """Fold and unfold Layers by an entry of the menu."""
        self.page.select_option("#levels", label=label)

    def press(self, *keys: str) -> None:
        """Press keys, one after another."""
        for key in keys:
            self.page.keyboard.press(key)

    def click(self, pane: str, key: str, count: int = 1) -> None:
        """Click the item with a key at its place on the canvas."""
        box = self.page.locator("#forward" if pane == "f" else "#backward").bounding_box()
        spot = self.ask(f"JX.page.panes.{pane}.cy.getElementById('{key}').renderedPosition()")
        self.page.mouse.click(box["x"] + spot["x"], box["y"] + spot["y"], click_count=count)
        self.page.wait_for_timeout(350)  # so that a tap is not taken for a double tap
