"""`import jaxeager` against `import jax`, each in a fresh process."""

import subprocess
import sys
from pathlib import Path

from .timing import Row, compare, interleave

CLOCK = "import time; s = time.perf_counter(); import {}; print(time.perf_counter() - s)"


def _import_seconds(module: str) -> float:
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-c", CLOCK.format(module)]
    run = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    return float(run.stdout.splitlines()[-1])


def measure(repeats: int) -> list[Row]:
    """Returns the one row of the import time."""
    took = interleave(
        "import", {m: lambda m=m: _import_seconds(m) for m in ("jaxeager", "jax")}, repeats, warm=1
    )
    ours, other = took["jaxeager"], took["jax"]
    return [
        compare("import", "import jaxeager, a fresh process", "import jax", ours, other, target=1.3)
    ]
