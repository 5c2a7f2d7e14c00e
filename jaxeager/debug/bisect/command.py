"""``python -m jaxeager bisect``: which commit, package version or op call breaks a program."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from jaxeager.core.termination import ended_by_sigterm
from jaxeager.debug.bisect import commits, compiled, marked, moved, ops, versions
from jaxeager.debug.bisect.judge import Judge, Trials
from jaxeager.debug.bisect.search import UnusableError
from jaxeager.debug.common.program_arguments import add_program, program_of

UNUSABLE, INTERRUPTED = 2, 130
LAZY = "lazy"


def add_command(commands, name: str, run_program: Callable[[list[str]], int]) -> None:
    """Add the command to a parser.

    Args:
        commands: the result of ``add_subparsers``.
        name: the name of the command.
        run_program: runs a program from its command-line arguments, in this process.
    """
    parser = commands.add_parser(
        name,
        usage="python -m jaxeager bisect --good A --bad B [options] train.py ...\n"
        "       python -m jaxeager bisect --package NAME --good 1.0 --bad 1.2 [options] train.py\n"
        "       python -m jaxeager bisect --ops bfloat16 [options] train.py ...",
        help="which commit, version of a package or call of an op breaks a program",
        description="Runs a program again and again and halves the distance between a good and a "
        "bad run: over the commits of its git checkout, the versions of a package, or its calls "
        "of ops in lower precision, compiled, or on another device. A run is good if its exit "
        "status is 0.",
        epilog="Exit status: 0 the culprit was found, 1 it was not, because candidates were "
        "skipped, 2 the arguments or the ends cannot be used.",
    )
    _add_options(parser)

    def run(chosen: argparse.Namespace) -> int:
        chosen.program = program_of(parser, chosen)
        _check(parser, chosen)
        try:
            if chosen.calls is not None:
                return _run_once(chosen, run_program)
            with ended_by_sigterm():
                return _bisect(chosen)
        except UnusableError as error:
            print(f"bisect: {str(error).rstrip()}", file=sys.stderr)
            return UNUSABLE
        except KeyboardInterrupt:
            print("bisect: interrupted", file=sys.stderr)
            return INTERRUPTED

    parser.set_defaults(run=run)


def _run_once(chosen: argparse.Namespace, run_program: Callable[[list[str]], int]) -> int:
    """Run the program once, with some of its calls rounded or compiled."""
    rest = chosen.report, chosen.program, run_program
    if chosen.ops == LAZY:
        return compiled.run_compiled(chosen.after, chosen.calls, *rest)
    if chosen.within:
        return marked.run_within(chosen.within, chosen.after, chosen.calls, *rest)
    if chosen.ops == marked.KIND:
        return marked.run_static(chosen.calls, *rest)
    if moved.is_device(chosen.ops):
        return moved.run_moved(chosen.ops, chosen.calls, *rest)
    return ops.run_rounded(chosen.ops, chosen.calls, *rest)


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--good", metavar="A", help="a commit or version at which it worked")
    parser.add_argument("--bad", metavar="B", help="a later one at which it does not")
    parser.add_argument(
        "--repo", metavar="DIR",
        help="the checkout to bisect, which is put first on PYTHONPATH; by default the one that "
        "contains the script",
    )  # fmt: skip
    parser.add_argument(
        "--link", action="append", default=[], metavar="PATH",
        help="a file or folder of the checkout that is not in git, such as data, to link into the "
        "temporary worktree; may be repeated",
    )  # fmt: skip
    parser.add_argument("--package", metavar="NAME", help="bisect the versions of a package")
    parser.add_argument(
        "--ops", metavar="WHAT",
        help="bfloat16 or float16: find the first call of an op whose result cannot be rounded to "
        "it; lazy: the calls that lazy mode cannot compile together; static: the function marked "
        "by to_static that cannot be compiled, and its calls; a device, such as gpu or cpu:1: the "
        "first call whose result is wrong there",
    )  # fmt: skip
    parser.add_argument(
        "--judge", choices=("exit", "md5"), default="exit",
        help="what makes a run good: exit status 0 (default), or the checksums of the good end",
    )  # fmt: skip
    parser.add_argument(
        "--test", default="", metavar="CMD",
        help="a shell command that judges each run that has succeeded: 0 good, 125 skip; the "
        "standard output of the run is in the file $JAXEAGER_BISECT_OUTPUT",
    )  # fmt: skip
    parser.add_argument(
        "--calls", type=int, metavar="N",
        help="with --ops: only run the program, with the results of its first N calls rounded, "
        "these calls compiled or on the device; with --ops static: its first N marked functions",
    )  # fmt: skip
    parser.add_argument(
        "--after", type=int, default=0, metavar="K",
        help="with --ops lazy and --calls N: do not compile the first K of these calls",
    )  # fmt: skip
    parser.add_argument(
        "--within", type=int, default=0, metavar="F",
        help="with --ops static and --calls N: compile N calls of ops in marked function number F, "
        "and no other function",
    )  # fmt: skip
    parser.add_argument("--report", default="", help=argparse.SUPPRESS)
    add_program(parser)


def _check(parser: argparse.ArgumentParser, chosen: argparse.Namespace) -> None:
    """Refuse arguments that do not fit together."""
    known = (*ops.DTYPES, LAZY, marked.KIND)
    if chosen.ops and chosen.ops not in known and not moved.is_device(chosen.ops):
        parser.error(
            f"--ops is one of {', '.join(known)}, or a device such as gpu, tpu or cpu:1, but "
            f"received {chosen.ops}"
        )
    if chosen.ops and (chosen.good or chosen.bad or chosen.package or chosen.repo or chosen.link):
        parser.error("--ops needs no ends: it takes no --good, --bad, --package, --repo, --link")
    if not chosen.ops and not (chosen.good and chosen.bad):
        parser.error("name both ends, --good and --bad, or --ops")
    if chosen.package and (chosen.repo or chosen.link):
        parser.error("--repo and --link are for commits, not for the versions of a package")
    if chosen.test and chosen.judge == "md5":
        parser.error("--test and --judge md5 are two judges; name one")
    if chosen.ops == LAZY and chosen.judge == "md5":
        parser.error("checksums look at each op, which switches lazy mode off; judge by --test")
    has_range = chosen.ops == LAZY or chosen.within
    if chosen.after and (not has_range or chosen.calls is None or chosen.after < 0):
        parser.error(f"--after is for --ops lazy with --calls, but received {chosen.after}")
    if chosen.within and (chosen.ops != marked.KIND or chosen.calls is None or chosen.within < 0):
        parser.error(f"--within is for --ops static with --calls, but received {chosen.within}")
    if chosen.calls is not None and (not chosen.ops or chosen.calls < 0):
        parser.error(f"--calls is a number of calls for --ops, but received {chosen.calls}")


def _bisect(chosen: argparse.Namespace) -> int:
    """Find the culprit, print it, and return the exit status."""
    with tempfile.TemporaryDirectory(prefix="jaxeager-bisect-", ignore_cleanup_errors=True) as made:
        folder, program = Path(made).resolve(), chosen.program
        trials = Trials(Judge(folder, chosen.judge == "md5", chosen.test))
        if chosen.ops == LAZY:
            return compiled.bisect_compiled(trials, program, folder)
        if chosen.ops == marked.KIND:
            return marked.bisect_static(trials, program, folder)
        if chosen.ops and moved.is_device(chosen.ops):
            return moved.bisect_moved(trials, chosen.ops, program, folder)
        if chosen.ops:
            return ops.bisect_ops(trials, chosen.ops, program, folder)
        ends = chosen.good, chosen.bad
        if chosen.package:
            return versions.bisect_versions(trials, chosen.package, ends, program, folder)
        layout = commits.layout_of(program, chosen.repo, chosen.link, folder)
        return commits.bisect_commits(trials, layout, ends)
