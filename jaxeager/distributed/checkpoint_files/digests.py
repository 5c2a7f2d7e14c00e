"""Digests of the files of a checkpoint, to detect damage before anything is read.

Note [Digests of a checkpoint]
    Once a checkpoint is completely written, process 0 reads its files again and writes the SHA-256
    of each into ``digests.json`` in the same folder, in the background if the checkpoint is written
    in the background; then the folder gets its final name. A load compares the digests first;
    several processes share the files among them. A checkpoint without that file, from an earlier
    jaxeager, is read without a comparison.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import jax

from jaxeager.errors import InvalidArgumentError

FILE = "digests.json"
_MOST_BYTES = 1 << 28
_CHANGES = "_CHECKPOINT_METADATA"  # Orbax adds times to it when the rest is complete


def write(folder: Path) -> None:
    """Write the digests of a folder's files."""
    found = {
        each.relative_to(folder).as_posix(): [each.stat().st_size, _digest_of(each)]
        for each in sorted(folder.rglob("*"))
        if each.is_file() and each.name != _CHANGES
    }
    text = json.dumps(found, sort_keys=True)
    whole = {"files": found, "sha256": hashlib.sha256(text.encode()).hexdigest()}
    (folder / FILE).write_text(json.dumps(whole, indent=1), encoding="utf-8")


def check(folder: Path) -> None:
    """Raise InvalidArgumentError when a file has changed since it was written."""
    path = folder / FILE
    if not path.is_file():
        return
    found = _read(path)
    mine = sorted(found)[jax.process_index() :: jax.process_count()]
    for name in mine:
        size, digest = found[name]
        file = folder / name
        if ".." in Path(name).parts or Path(name).is_absolute():
            raise InvalidArgumentError(f"{path} names {name!r}, which is not in its folder.")
        if not file.is_file():
            raise InvalidArgumentError(f"There is no file {file}, which {path} names.")
        if file.stat().st_size != size or _digest_of(file) != digest:
            raise InvalidArgumentError(
                f"{file} is not as it was written: {path} lists {size} bytes and another digest. "
                "The checkpoint is damaged. Load another one."
            )


def _read(path: Path) -> dict[str, list]:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ValueError(f"it has more than {_MOST_BYTES} bytes")
        whole = json.loads(path.read_text(encoding="utf-8"))
        found, digest = whole["files"], whole["sha256"]
        text = json.dumps(found, sort_keys=True)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InvalidArgumentError(
            f"{path} is not a list of digests, or it is damaged: {type(error).__name__}: {error}."
        ) from error
    if hashlib.sha256(text.encode()).hexdigest() != digest:
        raise InvalidArgumentError(f"{path} is damaged: its own digest is different.")
    return found


def _digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
