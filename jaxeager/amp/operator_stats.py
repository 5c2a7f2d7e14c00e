"""Operator statistics: the ops that ran, and their precision.

``collect_operator_stats`` counts one block of a thread; FLAGS_low_precision_op_list counts the
whole process, in all threads.
"""

import contextlib
import threading

import jax
import numpy as np

from jaxeager.amp.amp_lists import paddle_name
from jaxeager.core.dtypes import FLOATS
from jaxeager.graph import events
from jaxeager.ops.call.creation_events import Source
from jaxeager.ops.row import ROWS

_COLUMNS = ("float16", "bfloat16", "float32", "other")


class OperatorStats(events.Observer):
    """Counts of the ops that ran, by Paddle's name of the op and its computation dtype.

    Args:
        all_threads: whether ops of threads other than the creating one are counted.

    Attributes:
        counts: name to [float16, bfloat16, float32, other] calls.
    """

    def __init__(self, all_threads: bool = False):
        self.counts: dict[str, list[int]] = {}
        self.thread = None if all_threads else threading.get_ident()
        self._lock = threading.Lock()

    def operands_ready(self, call: events.Call) -> None:
        """Count a call of an op, by the arrays of its computation."""
        if ROWS.get(call.row.name) is call.row:
            self._count(paddle_name(call.row.name), call.arrays)

    def kernel_finished(self, call: events.Call) -> None:
        """Count a function that makes a tensor, by the arrays it reads or else makes."""
        if isinstance(call.row, Source):
            name = call.row.name
            looked_at = call.arrays if name == "nonzero" else call.results
            self._count(f"{name}_" if call.is_inplace else paddle_name(name), looked_at)

    def step_ended(self, rule, params: list, state) -> None:
        """Count the update of each parameter by an optimizer: ``adam_``."""
        for param in params:
            self._count(f"{rule.name}_", [param._array])

    def _count(self, name: str, arrays) -> None:
        if self.thread is None or threading.get_ident() == self.thread:
            with self._lock:
                self.counts.setdefault(name, [0] * len(_COLUMNS))[_column(arrays)] += 1

    def texts(self) -> dict[str, str]:
        """Return the counts in the form of Paddle's core: ``{"exp": "0,0,1,0"}``."""
        return {name: ",".join(map(str, self.counts[name])) for name in sorted(self.counts)}

    def table(self) -> str:
        """Return the counts as the text Paddle prints."""
        title = " op list "
        names = (" FP16 Calls ", " BF16 Calls ", " FP32 Calls", " Other Calls ")
        heads = [f"{name:-^17}" for name in names]
        lines = [f"<{title:-^120}>", " | ".join([f"<{' Op Name ':-^40}", *heads]) + ">"]
        for name in sorted(self.counts):
            lines.append("|  ".join([f"  {name:<40}", *(f"{n:<17}" for n in self.counts[name])]))
        ending = f" op count: {len(self.counts)} "
        return "\n".join([*lines, f"<{ending:-^120}>\n"])


def _column(arrays) -> int:
    """Return the column of the widest floating dtype among the operands."""
    flat = [a for each in arrays for a in (each if isinstance(each, list) else [each])]
    dtypes = {a.dtype for a in flat if isinstance(a, (jax.Array, np.ndarray)) and a.size >= 0}
    dtypes = {dtype for dtype in dtypes if isinstance(dtype, np.dtype)}  # not those of random keys
    floating = {dtype.name for dtype in dtypes if dtype in FLOATS}
    if not floating or "float64" in floating or any(d.kind == "c" for d in dtypes):
        return 3
    if "float32" in floating or len(floating) == 2:
        return 2
    return _COLUMNS.index(floating.pop())


def enable_operator_stats_collection() -> None:
    """Start to count the ops of this thread, from zero.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.amp.debugging.enable_operator_stats_collection()
        >>> _ = paddle.ones([2]).exp()
        >>> paddle.amp.debugging.disable_operator_stats_collection()
        <------...
        <--------------- Op Name ---------------- | -- FP16 Calls --- | ...
          exp                                     |  0                |  0                |  1...
          fill_constant                           |  0                |  0                |  1...
        <------... op count: 2 ...
        <BLANKLINE>
    """
    _stop()
    _collecting[threading.get_ident()] = stats = OperatorStats()
    events.observe(stats)


def disable_operator_stats_collection() -> None:
    """Stop counting, and print the table: calls of each op by computation dtype.

    Ops are named as in Paddle's lists. In-place calls are counted under the op's plain name, the
    casts of ``auto_cast`` as ``cast``, an optimizer's step once for every parameter; gradients are
    not counted. Nothing is printed when no counting was active.

    Paddle: counts in every thread, and some ops of a backward and of an optimizer's first step.
    """
    stats = _stop()
    if stats is not None:
        print(stats.table())


_collecting: dict[int, OperatorStats] = {}  # by thread
_of_process = OperatorStats(all_threads=True)


def _stop() -> OperatorStats | None:
    stats = _collecting.pop(threading.get_ident(), None)
    if stats is not None:
        events.unobserve(stats)
    return stats


@contextlib.contextmanager
def collect_operator_stats():
    """Count the ops of a ``with`` block and print the table at its end.

    A block that raises also prints its table, for the ops until then.

    Paddle: prints nothing in that case, and continues counting.

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
    finally:
        disable_operator_stats_collection()


# ---- the whole process


def set_level(level: int) -> None:
    """Apply a new value of FLAGS_low_precision_op_list."""
    events.unobserve(_of_process)
    if level > 0:
        events.observe(_of_process)


def get_low_precision_op_list() -> dict[str, str]:
    """Return the number of calls of each op, as text: in float16, bfloat16, float32, and others.

    The counts are those of this thread's collection if it is active, else those since
    FLAGS_low_precision_op_list was on, which remain until ``clear_low_precision_op_list``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.set_flags({"FLAGS_low_precision_op_list": 1})
        >>> y = paddle.ones([2]).exp()
        >>> paddle.set_flags({"FLAGS_low_precision_op_list": 0})
        >>> paddle.base.core.get_low_precision_op_list()
        {'exp': '0,0,1,0', 'fill_constant': '0,0,1,0'}
        >>> paddle.base.core.clear_low_precision_op_list()
    """
    return _collecting.get(threading.get_ident(), _of_process).texts()


def clear_low_precision_op_list() -> None:
    """Reset the counts; see ``get_low_precision_op_list``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.core.clear_low_precision_op_list()
        >>> paddle.base.core.get_low_precision_op_list()
        {}
    """
    _collecting.get(threading.get_ident(), _of_process).counts.clear()
