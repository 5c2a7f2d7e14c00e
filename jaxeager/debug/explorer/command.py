"""``python -m jaxeager explore``: makes a page from the files of a run."""

import argparse
import json
import math
import sys
from pathlib import Path

from jaxeager.debug.explorer import files
from jaxeager.debug.explorer.page import write_page
from jaxeager.debug.explorer.table import FORMAT
from jaxeager.errors import InvalidArgumentError

DONE, UNUSABLE = 0, 2


def add_command(commands, name: str) -> None:
    """Add the command to the parser of ``python -m jaxeager``."""
    parser = commands.add_parser(
        name,
        help="a page that shows the graphs, stacks and logs of a run",
        description="Reads what graph dumps, stack files and logs of a run wrote, here or in "
        "Paddle, joins it by names and pointers, and writes one HTML page that works offline: "
        "forward and backward graph, search, stacks with source, log lines, gradients.",
        epilog="Exit status: 0 the page is written, 2 there is nothing to show.",
    )
    parser.add_argument("source", metavar="DIR", help="the folder, or a .json of debug.graph_data")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="the page (default: explore.html in the folder)"
    )
    parser.add_argument(
        "--backward", type=int, default=-1, metavar="N",
        help="which backward of several, from 0; negative ones count from the last (default: -1)",
    )  # fmt: skip
    parser.set_defaults(run=_explore)


def _explore(chosen: argparse.Namespace) -> int:
    """Write the page and print its path."""
    source = Path(chosen.source)
    folder = source.parent if source.is_file() else source
    try:
        data = _data_of(source, chosen.backward)
        page = write_page(data, chosen.output or folder / "explore.html")
    except InvalidArgumentError as error:
        print(f"explore: {error.message}", file=sys.stderr)
        return UNUSABLE
    for problem in data["problems"]:
        print(problem.get("text", ""))
    print(f"{len(data['nodes'])} nodes, {len(data['edges'])} tensors passed on: {page}")
    return DONE


def _data_of(source: Path, backward: int) -> dict:
    """Return the data of a folder, or the data in a file."""
    if not source.is_file():
        return files.table_of(source, backward).data()
    try:
        text = source.read_text(encoding="utf-8")
        data = json.loads(text, parse_constant=_no_number, parse_float=_finite)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or data.get("format") != FORMAT or not _has_parts(data):
        raise InvalidArgumentError(f"{source} has no data of debug.graph_data ({FORMAT}).")
    return data


def _has_parts(data: dict) -> bool:
    parts = [data.get(each) for each in ("nodes", "edges", "problems")]
    return all(isinstance(each, list) and all(isinstance(n, dict) for n in each) for each in parts)


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is not a JSON number")


def _finite(text: str) -> float:
    """Return a number; raise ValueError for one such as 1e999, which a page could not hold."""
    number = float(text)
    return number if math.isfinite(number) else _no_number(text)
