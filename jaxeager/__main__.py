"""``python -m jaxeager COMMAND``: what needs no program of one's own.

python -m jaxeager diff-md5 a.log b.log    where two files of checksums part
python -m jaxeager flags                   every FLAGS_ name, its default and what it does
"""

import argparse
import os
import sys
from collections.abc import Sequence

EQUAL, DIFFERENT, UNUSABLE = 0, 1, 2  # exit statuses of diff-md5; argparse exits with 2, too


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit status.

    Args:
        arguments: what follows ``python -m jaxeager``; those of the process when None.

    Raises:
        SystemExit: for arguments that cannot be used, and after ``-h``.

    Example:
        >>> main(["diff-md5", "no.log", "no.log"])
        2
    """
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    parser = _parser()
    if arguments and arguments[0].endswith(".py") and os.path.exists(arguments[0]):
        parser.error(f"no command runs a script; use: python {arguments[0]}")
    chosen = parser.parse_args(arguments)
    return chosen.run(chosen)


def _parser() -> argparse.ArgumentParser:
    """Returns the parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="python -m jaxeager",
        description="Tools of jaxeager that need no program of your own.",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    diff = commands.add_parser(
        "diff-md5",
        help="the first place where two files of checksums part",
        description="Compares two files that FLAGS_tensor_md5_checksum_output_path wrote, of two "
        "runs here, or of one here and one of Paddle. Calls are matched by name whatever their "
        "counters, so an op that only one run has does not hide the rest.",
        epilog="Exit status: 0 all checksums are equal, 1 they differ, 2 a file cannot be used.",
    )
    diff.add_argument("a", help="a file of checksums")
    diff.add_argument("b", help="another one")
    diff.add_argument(
        "-C", "--context", type=_count, default=3, metavar="N",
        help="lines to show before and after the place (default: 3)",
    )  # fmt: skip
    diff.set_defaults(run=_diff_md5)
    shown = commands.add_parser(
        "flags",
        help="every FLAGS_ name, its default and what it does",
        description="Prints the table of flags: name, type, default, the value that the "
        "environment gives it, and what it does. A program sets them with paddle.set_flags.",
    )
    shown.set_defaults(run=_flags)
    return parser


def _count(text: str) -> int:
    """Returns a number of lines."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no number of lines")
    return int(text)


def _diff_md5(chosen: argparse.Namespace) -> int:
    """Prints where two files part."""
    from jaxeager.debug.checksums import diff as checksum_diff

    try:
        a, b = checksum_diff.read_run(chosen.a), checksum_diff.read_run(chosen.b)
    except checksum_diff.UnusableError as error:
        print(f"diff-md5: {error}", file=sys.stderr)
        return UNUSABLE
    found = checksum_diff.compare(a, b)
    print(checksum_diff.report(found, chosen.context), end="")
    return EQUAL if found.is_equal else DIFFERENT


def _flags(chosen: argparse.Namespace) -> int:
    """Prints the table of flags."""
    from jaxeager.core import flags

    print(flags.table_text())
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # the reader of a pipe has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
