"""Draw the pictures of docs/saving.md: python tools/draw_saving.py writes docs/images/saving.

It needs the extras viz, onnx and browser, and a Chromium or Chrome on PATH.
"""

import contextlib
import io
import pathlib
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import jaxeager as paddle  # noqa: E402
from jaxeager import __main__ as command  # noqa: E402
from tests.support.netron import netron_page  # noqa: E402

IMAGES = ROOT / "docs" / "images" / "saving"


def main():
    """Save a LeNet and draw it: as a graph, in Netron, and exported to ONNX in Netron."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        image = paddle.static.InputSpec([None, 1, 28, 28], "float32", "image")
        paddle.jit.save(paddle.vision.models.LeNet(), f"{folder}/lenet", [image])
        with contextlib.redirect_stdout(io.StringIO()):
            command.main(["show", f"{folder}/lenet"])
        shutil.copy(f"{folder}/lenet.forward.svg", IMAGES / "lenet.svg")
        paddle.onnx.export(paddle.vision.models.LeNet(), f"{folder}/lenet", [image])
        for file, name in (
            ("lenet.forward.netron.mlir", "lenet_netron.png"),
            ("lenet.onnx", "lenet_onnx.png"),
        ):
            with netron_page(pathlib.Path(folder, file), 500, 1300) as page:
                page.wait_for_timeout(1000)  # it zooms in
                page.screenshot(path=IMAGES / name)


if __name__ == "__main__":
    main()
