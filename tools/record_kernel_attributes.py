"""Record the C++ types of the attributes of real Paddle's kernels, which its log prints at level 4.

Run with a Python that has Paddle 3.3.1; it writes jaxeager/debug/vlog/kernel_attributes.json, which
the log here prints, for kernels that have a line of their own in Paddle:

    python tools/record_kernel_attributes.py

The kernels are those that the parity programs and the examples in Paddle's docstrings run, about
half of all. Each program runs in a forked child, with the log of the module `api` in a file.
"""

import json
import os
import re
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # programs and examples are read by code of the tests

from tests.docstrings.collect import examples_of  # noqa: E402
from tests.docstrings.worker import run as run_statements  # noqa: E402
from tests.parity import worker  # noqa: E402

OUT = ROOT / "jaxeager" / "debug" / "vlog" / "kernel_attributes.json"
LIMIT_S = 60
LEVELS = {"*api*": 4}
LINE = re.compile(
    r'(\w+) kernel: \{"input":\[[^\]]*\],\n"output":\[[^\]]*\],\n"attribute":\[\n([^\]]*)\]\}'
)


def programs(paddle, np) -> Iterator[Callable[[], object]]:
    """Yield functions without arguments, each a program."""
    registry = worker.load_package()
    for each in registry.PROGRAMS.values():
        yield lambda each=each: each.run(paddle, np)
    for example in examples_of(Path(paddle.__file__).parent):
        if not example.excluded:
            yield lambda example=example: list(run_statements(example.statements, {}))


def logged(paddle, program: Callable[[], object], folder: str) -> str:
    """Run a program in a child process; return what it wrote to stderr."""
    file = os.path.join(folder, "log")
    child = os.fork()
    if not child:
        signal.alarm(LIMIT_S)
        written = os.open(file, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
        os.dup2(written, 1)
        os.dup2(written, 2)
        os.chdir(folder)
        paddle.base.core.set_vlog_level(LEVELS)
        try:
            program()
        finally:
            sys.stderr.flush()
            os._exit(0)
    os.waitpid(child, 0)
    return Path(file).read_text(errors="replace")


def types_in(text: str) -> dict[str, tuple[str, ...]]:
    """Return the types of the attributes of each kernel in a log.

    Example:
        >>> types_in('a kernel: {"input":[],\\n"output":[],\\n"attribute":[\\n\\t"int"]}')
        {'a': ('int',)}
    """
    return {name: tuple(re.findall(r'"([^"]+)"', listed)) for name, listed in LINE.findall(text)}


def main() -> None:
    """Write the file."""
    import numpy as np
    import paddle

    found: dict[str, tuple[str, ...]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for program in programs(paddle, np):
            found |= types_in(logged(paddle, program, folder))
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(found[name])}" for name in sorted(found))
    OUT.write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
