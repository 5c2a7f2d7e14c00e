"""Runs the corpus under debug tools on one library, and leaves what a tool writes in folders.

    python record.py LIBRARY FOLDER TOOL...

writes FOLDER/<tool>/<program>/: stdout, stderr, ``error`` (a traceback, when the program raised),
and the tool's own files. Real Paddle runs every program in a forked child, because its counters
cannot be set back and its tools leave traces; here the counters are set back and one process does.

A tool is a function of (paddle, program, folder) that switches the tool on, runs
``program(paddle)``, and writes what it wants compared. Add it to ``TOOLS``. One with an attribute
``programs`` runs these in the place of the corpus.
"""

import contextlib
import importlib
import json
import os
import sys
import traceback
from pathlib import Path

import backward_tools
import corpus
import double_grad_tools
import graph_tools
import hook_tools
import line_tools
import number_tools
import stack_tools


def names(paddle, program, folder):
    """Names of tensors, nodes and gradients under FLAGS_enable_unique_name."""
    paddle.set_flags({"FLAGS_enable_unique_name": True})
    try:
        made = program(paddle)
        made["loss"].backward()
        found = {key: _names_of(tensor) for key, tensor in made.items()}
        after = {"after": (paddle.ones([1]) + paddle.ones([1])).name}
    finally:
        paddle.set_flags({"FLAGS_enable_unique_name": False})
    (folder / "names.json").write_text(json.dumps(found | after, indent=1))


def _names_of(tensor):
    node = None if tensor.stop_gradient else tensor.grad_fn
    grad = tensor.grad if tensor.is_leaf else None
    return {
        "name": tensor.name,
        "node": None if node is None else node.name(),
        "grad": None if grad is None else grad.name,
    }


def vlog(level):
    """The verbose log of one level, forward and backward, on stderr."""

    def run(paddle, program, folder):
        paddle.base.core.set_vlog_level(level)
        try:
            made = program(paddle)  # Paddle adds nothing to a leaf that is gone
            made["loss"].backward()
        finally:
            paddle.base.core.set_vlog_level(0)

    return run


def forward_graph(paddle, program, folder):
    """The graph of the forward ops."""
    with paddle.utils.capture_forward_subgraph_guard(str(folder / "forward")):
        program(paddle)


TOOLS = {"names": names, "forward_graph": forward_graph, **graph_tools.TOOLS}
TOOLS |= {f"vlog{level}": vlog(level) for level in (3, 4, 5, 6)}
TOOLS |= backward_tools.TOOLS
TOOLS |= double_grad_tools.TOOLS
TOOLS |= hook_tools.TOOLS
TOOLS |= line_tools.TOOLS
TOOLS |= number_tools.TOOLS
TOOLS |= stack_tools.TOOLS


def programs_of(tool) -> dict:
    """Returns the programs that a tool runs, by name."""
    return getattr(tool, "programs", corpus.PROGRAMS)


@contextlib.contextmanager
def redirected(folder: Path):
    """Sends what the process writes to stdout and stderr into files of a folder."""
    kept = [os.dup(1), os.dup(2)]
    sys.stdout.flush()
    sys.stderr.flush()
    for number, name in ((1, "stdout"), (2, "stderr")):
        file = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, number)
        os.close(file)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for number, copy in zip((1, 2), kept, strict=True):
            os.dup2(copy, number)
            os.close(copy)


def run_one(paddle, tool, name: str, folder: Path) -> None:
    """Runs one program under a tool; an exception is written to the file ``error``."""
    folder.mkdir(parents=True)
    with redirected(folder):
        try:
            paddle.seed(7)
            with paddle.utils.unique_name.guard():
                tool(paddle, programs_of(tool)[name], folder)
        except Exception:
            (folder / "error").write_text(traceback.format_exc())


def run_forked(paddle, tool, name: str, folder: Path) -> None:
    """Runs one program in a child, whose death is written to the file ``error``."""
    child = os.fork()
    if child == 0:
        run_one(paddle, tool, name, folder)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status:
        (folder / "error").write_text(f"the process ended with status {status}\n")


def run_here(paddle, tool, name: str, folder: Path) -> None:
    """Runs one program in this process, with every counter at its start."""
    importlib.import_module("own_counters").reset()
    run_one(paddle, tool, name, folder)


def main(library: str, folder: str, *tools: str) -> None:
    """Runs every program of the corpus under each tool."""
    paddle = importlib.import_module(library)
    run = run_forked if library == "paddle" else run_here
    for tool in tools:
        for name in programs_of(TOOLS[tool]):
            run(paddle, TOOLS[tool], name, Path(folder) / tool / name)


if __name__ == "__main__":
    main(*sys.argv[1:])
