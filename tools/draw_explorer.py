"""Draw docs/images/explorer.png: the page of a run whose gradients are NaN from layer 7 on.

python tools/draw_explorer.py  # needs the extra "browser" and a Chromium or Chrome on PATH
"""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from jaxeager.debug import record  # noqa: E402
from tests.debug.explorer.browser import Page  # noqa: E402
from tests.debug.explorer.programs import nan_in_layer_7, tower_of_ten  # noqa: E402
from tests.support.browser import browser  # noqa: E402

IMAGE = ROOT / "docs" / "images" / "explorer.png"


def main(image: Path = IMAGE, scheme: str = "light") -> None:
    """Write the image."""
    with tempfile.TemporaryDirectory() as folder, browser() as started:
        path = Path(folder, "nan_in_layer_7.html")
        tower = tower_of_ten()
        with record(path):
            nan_in_layer_7(tower).backward()
        opened = Page(started, path, scheme)
        opened.press("n")
        opened.page.wait_for_timeout(500)
        opened.page.screenshot(path=image)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]), *sys.argv[2:3])
