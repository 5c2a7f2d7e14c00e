"""The WMT14 dataset: sentences in English and French."""

from __future__ import annotations

import itertools

from jaxeager.errors import InvalidArgumentError, RefusedArgumentError
from jaxeager.text.datasets.files import (
    NumberedPairs,
    given,
    member,
    mode_of,
    numbered,
    pairs_of,
    tar_of,
)

START, END = "<s>", "<e>"
UNKNOWN = 2  # index of "<unk>" in the dictionaries of the archive
LONGEST = 80


class WMT14(NumberedPairs):
    """The WMT14 dataset: sentence pairs as word indices, without those of more than 80 words.

    Args:
        data_file: path of ``wmt14.tgz``.
        mode: "train", "test" or "gen".
        dict_size: number of words of each dictionary that have their own index.
        download: accepted for compatibility: nothing is downloaded.

    Attributes:
        src_dict: index of each word of the first language.
        trg_dict: index of each word of the second language.

    Raises:
        InvalidArgumentError: without ``data_file`` or ``dict_size``, for any other mode, and for an
            archive that does not have one dictionary per language.

    Example:
        >>> import jaxeager as paddle
        >>> pairs = paddle.text.WMT14("wmt14.tgz", dict_size=50)  # doctest: +SKIP
        >>> source, target, target_next = pairs[0]  # doctest: +SKIP
    """

    def __init__(
        self,
        data_file: str | None = None,
        mode: str = "train",
        dict_size: int = -1,
        download: bool = True,
    ):
        self.mode = mode_of(mode, "train", "test", "gen")
        data_file = given("WMT14", data_file)
        if dict_size <= 0:
            raise RefusedArgumentError(
                f"dict_size should be set as positive number, but is {dict_size}."
            )
        self.data_file, self.dict_size = data_file, dict_size
        super().__init__()
        with tar_of(data_file) as archive:
            self.src_dict = self._dictionary(archive, "src.dict")
            self.trg_dict = self._dictionary(archive, "trg.dict")
            for name in _names(archive, f"{self.mode}/{self.mode}"):
                for source, target in pairs_of(member(archive, name)):
                    self._add(source, target)

    def _dictionary(self, archive, ending: str) -> dict[str, int]:
        names = _names(archive, ending)
        if len(names) != 1:
            raise InvalidArgumentError(
                f"The archive {self.data_file} must have one file {ending}, but has {names}."
            )
        lines = itertools.islice(member(archive, names[0]), self.dict_size)
        return numbered(line.strip().decode() for line in lines)

    def _add(self, source: list[str], target: list[str]) -> None:
        src_ids = [self.src_dict.get(word, UNKNOWN) for word in (START, *source, END)]
        trg_ids = [self.trg_dict.get(word, UNKNOWN) for word in target]
        if max(len(src_ids), len(trg_ids)) <= LONGEST:
            self.src_ids.append(src_ids)
            self.trg_ids.append([self.trg_dict[START], *trg_ids])
            self.trg_ids_next.append([*trg_ids, self.trg_dict[END]])

    def get_dict(self, reverse: bool = False) -> tuple[dict, ...]:
        """Return both dictionaries; if reversed, from index to word."""
        both = (self.src_dict, self.trg_dict)
        if not reverse:
            return both
        return tuple({place: word for word, place in each.items()} for each in both)


def _names(archive, ending: str) -> list[str]:
    return [name for name in archive.getnames() if name.endswith(ending)]
