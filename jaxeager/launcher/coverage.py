"""``python -m jaxeager coverage``: the Paddle APIs that sources use, and the missing ones."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from jaxeager.debug.common.first_rows import first_lines
from jaxeager.debug.common.paths import shorter_path
from jaxeager.launcher import known_names, missing_names, sources
from jaxeager.launcher.finder import THEIRS

ALL_HERE, SOME_MISSING, UNUSABLE = 0, 1, 2  # exit statuses
HERE, LACKING, UNKNOWN = "here", "lacking", "not in Paddle"
SHOWN = 5  # the number of files, and of lines of each, that the text lists for an API


@dataclass
class Api:
    """An API that sources use.

    Attributes:
        name: such as "paddle.nn.Linear".
        status: HERE, LACKING (Paddle has it, jaxeager does not) or UNKNOWN (neither has it).
        places: (file, line) of each use.
        unguarded: the number of uses that no ``try`` guards against its absence.
    """

    name: str
    status: str
    places: list[tuple[str, int]] = field(default_factory=list)
    unguarded: int = 0


@dataclass
class Report:
    """The findings of some files.

    Attributes:
        apis: by name.
        files: the number of files read.
        users: the number of those that use Paddle.
        unusable: {file: the reason why it could not be read}.
    """

    apis: dict[str, Api] = field(default_factory=dict)
    files: int = 0
    users: int = 0
    unusable: dict[str, str] = field(default_factory=dict)

    def of(self, status: str) -> list[Api]:
        """Return the APIs with a status, the most used ones first."""
        found = (api for api in self.apis.values() if api.status == status)
        return sorted(found, key=lambda api: (-len(api.places), api.name))

    @property
    def status(self) -> int:
        """Return the exit status."""
        if self.unusable:
            return UNUSABLE
        missing = (*self.of(LACKING), *self.of(UNKNOWN))
        return SOME_MISSING if any(api.unguarded for api in missing) else ALL_HERE


# ---- reading


def report(paths: list[str], shows_progress: bool = False) -> Report:
    """Return the names of Paddle that the Python files of some paths use.

    Args:
        paths: files, and folders, whose .py files are read, except hidden ones.
        shows_progress: count the files on stderr.
    """
    found = Report()
    files = [file for path in paths for file in _files(path)]
    found.files = len(files)
    for number, file in enumerate(files, 1):
        if shows_progress:
            print(f"\r{number} of {len(files)} files", end="", file=sys.stderr, flush=True)
        try:
            used = sources.uses(Path(file).read_bytes(), file)
        except (OSError, SyntaxError, ValueError, RecursionError) as error:
            found.unusable[file] = str(error)
            continue
        found.users += bool(used)
        for use in used:
            _count(found, use, file)
    if shows_progress:
        print(file=sys.stderr)
    return found


def _files(path: str) -> Iterator[str]:
    if not os.path.isdir(path):
        yield path
        return
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(each for each in folders if each[0] != "." and each != "__pycache__")
        yield from (os.path.join(folder, each) for each in sorted(files) if each.endswith(".py"))


def _count(found: Report, use: sources.Use, file: str) -> None:
    name, status = judged(use.api)
    api = found.apis.setdefault(name, Api(name, status))
    api.places.append((file, use.line))
    api.unguarded += not use.is_guarded


_judged: dict[str, tuple[str, str]] = {}


def judged(chain: str) -> tuple[str, str]:
    """Return the API that a chain of names refers to, and its status.

    The chain may be longer: ``paddle.float32.name`` refers to ``paddle.float32``. For a missing
    name, the API is the one that Paddle has under it.

    Example:
        >>> judged("paddle.nn.Linear.forward.__doc__")
        ('paddle.nn.Linear.forward', 'here')
        >>> judged("paddle.MmapStorage.x")
        ('paddle.MmapStorage', 'lacking')
    """
    if chain not in _judged:
        _judged[chain] = _judge(chain)
    return _judged[chain]


def _judge(chain: str) -> tuple[str, str]:
    api = THEIRS
    for part in chain.split(".")[1:]:
        if not known_names.has_names(api):
            return api, HERE
        if not known_names.is_here(f"{api}.{part}"):
            return _missing(api, chain)
        api = f"{api}.{part}"
    return api, HERE


def _missing(api: str, chain: str) -> tuple[str, str]:
    """Return the missing API of a chain after ``api``, as far as Paddle has modules."""
    for part in chain.removeprefix(f"{api}.").split("."):
        api = f"{api}.{part}"
        if api not in known_names.modules():
            break
    return api, LACKING if known_names.is_known(api) else UNKNOWN


# ---- output


def text_of(found: Report, shows_all: bool) -> str:
    """Return a report as text."""
    lacks, unknown, here = found.of(LACKING), found.of(UNKNOWN), found.of(HERE)
    count = sum(len(api.places) for api in found.apis.values())
    lines = [
        f"{found.users} of {found.files} files use Paddle: {len(found.apis)} APIs in {count} "
        f"places. {len(here)} APIs are here, {len(lacks)} are lacking"
        + (
            f", {len(unknown)} are not in Paddle {known_names.version()} either."
            if unknown
            else "."
        ),
    ]
    for title, apis in (("Lacking", lacks), (f"Not in Paddle {known_names.version()}", unknown)):
        if apis:
            lines += ["", f"{title}:"]
        for api in apis:
            lines += _lines(api)
    if shows_all:
        lines += ["", "Here:"] if here else []
        lines += [f"  {api.name}  {_times(api)}" for api in here]
    for file, why in found.unusable.items():
        lines += ["", f"{file} cannot be read: {why}"]
    lines += ["", "Methods of tensors, layers and other objects cannot be followed in sources."]
    return "\n".join(lines)


def _lines(api: Api) -> list[str]:
    by_file: dict[str, list[str]] = {}
    for file, line in api.places:
        by_file.setdefault(shorter_path(file), []).append(str(line))
    places = [f"{file}:{','.join(found[:SHOWN])}{', ...' * (len(found) > SHOWN)}"
              for file, found in by_file.items()]  # fmt: skip
    guarded = "" if api.unguarded else ", each in a try that catches its absence"
    lines = [f"  {api.name}  {_times(api)}{guarded}"]
    why = known_names.reason(api.name)
    if why:
        lines.append(f"      {why}")
    near = missing_names.nearest(api.name)
    if near:
        lines.append(f"      nearest here: {', '.join(near)}")
    return lines + first_lines(places, SHOWN, lambda each: f"      {each}", "files", " " * 6)


def _times(api: Api) -> str:
    places, files = len(api.places), len({file for file, _ in api.places})
    return f"{places} use{'s' * (places != 1)} in {files} file{'s' * (files != 1)}"


def json_of(found: Report) -> str:
    """Return a report as JSON."""
    apis: dict[str, object] = {}
    for api in sorted(found.apis.values(), key=lambda api: api.name):
        entry: dict[str, object] = {
            "status": api.status,
            "uses": len(api.places),
            "unguarded": api.unguarded,
            "places": [f"{shorter_path(file)}:{line}" for file, line in api.places],
        }
        if api.status != HERE:
            entry["reason"], entry["nearest"] = (
                known_names.reason(api.name),
                missing_names.nearest(api.name),
            )
        apis[api.name] = entry
    head = {
        "paddle": known_names.version(),
        "files": found.files,
        "files_that_use_paddle": found.users,
    }
    return json.dumps({**head, "apis": apis, "unusable": found.unusable}, indent=1)


# ---- the command


def add_command(commands, name: str) -> None:
    """Add the command to the parser of ``python -m jaxeager``."""
    parser = commands.add_parser(
        name,
        help="which Paddle APIs sources use, and which of them are missing",
        description="Reads Python sources, without running them, and lists the Paddle APIs that "
        "are missing here: how often each is used and where, why it is missing, what is near.",
        epilog="Exit status: 0 all are here (or guarded by a try), 1 some are missing, 2 a file "
        "cannot be read.",
    )
    parser.add_argument("paths", nargs="+", metavar="FILE|FOLDER", help="sources to read")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument("--all", action="store_true", help="list the APIs that are here as well")
    parser.set_defaults(run=_run)


def _run(chosen: argparse.Namespace) -> int:
    absent = [path for path in chosen.paths if not os.path.exists(path)]
    if absent:
        print(f"coverage: there is no {absent[0]}", file=sys.stderr)
        return UNUSABLE
    found = report(chosen.paths, shows_progress=sys.stderr.isatty())
    print(json_of(found) if chosen.json else text_of(found, chosen.all))
    return found.status
