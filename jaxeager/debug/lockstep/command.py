"""``python -m jaxeager lockstep train.py``: where two runs of one script diverge."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from jaxeager.debug.lockstep import compare, instrument
from jaxeager.errors import InvalidArgumentError

_ROOT = str(Path(__file__).resolve().parents[3])
# As ``-m jaxeager``, which would import it from the working directory first.
_LAUNCH = (
    "import runpy, sys; sys.path[0] = sys.argv.pop(1); "
    "runpy.run_module('jaxeager', run_name='__main__', alter_sys=True)"
)
_DTYPES = ("float16", "bfloat16", "float32", "float64")


class Side(NamedTuple):
    """One of the two runs.

    Attributes:
        text: the text it was given as.
        library: "jaxeager" or "paddle".
        dtype: the default dtype; "" for the library's.
        device: the device of new tensors; "" for the library's.
        python: the interpreter.
        root: the folder that jaxeager is imported from; "" for that of the interpreter.
    """

    text: str
    library: str
    dtype: str
    device: str
    python: str
    root: str = ""


def read_side(text: str) -> Side:
    """Return the side that a text names: LIBRARY[:DTYPE or DEVICE]...[@PYTHON or CHECKOUT].

    Raises:
        InvalidArgumentError: for an unknown library, or a folder that is no checkout of it.

    Example:
        >>> read_side("jaxeager:float64:cpu")[1:4]
        ('jaxeager', 'float64', 'cpu')
    """
    named, _, python = text.partition("@")
    library, *options = named.split(":")
    if library not in ("jaxeager", "paddle"):
        raise InvalidArgumentError(
            f"a side is jaxeager or paddle, as in jaxeager:float64, but received {text!r}."
        )
    dtype = next((each for each in options if each in _DTYPES), "")
    device = next((each for each in options if each not in _DTYPES), "")
    root = _ROOT if library == "jaxeager" and not python else ""
    if Path(python).is_dir() and python:
        if library != "jaxeager" or not (Path(python) / "jaxeager" / "__init__.py").exists():
            raise InvalidArgumentError(
                f"{text!r}: there is no jaxeager in the folder {python}. Name a checkout of it, or "
                "an interpreter."
            )
        python, root = "", os.path.abspath(python)
    return Side(text, library, dtype, device, python or sys.executable, root)


def add_command(commands, name: str) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        name,
        help="where two runs of one script diverge: under Paddle and here, in two dtypes, ...",
        description="Runs a script twice, with the same parameters and draws, and names the "
        "first node of a backward whose gradients differ, with its line in both.",
        epilog="Exit status: 0 all gradients agree, 1 they diverge, 2 a run failed.",
    )
    parser.add_argument(
        "--sides", default="paddle,jaxeager",
        help="the two runs, each LIBRARY[:DTYPE][:DEVICE][@PYTHON or @CHECKOUT]; LIBRARY is "
        "paddle (the real one) or jaxeager, of an interpreter or a folder (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--ulps",
        type=float,
        default=200,
        help="largest difference allowed, in ULPs (default: %(default)s)",
    )
    parser.add_argument("program", nargs=argparse.REMAINDER, help="script.py and its arguments")

    def run(chosen: argparse.Namespace) -> int:
        texts = chosen.sides.split(",")
        if not chosen.program or len(texts) != 2:
            parser.error("name two sides and a script")
        try:
            sides = read_side(texts[0]), read_side(texts[1])
        except InvalidArgumentError as error:
            parser.error(str(error))
        return run_both(sides, chosen.program, chosen.ulps)

    parser.set_defaults(run=run)


def run_both(sides: tuple[Side, Side], program: list[str], bound: float) -> int:
    """Run both sides in order, print where they diverge, and return the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        for number, side in enumerate(sides):
            status = _run(side, program, Path(folder), number)
            if status:
                print(f"lockstep: {side.text} ended with status {status}")
                return 2
        steps = [compare.read(Path(folder) / f"steps{number}") for number in range(2)]
    if not steps[0] and not steps[1]:
        print("lockstep: no run has made a backward")
        return 2
    found = compare.compare(steps[0], steps[1], bound)
    print(compare.report(found, (sides[0].text, sides[1].text)))
    return 0 if found.divergence is None and found.steps[0] == found.steps[1] else 1


def _run(side: Side, program: list[str], folder: Path, number: int) -> int:
    """Run one side and return its exit status; its output is shown."""
    settings = {
        "values": str(folder / "values"),
        "is_first": number == 0,
        "out": str(folder / f"steps{number}"),
        "stacks": str(folder / f"stacks{number}"),
        "dtype": side.dtype,
        "device": side.device,
    }
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    command = [side.python]
    if side.library == "jaxeager":
        if side.root:
            environment["PYTHONPATH"] = side.root
        command += ["-c", _LAUNCH, side.root or str(Path(instrument.__file__).parent)]
    command += [str(Path(instrument.__file__)), json.dumps(settings), *program]
    print(f"---- {side.text}", flush=True)
    return subprocess.run(command, env=environment).returncode
