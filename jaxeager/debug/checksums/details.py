"""FLAGS_tensor_md5_checksum_details: the first values and the stack of each checksum's tensor.

Note [Details]
    The file of checksums stays as Paddle writes it. Its details are in ``a.log.details`` (those
    of a worker's ``a.log.7`` in ``a.log.details.7``): a line of JSON for each line of checksums
    that has a name, with that line, the shape, the first values and the number of its stack.
    Stacks are numbered by their first use; each has its own line, before the first one that
    refers to it. A line is found by its text, so the flag may be set, and files be appended to,
    at any time.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from jaxeager.debug.common.output_files import AppendedFile
from jaxeager.debug.stacks import frames
from jaxeager.debug.stacks.stacks import ForwardStack

_CALLERS = 6  # of a stack, how many frames are shown


class Details(NamedTuple):
    """What is known of one tensor.

    Attributes:
        shape: its shape; None if it could not be read.
        values: its first elements, complex ones as text.
        stack: its call, the innermost frame first: "train.py:12 in step".
    """

    shape: list[int] | None
    values: list
    stack: list[str]


class DetailsFile:
    """Writes details next to a file of checksums.

    Args:
        path: the file of checksums.
        count: how many elements of each tensor are written.
    """

    def __init__(self, path: str, count: int):
        self.count = count
        self._file = AppendedFile(f"{path}.details", "FLAGS_tensor_md5_checksum_details")
        self._numbers: dict[tuple, int] = {}
        self._process = os.getpid()

    def write(self, entries: list[tuple]) -> None:
        """Append the details of (line of checksums, array on the host or None, stack or None)."""
        if self._process != os.getpid():  # forked: this process has a file of its own
            self._process, self._numbers = os.getpid(), {}
        self._file.try_write("".join([text for each in entries for text in self._texts(*each)]))

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _texts(self, line: str, values: np.ndarray | None, stack: ForwardStack | None):
        """Yield the line of a stack that is new, and the line of the details."""
        lines = () if stack is None else _lines_of(stack)
        number = self._numbers.get(lines)
        if number is None:
            number = self._numbers[lines] = len(self._numbers)
            yield json.dumps({"frames": lines, "number": number}) + "\n"
        shape = None if values is None else list(values.shape)
        first = [] if values is None else _plain(values.ravel()[: self.count])
        yield json.dumps({"of": line, "shape": shape, "values": first, "stack": number}) + "\n"


def _plain(values: np.ndarray) -> list:
    """Return numbers that JSON has, with the digits of their dtype; complex ones as text."""
    if values.dtype.kind in "biu":
        return values.tolist()
    texts = [str(each) for each in values]
    return texts if values.dtype.kind == "c" else [float(text) for text in texts]


def _lines_of(stack: ForwardStack) -> tuple[str, ...]:
    """Return the frames of a stack, the innermost first."""
    summary = list(reversed(stack.summary()))
    return tuple([f"{_short(each.filename)}:{each.lineno} in {each.name}" for each in summary])


def _short(file: str) -> str:
    """Return a path that is the same in another run: of a package, or below the working directory.

    The file of details may be read in another folder, where a path that leads upward is wrong.
    """
    short = frames.short_path(file)
    is_below = short == file and file.startswith(os.getcwd() + os.sep)
    return os.path.relpath(file) if is_below else short


# ---- reading


def read(path: str, line: str) -> Details | None:
    """Return the details of a line of a file of checksums; None if they were not written.

    Args:
        path: the file of checksums.
        line: its text, "relu1_out_float32_3x8:" and the checksum.
    """
    stacks: dict[int, list[str]] = {}
    beginning = json.dumps({"of": line})[:-1]
    try:
        with open(details_path(path), encoding="utf-8") as file:
            for text in file:
                if text.startswith('{"frames"'):
                    found = json.loads(text)
                    stacks[found["number"]] = found["frames"]
                elif text.startswith(beginning):
                    entry = json.loads(text)
                    return Details(entry["shape"], entry["values"], stacks[entry["stack"]])
    except (OSError, ValueError, KeyError, TypeError):
        return None  # not there, or damaged: the checksums alone are compared
    return None


def details_path(path: str) -> str:
    """Return the file of the details of a file of checksums.

    Example:
        >>> details_path("a.log"), details_path("a.log.71")
        ('a.log.details', 'a.log.details.71')
    """
    worker = re.search(r"\.\d+$", path)
    if worker and not os.path.exists(f"{path}.details"):
        return f"{path[: worker.start()]}.details{worker[0]}"
    return f"{path}.details"


def report(a: Details | None, b: Details | None, is_one_call: bool) -> Iterator[str]:
    """Yield the lines that show where two tensors were made, and their first values that differ.

    Args:
        a: the details of the first.
        b: those of the second.
        is_one_call: whether both are the same call; values of different ones are not compared.
    """
    for letter, details in (("a", a), ("b", b)):
        if details is not None and details.stack:
            yield f"{letter}: {details.stack[0]}"
            yield from (f"   called by {frame}" for frame in details.stack[1:_CALLERS])
    if a is None or b is None or not is_one_call:
        return
    if a.shape != b.shape:
        yield f"Their shapes are {a.shape} and {b.shape}."
        return
    yield from _values(a, b)


def _values(a: Details, b: Details) -> Iterator[str]:
    apart = [
        (index, x, y)
        for index, (x, y) in enumerate(zip(a.values, b.values, strict=False))
        if repr(x) != repr(y)
    ]
    kept = min(len(a.values), len(b.values))
    for index, x, y in apart[:3]:
        at = list(map(int, np.unravel_index(index, a.shape or ()))) if a.shape else []
        yield f"   at {at}: {x!r} in a, {y!r} in b{_distance(x, y)}"
    size = int(np.prod(a.shape or ()))
    if apart:
        of = f"the {size}" if kept == size else f"the first {kept} of {size}"
        yield f"{len(apart)} of {of} values differ."
    elif kept < size:
        yield (
            f"The first {kept} of {size} values are equal; "
            f"FLAGS_tensor_md5_checksum_details={size} keeps all of them."
        )


def _distance(x: object, y: object) -> str:
    if not (isinstance(x, (int, float)) and isinstance(y, (int, float))):
        return ""
    return f", {abs(float(x) - float(y)):.3g} apart"
