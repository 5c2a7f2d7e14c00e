"""Helpers shared by the text datasets: argument checks and word counts."""

from collections.abc import Iterable

import numpy as np

from jaxeager.io import Dataset
from jaxeager.io.archives import member, tar_of
from jaxeager.io.local_files import given, mode_of

__all__ = [
    "UNKNOWN", "NumberedPairs", "frequent", "given", "member", "mode_of", "numbered", "pairs_of",
    "tar_of",
]  # fmt: skip

UNKNOWN = "<unk>"


def numbered(words: Iterable) -> dict:
    """Return the index of each word."""
    return {word: place for place, word in enumerate(words)}


def frequent(counts: dict, more_than: int) -> dict:
    """Return indices of the words that occur often, the most frequent first, and of "<unk>"."""
    kept = [(word, count) for word, count in counts.items() if count > more_than]
    kept.sort(key=lambda pair: (-pair[1], _bytes(pair[0])))
    return numbered([*(word for word, _ in kept), UNKNOWN])


def _bytes(word) -> bytes:
    return word.encode() if isinstance(word, str) else word


def pairs_of(lines: Iterable[bytes]) -> Iterable[tuple[list[str], list[str]]]:
    """Yield the words of both sentences of each line that has two, separated by a tab."""
    for line in lines:
        sentences = line.decode().strip().split("\t")
        if len(sentences) == 2:
            yield sentences[0].split(), sentences[1].split()


class NumberedPairs(Dataset):
    """Dataset of sentence pairs as word indices: source, target, and target shifted by one word."""

    def __init__(self):
        self.src_ids: list[list[int]] = []
        self.trg_ids: list[list[int]] = []
        self.trg_ids_next: list[list[int]] = []

    def __getitem__(self, idx):
        ids = self.src_ids, self.trg_ids, self.trg_ids_next
        return tuple([np.array(each[idx]) for each in ids])

    def __len__(self):
        return len(self.src_ids)
