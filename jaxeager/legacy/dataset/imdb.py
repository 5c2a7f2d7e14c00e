"""paddle.dataset.imdb: reviews of films as word numbers, 0 for positive and 1 for negative ones."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from jaxeager.io.archives import content, members, tar_of
from jaxeager.legacy.dataset import common
from jaxeager.text.datasets.files import UNKNOWN, frequent

URL = "https://dataset.bj.bcebos.com/imdb%2FaclImdb_v1.tar.gz"
MD5 = "7c2ac02c03563afcf9b574c7e56c153a"

_PUNCTUATION = string.punctuation.encode()


def tokenize(pattern: re.Pattern) -> Iterator[list[bytes]]:
    """Yield the words of each review whose name in the archive matches.

    Args:
        pattern: a compiled regular expression.

    Raises:
        UnavailableError: naming the archive when it does not exist.

    Example:
        >>> import jaxeager as paddle, re
        >>> good = re.compile("aclImdb/train/pos/.*.txt$")
        >>> words = next(paddle.dataset.imdb.tokenize(good))  # doctest: +SKIP
    """
    with tar_of(common.download(URL, "imdb", MD5)) as archive:
        for member in members(archive):
            if pattern.match(member.name):
                text = content(archive, member).read().rstrip(b"\n\r")
                yield text.translate(None, _PUNCTUATION).lower().split()


def build_dict(pattern: re.Pattern, cutoff: int) -> dict[str | bytes, int]:
    """Return the number of each frequent word, and of "<unk>".

    Args:
        pattern: the pattern of the reviews that are counted.
        cutoff: only words that occur more often than this have numbers.

    Raises:
        UnavailableError: naming the archive when it does not exist.

    Example:
        >>> import jaxeager as paddle, re
        >>> everything = re.compile("aclImdb/.*.txt$")
        >>> numbers = paddle.dataset.imdb.build_dict(everything, 150)  # doctest: +SKIP
    """
    return frequent(Counter(word for words in tokenize(pattern) for word in words), cutoff)


def reader_creator(
    pos_pattern: re.Pattern, neg_pattern: re.Pattern, word_idx: dict[Any, int]
) -> Callable[[], Iterator[tuple[list[int], int]]]:
    """Return a reader of reviews as numbers, with 0 for positive and 1 for negative ones.

    Args:
        pos_pattern: the pattern of positive reviews.
        neg_pattern: the pattern of negative reviews.
        word_idx: the number of each word.

    Raises:
        UnavailableError: naming the archive when it does not exist.

    Example:
        >>> import jaxeager as paddle, re
        >>> read = paddle.dataset.imdb.reader_creator(  # doctest: +SKIP
        ...     re.compile("aclImdb/train/pos"), re.compile("aclImdb/train/neg"), {"<unk>": 0}
        ... )
    """
    unknown = word_idx[UNKNOWN]
    found = [
        ([word_idx.get(word, unknown) for word in words], label)
        for label, pattern in enumerate((pos_pattern, neg_pattern))
        for words in tokenize(pattern)
    ]
    return lambda: iter(found)


def _part(name: str, word_idx: dict[Any, int]) -> Callable[[], Iterator[tuple[list[int], int]]]:
    good, bad = (re.compile(rf"aclImdb/{name}/{kind}/.*\.txt$") for kind in ("pos", "neg"))
    return reader_creator(good, bad, word_idx)


def train(word_idx: dict[Any, int]) -> Callable[[], Iterator[tuple[list[int], int]]]:
    """Return a reader of the training reviews.

    Args:
        word_idx: the number of each word, from ``word_dict``.

    Raises:
        UnavailableError: naming the archive when it does not exist.

    Example:
        >>> import jaxeager as paddle
        >>> imdb = paddle.dataset.imdb
        >>> words, label = next(imdb.train(imdb.word_dict())())  # doctest: +SKIP
    """
    return _part("train", word_idx)


def test(word_idx: dict[Any, int]) -> Callable[[], Iterator[tuple[list[int], int]]]:
    """Return a reader of the test reviews.

    Args:
        word_idx: the number of each word, from ``word_dict``.

    Raises:
        UnavailableError: naming the archive when it does not exist.

    Example:
        >>> import jaxeager as paddle
        >>> imdb = paddle.dataset.imdb
        >>> words, label = next(imdb.test(imdb.word_dict())())  # doctest: +SKIP
    """
    return _part("test", word_idx)


def word_dict() -> dict[str | bytes, int]:
    """Return the number of each word that occurs more than 150 times, and of "<unk>".

    Raises:
        UnavailableError: naming the archive when it does not exist.

    Example:
        >>> import jaxeager as paddle
        >>> numbers = paddle.dataset.imdb.word_dict()  # doctest: +SKIP
    """
    return build_dict(re.compile(r"aclImdb/(train|test)/(pos|neg)/.*\.txt$"), 150)


def fetch() -> None:
    """Check that the archive exists.

    Raises:
        UnavailableError: naming it when it does not.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.dataset.imdb.fetch()  # doctest: +SKIP
    """
    common.download(URL, "imdb", MD5)


common.fetchers.append(fetch)
