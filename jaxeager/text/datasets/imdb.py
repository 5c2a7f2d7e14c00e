"""The IMDB dataset: film reviews with sentiment labels."""

from __future__ import annotations

import re
import string
from collections import Counter

import numpy as np

from jaxeager.io import Dataset
from jaxeager.io.archives import content, members, tar_of
from jaxeager.text.datasets.files import UNKNOWN, frequent, given, mode_of

PUNCTUATION = string.punctuation.encode()


class Imdb(Dataset):
    """The IMDB dataset: reviews as word indices, with label 0 for positive and 1 for negative.

    Args:
        data_file: path of ``aclImdb_v1.tar.gz``.
        mode: "train" or "test".
        cutoff: only words that occur more often have their own index.
        download: accepted for compatibility: nothing is downloaded.

    Attributes:
        word_idx: index of each word (bytes), and of ``"<unk>"``.

    Raises:
        InvalidArgumentError: without ``data_file``, or for any other mode.

    Example:
        >>> import jaxeager as paddle
        >>> reviews = paddle.text.Imdb("aclImdb_v1.tar.gz")  # doctest: +SKIP
        >>> words, label = reviews[0]  # doctest: +SKIP
    """

    def __init__(
        self,
        data_file: str | None = None,
        mode: str = "train",
        cutoff: int = 150,
        download: bool = True,
    ):
        self.mode = mode_of(mode, "train", "test")
        data_file = given("Imdb", data_file)
        self.data_file = data_file
        reviews = list(_reviews(data_file))
        self.word_idx = frequent(Counter(w for _, _, words in reviews for w in words), cutoff)
        unknown = self.word_idx[UNKNOWN]
        self.docs, self.labels = [], []
        for label, kind in enumerate(("pos", "neg")):
            for part, found, words in reviews:
                if (part, found) == (self.mode, kind):
                    self.docs.append([self.word_idx.get(word, unknown) for word in words])
                    self.labels.append(label)

    def __getitem__(self, idx):
        return np.array(self.docs[idx]), np.array([self.labels[idx]])

    def __len__(self):
        return len(self.docs)


def _reviews(path):
    """Yield the part, kind and words of every review, in the order of the archive."""
    pattern = re.compile(r"aclImdb/(train|test)/(pos|neg)/.*\.txt$")
    with tar_of(path) as archive:
        for member in members(archive):
            match = pattern.match(member.name)
            if match:
                text = content(archive, member).read().rstrip(b"\n\r").translate(None, PUNCTUATION)
                yield *match.groups(), text.lower().split()
