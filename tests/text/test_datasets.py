"""Datasets of paddle.text: missing and misspelled arguments. (Their items: parity tests.)"""

import gzip

import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError
from tests.support.archives import archive

NAMES = ("UCIHousing", "Imdb", "Imikolov", "Movielens", "Conll05st", "WMT14", "WMT16")


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_downloaded(name):
    with pytest.raises(InvalidArgumentError, match=rf"{name}: data_file is not set, .* yourself"):
        getattr(paddle.text, name)()


@pytest.mark.parametrize("name", [name for name in NAMES if name != "Conll05st"])
def test_another_mode_is_refused(name):
    with pytest.raises(InvalidArgumentError, match=r"mode should be 'train' or .* but got 'all'"):
        getattr(paddle.text, name)("file", mode="all")


def conll(folder, labels):
    words = "\n".join(["word"] * len(labels) + ["", ""])
    props = "\n".join([f"be {label}" for label in labels] + ["", ""])
    path = archive(folder / "data", {
        "conll05st-release/test.wsj/words/test.wsj.words.gz": gzip.compress(words.encode()),
        "conll05st-release/test.wsj/props/test.wsj.props.gz": gzip.compress(props.encode()),
    })  # fmt: skip
    lines = folder / "lines"
    lines.write_text("B-A0\nI-V\n")
    return paddle.text.Conll05st(path, lines, lines, lines)


def test_roles_are_read_from_brackets(tmp_path):
    dataset = conll(tmp_path, ["(V*)", "*", "(A0*", "*", "*)", "*"])
    assert dataset.labels == [["B-V", "O", "B-A0", "I-A0", "I-A0", "O"]]
    assert dataset.label_dict == {"B-A0": 0, "I-A0": 1, "B-V": 2, "I-V": 3, "O": 4}


def test_a_misspelled_role_is_refused(tmp_path):
    with pytest.raises(InvalidArgumentError, match="Unexpected label: V"):
        conll(tmp_path, ["V*"])


def test_dictionaries_of_both_languages_and_back(tmp_path):
    path = archive(tmp_path / "wmt16", {"wmt16/train": b"a a cat\tein Ei\nno pair\n"})
    pairs = paddle.text.WMT16(path, "train", 4, 99, lang="de")
    assert list(pairs.src_dict) == ["<s>", "<e>", "<unk>", "ein"]
    assert pairs.get_dict("en", reverse=True) == {
        0: "<s>", 1: "<e>", 2: "<unk>", 3: "a", 4: "cat"
    }  # fmt: skip
    assert [each.tolist() for each in pairs[0]] == [[0, 3, 2, 1], [0, 3, 3, 4], [3, 3, 4, 1]]


ARGUMENTS = {
    "type": (lambda: paddle.text.Imikolov("x", "PAIRS"), "'NGRAM' or 'SEQ', but got 'PAIRS'"),
    "window": (lambda: paddle.text.Imikolov("x"), "window_size must be given .* but is -1"),
    "14": (lambda: paddle.text.WMT14("x"), "dict_size should be .* but is -1"),
    "16": (lambda: paddle.text.WMT16("x", "val", 4), "src_dict_size=4 and trg_dict_size=-1"),
    "lang": (lambda: paddle.text.WMT16("x", "val", 4, 4, "fr"), "'en' or 'de', but got 'fr'"),
    "files": (lambda: paddle.text.Conll05st("x", "y"), "verb_dict_file is not set"),
}


@pytest.mark.parametrize("case", ARGUMENTS.values(), ids=ARGUMENTS)
def test_arguments_that_do_not_fit_are_refused(case):
    call, text = case
    with pytest.raises(InvalidArgumentError, match=text):
        call()


def test_an_archive_without_the_file_of_a_mode_is_refused(tmp_path):
    path = archive(tmp_path / "wmt16", {"wmt16/val": b"a\tb\n"})
    with pytest.raises(InvalidArgumentError, match="has no file wmt16/train"):
        paddle.text.WMT16(path, "val", 4, 4)


def test_an_archive_without_dictionary_is_refused(tmp_path):
    path = archive(tmp_path / "wmt14", {"wmt14/train/train": b"a\tb\n"})
    with pytest.raises(InvalidArgumentError, match=r"one file src.dict, but has \[\]"):
        paddle.text.WMT14(path, dict_size=9)
