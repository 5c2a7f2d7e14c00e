"""Flags: set, read, refused as a whole."""

import os
import subprocess
import sys

import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError


def test_set_and_get_with_and_without_prefix():
    paddle.set_flags({"check_index": False})
    try:
        assert paddle.get_flags("FLAGS_check_index") == {"FLAGS_check_index": False}
        assert paddle.get_flags(["check_index"]) == {"check_index": False}
    finally:
        paddle.set_flags({"FLAGS_check_index": "true"})
    assert paddle.get_flags("check_index") == {"check_index": True}


def test_all_or_none_are_set():
    with pytest.raises(InvalidArgumentError, match="Flag FLAGS_nothing does not exist"):
        paddle.set_flags({"FLAGS_check_index": False, "FLAGS_nothing": 1})
    with pytest.raises(InvalidArgumentError, match="takes a bool, but received 'maybe'"):
        paddle.set_flags({"FLAGS_check_index": "maybe"})
    with pytest.raises(InvalidArgumentError, match="should be a dict"):
        paddle.set_flags(["FLAGS_check_index"])
    assert paddle.get_flags("check_index") == {"check_index": True}


def test_the_environment_sets_a_flag():
    program = "import jaxeager as p; print(p.get_flags('check_index'))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "FLAGS_check_index": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "{'check_index': False}"


def test_check_index_can_be_turned_off():
    x = paddle.to_tensor([1.0, 2.0])
    with pytest.raises(IndexError, match="The index 5 is out of bounds"):
        x[[5]]
    paddle.set_flags({"check_index": False})
    try:
        assert x[[5]].shape == [1]
    finally:
        paddle.set_flags({"check_index": True})
