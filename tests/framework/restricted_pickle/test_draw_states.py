"""States of random numbers in files: written for Paddle's generator, and read back."""

import io
import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.framework.restricted_pickle.draw_states import engine_of
from tests.support.pickles import load, refused

NAME = b"cpaddle.base.libpaddle\nGeneratorState\n)\x81"


def written(state: Any) -> bytes:
    """Return a pickle of a GeneratorState with a state."""
    return b"\x80\x02" + NAME + pickle.dumps(state, 2)[2:-1] + b"b."


@pytest.mark.parametrize("protocol", [2, 4])
def test_a_restored_state_continues_where_it_was(protocol):
    paddle.seed(2**40 + 7)
    paddle.rand([2])
    file = io.BytesIO()
    paddle.save({"states": paddle.get_rng_state(), "epoch": 3}, file, protocol)
    expected = paddle.rand([3]).tolist()
    for as_numpy in (True, False):
        file.seek(0)
        found = paddle.load(file, return_numpy=as_numpy)
        paddle.set_rng_state(found["states"])
        assert paddle.rand([3]).tolist() == expected
        assert found["epoch"] == 3


def test_the_engine_is_that_of_cpp():
    """C++'s standard has the 10,000th number that mt19937_64 draws from the seed 5489."""
    *words, place = map(int, engine_of(5489).split())
    assert place == len(words) == 312
    for at in range(10000):  # word at + 312 of the recurrence; the last one is the number
        joined = (words[at] & ~(2**31 - 1)) | (words[at + 1] & (2**31 - 1))
        odd = 0xB5026F5AA96619E9 if joined % 2 else 0
        words.append(words[at + 156] ^ (joined >> 1) ^ odd)
    last = words[-1]
    last ^= (last >> 29) & 0x5555555555555555
    last ^= (last << 17) & 0x71D67FFFEDA60000
    last ^= (last << 37) & 0xFFF7EEE000000000
    assert last ^ (last >> 43) == 9981545732273789042


def test_another_state_of_paddle_is_a_digest():
    one, two = (load(written((-1, 3, draws, [*b"5 3 312"]))) for draws in (0, 1))
    assert one.shape == two.shape == (2,)
    assert one.dtype == np.uint32
    assert one.tolist() != two.tolist()
    assert load(written((-1, 3, 0, [*b"5 3 312"]))).tolist() == one.tolist()


@pytest.mark.parametrize(
    ("state", "match"),
    [
        ((-1, 3, 0), "in a form that is not Paddle's"),
        ((-1, 3, 0, "text"), "in a form that is not Paddle's"),
        ((-1, 2**64, 0, []), "a seed of more than 64 bits"),
        ((-1, 3, 0, [256]), "whose engine is not text"),
        ((-1, 3, 0, ["a"]), "whose engine is not text"),
    ],
)
def test_bad_states(state, match):
    refused(written(state), match)


def test_an_empty_state():
    refused(b"\x80\x02" + NAME + b".", "an empty GeneratorState")


def test_something_else_than_a_state_is_refused():
    with pytest.raises(ValueError, match="state of a generator is what get_state"):
        paddle.set_rng_state([3])


@dataclass
class Options:
    rate: float = 0.5
    inner: Any = None


def test_options_of_a_program(tmp_path):
    """They are written for pickle; load does not make objects of classes."""
    paddle.save(Options(), tmp_path / "options.bin")
    assert pickle.loads((tmp_path / "options.bin").read_bytes()) == Options()
    with pytest.raises(ValueError, match=r"it requests .*\.Options"):
        paddle.load(tmp_path / "options.bin")
    for inner, match in ((paddle.ones([1]), "with tensors"), (lambda: 1, "cannot write a Options")):
        with pytest.raises(TypeError, match=match):
            paddle.save(Options(inner=inner), tmp_path / "options.bin")
