"""Loads damaged files, in a separate process: a value of plain data, or InvalidArgumentError.

Run as a script: the folder of seeds, the first number, the count. Each number is one file, always
the same. The cost of a load is counted in calls of functions, Python's and C's, in proportion to
the file's length. The process may use little memory and little time, so a file that needs more ends
it.
"""

import io
import pickle
import pickletools
import random
import resource
import signal
import sys
from collections import Counter, OrderedDict
from pathlib import Path
from typing import Any

import numpy as np

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError
from tests.support.damages import change, cut, flip, position, repeat

CALLS = 120  # per byte of a file
MEMORY = 2**30  # beyond the cost of the imports
SECONDS = 3600
PLAIN = (type(None), bool, int, float, complex, str, bytes, bytearray, np.generic, np.dtype)
NUMBERS = (0, 1, 2, 3, 127, 128, 255, 256, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**64 - 1)
NAMES = (
    *(b"cnumpy\nndarray\n", b"cnumpy\ndtype\n", b"cnumpy.core.multiarray\n_reconstruct\n"),
    *(b"cnumpy.core.multiarray\nscalar\n", b"cnumpy.core.numeric\n_frombuffer\n"),
    *(b"ccollections\nOrderedDict\n", b"c_codecs\nencode\n", b"cml_dtypes\nbfloat16\n"),
    *(b"cbuiltins\n%s\n" % name for name in (b"set", b"tuple", b"bytearray", b"bytes", b"complex")),
    *(b"cbuiltins\neval\n", b"cos\nsystem\n", b"cjaxeager\nload\n"),
)


def make_seeds(folder: Path) -> None:
    """Write files of ours, of NumPy and of Python: every protocol, and safetensors."""
    net = paddle.nn.Sequential(paddle.nn.Linear(3, 4), paddle.nn.BatchNorm1D(4))
    rate: Any = paddle.optimizer.lr.StepDecay(0.1, 2)
    adam = paddle.optimizer.Adam(rate, parameters=net.parameters())
    net(paddle.ones([2, 3])).sum().backward()
    adam.step()
    nested = {"a": [paddle.ones([2], dtype="bfloat16"), (1, "x")], "n": {1, 2}, "c": 1.5}
    for protocol in (2, 3, 4):
        paddle.save(net.state_dict(), str(folder / f"net{protocol}"), protocol=protocol)
        paddle.save(adam.state_dict(), str(folder / f"opt{protocol}"), protocol=protocol)
        paddle.save(nested, str(folder / f"nested{protocol}"), protocol=protocol)
    parts = [("x", np.arange(3)), np.asfortranarray(np.ones((2, 2), ">f4")), np.array(["a", "bc"])]
    others = [np.float32(1), np.datetime64(1, "s"), OrderedDict(a=1), frozenset({(1, 2)}), 2**80]
    table = {"x@@.0": np.ones(2), "x@@.1": np.ones(2), "StructuredToParameterName@@": {"x": "y"}}
    table["UnpackBigParamInfor@@"] = {"x": {"OriginShape": (2, 2), "slices": ["x@@.0", "x@@.1"]}}
    for protocol in range(6):
        for name, value in (("parts", parts), ("others", others), ("table", table)):
            (folder / f"{name}{protocol}").write_bytes(pickle.dumps(value, protocol))
    try:
        paddle.save(net.state_dict(), str(folder / "net.safetensors"))
    except paddle.errors.UnavailableError:
        return


def damaged(seeds: list[bytes], number: int) -> bytes:
    """Return the damaged file of a number."""
    draw = random.Random(number)
    if number % 5 == 4:
        return _program(draw)
    data = bytearray(draw.choice(seeds))
    for _ in range(draw.choice((1, 1, 1, 1, 2, 6))):
        draw.choice(DAMAGES)(draw, data, seeds)
    return bytes(data)


def _leave_out(draw, data, seeds):
    place = position(draw, data)
    del data[place : place + draw.choice((1, 2, 4, 30))]


def _splice(draw, data, seeds):
    other = draw.choice(seeds)
    start = draw.randrange(len(other))
    part, place = other[start : start + draw.choice((3, 40, 400))], position(draw, data)
    data[place : place + draw.choice((0, len(part)))] = part


def _count(draw, data, seeds):
    """Insert another number where a length may be."""
    place, size = position(draw, data), draw.choice((1, 2, 4, 8))
    number = draw.choice((*NUMBERS, len(data)))
    data[place : place + size] = (number % 256**size).to_bytes(size, "little")


def _insert(draw, data, seeds):
    place = position(draw, data)
    data[place:place] = _step(draw)


DAMAGES = (flip, flip, change, change, cut, _leave_out, repeat, _splice, _count, _insert)


def _step(draw) -> bytes:
    """Return an opcode with an argument that it could have."""
    if draw.random() < 0.15:
        return draw.choice(NAMES)
    opcode = draw.choice(pickletools.opcodes)
    code, argument = opcode.code.encode("latin1"), opcode.arg
    if argument is None:
        return code
    if argument.n > 0:
        return code + (draw.choice(NUMBERS[:4]) % 256).to_bytes(argument.n, "little")
    if argument.n == pickletools.UP_TO_NEWLINE:
        return code + draw.choice((b"1\n", b"'a'\n", b"a\nb\n", b"-5L\n", b"1.5\n"))
    sizes = {
        pickletools.TAKEN_FROM_ARGUMENT1: 1,
        pickletools.TAKEN_FROM_ARGUMENT8U: 8,
    }
    text = draw.choice((b"", b"a", b"latin1", b"<", b"f4", b"U2", b"C", b"\x00\x01\x02\x03"))
    return code + len(text).to_bytes(sizes.get(argument.n, 4), "little") + text


def _program(draw) -> bytes:
    """Return opcodes in random order, with a preference for those that fit the stack."""
    steps, depth = [], 0
    for _ in range(draw.choice((3, 10, 40, 200))):
        kind = draw.random()
        if kind < 0.5:
            steps.append(
                draw.choice((b"K\x01", b"N", b"]", b"}", b")", b"\x8f", b"C\x01a", b"U\x02f4"))
            )
        elif kind < 0.6:
            steps.append(draw.choice(NAMES))
        elif kind < 0.7:
            steps.append(b"(")
            depth += 1
        elif kind < 0.8 and depth:
            steps.append(draw.choice((b"t", b"l", b"e", b"u", b"\x90", b"\x91", b"d", b"1")))
            depth -= 1
        elif kind < 0.95:
            steps.append(
                draw.choice((b"\x85", b"\x86", b"\x87", b"R", b"b", b"a", b"s", b"2", b"0"))
            )
        else:
            steps.append(draw.choice((b"\x94", b"h\x00", b"h\x01", b"q\x00", _step(draw))))
    if draw.random() < 0.3:
        return b"".join(steps) + b"."
    return b"(" + b"".join(steps) + b"t" * (depth + 1) + b"."


def check(found) -> None:
    """Check every part of the loaded value: plain data only, whose bytes all exist."""
    waiting, seen = [found], set()
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, dict):
            assert type(part) in (dict, OrderedDict), type(part)
            waiting += [*part, *part.values()]
        elif type(part) in (list, tuple, set, frozenset):
            waiting += part
        elif type(part) in (np.ndarray, paddle.Tensor):
            array = part.numpy() if isinstance(part, paddle.Tensor) else part
            assert not array.dtype.hasobject
            assert len(array.tobytes()) == array.nbytes
        else:
            assert isinstance(part, PLAIN), type(part)
            assert not callable(part), type(part)


class Calls:
    """Counts calls of functions, Python's and C's."""

    def __init__(self):
        self.count = 0

    def __call__(self, frame, event, argument):
        self.count += 1


def loaded(data: bytes, number: int, safetensors: bool):
    """Return the contents of a file, or None when it is refused.

    Raises:
        AssertionError: when that took more calls than its length allows.
    """
    calls = Calls()
    sys.setprofile(calls)
    try:
        return paddle.load(io.BytesIO(data), return_numpy=number % 3 == 0, safetensors=safetensors)
    except InvalidArgumentError:
        return None
    finally:
        sys.setprofile(None)
        assert calls.count <= CALLS * (len(data) + 100), (number, len(data), calls.count)


def main() -> None:
    """Load the files; print how many were read and refused."""
    folder, first, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    names = sorted(folder.iterdir())
    pickles = [name.read_bytes() for name in names if name.suffix != ".safetensors"]
    tensors = [name.read_bytes() for name in names if name.suffix == ".safetensors"]
    for data in pickles:
        assert loaded(data, 0, False) is not None
    paddle.ones([1]).numpy()  # XLA starts its threads: the more cores, the more memory they map
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    pages = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    limit = max(used, pages) + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    tally = Counter()
    for number in range(first, first + count):
        is_tensors = bool(tensors) and number % 10 == 0
        data = damaged(tensors if is_tensors else pickles, number)
        print(
            number, file=sys.stderr, flush=True
        )  # the last line names a file that ends the process
        found = loaded(data, number, is_tensors)
        check(found)
        tally[
            "safetensors" if is_tensors else "pickles", "read" if found is not None else "refused"
        ] += 1
    print({" ".join(key): tally[key] for key in sorted(tally)})


if __name__ == "__main__":
    main()
