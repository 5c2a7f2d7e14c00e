"""debug.determinism: run a step twice from one state, and name the first op that differs."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from jaxeager.debug.lockstep.compare import ulps
from jaxeager.debug.replays import state
from jaxeager.debug.replays.trail import Entry, Trail


class Determinism(NamedTuple):
    """The result of running a step twice.

    Attributes:
        compared: how many ops, nodes and updates were equal, bit by bit, before the first that
            differs.
        entries: that one in each run, None where a run had ended; () if all are equal.
        why: what makes them differ, "" if all are equal.
        ulps: how far its results are apart, in units of the last place of the largest.
        values: the element that differs most, in each run.
    """

    compared: int
    entries: tuple[Entry | None, ...]
    why: str
    ulps: float
    values: tuple

    def __bool__(self) -> bool:
        """Return whether both runs were equal."""
        return not self.entries

    def __str__(self) -> str:
        if not self.entries:
            return f"Both runs are equal, bit by bit: {self.compared} ops, nodes and updates."
        texts = [
            "the end" if each is None else f"{each.name} at {each.line or '?'}"
            for each in self.entries
        ]
        place = (
            texts[0] if texts[0] == texts[1] else f"{texts[0]} in one run, {texts[1]} in the other"
        )
        lines = [f"The runs differ first at {place}; {self.compared} before it are equal."]
        if self.values:
            one, other = self.values
            lines.append(f"  {one!r} and {other!r}, {self.ulps:.4g} ULPs apart")
        lines.append(f"  {self.why}")
        return "\n".join(lines)


def determinism(step: Callable[[], object], *things: object) -> Determinism:
    """Run a step twice from the same state; return the first op that differs, and why.

    The state is that of the given objects, and of the generators of random numbers of Paddle,
    Python and NumPy. It is restored before the second run, and at the end: the step leaves no trace
    in it.

    Args:
        step: a function without arguments.
        things: the Layers, optimizers, schedulers and scalers that the step changes.

    Returns:
        a Determinism, which is true if both runs are equal, and prints as a text.

    Raises:
        InvalidTypeError: when an object has no ``state_dict``.

    Example:
        >>> import jaxeager as paddle
        >>> model = paddle.nn.Sequential(paddle.nn.Linear(4, 4), paddle.nn.Dropout())
        >>> x = paddle.ones([2, 4])
        >>> print(paddle.debug.determinism(lambda: model(x).sum().backward(), model))
        Both runs are equal, bit by bit: 8 ops, nodes and updates.
    """
    state.check(things)
    before = state.State(things)
    trails = []
    for _ in range(2):
        try:
            with Trail() as trail:
                step()
        finally:
            before.restore()
        trails.append(trail.entries)
    return _compared(*trails)


def _compared(one: list[Entry], other: list[Entry]) -> Determinism:
    for number, (a, b) in enumerate(zip(one, other, strict=False)):
        if (a.kind, a.name, a.line) != (b.kind, b.name, b.line) or _shapes(a) != _shapes(b):
            return Determinism(number, (a, b), _ANOTHER_PATH, 0.0, ())
        far, values = _farthest(a.made, b.made)
        if values and a.settings != b.settings:
            why = f"{_OTHER_SETTINGS} ({a.settings}; {b.settings})."
            return Determinism(number, (a, b), why, far, values)
        if values:
            given, _ = _farthest(a.given, b.given)
            return Determinism(number, (a, b), _why(a, given), far, values)
    number = min(len(one), len(other))
    if len(one) == len(other):
        return Determinism(number, (), "", 0.0, ())
    rest = [trail[number] if number < len(trail) else None for trail in (one, other)]
    return Determinism(number, tuple(rest), _ANOTHER_PATH, 0.0, ())


def _shapes(entry: Entry) -> list:
    return [(each.shape, each.dtype) for each in (*entry.given, *entry.made)]


def _farthest(a: list[np.ndarray], b: list[np.ndarray]) -> tuple[float, tuple]:
    """Return how far arrays are apart, and the elements; (0.0, ()) if all bits are equal."""
    worst: tuple[float, tuple] = 0.0, ()
    for x, y in zip(a, b, strict=True):
        if x.tobytes() != y.tobytes():
            far, at = ulps(x, y)
            if far >= worst[0]:
                worst = far, (x[at], y[at])
    return worst


_ANOTHER_PATH = (
    "The program took another path: it depends on something that was not restored, such as the "
    "time, the order of threads, or state that was not given to determinism."
)

_OTHER_SETTINGS = (
    "Its arguments that are no tensors differ: they come from state that was not given to "
    "determinism, such as a counter of the program"
)


def _why(entry: Entry, given: float) -> str:
    if entry.kind == "data":
        return (
            "The data of the host differ: they come from a separate generator, such as "
            "numpy.random.default_rng(), from a reader that continues, or from the time."
        )
    if given:
        return (
            "Its inputs differ already, and no op before it made them: a tensor that the step "
            "changes was not given to determinism."
        )
    if not entry.given:
        return "It has no inputs: the numbers come from state that was not given to determinism."
    return (
        "Its inputs are equal, so the kernel itself differs: it adds in another order (on a GPU "
        "XLA_FLAGS=--xla_gpu_deterministic_ops=true), or calls code on the host."
    )
