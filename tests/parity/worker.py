"""Runs parity programs under real Paddle; started by `harness.py` with a Python that has it.

Each message is a pickle after its length in 8 bytes. A request is `(what, name, folder)`, where
what is "run", "write" or "read". The answer is `("ok", result)` or `("failed", traceback text)`.
"""

import importlib.util
import os
import pickle
import struct
import sys
import traceback
from pathlib import Path

PACKAGE = "jaxeager_parity"


def load_package():
    """Import this folder as a package of a fixed name, and return its registry."""
    here = Path(__file__).resolve().parent
    spec = importlib.util.spec_from_file_location(
        PACKAGE, here / "__init__.py", submodule_search_locations=[str(here)]
    )
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules[PACKAGE] = package
    spec.loader.exec_module(package)
    registry = importlib.import_module(f"{PACKAGE}.registry")
    registry.load_programs()
    return registry


def answer(registry, library, request):
    """Return the answer to one request."""
    import numpy as np

    what, name, folder = request
    try:
        registry.fresh(library)
        if what == "run":
            return "ok", registry.PROGRAMS[name].run(library, np)
        pair = registry.EXCHANGES[name]
        return "ok", (pair.write if what == "write" else pair.read)(library, np, Path(folder))
    except Exception:
        return "failed", traceback.format_exc()


def send(channel, message):
    """Write one message."""
    body = pickle.dumps(message)
    channel.write(struct.pack("<Q", len(body)) + body)
    channel.flush()


def main():
    """Answer requests until the pipe closes."""
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # Paddle's own output goes to stderr, never between the messages.
    sys.path.pop(0)  # This folder's files must not shadow anyone's modules.
    library = importlib.import_module(sys.argv[1])
    registry = load_package()
    send(channel, ("ready", library.__version__))
    while header := sys.stdin.buffer.read(8):
        request = pickle.loads(sys.stdin.buffer.read(struct.unpack("<Q", header)[0]))
        send(channel, answer(registry, library, request))


if __name__ == "__main__":
    main()
