"""compare_ranks: the profiles that the ranks of a program have written, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from jaxeager.debug.time.ranks import files
from jaxeager.debug.time.ranks.folder import checked, records_in
from jaxeager.debug.time.ranks.record import RankRecord, read
from jaxeager.debug.time.ranks.report import RanksReport
from jaxeager.errors import InvalidArgumentError

if TYPE_CHECKING:
    import os


def compare_ranks(
    folder: str | os.PathLike, problems: Mapping[int, str] | None = None
) -> RanksReport:
    """Return the profiles of all ranks of a program side by side, and write the report.

    Each rank has written its profile into the folder, with ``profile.save_rank``. The text of the
    result has a line per rank, the rank that the others wait for, and the line of the program where
    that rank spends the time. The same is written as ``ranks.txt`` and ``ranks.html``, and the time
    of all ranks as ``trace.json``, which ui.perfetto.dev shows.
    ``python -m jaxeager.distributed.launch --profile FOLDER train.py`` does all of this.

    Args:
        folder: the folder.
        problems: by rank, how it has ended, for ranks that have ended badly.

    Raises:
        InvalidTypeError: for anything but a path.
        InvalidArgumentError: when the folder has no profile of a rank that can be read, or profiles
            of several runs.

    Example:
        >>> import jaxeager as paddle, tempfile
        >>> with paddle.debug.profile() as seen:
        ...     y = paddle.ones([2]) + 1
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = seen.save_rank(folder)
        ...     found = paddle.debug.compare_ranks(folder)
        >>> [row.rank for row in found.rows()]
        [0]
    """
    records: list[RankRecord] = []
    why = dict(problems or {})
    for rank, path in records_in(checked(folder, "compare_ranks")).items():
        try:
            record = read(path)
        except InvalidArgumentError as error:
            why.setdefault(rank, f"its record cannot be read ({error.message})")
            continue
        if record.rank == rank:
            records.append(record)
        else:
            why.setdefault(rank, f"its file {path.name} is the record of rank {record.rank}")
    if not records:
        reasons = [f" Rank {rank}: {text}" for rank, text in sorted(why.items())]
        raise InvalidArgumentError(
            f"{str(folder)!r} should have files rank.N.json, which each rank has written."
            + ".".join(reasons)
        )
    report = RanksReport(records, why)
    files.write(report, folder)
    return report
