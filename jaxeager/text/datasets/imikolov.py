"""Sentences of the Penn Treebank, for language models."""

from __future__ import annotations

from collections import Counter

import numpy as np

from jaxeager.errors import InvalidArgumentError, RefusedArgumentError
from jaxeager.io import Dataset
from jaxeager.text.datasets.files import UNKNOWN, frequent, given, member, mode_of, tar_of

START, END = "<s>", "<e>"


class Imikolov(Dataset):
    """The Penn Treebank: sentences as word indices, in runs of ``window_size`` words or whole.

    Args:
        data_file: path of ``simple-examples.tgz``.
        data_type: "NGRAM" for each run of words; "SEQ" for each sentence twice, with the start
            mark first, and with the end mark last.
        window_size: number of words of a run; for "SEQ" the maximum number of words, -1 for any.
        mode: "train" or "test".
        min_word_freq: only words that occur more often have their own index.
        download: accepted for compatibility: nothing is downloaded.

    Attributes:
        word_idx: index of each word (bytes), and of ``"<s>"``, ``"<e>"`` and ``"<unk>"``.

    Raises:
        InvalidArgumentError: without ``data_file``, for any other mode or type, and for "NGRAM"
            without ``window_size``.

    Example:
        >>> import jaxeager as paddle
        >>> runs = paddle.text.Imikolov("simple-examples.tgz", window_size=3)  # doctest: +SKIP
        >>> first, second, third = runs[0]  # doctest: +SKIP
    """

    def __init__(
        self,
        data_file: str | None = None,
        data_type: str = "NGRAM",
        window_size: int = -1,
        mode: str = "train",
        min_word_freq: int = 50,
        download: bool = True,
    ):
        if data_type.upper() not in ("NGRAM", "SEQ"):
            raise RefusedArgumentError(
                f"data type should be 'NGRAM' or 'SEQ', but got {data_type!r}."
            )
        self.data_type, self.mode = data_type.upper(), mode_of(mode, "train", "test")
        data_file = given("Imikolov", data_file)
        if self.data_type == "NGRAM" and window_size < 0:
            raise InvalidArgumentError(
                f"window_size must be given for runs of words, but is {window_size}."
            )
        self.data_file, self.window_size = data_file, window_size
        self.min_word_freq = min_word_freq
        self.word_idx = frequent(self._counts(), min_word_freq)
        add = self._add_runs if self.data_type == "NGRAM" else self._add_sentence
        self.data = []
        for words in _sentences(data_file, self.mode):
            add(words)

    def _counts(self) -> Counter:
        counts = Counter()
        for part in ("train", "valid"):
            for words in _sentences(self.data_file, part):
                counts.update([*words, START, END])
        return counts

    def _numbers(self, words) -> list[int]:
        unknown = self.word_idx[UNKNOWN]
        return [self.word_idx.get(word, unknown) for word in words]

    def _add_runs(self, words) -> None:
        numbers = self._numbers([START, *words, END])
        for stop in range(self.window_size, len(numbers) + 1):
            self.data.append(tuple(numbers[stop - self.window_size : stop]))

    def _add_sentence(self, words) -> None:
        numbers = self._numbers(words)
        if 0 < self.window_size < len(numbers) + 1:
            return
        source, target = [self.word_idx[START], *numbers], [*numbers, self.word_idx[END]]
        self.data.append((source, target))

    def __getitem__(self, idx):
        return tuple(np.array(each) for each in self.data[idx])

    def __len__(self):
        return len(self.data)


def _sentences(path, part: str):
    """Yield the words of each line of one file of the archive."""
    with tar_of(path) as archive:
        for line in member(archive, f"./simple-examples/data/ptb.{part}.txt"):
            yield line.strip().split()
