"""The first call of an op whose result a program cannot have in a lower precision.

Note [Rounded calls]
    The results of the first N calls of ops are rounded to the numbers that bfloat16 or float16 can
    hold, and keep their dtype. So a matrix product still adds up in float32, as on hardware that
    stores half precision, and the program makes the same calls for each N. Later ops, and the node
    of backward, get the rounded numbers. A call counts if it returns float32 or float64: views, and
    ops that only return ints or bools, have nothing to round. Backward and the optimizer are not
    rounded.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import jax
import jax.numpy as jnp

from jaxeager.core.symbolic import is_symbolic
from jaxeager.debug.bisect.counted import find_first
from jaxeager.debug.bisect.judge import Trials
from jaxeager.debug.stacks.lines import running_line
from jaxeager.graph import events

DTYPES = ("bfloat16", "float16")
_WIDE = (jnp.dtype("float32"), jnp.dtype("float64"))


class Rounding(events.Observer):
    """Rounds the results of the first calls of ops: see Note [Rounded calls].

    Attributes:
        count: how many calls have been counted.
        last: the name and line of the last call that was rounded.
    """

    def __init__(self, dtype: str, first: int):
        info = jnp.finfo(dtype)
        self._bits = info.nexp, info.nmant
        self._first = first
        self._lock = threading.Lock()
        self.count = 0
        self.last = ("", "")

    def kernel_finished(self, call):
        if call.kernel is None or call.row.view is not None:  # data, and views of rounded numbers
            return
        results = call.results
        visible = len(results) - len(call.row.hidden) if call.is_recorded else len(results)
        if not any(map(_is_wide, results[:visible])):
            return
        with self._lock:
            self.count += 1
            if self.count > self._first:
                return
            self.last = (call.row.api_name + "_" * call.is_inplace, running_line())
        call.results = (*map(self._rounded, results[:visible]), *results[visible:])

    def _rounded(self, array):
        return jax.lax.reduce_precision(array, *self._bits) if _is_wide(array) else array


def _is_wide(array) -> bool:
    return not is_symbolic(array) and getattr(array, "dtype", None) in _WIDE


def run_rounded(
    dtype: str, first: int, report: str, program: list[str], run_program: Callable
) -> int:
    """Run a program in this process with the results of its first calls of ops rounded.

    Args:
        dtype: "bfloat16" or "float16".
        first: how many calls.
        report: a file for the number of calls and the last one that was rounded; "" for none.
        program: the program and its arguments.
        run_program: runs it.
    """
    rounding = Rounding(dtype, first)
    try:
        with events.observing(rounding):
            return run_program(program)
    finally:
        if report:
            name, line = rounding.last
            found = {"count": rounding.count, "name": name, "line": line}
            Path(report).write_text(json.dumps(found), encoding="utf-8")


def bisect_ops(trials: Trials, dtype: str, program: list[str], folder: Path) -> int:
    """Find the first call that a program cannot have rounded, print it, return the exit status.

    Args:
        trials: judges and prints.
        dtype: "bfloat16" or "float16".
        program: the program and its arguments.
        folder: a temporary folder.

    Raises:
        UnusableError: if the program is not good without rounding, or not bad with all of it.
    """
    suspects, count, reports = find_first(
        trials, program, folder / "calls.json", ("--ops", dtype),
        lambda first: f"{dtype} in {_calls(first)}",
        f"{dtype} in no call",
        lambda count: f"{dtype} in all {count} calls",
        "the program has called no op that returns float32 or float64, or was ended by os._exit; "
        "there is nothing to round",
    )  # fmt: skip
    if len(suspects) > 1:
        print(f"Runs were skipped, so it is one of calls {suspects[0]} to {suspects[-1]}")
        return 1
    (found,) = suspects
    known = reports[found]
    print(
        f"Call {found} of {count} is the first that cannot have {dtype} results: "
        f"{known.get('name') or 'unknown'} at {known.get('line') or 'an unknown line'}"
    )
    print(trials.judge.first_difference("no call", _calls(found)), end="")
    return 0


def _calls(first: int) -> str:
    return "the first call" if first == 1 else f"the first {first} calls"
