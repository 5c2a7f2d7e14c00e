"""What the datasets have in common: arguments that are checked, words that are counted."""

import tarfile
from collections.abc import Iterable
from typing import IO

from jaxeager.errors import InvalidArgumentError

UNKNOWN = "<unk>"


def given(dataset: str, path, name: str = "data_file"):
    """Returns the path of a file of a dataset.

    Raises:
        InvalidArgumentError: when it is None.
    """
    if path is None:
        raise InvalidArgumentError(
            f"{dataset}: {name} is not set, and jaxeager downloads nothing. Download the file "
            f"yourself and pass its path as {name}."
        )
    return path


def member(archive: tarfile.TarFile, name: str) -> IO[bytes]:
    """Returns a file of an archive, open for reading.

    Raises:
        InvalidArgumentError: when it has none of that name.
    """
    file = archive.extractfile(name) if name in archive.getnames() else None
    if file is None:
        raise InvalidArgumentError(f"The archive {archive.name} has no file {name}.")
    return file


def mode_of(mode: str, *modes: str) -> str:
    """Returns a mode in lower case.

    Raises:
        InvalidArgumentError: when it is none of ``modes``.
    """
    if mode.lower() not in modes:
        raise InvalidArgumentError(
            f"mode should be {' or '.join(map(repr, modes))}, but got {mode!r}."
        )
    return mode.lower()


def numbered(words: Iterable) -> dict:
    """Returns the place of each word."""
    return {word: place for place, word in enumerate(words)}


def frequent(counts: dict, more_than: int) -> dict:
    """Returns numbers for the words that occur often, the most frequent first, and "<unk>"."""
    kept = [(word, count) for word, count in counts.items() if count > more_than]
    kept.sort(key=lambda pair: (-pair[1], _bytes(pair[0])))
    return numbered([*(word for word, _ in kept), UNKNOWN])


def _bytes(word) -> bytes:
    return word.encode() if isinstance(word, str) else word


def pairs_of(lines: Iterable[bytes]) -> Iterable[tuple[list[str], list[str]]]:
    """Yields the words of both sentences of each line that has two, divided by a tab."""
    for line in lines:
        sentences = line.decode().strip().split("\t")
        if len(sentences) == 2:
            yield sentences[0].split(), sentences[1].split()
