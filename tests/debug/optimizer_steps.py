"""Prints, as JSON, what steps of optimizers leave in files of tools, on one of the libraries.

    python optimizer_steps.py LIBRARY FOLDER

Per optimizer: under "stacks" [name, source of the last frame in this file] of every entry of its
own, under "traced" the configurations of calls while it steps. Real Paddle's counters cannot be set
back, so there each runs in a forked child.
"""

import importlib
import json
import os
import re
import sys
from pathlib import Path

import line_tools

OPTIMIZERS = (
    "SGD Momentum Adam AdamW Adagrad Adadelta RMSProp Adamax Lamb NAdam RAdam Rprop ASGD".split()
)


def run_one(paddle, name: str, folder: Path) -> dict:
    """Returns what two steps of an optimizer of two parameters leave."""
    start = paddle.nn.initializer.Constant(1.0)
    first, second = (
        paddle.create_parameter([2], "float32", default_initializer=start) for _ in range(2)
    )
    optimizer = getattr(paddle.optimizer, name)(0.5, parameters=[first, second])

    def step(paddle):
        (first * second).sum().backward()
        try:
            optimizer.step()
        except Exception:  # Adamax of Paddle does not find its state under the name it gave first
            if paddle.__name__ != "paddle":
                raise
        optimizer.clear_grad()

    paddle.set_flags({"FLAGS_dump_api_python_stack_path": str(folder / "api")})
    step(paddle)
    step(paddle)
    paddle.set_flags({"FLAGS_dump_api_python_stack_path": ""})
    line_tools.trace_api(paddle, step, folder)
    config = folder / "api_config.txt"
    return {
        "stacks": entries(folder / f"api.{os.getpid()}", name),
        "traced": config.read_text() if config.exists() else "",
    }


def entries(path: Path, name: str) -> list:
    """Returns [name, source] of the entries of a file that are an optimizer's."""
    parts = re.split(r"^(\S+) : \n", path.read_text(), flags=re.MULTILINE)[1:]
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return [[call, source(text)] for call, text in pairs if call.startswith(f"{name.lower()}_")]


def source(text: str) -> str:
    """Returns the source of the innermost frame of a stack that is in this file."""
    frame = rf'File "[^"]*{re.escape(os.path.basename(__file__))}", line \d+, in \w+\n(.*)'
    return re.findall(frame, text)[-1].strip()


def run_forked(paddle, name: str, folder: Path) -> dict:
    """Does ``run_one`` in a child."""
    child = os.fork()
    if child == 0:
        (folder / "found").write_text(json.dumps(run_one(paddle, name, folder)))
        os._exit(0)
    os.waitpid(child, 0)
    return json.loads((folder / "found").read_text())


def main(library: str, folder: str) -> None:
    """Runs every optimizer, each with counters at their start."""
    paddle, found = importlib.import_module(library), {}
    for name in OPTIMIZERS:
        place = Path(folder, name)
        place.mkdir()
        if library == "paddle":
            found[name] = run_forked(paddle, name, place)
        else:
            importlib.import_module("own_counters").reset()
            found[name] = run_one(paddle, name, place)
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
