"""``python -m jaxeager profile``: runs a program and prints where its time went."""

import argparse
import os
import sys
from collections.abc import Callable

from jaxeager.debug.common.output_files import check_writable
from jaxeager.debug.common.program_arguments import add_program, program_of
from jaxeager.debug.time import summary
from jaxeager.debug.time.comparison import check_waits, compare
from jaxeager.debug.time.profile import profile
from jaxeager.debug.time.profile_segments import profile_segments
from jaxeager.errors import InvalidArgumentError


def add_command(commands, name: str, run_program: Callable[[list[str]], int]) -> None:
    """Add the command to a parser.

    Args:
        commands: the result of ``add_subparsers``.
        name: the name of the command.
        run_program: runs a program from its command-line arguments.
    """
    parser = commands.add_parser(
        name,
        help="where the time of a program goes, by op and line",
        description="Runs a Paddle program under paddle.debug.profile and prints, at its end, a "
        "line per op and node, the lines that copied values to the host, and the kernels that "
        "had to be made; or, with --against, what is different from an earlier run.",
    )
    parser.add_argument("--flame", metavar="FILE", help="write a flame graph, .html or .svg")
    parser.add_argument(
        "--by",
        choices=("op", "line"),
        default="op",
        help="make a line of the table per op, or per line of the program",
    )
    parser.add_argument("--most", type=int, default=20, metavar="N", help="how many lines")
    parser.add_argument(
        "--no-wait", action="store_true",
        help="do not wait for the device after each op: no device time, but real waits of reads",
    )  # fmt: skip
    parser.add_argument(
        "--lazy", action="store_true",
        help="run the program in lazy mode, and show its segments and the time of lines in them",
    )  # fmt: skip
    parser.add_argument(
        "--kernels", action="store_true",
        help="also trace the device's own kernels, and show which op and line launched each",
    )  # fmt: skip
    parser.add_argument("--save", metavar="FILE", help="write what ran, for --against")
    parser.add_argument(
        "--against", metavar="FILE",
        help="print what is different from an earlier run, which --save has written",
    )  # fmt: skip
    add_program(parser)

    def run(chosen: argparse.Namespace) -> int:
        chosen.program = program_of(parser, chosen)
        of_ops = chosen.flame, chosen.no_wait, chosen.save, chosen.against, chosen.kernels
        if chosen.lazy and any(of_ops):
            parser.error(
                "--flame, --no-wait, --save, --against and --kernels are for ops, which lazy mode "
                "does not run one by one"
            )
        if chosen.kernels and chosen.no_wait:
            parser.error("--kernels needs the wait for each op; leave out --no-wait")
        if chosen.lazy:
            return _run_lazily(chosen, run_program)
        try:
            old = _prepare(chosen)
        except InvalidArgumentError as error:
            parser.error(str(error))
        return _run(chosen, old, run_program)

    parser.set_defaults(run=run)


def _prepare(chosen: argparse.Namespace) -> summary.Summary | None:
    """Check the files before the program runs, and return the earlier run."""
    for option in ("save", "flame"):
        path = getattr(chosen, option)
        if path is not None:
            check_writable(path, f"--{option}")
            setattr(chosen, option, os.path.abspath(path))  # the program may change its folder
    if chosen.against is None:
        return None
    old = summary.read(chosen.against)
    check_waits(old, not chosen.no_wait)
    return old


def _run(
    chosen: argparse.Namespace, old: summary.Summary | None,
    run_program: Callable[[list[str]], int],
) -> int:  # fmt: skip
    """Run the program; print the tables after its output, even if it raises."""
    seen = profile(wait=not chosen.no_wait, kernels=chosen.kernels)
    try:
        with seen:
            return run_program(chosen.program)
    finally:
        sys.stdout.flush()
        if chosen.flame:
            seen.flame_graph(chosen.flame)
        if chosen.save is not None:
            seen.save(chosen.save)
        if old is None:
            text = seen.text(chosen.most, chosen.by)
        else:
            text = compare(old, seen.summary()).table(chosen.most)
        print(text, file=sys.stderr)


def _run_lazily(chosen: argparse.Namespace, run_program: Callable[[list[str]], int]) -> int:
    """Run the program in lazy mode; print the tables after its output, also when it raises."""
    seen = profile_segments()
    try:
        with seen:
            return run_program(chosen.program)
    finally:
        sys.stdout.flush()
        print(f"{seen.ends_text()}\n\n{seen.table(chosen.most, chosen.by)}", file=sys.stderr)
