"""Operator statistics: which ops ran, and in which precision."""

import contextlib

import jax
import numpy as np

from jaxeager.amp.amp_lists import paddle_name
from jaxeager.dtypes import FLOATS
from jaxeager.graph.mode import grad_mode
from jaxeager.ops.binding import unwatch, watch
from jaxeager.ops.row import ROWS

_COLUMNS = ("float16", "bfloat16", "float32", "other")


class OperatorStats:
    """Counts of the ops a thread ran, by Paddle's name of the op and the dtype it computed in.

    Attributes:
        counts: name to [float16, bfloat16, float32, other] calls.
    """

    def __init__(self):
        self.counts: dict[str, list[int]] = {}

    def __call__(self, row, arrays: list) -> None:
        """Counts one call; dispatch calls it with the arrays the op computes with."""
        if ROWS.get(row.name) is row:
            count = self.counts.setdefault(paddle_name(row.name), [0] * len(_COLUMNS))
            count[_column(arrays)] += 1

    def table(self) -> str:
        """Returns the counts as the text Paddle prints."""
        title = " op list "
        names = (" FP16 Calls ", " BF16 Calls ", " FP32 Calls", " Other Calls ")
        heads = [f"{name:-^17}" for name in names]
        lines = [f"<{title:-^120}>", " | ".join([f"<{' Op Name ':-^40}", *heads]) + ">"]
        for name in sorted(self.counts):
            lines.append("|  ".join([f"  {name:<40}", *(f"{n:<17}" for n in self.counts[name])]))
        ending = f" op count: {len(self.counts)} "
        return "\n".join([*lines, f"<{ending:-^120}>\n"])


def _column(arrays: list) -> int:
    """Returns the column of the widest floating dtype among the operands."""
    flat = [a for each in arrays for a in (each if isinstance(each, list) else [each])]
    dtypes = {a.dtype for a in flat if isinstance(a, (jax.Array, np.ndarray)) and a.size >= 0}
    floating = {dtype.name for dtype in dtypes if dtype in FLOATS}
    if not floating or "float64" in floating or any(d.kind == "c" for d in dtypes):
        return 3
    if "float32" in floating or len(floating) == 2:
        return 2
    return _COLUMNS.index(floating.pop())


def enable_operator_stats_collection() -> None:
    """Starts to count the ops this thread runs; what was counted before is forgotten.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.amp.debugging.enable_operator_stats_collection()
        >>> _ = paddle.ones([2]).exp()
        >>> paddle.amp.debugging.disable_operator_stats_collection()
        <------...
        <--------------- Op Name ---------------- | -- FP16 Calls --- | ...
          exp                                     |  0                |  0                |  1...
        <------... op count: 1 ...
        <BLANKLINE>
    """
    if grad_mode.on_call is None:
        watch()
    grad_mode.on_call = OperatorStats()


def disable_operator_stats_collection() -> None:
    """Stops to count, and prints the table: calls of each op by the dtype it computed in.

    Ops are named as in Paddle's lists. In-place calls count under the op's plain name, the casts of
    ``auto_cast`` as ``cast``; gradients and functions that only make constants are not counted.
    Nothing is printed when nothing was being counted.

    Paddle: counts in every thread, constants too, and some of what a backward runs.
    """
    stats = grad_mode.on_call
    if stats is not None:
        _stop()
        print(stats.table())


def _stop() -> None:
    if grad_mode.on_call is not None:
        grad_mode.on_call = None
        unwatch()


@contextlib.contextmanager
def collect_operator_stats():
    """Counts the ops of a ``with`` block and prints the table at its end.

    When the block raises, nothing is printed and counting stops.

    Paddle: goes on counting after an exception.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.ones([2, 2])
        >>> with paddle.amp.debugging.collect_operator_stats():
        ...     with paddle.amp.auto_cast(dtype="bfloat16"):
        ...         y = x @ x
        <------...
        <--------------- Op Name ---------------- | -- FP16 Calls --- | ...
          cast                                    |  0                |  0                |  2...
          matmul_v2                               |  0                |  1                |  0...
        <------... op count: 2 ...
        <BLANKLINE>
    """
    enable_operator_stats_collection()
    try:
        yield
    except BaseException:
        _stop()
        raise
    disable_operator_stats_collection()
