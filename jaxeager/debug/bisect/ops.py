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

import threading
from collections.abc import Callable
from pathlib import Path

import jax
import jax.numpy as jnp

from jaxeager.core.symbolic import is_symbolic
from jaxeager.debug.bisect.counted import Change, find_call, write_report
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
        name, line = rounding.last
        write_report(report, {"count": rounding.count, "name": name, "line": line})


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
    change = Change(
        ("--ops", dtype),
        lambda calls: f"{dtype} in {calls}",
        "the program has called no op that returns float32 or float64, or was ended by os._exit; "
        "there is nothing to round",
        f"cannot have {dtype} results",
    )
    return find_call(trials, program, folder, change)
