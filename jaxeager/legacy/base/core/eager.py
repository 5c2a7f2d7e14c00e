"""paddle.base.core.eager: entry points of the autograd engine."""

from collections.abc import Callable

from jaxeager.errors import InvalidTypeError
from jaxeager.graph.engine import add_final_hook
from jaxeager.tensor import Tensor

__all__ = ["Tensor"]


def _for_test_check_cuda_error() -> None:
    """Wait for all work on all devices, and raise if any of it failed.

    FLAGS_check_cuda_error=1 does so after every op, and names the op.

    Raises:
        ExternalError: when a device has failed.

    Paddle: checks GPUs only.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.core.eager._for_test_check_cuda_error()
    """
    from jaxeager.debug.checks.device_errors import check_now

    check_now()


def _add_backward_final_hook(hook: Callable) -> None:
    """Register a function without arguments that runs once, after the next backward or grad.

    It does not run after a backward that fails, but after the next one that succeeds.

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
