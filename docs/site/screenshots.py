"""Take a picture of a page of each kind, and check what only a browser shows.

python docs/site/screenshots.py out/site out/screenshots  # after `make docs`

Each page is opened at the width of a desktop and of a phone, light and dark. Printed, with exit
status 1: errors in the console, pages wider than a phone, pages too long to read, and names that
the search does not put first. It needs the extra "browser", and a Chromium or Chrome on PATH.
"""

import contextlib
import functools
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

PAGES = """
    index.html 1_tensors.html lazy.html debugging.html explorer.html ops.html ops-elementwise.html
    api/jaxeager.html api/jaxeager.nn.html api/jaxeager.nn.Linear.html
    api/jaxeager.nn.functional-pooling.html api/jaxeager.Tensor.html coverage.html
""".split()
WIDTHS = {"desktop": (1280, 900), "phone": (390, 844)}
LONGEST = 30_000  # pixels, of a page of the reference at the width of a desktop
FIRST = {
    "Linear": "jaxeager.nn.Linear",
    "matmul": "jaxeager.matmul",
    "Adam": "jaxeager.optimizer.Adam",
    "conv2d": "jaxeager.nn.Conv2D",
    "paddle.nn.Linear": "jaxeager.nn.Linear",
    "load": "jaxeager.framework.io.load",
    "to_static": "jaxeager.jit.to_static",
    "Layer": "jaxeager.nn.Layer",
    "explorer": "The explorer",
}
"""What the search shows first."""
_SIZES = "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"


def problems(site: Path, pictures: Path) -> list[str]:
    """Write the pictures; return what is wrong, a line each."""
    from tests.support.browser import browser

    pictures.mkdir(parents=True, exist_ok=True)
    found: list[str] = []

    def note(message: Any) -> None:
        found.append(f"console: {message.text}")

    with _served(site) as address, browser() as started:
        for name, (width, height) in WIDTHS.items():
            for scheme in ("light", "dark"):
                size = {"width": width, "height": height}
                page = started.new_page(viewport=size, color_scheme=scheme)
                page.on("console", note)
                for path in PAGES:
                    page.goto(f"{address}/{path}")
                    found += _sizes(page, path, width)
                    stem = path.removesuffix(".html").replace("/", "-")
                    page.screenshot(path=pictures / f"{stem}-{name}-{scheme}.png")
                page.close()
        found += _searches(started, address, pictures)
    return found


@contextlib.contextmanager
def _served(site: Path) -> Iterator[str]:
    """Serve a folder in a thread; yield its address."""
    handler = functools.partial(_Quiet, directory=str(site))
    with _Server(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: Any) -> None:
        """Print nothing of a page that was left before it was sent."""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Print nothing."""


def _sizes(page: Any, path: str, width: int) -> list[str]:
    """Return what is wrong with the size of an open page."""
    wide, long = page.evaluate(_SIZES)
    found = [f"{path} is {wide} pixels wide, on a screen of {width}"] if wide > width else []
    if path.startswith("api/") and width == WIDTHS["desktop"][0] and long > LONGEST:
        found.append(f"{path} is {long} pixels long")
    return found


def _searches(started: Any, address: str, pictures: Path) -> list[str]:
    """Return the names that the search does not put first."""
    found = []
    page = started.new_page(viewport={"width": 1280, "height": 900})
    for word, name in FIRST.items():
        page.goto(f"{address}/search.html?q={word}")
        page.wait_for_selector("#search-results .search li a")
        page.wait_for_timeout(1000)  # results appear one after another
        first = page.locator("#search-results .search li a").first.inner_text()
        if first != name:
            found.append(f"the search for {word} shows {first} first, not {name}")
    page.screenshot(path=pictures / "search.png")
    page.close()
    return found


def main(site: str, pictures: str) -> int:
    """Print what is wrong; return the exit status."""
    found = problems(Path(site), Path(pictures))
    print("\n".join(found) or f"{pictures}: {len(PAGES)} pages, twice light and twice dark")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
