"""lazy: a block whose kernels are recorded, and run together when a value is requested."""

from jaxeager.graph.mode import ModeContext
from jaxeager.kernels.lazy import mode, report
from jaxeager.kernels.lazy.report import LazyReport


class lazy(ModeContext):
    """Record the kernels that ops call, and run them together when a value is requested.

    Context manager, and decorator of functions, generators and coroutines, for this thread and
    asyncio task; ``FLAGS_lazy`` is the same for all. Each line of Python runs as usual, and shapes
    and dtypes are known immediately. The kernels run when a value is requested (``numpy()``,
    ``float``, ``print``, ``if``), after an optimizer's step, and at the end of the block. A
    sequence of kernels seen before runs as one executable. Results may differ from those of single
    ops in the last bits. Tools that observe ops switch lazy mode off while they are on. See
    docs/lazy.md.

    Args:
        enable: whether kernels are recorded within.

    Raises:
        UnimplementedError: for a version of JAX that lazy mode does not support.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> with paddle.lazy():
        ...     for _ in range(3):
        ...         x.clear_grad()
        ...         (x * x * 3.0).sum().backward()
        ...         print(x.grad.tolist())
        [6.0, 12.0]
        [6.0, 12.0]
        [6.0, 12.0]
    """

    def __init__(self, enable: bool = True):
        super().__init__()
        self._enable = bool(enable)

    def _fresh(self) -> ModeContext:
        return lazy(self._enable)

    def _read(self):
        return mode.chosen.get()

    def _set(self) -> None:
        if self._enable:
            mode.begin()
        else:
            mode.run(report.LEFT)
            mode.chosen.set(False)

    def _put_back(self, before) -> None:
        mode.end(before)


def lazy_report(clear: bool = False) -> LazyReport:
    """Return the statistics of lazy mode: its segments, and the lines that ended them.

    Args:
        clear: count from zero again afterwards.

    Example:
        >>> import jaxeager as paddle
        >>> _ = paddle.lazy_report(clear=True)
        >>> x = paddle.to_tensor([1.0, 2.0])
        >>> with paddle.lazy():
        ...     y = float((x * 2.0 + 1.0).sum())
        >>> found = paddle.lazy_report()
        >>> found.calls, found.segments, found.ends[0][2]
        (3, 1, 'a value was read')
    """
    found = report.made()
    if clear:
        report.clear()
    return found
