"""Time and memory that reading a pickle takes are linear in the file."""

import contextlib
import io
import pickle
import struct
import tracemalloc

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.framework.restricted_pickle import Machine, finished
from jaxeager.framework.restricted_pickle.damage import Damage
from tests.support.pickles import load, refused

U4 = struct.Struct("<I").pack


def _work(data):
    """Return the steps beyond one per opcode, the bytes copied, and the peak of memory."""
    machine = Machine(data)
    tracemalloc.start()
    try:
        finished(machine, machine.run())
    except Damage:
        pass
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return machine.work, machine.copied, peak


RAW = b"B" + U4(20_000) + b"r" * 20_000 + b"q\0"  # bytes, kept as number 0
PLUS = 2**61 - 1  # numbers that are equal modulo this have equal hashes


def _number(number):
    return pickle.dumps(number, 2)[2:-1]


def _chained(count):
    """Return numbers that fill a chain of places in a dict's table, and others that hit it."""
    chain, place = [], 0
    for _ in range(count):
        chain.append(place)
        place = (place * 5 + 1) % 2**15
    return chain + [(n + 1) * 2**60 for n in range(7)] + [n << 15 for n in range(1, count)]


ENCODE = b"c_codecs\nencode\nq\1"
FRAME = b"(h\0cnumpy\ndtype\nU\2u1\x85RM\x20\x4e\x85U\1Ctq\2"  # the arguments of _frombuffer
EQUAL = b"".join(b"X" + U4(120_000) + b"k" * 120_000 + b"q" + n + b"0" for n in (b"\0", b"\1"))
COLLIDING = [n * PLUS for n in range(1, 5000)]
# Files, and the error that refuses them; None where they are read.
GREEDY = {
    "32 bytes for 2 GiB": (b"\x80\x04Nr\xff\xff\xff\x7f." + b" " * 20, "more than it can have"),
    "a list of marks": (b"(" * 20_000, "ends too early"),
    "one array many times": (
        RAW + FRAME + b"0cnumpy.core.numeric\n_frombuffer\nq\1" + b"0h\1h\2R" * 5000 + b".",
        "more memory than",
    ),
    "bytes of one text": (
        b"X" + U4(9000) + b"t" * 9000 + b"Vlatin1\n\x86q\0" + ENCODE + b"0h\1h\0R" * 5000 + b".",
        "more memory than",
    ),
    "bytearrays of one text": (
        RAW + b"\x85q\2cbuiltins\nbytearray\nq\1" + b"0h\1h\2R" * 5000 + b".",
        "more memory than",
    ),
    "sets of one list": (
        b"](" + b"N" * 9000 + b"e\x85q\0cbuiltins\nset\nq\1" + b"0h\1h\0R" * 5000 + b".",
        "more work than",
    ),
    "one key many times": (b"(" + b"N" * 500 + b"tq\x000}(" + b"h\0N" * 4000 + b"u.", "more work"),
    "two equal keys": (EQUAL + b"}(" + b"h\0Nh\1N" * 40_000 + b"u.", "more work than"),
    "laughs": (
        b")q\0" + b"".join(b"h%ch%c\x86q%c0" % (n, n, n + 1) for n in range(99)) + b".",
        None,
    ),
    "keys of one hash": (b"}(" + b"N".join(map(_number, COLLIDING)) + b"Nu.", "made to collide"),
    "members of one hash": (b"\x8f(" + b"".join(map(_number, COLLIDING)) + b"\x90.", "to collide"),
    "tuples of one hash": (
        b"}(" + b"\x85N".join(map(_number, COLLIDING)) + b"\x85Nu.",
        "made to collide",
    ),
    "keys in a chain": (b"}(" + b"N".join(map(_number, _chained(2000))) + b"Nu.", "to collide"),
}


@pytest.mark.parametrize("name", GREEDY)
def test_greedy_files(name):
    """Work, copies and memory stay in proportion to the file."""
    data, match = GREEDY[name]
    work, copied, peak = _work(data)
    assert work <= 64 * (len(data) + 1)
    assert copied <= 4 * len(data)
    assert peak <= 600 * len(data) + 100_000
    if match is not None:
        refused(data, match)
    else:
        paddle.load(io.BytesIO(data))


@pytest.mark.parametrize("step", [1, 2, 137, 1024, 2**20, 2**32, 2**40, -1, -(2**20), 0.5, 2**-30])
@pytest.mark.parametrize("kind", [dict.fromkeys, set])
def test_keys_do_not_collide_by_accident(step, kind):
    """The keys are numbers in regular steps, random ones, and pairs of them."""
    draw = np.random.default_rng(0)
    for keys in (
        [n * step for n in range(3000)],
        [int(n) * step for n in draw.integers(0, 10**6, 3000)],
        [(n * step, n % 7) for n in range(3000)],
    ):
        value = kind(keys)
        assert load(pickle.dumps(value)) == value


def test_many_levels_that_python_writes():
    """Levels may be as deep as Python's own pickler writes them."""
    value, depth, found = [], 0, b""
    with contextlib.suppress(RecursionError):
        while depth < 900:
            found = pickle.dumps(value := [value])
            depth += 1
    assert depth > 400
    loaded = paddle.load(io.BytesIO(found))
    for _ in range(depth):
        assert len(loaded) == 1
        loaded = loaded[0]
