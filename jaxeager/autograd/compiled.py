"""compiled_backward: a backward with a repeated graph runs as a few executables."""

from jaxeager.graph.mode import ModeContext, grad_mode
from jaxeager.graph.replay import Choice


class compiled_backward(ModeContext):
    """Make ``backward()`` run a repeated graph as a few executables.

    Context manager, and decorator of functions, generators and coroutines, for this thread and
    asyncio task; ``FLAGS_compiled_backward`` is the same for all. The first backward of a graph
    runs node by node, and so do those after it until XLA has compiled the executables in another
    thread. Hooks and PyLayers run as usual. Gradients may differ from those of single nodes in the
    last bits. ``paddle.grad`` and ``backward(create_graph=True)`` run node by node.

    Args:
        enable: whether backward may be compiled within.
        wait: wait for the executables at the second backward of a graph, so that every run of a
            program has the same numbers.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> with paddle.compiled_backward(wait=True):
        ...     for _ in range(3):
        ...         x.clear_grad()
        ...         (x * x * 3.0).sum().backward()
        >>> x.grad.tolist()
        [6.0, 12.0]
    """

    def __init__(self, enable: bool = True, wait: bool = False):
        super().__init__()
        self._choice = Choice(bool(enable), bool(wait))

    def _fresh(self) -> ModeContext:
        return compiled_backward(*self._choice)

    def _read(self) -> Choice | None:
        return grad_mode.compiled_backward

    def _set(self) -> None:
        grad_mode.compiled_backward = self._choice

    def _put_back(self, before: Choice | None) -> None:
        grad_mode.compiled_backward = before
