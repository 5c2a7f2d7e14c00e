"""``python -m jaxeager cache``: the folder of compiled kernels, and archives of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from jaxeager.errors import JaxEagerError

if TYPE_CHECKING:
    import argparse

DONE, REFUSED = 0, 2  # exit statuses


def add_command(commands, name: str) -> None:
    """Add the command to a parser.

    Args:
        commands: what ``add_subparsers`` returned.
        name: of the command.
    """
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help="the folder of compiled kernels: show, export, import or clear it",
        description="Without an action, prints the folder and what it has. An archive is for "
        "machines with the same kind of processor and the same versions, such as containers of one "
        "image. Kernels are executed as code: import only an archive that you trust.",
        epilog="Exit status: 0 done, 2 the folder or the archive cannot be used.",
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    for action, text in (
        ("export", "write all kernels into an archive"),
        ("import", "add the kernels of an archive"),
    ):
        each = actions.add_parser(action, help=text, description=f"To {text}.")
        each.add_argument("archive", type=Path, metavar="FILE", help="a zip file")
    actions.add_parser("clear", help="remove all kernels", description="To remove all kernels.")
    parser.set_defaults(run=lambda chosen: run(chosen.action, getattr(chosen, "archive", None)))


def run(action: str | None, archive: Path | None = None) -> int:
    """Run an action and print its result; return the exit status.

    Args:
        action: "export", "import", "clear" or None.
        archive: the file of the first two.
    """
    try:
        print(_said(action, archive))
    except (JaxEagerError, OSError) as error:
        print(f"cache: {error}", file=sys.stderr)
        return REFUSED
    return DONE


def _said(action: str | None, archive: Path | None) -> str:
    """Do what an action asks for, and return the line to print."""
    from jaxeager.kernels import cache_archive

    if action == "clear":
        return f"{cache_archive.folder()}: removed {cache_archive.clear()}"
    if archive is None:
        return f"{cache_archive.folder()}: {cache_archive.contents()}"
    if action == "export":
        return f"{archive}: {cache_archive.export_to(archive)}"
    found = cache_archive.import_from(archive)
    return f"{cache_archive.folder()}: added {found.new}; {found.known:,} were there before"
