"""Helpers for tests of the verbose log: reading the output, and small programs."""

import os
import re
import subprocess
import sys
from typing import NamedTuple

import jaxeager as paddle

BAR = "=" * 26
XLA = "cpu_aot_loader"  # XLA's own lines about kernels of the cache, in some of its versions
PREFIX = re.compile(
    r"^(\t*)[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ (\w+)\.\w+:\d+\] ?", re.MULTILINE
)


class Entry(NamedTuple):
    """One message of a log: its indent, its module, and its text."""

    depth: int
    module: str
    text: str


def entries_of(text: str) -> list[Entry]:
    """Return the messages of a log; each has its lines without the indent of its prefix."""
    _, *parts = PREFIX.split(text)
    found = []
    for tabs, module, message in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        message = message.removesuffix("\n").replace(f"\n{tabs}", "\n")
        if module != XLA:
            found.append(Entry(len(tabs), module, message))
    return found


def modules_of(text: str) -> set[str]:
    """Return the modules that have written a log."""
    return {entry.module for entry in entries_of(text)}


def shortened(line: str) -> str:
    """Return a line without time, thread and pointers: "\tbackward] Run in Backward"."""
    return re.sub(r"0x[0-9a-f]+", "0x", PREFIX.sub(r"\1\2] ", line)).rstrip()


def heads(entries: list[Entry]) -> list[str]:
    """Return the first line of every message, without bars."""
    return [entry.text.strip("\n=").split("\n")[0].strip() for entry in entries]


def block(entries: list[Entry], call: str = "") -> str:
    """Return the first message with inputs and outputs, of a call when its name is given."""
    texts = [entry.text for entry in entries if "Forward Debug Info" in entry.text]
    return next(text for text in texts if f"API_Name: {call}" in text)


def bars(lines: list[str]) -> list[str]:
    """Return the text between the bars, with its tabs."""
    return [line.replace(BAR, "") for line in lines if BAR in line]


def run_python(code: str, **environment):
    """Run a program in a new process, and return its stderr."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("GLOG_", "FLAGS_"))}
    done = subprocess.run(
        [sys.executable, "-c", code], env=kept | environment, capture_output=True, text=True,
        timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stderr


def leaf(shape=(2, 2), dtype="float32"):
    x = paddle.ones(shape, dtype=dtype)
    x.stop_gradient = False
    return x


class Inner(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        return x.tanh()

    @staticmethod
    def backward(ctx, grad):
        return grad.exp()


class Outer(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        return Inner.apply(paddle.abs(x))

    @staticmethod
    def backward(ctx, grad):
        return grad.sin()
