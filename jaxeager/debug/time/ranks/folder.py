"""The folder into which each rank writes its record: rank.0.json, rank.1.json, ..."""

from __future__ import annotations

import os
import re
from pathlib import Path

from jaxeager.errors import InvalidTypeError

_FILE = re.compile(r"rank\.(0|[1-9][0-9]*)\.json")


def checked(folder: object, function: str) -> Path:
    """Return a folder that was passed to a function.

    Raises:
        InvalidTypeError: for anything but a path.
    """
    if not isinstance(folder, (str, os.PathLike)):
        raise InvalidTypeError(
            f"{function} takes the path of a folder, but received {folder!r}. Pass the folder of "
            "the files rank.N.json, as a str or pathlib.Path."
        )
    return Path(folder)


def record_path(folder: str | os.PathLike, rank: int) -> Path:
    """Return the path of the record of a rank.

    Example:
        >>> record_path("report", 3).name
        'rank.3.json'
    """
    return Path(folder) / f"rank.{rank}.json"


def records_in(folder: str | os.PathLike) -> dict[int, Path]:
    """Return the paths of the records in a folder, by rank; none if there is no such folder."""
    matches = [_FILE.fullmatch(path.name) for path in Path(folder).glob("rank.*.json")]
    ranks = sorted([int(match.group(1)) for match in matches if match])
    return {rank: record_path(folder, rank) for rank in ranks}
