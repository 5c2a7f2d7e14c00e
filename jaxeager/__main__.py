"""``python -m jaxeager``: run Paddle programs, and commands that need no program.

python -m jaxeager [options] train.py ...      a Paddle program, with jaxeager as paddle
python -m jaxeager [options] -m package.module ...
python -m jaxeager accuracy calls.txt          captured calls, here and on reference backends
python -m jaxeager attach PID                  what a running program does, and all its ranks
python -m jaxeager bisect ... train.py         the commit, version or op call that broke it
python -m jaxeager cache [export|import FILE]   the folder of compiled kernels, and archives of it
python -m jaxeager coverage FILE|FOLDER ...    Paddle APIs that sources use, and the missing ones
python -m jaxeager diff-md5 a.log b.log        the first difference of two checksum files
python -m jaxeager explore DIR                 a page of the graphs, stacks and logs of a run
python -m jaxeager flags                       every FLAGS_ name, its default and what it does
python -m jaxeager lockstep train.py           the first difference between a run here and on Paddle
python -m jaxeager ops [NAME]                  the table of ops and their derivatives
python -m jaxeager profile train.py ...        the time that each part of a program takes
python -m jaxeager show MODEL                  the contents of a model that jit.save wrote
python -m jaxeager stubs [FOLDER]              a stub package: editors know `import paddle`
"""

import argparse
import os
import sys
from collections.abc import Sequence

EQUAL, DIFFERENT, UNUSABLE = 0, 1, 2  # exit statuses of diff-md5; argparse also exits with 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a program or a command and return the exit status.

    Args:
        arguments: those after ``python -m jaxeager``; the arguments of the process when None.

    Raises:
        SystemExit: for unusable arguments, after ``-h``, and when a program exits.

    Example:
        >>> main(["diff-md5", "no.log", "no.log"])
        2
    """
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    options, rest = _split(arguments)
    if rest and rest[0] in COMMANDS and not options:
        return _command(arguments)
    parser = _launcher()
    chosen = parser.parse_args(options)
    _check_program(parser, rest)
    _apply(parser, chosen)
    return _run(rest)


# ---- programs


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Return the launcher's options, and the program with its own arguments."""
    at = 0
    while at < len(arguments) and arguments[at].startswith("-") and arguments[at] not in _RUNS:
        at += 2 if arguments[at] in ("-F", "--flag", "--device", "--GLOG_v") else 1
    return arguments[:at], arguments[at:]


_RUNS = ("-m", "-c")


def _launcher() -> argparse.ArgumentParser:
    """Return the parser of the options before a program."""
    parser = argparse.ArgumentParser(
        prog="python -m jaxeager",
        usage="python -m jaxeager [options] (script.py | -m module | -c text) [arguments]\n"
        "       python -m jaxeager (accuracy | attach | bisect | cache | coverage | diff-md5 | "
        "explore | flags | lockstep | ops | profile | show | stubs) [-h] ...",
        description="Runs a Paddle program as python does with the same arguments, but "
        "`import paddle` imports jaxeager. Options go before the program.",
        epilog="Commands: accuracy runs captured calls here and on references, attach shows "
        "what a running program does, bisect finds the commit, package version or op call that "
        "broke a program, coverage lists the Paddle APIs that sources use and which are missing, "
        "diff-md5 finds the first difference of two files of checksums, explore makes a page of "
        "the files that a run wrote, "
        "flags prints every FLAGS_ name, lockstep finds where two runs diverge, ops prints the "
        "table of ops and their derivatives, profile shows where the time of a program goes, show "
        "draws a model that jit.save wrote, stubs makes editors know `import paddle`.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--version", action="version", version=_versions(),
        help="print the versions of jaxeager, of the Paddle it follows, of JAX and of Python",
    )  # fmt: skip
    parser.add_argument(
        "-F", "--flag", action="append", default=[], metavar="NAME=VALUE", dest="flags",
        help="set a flag before the program starts, with or without FLAGS_; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--GLOG_v", metavar="LEVEL", help="level of the verbose logs, as GLOG_v of the environment"
    )
    parser.add_argument(
        "--device", metavar="DEVICE", help='where tensors are made: "cpu", "gpu", "gpu:1", "tpu"'
    )
    parser.add_argument(
        "--lazy", action="store_true",
        help="run ops together when a value is read, as FLAGS_lazy=1 (docs/lazy.md)",
    )  # fmt: skip
    parser.add_argument(
        "--x64", action=argparse.BooleanOptionalAction, default=None,
        help="int64 and float64, as Paddle has them (default), or 32 bits at most",
    )  # fmt: skip
    return parser


def _versions() -> str:
    import platform

    import jax

    from jaxeager import version

    return (
        f"jaxeager {version.full_version} (Paddle {version.paddle_version}, JAX {jax.__version__}, "
        f"Python {platform.python_version()})"
    )


def _check_program(parser: argparse.ArgumentParser, rest: list[str]) -> None:
    """Raise if the arguments do not name a program."""
    if not rest:
        parser.error("name a script, -m MODULE, -c TEXT or a command")
    if rest[0] in _RUNS and len(rest) == 1:
        parser.error(f"argument expected for the {rest[0]} option")


def _apply(parser: argparse.ArgumentParser, chosen: argparse.Namespace) -> None:
    """Apply the options to this process and, through the environment, to its child processes."""
    import jax

    import jaxeager as paddle
    from jaxeager.core import flags

    if chosen.x64 is not None:
        os.environ["JAXEAGER_ENABLE_X64"] = str(int(chosen.x64))
        jax.config.update("jax_enable_x64", chosen.x64)
    try:
        for each in [*chosen.flags, *["lazy=1"] * chosen.lazy]:
            name, equals, value = each.partition("=")
            if not equals:
                parser.error(f"--flag takes NAME=VALUE, but received {each!r}")
            paddle.set_flags({name: value})
            os.environ[name if name.startswith("FLAGS_") else f"FLAGS_{name}"] = value
        if chosen.GLOG_v is not None:
            os.environ["GLOG_v"] = chosen.GLOG_v  # noqa: SIM112 - so it is called
            flags.read_environment()
        if chosen.device is not None:
            if chosen.device == "cpu":
                os.environ["JAX_PLATFORMS"] = "cpu"
                jax.config.update("jax_platforms", "cpu")
            paddle.set_device(chosen.device)
    except ValueError as error:
        parser.error(str(error))


def _run(rest: list[str]) -> int:
    """Run a program; let its exceptions propagate."""
    from jaxeager import compat
    from jaxeager.debug.hangs import listener
    from jaxeager.launcher import launch

    compat.install()
    listener.start()
    if rest[0] == "-m":
        launch.run_module(rest[1], rest[2:])
    elif rest[0] == "-c":
        launch.run_text(rest[1], rest[2:])
    else:
        launch.run_file(rest[0], rest[1:])
    return 0


# ---- commands


def _command(arguments: list[str]) -> int:
    """Run a command and return its exit status."""
    from jaxeager.core import user_lines

    if arguments[0] not in _RUNNING:
        user_lines.release("python -m jaxeager", 1)
    chosen = _commands().parse_args(arguments)
    try:
        return chosen.run(chosen)
    except BrokenPipeError:  # the reader of a pipe has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _commands() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = argparse.ArgumentParser(prog="python -m jaxeager", allow_abbrev=False)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, add in COMMANDS.items():
        add(commands, name)
    return parser


def _add_diff(commands, name: str) -> None:
    diff = commands.add_parser(
        name,
        help="the first difference of two files of checksums",
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


def _add_flags(commands, name: str) -> None:
    shown = commands.add_parser(
        name,
        help="every FLAGS_ name, its default and what it does",
        description="Prints the table of flags: name, type, default, the value that the "
        "environment sets, and what it does. A program sets them with paddle.set_flags.",
    )
    shown.set_defaults(run=_flags)


def _add_coverage(commands, name: str) -> None:
    from jaxeager.launcher import coverage

    coverage.add_command(commands, name)


def _add_explore(commands, name: str) -> None:
    from jaxeager.debug.explorer import command

    command.add_command(commands, name)


def _add_accuracy(commands, name: str) -> None:
    from jaxeager.debug.accuracy import command

    command.add_command(commands, name)


def _add_attach(commands, name: str) -> None:
    from jaxeager.debug.hangs import attach

    attach.add_command(commands, name)


def _add_bisect(commands, name: str) -> None:
    from jaxeager.debug.bisect import command

    command.add_command(commands, name, _run)


def _add_cache(commands, name: str) -> None:
    from jaxeager.launcher import cache

    cache.add_command(commands, name)


def _add_lockstep(commands, name: str) -> None:
    from jaxeager.debug.lockstep import command

    command.add_command(commands, name)


def _add_profile(commands, name: str) -> None:
    from jaxeager.debug.time import command

    command.add_command(commands, name, _run)


def _add_ops(commands, name: str) -> None:
    from jaxeager.debug import ops_command

    ops_command.add_command(commands, name)


def _add_show(commands, name: str) -> None:
    from jaxeager.jit.saved_model import show_command

    show_command.add_command(commands, name)


def _add_stubs(commands, name: str) -> None:
    from jaxeager.launcher import stubs

    stubs.add_command(commands, name)


COMMANDS = {
    "accuracy": _add_accuracy,
    "attach": _add_attach,
    "bisect": _add_bisect,
    "cache": _add_cache,
    "coverage": _add_coverage,
    "diff-md5": _add_diff,
    "explore": _add_explore,
    "flags": _add_flags,
    "lockstep": _add_lockstep,
    "ops": _add_ops,
    "profile": _add_profile,
    "show": _add_show,
    "stubs": _add_stubs,
}


_RUNNING = ("bisect", "lockstep", "profile")  # commands that run a program; warnings name its lines


def _count(text: str) -> int:
    """Return a number of lines."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of lines")
    return int(text)


def _diff_md5(chosen: argparse.Namespace) -> int:
    """Print the first difference of two checksum files."""
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
    """Print the table of flags."""
    from jaxeager.core import flags

    print(flags.table_text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
