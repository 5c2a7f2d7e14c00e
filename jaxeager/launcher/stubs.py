"""``python -m jaxeager stubs``: a stub package, so that editors know ``import paddle``.

Each module of the stub is a line or two: it has the names of the module of jaxeager that a program
gets under the launcher. Type checkers read the types from jaxeager itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from jaxeager import module_aliases

if TYPE_CHECKING:
    import argparse

WRITTEN, REFUSED = 0, 2  # exit statuses
FOLDER = "typings"  # where pyright and Pylance look for stubs without a setting
HEAD = "# Made by `python -m jaxeager stubs`: a program's paddle is jaxeager.\n"

_PACKAGE = Path(__file__).resolve().parents[1]
# Rooms that no program imports from paddle.
_INSIDE = frozenset("arrays core graph jax_bridge kernels launcher notebook ops".split())
_PRIVATE = frozenset({"__main__", "module_aliases", "public", "wiring"})


def add_command(commands, name: str) -> None:
    """Add the command to a parser.

    Args:
        commands: what ``add_subparsers`` returned.
        name: of the command.
    """
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help="a stub package, so that `import paddle` resolves in editors",
        description="Writes FOLDER/paddle, a package of type stubs that leads to jaxeager. Pyright "
        "and Pylance read the folder `typings` of a project; mypy needs `mypy_path = typings`.",
        epilog="Exit status: 0 the stubs were written, 2 FOLDER/paddle is of another origin.",
    )
    parser.add_argument(
        "folder", nargs="?", default=FOLDER, metavar="FOLDER", help=f"default: {FOLDER}"
    )
    parser.set_defaults(run=lambda chosen: run(Path(chosen.folder)))


def run(folder: Path) -> int:
    """Write the package into a folder; return the exit status."""
    package = folder / "paddle"
    first = package / "__init__.pyi"
    if package.exists() and not (first.is_file() and first.read_text().startswith(HEAD)):
        print(f"{package} exists, and these stubs did not make it; name another folder.")
        return REFUSED
    modules = stubs()
    for name, text in modules.items():
        file = package.joinpath(*name.split("."), "__init__.pyi") if name else first
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(HEAD + text)
    print(f"{package}: {len(modules)} modules")
    return WRITTEN


def stubs() -> dict[str, str]:
    """Return the text of each module, by its name below paddle; "" is paddle itself.

    Example:
        >>> from jaxeager.launcher.stubs import stubs
        >>> print(stubs()["nn.functional"], end="")
        from jaxeager.nn.functional import *
    """
    found = {name: f"from {_joined(name)} import *\n" for name in _modules()}
    for alias, target in module_aliases.MOVED.items():
        below = [each for each in found if f"{each}.".startswith(f"{target}.")]
        for each in below:
            found.setdefault(alias + each.removeprefix(target), found[each])
    for alias, homes in module_aliases.NAMES.items():
        lines = [
            f"from {_joined(home)} import {', '.join(f'{n} as {n}' for n in names.split())}\n"
            for home, names in homes.items()
        ]
        found.setdefault(alias, "".join(lines))
    return found


def _modules() -> list[str]:
    """Return the names of jaxeager's public modules, without "jaxeager."."""
    names: list[str] = []
    for file in sorted(_PACKAGE.rglob("*.py")):
        parts = file.relative_to(_PACKAGE).with_suffix("").parts
        if parts[-1] == "__init__":
            parts = parts[:-1]
        if not parts or parts[0] not in _INSIDE | _PRIVATE:
            names.append(".".join(parts))
    return names


def _joined(name: str) -> str:
    return f"jaxeager.{name}" if name else "jaxeager"
