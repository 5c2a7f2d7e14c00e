"""The test set of the CoNLL 2005 task: sentences with semantic roles."""

from __future__ import annotations

import io
import os
from pathlib import Path

import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.io import Dataset
from jaxeager.io.archives import gunzipped, reading
from jaxeager.text.datasets.files import given, member, numbered, tar_of

UNKNOWN = 0  # index of words that are not in the dictionary
FOLDER = "conll05st-release/test.wsj"


class Conll05st(Dataset):
    """The CoNLL 2005 test set: sentences, a verb of each, and each word's role for that verb.

    Paddle: numbers the roles in a different order in each process. Here they are in alphabetical
    order.

    Args:
        data_file: path of ``conll05st-tests.tar.gz``.
        word_dict_file: path of a file of words, one per line.
        verb_dict_file: path of a file of verbs, one per line.
        target_dict_file: path of a file of roles, as ``B-`` and ``I-``, one per line.
        emb_file: path of embeddings, returned by ``get_embedding``; may be None.
        download: accepted for compatibility: nothing is downloaded.

    Raises:
        InvalidArgumentError: if one of the first four is missing, or a role is misspelled.

    Example:
        >>> import jaxeager as paddle
        >>> roles = paddle.text.Conll05st(  # doctest: +SKIP
        ...     "conll05st-tests.tar.gz", "wordDict.txt", "verbDict.txt", "targetDict.txt"
        ... )
        >>> words, *around, verb, mark, labels = roles[0]  # doctest: +SKIP
    """

    def __init__(
        self,
        data_file: str | None = None,
        word_dict_file: str | None = None,
        verb_dict_file: str | None = None,
        target_dict_file: str | None = None,
        emb_file: str | None = None,
        download: bool = True,
    ):
        self.data_file = given("Conll05st", data_file)
        self.word_dict_file = given("Conll05st", word_dict_file, "word_dict_file")
        self.verb_dict_file = given("Conll05st", verb_dict_file, "verb_dict_file")
        self.target_dict_file = given("Conll05st", target_dict_file, "target_dict_file")
        self.emb_file = emb_file
        self.word_dict = numbered(_lines(self.word_dict_file))
        self.predicate_dict = numbered(_lines(self.verb_dict_file))
        lines = _lines(self.target_dict_file)
        roles = sorted({line[2:] for line in lines if line[:2] in ("B-", "I-")})
        self.label_dict = numbered([f"{kind}-{role}" for role in roles for kind in "BI"] + ["O"])
        self.sentences, self.predicates, self.labels = [], [], []
        with reading(self.data_file):
            for words, columns in _sentences(self.data_file):
                verbs = [verb for verb in columns[0] if verb != "-"] if columns else []
                for verb, column in zip(verbs, columns[1:], strict=False):
                    self.sentences.append(words)
                    self.predicates.append(verb)
                    self.labels.append(_labels(column))

    def __getitem__(self, idx):
        words, labels = self.sentences[idx], self.labels[idx]
        if "B-V" not in labels:
            raise InvalidArgumentError(
                f"{self.data_file}: a sentence has no marked verb: {words[:6]}."
            )
        verb, count = labels.index("B-V"), len(words)
        around = range(verb - 2, verb + 3)
        mark = [int(place in around) for place in range(count)]
        nearby = [_word_at(words, place) for place in around]
        numbers = [self.word_dict.get(word, UNKNOWN) for word in (*words, *nearby)]
        columns = [[number] * count for number in numbers[count:]]
        predicate = [self.predicate_dict.get(self.predicates[idx])] * count
        roles = [self.label_dict.get(label) for label in labels]
        return tuple(map(np.array, (numbers[:count], *columns, predicate, mark, roles)))

    def __len__(self):
        return len(self.sentences)

    def get_dict(self) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
        """Return the indices of words, verbs and roles, as three dicts."""
        return self.word_dict, self.predicate_dict, self.label_dict

    def get_embedding(self) -> str | None:
        """Return the given path of the embeddings."""
        return self.emb_file


def _lines(path) -> list[str]:
    with reading(path), Path(path).open(encoding="utf-8") as file:
        return [line.strip() for line in file]


def _word_at(words: list[str], place: int) -> str:
    if place < 0:
        return "bos"
    return words[place] if place < len(words) else "eos"


def _sentences(path):
    """Yield the words of each sentence, and the other columns: verbs, then roles."""
    with tar_of(path) as archive:
        files = [
            member(archive, f"{FOLDER}/{name}/test.wsj.{name}.gz") for name in ("words", "props")
        ]
        length = os.path.getsize(path)
        both = [io.BytesIO(gunzipped(file, length, str(path)).read()) for file in files]
        words, rows = [], []
        for word, row in zip(*both, strict=False):
            columns = row.decode().split()
            if columns:
                words.append(word.decode().strip())
                rows.append(columns)
                continue
            yield words, list(zip(*rows, strict=True))
            words, rows = [], []


def _labels(column) -> list[str]:
    """Return B, I and O labels for the bracket notation ``(A0*``, ``*``, ``*)``.

    Raises:
        InvalidArgumentError: for anything else.
    """
    labels, role, is_inside = [], "O", False
    for part in column:
        if "(" in part:
            role = part[1 : part.index("*")]
            labels.append(f"B-{role}")
            is_inside = ")" not in part
        elif part in ("*", "*)"):
            labels.append(f"I-{role}" if is_inside or part == "*)" else "O")
            is_inside = is_inside and part == "*"
        else:
            raise InvalidArgumentError(f"Unexpected label: {part}")
    return labels
