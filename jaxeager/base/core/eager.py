"""paddle.base.core.eager: the engine's own entry points."""

from collections.abc import Callable

from jaxeager.errors import InvalidTypeError
from jaxeager.graph.engine import add_final_hook
from jaxeager.tensor import Tensor

__all__ = ["Tensor"]


def _for_test_check_cuda_error() -> None:
    """Wait for everything that was started on any device, and raise when it failed.

    FLAGS_check_cuda_error=1 does so at every op, and says which it was.

    Raises:
        ExternalError: when a device has failed.

    Paddle: looks at GPUs only.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.core.eager._for_test_check_cuda_error()
    """
    from jaxeager.debug.checks.device_errors import check_now

    check_now()


def _add_backward_final_hook(hook: Callable) -> None:
    """Add a function of nothing that runs once, when the next backward or grad has ended.

    It does not run for a backward that fails: it waits for the next one that ends well.

    Raises:
        InvalidTypeError: when ``hook`` is not callable.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.core.eager._add_backward_final_hook(lambda: print("done"))
        >>> x = paddle.to_tensor([1.0], stop_gradient=False)
        >>> (x * 2).backward()
        done
        >>> (x * 2).backward()
    """
    if not callable(hook):
        raise InvalidTypeError(f"A hook must be a function, but got {type(hook).__name__}.")
    add_final_hook(hook)
