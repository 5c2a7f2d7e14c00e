"""`import jaxeager` against `import jax`, each in a fresh process, both from compiled bytecode."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from .timing import Row, compare, interleave

CLOCK = "import time; s = time.perf_counter(); import {}; print(time.perf_counter() - s)"
ROOT = Path(__file__).resolve().parents[2]


def measure(repeats: int) -> list[Row]:
    """Return the one row of the import time; the first round writes the bytecode."""
    with tempfile.TemporaryDirectory() as bytecode:
        took = interleave(
            "import",
            {m: lambda m=m: _import_seconds(m, bytecode) for m in ("jaxeager", "jax")},
            repeats,
            warm=1,
        )
    ours, other = took["jaxeager"], took["jax"]
    return [
        compare("import", "import jaxeager, a fresh process", "import jax", ours, other, target=1.3)
    ]


def _import_seconds(module: str, bytecode: str) -> float:
    """Import a module with bytecode on, whatever the environment sets, and in its own folder."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    run = subprocess.run(
        [sys.executable, "-c", CLOCK.format(module)],
        cwd=ROOT,
        env=environment | {"PYTHONPYCACHEPREFIX": bytecode},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(run.stdout.splitlines()[-1])
