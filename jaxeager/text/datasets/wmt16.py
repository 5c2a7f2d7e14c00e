"""The WMT16 dataset: sentences in English and German."""

from __future__ import annotations

from collections import Counter

from jaxeager.errors import InvalidArgumentError, RefusedArgumentError
from jaxeager.text.datasets.files import (
    UNKNOWN,
    NumberedPairs,
    given,
    member,
    mode_of,
    numbered,
    pairs_of,
    tar_of,
)

START, END = "<s>", "<e>"
LANGUAGES = ("en", "de")  # in the order of a line


class WMT16(NumberedPairs):
    """The WMT16 dataset: sentence pairs as word indices.

    Paddle: builds both dictionaries from the words of the first language, and ``get_dict`` does not
    reverse. Here each dictionary has the words of its language.

    Args:
        data_file: path of ``wmt16.tar.gz``.
        mode: "train", "test" or "val".
        src_dict_size: number of words of the first language that have their own index, including
            the marks of start, end and unknown words.
        trg_dict_size: the same for the second language.
        lang: the first language: "en" or "de".
        download: accepted for compatibility: nothing is downloaded.

    Attributes:
        src_dict: index of each word of the first language.
        trg_dict: index of each word of the second language.

    Raises:
        InvalidArgumentError: without ``data_file`` or a size, and for any other mode or language.

    Example:
        >>> import jaxeager as paddle
        >>> pairs = paddle.text.WMT16("wmt16.tar.gz", "val", 50, 50)  # doctest: +SKIP
        >>> source, target, target_next = pairs[0]  # doctest: +SKIP
    """

    def __init__(
        self,
        data_file: str | None = None,
        mode: str = "train",
        src_dict_size: int = -1,
        trg_dict_size: int = -1,
        lang: str = "en",
        download: bool = True,
    ):
        self.mode = mode_of(mode, "train", "test", "val")
        data_file = given("WMT16", data_file)
        if min(src_dict_size, trg_dict_size) <= 0:
            raise RefusedArgumentError(
                "dict_size should be set as positive number, but received src_dict_size="
                f"{src_dict_size} and trg_dict_size={trg_dict_size}."
            )
        if lang not in LANGUAGES:
            raise InvalidArgumentError(f"lang should be 'en' or 'de', but got {lang!r}.")
        self.data_file, self.lang = data_file, lang
        self.src_dict_size, self.trg_dict_size = src_dict_size, trg_dict_size
        self._source = LANGUAGES.index(lang)
        self.src_dict, self.trg_dict = self._dictionaries()
        super().__init__()
        for pair in self._pairs(self.mode):
            self._add(pair[self._source], pair[1 - self._source])

    def _pairs(self, part: str):
        with tar_of(self.data_file) as archive:
            yield from pairs_of(member(archive, f"wmt16/{part}"))

    def _dictionaries(self):
        counts = Counter(), Counter()
        for pair in self._pairs("train"):
            counts[0].update(pair[self._source])
            counts[1].update(pair[1 - self._source])
        sizes = (self.src_dict_size, self.trg_dict_size)
        return tuple(
            numbered([START, END, UNKNOWN, *(word for word, _ in count.most_common(size - 3))])
            for count, size in zip(counts, (max(size, 3) for size in sizes), strict=True)
        )

    def _add(self, source: list[str], target: list[str]) -> None:
        start, end, unknown = (self.src_dict[mark] for mark in (START, END, UNKNOWN))
        src_ids = [self.src_dict.get(word, unknown) for word in source]
        trg_ids = [self.trg_dict.get(word, unknown) for word in target]
        self.src_ids.append([start, *src_ids, end])
        self.trg_ids.append([start, *trg_ids])
        self.trg_ids_next.append([*trg_ids, end])

    def get_dict(self, lang: str, reverse: bool = False) -> dict:
        """Return the dictionary of a language; if reversed, from index to word."""
        words = self.src_dict if lang == self.lang else self.trg_dict
        return {place: word for word, place in words.items()} if reverse else words
