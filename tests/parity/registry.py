"""The definition of a parity program, and the table that collects all of them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LONG = frozenset(Path(__file__).with_name("long_programs.txt").read_text("utf-8").split())
"""Programs, "family-name", that take some tenths of a second with nothing compiled: `make
test-all` runs them, and every family has others."""
CRASHES = "Paddle's process dies"
ANYTHING = "anything but the right answer"


@dataclass(frozen=True)
class Program:
    """One small Paddle program and how its two results are compared.

    Attributes:
        name: unique, the function's own name.
        family: the name of its file.
        run: `run(paddle, np)` returns plain values: arrays, numbers, text, lists and dicts of them.
        rtol: relative tolerance that replaces the one of the dtype; None keeps it.
        reason: the reason for `rtol`; for a program that differs, why Paddle is wrong.
        right: the right answer, if Paddle 3.3.1 does not return it; None where both must agree.
        paddle_gives: Paddle 3.3.1's answer, `ANYTHING` when that is not deterministic, `CRASHES`
            when the process dies.
        is_deep: too long for every change; see LONG.
    """

    name: str
    family: str
    run: Callable[..., Any]
    rtol: float | None = None
    reason: str | None = None
    right: Any = None
    paddle_gives: Any = None
    is_deep: bool = False


@dataclass(frozen=True)
class Exchange:
    """A pair of programs joined by files: one library writes into a folder, the other reads it.

    Attributes:
        name: unique, the reading function's own name.
        write: `write(paddle, np, folder)`.
        read: `read(paddle, np, folder)` returns plain values.
    """

    name: str
    write: Callable[..., None]
    read: Callable[..., Any]


PROGRAMS: dict[str, Program] = {}
EXCHANGES: dict[str, Exchange] = {}


def program(function=None, *, rtol=None, reason=None, is_deep=False):
    """Register a program whose results must agree; a changed tolerance needs its reason.

    A deep program has a shorter one, which tests the same on every change.
    """
    if rtol is not None and not reason:
        raise ValueError("a tolerance other than the dtype's own needs a reason")

    def register(run):
        return _add(run, rtol=rtol, reason=reason, is_deep=is_deep)

    return register if function is None else register(function)


def differs(reason, *, right, paddle_gives):
    """Register a program that Paddle 3.3.1 gets wrong; the test checks both answers."""

    def register(run):
        return _add(run, reason=reason, right=right, paddle_gives=paddle_gives)

    return register


def exchange(write):
    """Register the reading half of a pair of programs joined by files."""

    def register(read):
        if read.__name__ in EXCHANGES:
            raise ValueError(f"two exchanges are named {read.__name__}")
        EXCHANGES[read.__name__] = Exchange(read.__name__, write, read)
        return read

    return register


def _add(run, **fields):
    name = run.__name__
    if name in PROGRAMS:
        raise ValueError(f"two parity programs are named {name}")
    family = run.__module__.rpartition(".")[2]
    is_deep = fields.pop("is_deep", False) or f"{family}-{name}" in LONG
    PROGRAMS[name] = Program(name, family, run, is_deep=is_deep, **fields)
    return run


def fresh(library):
    """Give a library the state of a process that has run no program yet."""
    library.seed(2024)
    library.set_default_dtype("float32")
    library.set_grad_enabled(True)


def load_programs():
    """Import every file of `programs/`, which fills the two tables."""
    from importlib import import_module
    from pkgutil import iter_modules

    package = import_module(".programs", __package__)
    for found in iter_modules(package.__path__):
        import_module(f".{found.name}", package.__name__)
    return PROGRAMS
