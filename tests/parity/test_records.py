"""Records: their contents, their keys, and the recorded part of long arrays."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from . import questions, records, sources
from .compare import differences
from .oracle import file_of, key_of
from .plain import LONGEST, Sampled, decode, encode, pretty, sampled
from .questions import QUESTIONS
from .records import Answer, NoRecordError, lookup, renew
from .registry import EXCHANGES, PROGRAMS, load_programs

VALUES = [
    None, True, -3, 0.1, float("inf"), "text", "three\nlines\nof it\n", 1 - 2j, b"\x00\xff",
    [1, [2.5, "a"]], {"a": 1, "b": {"c": None}}, {1: "one", (2, True): "two"}, {"$a": "no array"},
    np.float32(0.1), np.float32([0.1, -0.0, 1e-40, 3e38, np.nan, np.inf]),
    np.float64([[0.1, 2.0 / 3]]),
    np.array(7), np.zeros([0, 3], "float16"), np.array([True, False] * 5), np.int8([-128, 127]),
    np.complex64([0.1 + 2j, complex(np.nan, -np.inf)]), np.full([3, 4], 0.25),
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_is_read_as_it_was_written(value):
    text = pretty(encode(value))
    found = decode(json.loads(text))
    assert type(found) is type(value)
    if isinstance(value, (np.ndarray, np.generic)):
        assert found.dtype == value.dtype
        assert found.shape == value.shape
        np.testing.assert_array_equal(found, value)
        np.testing.assert_array_equal(np.signbit(found.real), np.signbit(value.real))
    else:
        assert found == value
        assert list(found) == list(value) if isinstance(value, dict) else True


def test_lines_are_short_where_they_can_be():
    value = {"values": [0.5] * 300, "words": ["word"] * 100, "dict": {"a" * 60: "b" * 60, "c": 1}}
    text = pretty(value)
    assert json.loads(text) == value
    assert max(map(len, text.splitlines())) < 130


@pytest.mark.parametrize("value", [object(), {1, 2}, np.array(["text"]), np.array([None])])
def test_a_record_refuses_values_it_cannot_hold(value):
    with pytest.raises(TypeError, match="a record holds arrays, numbers, text, bytes, lists"):
        encode([value])


# ---- long arrays


def kept(array):
    """Return the recorded part of an array."""
    found = decode(json.loads(pretty(encode(array))))
    assert isinstance(found, Sampled)
    return found


def long_array(dtype):
    """Return an array that is recorded as a sample."""
    r = np.random.default_rng(1)
    values = r.normal(size=(30, 50)) * 100
    return (values + 1j * values[::-1] if dtype.startswith("complex") else values).astype(dtype)


DTYPES = ["float32", "float64", "complex64", "int32", "uint8", "bool"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_sample_agrees_with_what_is_close(dtype):
    array = long_array(dtype)
    near = array * (1 + 2e-7) if dtype in ("float32", "complex64") else array
    assert array.size > LONGEST
    assert differences(kept(array), near.astype(dtype)) == []
    assert differences(near.astype(dtype), kept(array)) == []


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_sample_finds_one_wrong_element_wherever_it_is(dtype):
    array = long_array(dtype)
    record = kept(array)
    for position in range(0, array.size, 37):
        wrong = array.copy()
        wrong.flat[position] = not wrong.flat[position] if dtype == "bool" else 77
        assert differences(record, wrong), position


def test_a_long_array_of_float16_is_kept_whole():
    array = long_array("float16")
    np.testing.assert_array_equal(decode(encode(array)), array)


def test_a_sample_finds_what_changed_places_and_what_is_not_finite():
    array = long_array("float32")
    record = kept(array)
    for wrong in (array[:, ::-1], array[::-1], array.reshape(50, 30), array.astype("float64")):
        assert differences(record, wrong)
    swapped = array.copy()
    swapped[3, [4, 5]] = swapped[3, [5, 4]]
    assert differences(record, swapped)
    odd = array.copy()
    odd[7, 7] = np.nan
    assert differences(record, odd)
    assert differences(kept(odd), array)
    assert differences(kept(odd), odd) == []
    assert differences(record, 3.0)
    assert sampled(odd).odd == [1, 0, 0]


# ---- keys

SOURCE = '''
from .helpers import helper as helps
from .helpers import unused

STEPS = 3
OTHER = 4


@decorated({decorator})
def program(paddle, np):
    """{doc}"""
    # {comment}
    return [helps(paddle, k) for k in range(STEPS)]
'''
HELPERS = """
import math

SCALE = {scale}


def helper(paddle, k):
    return paddle.ones([k]) * SCALE


def unused(paddle):
    return {unused}
"""
START = {"decorator": 1, "doc": "One.", "comment": "a", "steps": 3, "scale": 2, "unused": 1}


def key(folder, monkeypatch, **changes):
    """Return the key of a program of two files."""
    given = START | changes
    text = SOURCE.format(**given).replace("STEPS = 3", f"STEPS = {given['steps']}")
    (folder / "program.py").write_text(text + given.get("more", ""))
    (folder / "helpers.py").write_text(HELPERS.format(**given))
    sources._definitions.cache_clear()
    monkeypatch.setitem(
        sources.sys.modules, "a_program", SimpleNamespace(__file__=folder / "program.py")
    )
    function = SimpleNamespace(__module__="a_program", __name__="program")
    return sources.key_of_function(function)


@pytest.mark.parametrize(
    ("change", "is_same"),
    [
        ({"steps": 4}, False),
        ({"scale": 3}, False),
        ({"doc": "Two."}, True),
        ({"comment": "b"}, True),
        ({"decorator": 2}, True),
        ({"unused": 2}, True),
        ({"more": "\n\n\ndef another():\n    return 1\n"}, True),
    ],
)
def test_the_key_hangs_on_what_is_run(tmp_path, monkeypatch, change, is_same):
    before = key(tmp_path, monkeypatch)
    assert (key(tmp_path, monkeypatch, **change) == before) == is_same


# ---- files


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Yield an empty folder of records."""
    monkeypatch.setattr(records, "FOLDER", tmp_path)
    records._read.cache_clear()
    yield tmp_path
    records._read.cache_clear()


@pytest.mark.parametrize("is_big", [False, True])
def test_a_record_is_found_under_its_key_alone(folder, is_big):
    with pytest.raises(NoRecordError, match=r"one is not recorded.*: make record"):
        lookup("family", "one", "key")
    answers = {"one": ("key", Answer([1.5, "a"])), "two": ("key", Answer(ended="died of SIGSEGV"))}
    renew("family", answers, {"one", "two"}, is_big)
    assert lookup("family", "one", "key") == Answer([1.5, "a"])
    assert lookup("family", "two", "key") == Answer(None, "died of SIGSEGV")
    with pytest.raises(NoRecordError, match=r"one was changed since .*: make record"):
        lookup("family", "one", "another")
    renew("family", {}, {"two"}, is_big)
    assert records.names_in("family") == {"two"}
    assert records.files() == {"family"}


def test_a_record_of_another_paddle_is_none(folder, monkeypatch):
    renew("family", {"one": ("key", Answer(1))}, {"one"})
    monkeypatch.setattr(records, "PADDLE_VERSION", "9.9.9")
    with pytest.raises(NoRecordError, match=r"Paddle 3\.3\.1 was recorded, and 9\.9\.9"):
        lookup("family", "one", "key")
    renew("family", {"two": ("key", Answer(2))}, {"one", "two"})
    assert records.names_in("family") == {"two"}


def test_everything_is_recorded_and_nothing_else():
    load_programs()
    wanted = {(file_of(each), each.name): key_of(each) for each in PROGRAMS.values()}
    wanted |= {(file_of(each), each.name): key_of(each) for each in EXCHANGES.values()}
    wanted |= {(each.file, each.name): each.key for each in QUESTIONS.values()}
    found = {
        (file, name): records.entry_of(file, name)["source"]
        for file in records.files()
        for name in records.names_in(file)
    }
    assert found == wanted, f"{records.RENEW} mends it"


def test_records_are_small_and_name_no_place_of_a_machine():
    home = str(Path.home())
    texts = [records.text_of(file) for file in sorted(records.files())]
    assert sum(path.stat().st_size for path in records.FOLDER.rglob("*.json*")) < 6_000_000
    for text in texts:
        assert home + "/" not in text
        assert str(questions.ROOT) not in text
