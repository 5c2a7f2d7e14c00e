"""paddle.nn.attention: which kernels scaled_dot_product_attention may use.

XLA compiles attention as it sees fit, so there is one way to compute it, whatever is chosen.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

from jaxeager.core.unheeded import unheeded
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.nn.errors import RefusedArgumentError

__all__ = ["SDPBackend", "sdpa_kernel"]


class SDPBackend(IntEnum):
    """Kernels of attention that Paddle has.

    Example:
        >>> import jaxeager as paddle
        >>> int(paddle.nn.attention.SDPBackend.FLASH_ATTENTION)
        1
    """

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2


_chosen: list[SDPBackend] = [SDPBackend.MATH]


def _cur_sdpa_kernel_backends(with_priority: bool = False) -> list[SDPBackend]:
    """Returns the kernels that may be used; in the order of choice, or as they are numbered."""
    return list(_chosen) if with_priority else sorted(_chosen)


@contextmanager
def sdpa_kernel(
    backends: list[SDPBackend] | SDPBackend, set_priority: bool = False
) -> Iterator[dict]:
    """Chooses kernels for scaled_dot_product_attention, within ``with``.

    Args:
        backends: a kernel, or a list of them.
        set_priority: whether the list's order counts.

    Raises:
        RefusedArgumentError: for what is neither a kernel nor a list.
        InvalidTypeError: for a list with something else in it.
        InvalidArgumentError: for an empty list.

    Paddle: chooses kernels of its own by this; here results are the same whatever is chosen.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.nn.attention import SDPBackend, sdpa_kernel
        >>> x = paddle.ones([1, 2, 1, 4])
        >>> with sdpa_kernel(SDPBackend.MATH):
        ...     paddle.nn.functional.scaled_dot_product_attention(x, x, x).shape
        paddle.Size([1, 2, 1, 4])
    """
    unheeded("sdpa_kernel", "XLA chooses among them", set_priority=(set_priority, False))
    global _chosen
    if not isinstance(backends, (list, SDPBackend)):
        raise RefusedArgumentError(
            "Backend must be an instance of SDPBackend or a list of SDPBackend instances"
        )
    wanted = [backends] if isinstance(backends, SDPBackend) else list(dict.fromkeys(backends))
    for each in wanted:
        if not isinstance(each, SDPBackend):
            raise InvalidTypeError(f"All backends must be SDPBackend instances, got {type(each)}")
    if not wanted:
        raise InvalidArgumentError("At least one backend must be specified")
    before, _chosen = _chosen, wanted
    try:
        yield {}
    finally:
        _chosen = before
