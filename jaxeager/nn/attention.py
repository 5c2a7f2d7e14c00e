"""paddle.nn.attention: the kernels that scaled_dot_product_attention may use.

There are two: products and a softmax of all scores (MATH), and one op that computes blocks of
queries and keeps no weights (FLASH_ATTENTION and EFFICIENT_ATTENTION).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

from jaxeager.errors import InvalidArgumentError, InvalidTypeError, RefusedArgumentError

__all__ = ["SDPBackend", "sdpa_kernel"]


class SDPBackend(IntEnum):
    """Paddle's attention kernels.

    Example:
        >>> import jaxeager as paddle
        >>> int(paddle.nn.attention.SDPBackend.FLASH_ATTENTION)
        1
    """

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2


_DEFAULT: list[SDPBackend] = [SDPBackend.MATH]
_enabled = _DEFAULT
_priority: list[SDPBackend] = [
    SDPBackend.FLASH_ATTENTION,
    SDPBackend.EFFICIENT_ATTENTION,
    SDPBackend.MATH,
]


def math_is_chosen() -> bool | None:
    """Return whether the user has allowed MATH; None outside of ``sdpa_kernel``."""
    return None if _enabled is _DEFAULT else SDPBackend.MATH in _enabled


def _cur_sdpa_kernel_backends(with_priority: bool = False) -> list[SDPBackend]:
    """Return the allowed kernels, ordered by priority or by number."""
    return sorted(_enabled, key=_priority.index if with_priority else None)


@contextmanager
def sdpa_kernel(
    backends: list[SDPBackend] | SDPBackend, set_priority: bool = False
) -> Iterator[dict]:
    """Choose kernels for scaled_dot_product_attention, within ``with``.

    Args:
        backends: a kernel, or a list of them.
        set_priority: whether the list's order is their priority until the block ends.

    Raises:
        RefusedArgumentError: if ``backends`` is neither a kernel nor a list.
        InvalidTypeError: if the list contains something else.
        InvalidArgumentError: if the list is empty.

    Without MATH, attention is one op that keeps no weights; with MATH it is several. Paddle has
    only MATH on a CPU; its priority stays changed after the block.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.nn.attention import SDPBackend, sdpa_kernel
        >>> x = paddle.ones([1, 2, 1, 4])
        >>> with sdpa_kernel(SDPBackend.MATH):
        ...     paddle.nn.functional.scaled_dot_product_attention(x, x, x).shape
        paddle.Size([1, 2, 1, 4])
    """
    global _enabled, _priority
    if not isinstance(backends, (list, SDPBackend)):
        raise RefusedArgumentError(
            "Backend must be an instance of SDPBackend or a list of SDPBackend instances"
        )
    chosen = [backends] if isinstance(backends, SDPBackend) else list(dict.fromkeys(backends))
    for each in chosen:
        if not isinstance(each, SDPBackend):
            raise InvalidTypeError(f"All backends must be SDPBackend instances, got {type(each)}")
    if not chosen:
        raise InvalidArgumentError("At least one backend must be specified")
    before = _enabled, _priority
    _enabled = [each for each in chosen if each in _priority]
    if set_priority:
        _priority = list(dict.fromkeys([*chosen, *_priority]))
    try:
        yield {}
    finally:
        _enabled, _priority = before


@contextmanager
def sdp_kernel(
    enable_math: bool = False, enable_flash: bool = True, enable_mem_efficient: bool = True
) -> Iterator[dict]:
    """Choose kernels for scaled_dot_product_attention, as ``nn.attention.sdpa_kernel`` does.

    Args:
        enable_math: whether matmuls and a softmax of all scores may be used.
        enable_flash: whether the op that keeps no weights may be used.
        enable_mem_efficient: the same.

    Raises:
        RefusedArgumentError: when all are False.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.ones([1, 2, 1, 4])
        >>> x.stop_gradient = False
        >>> with paddle.nn.functional.flash_attention.sdp_kernel():
        ...     out = paddle.nn.functional.scaled_dot_product_attention(x, x, x)
        >>> out.grad_fn.name()
        'FlashAttnGradNode'
    """
    chosen = {
        SDPBackend.FLASH_ATTENTION: enable_flash,
        SDPBackend.EFFICIENT_ATTENTION: enable_mem_efficient,
        SDPBackend.MATH: enable_math,
    }
    backends = [backend for backend, enabled in chosen.items() if enabled]
    if not backends:
        raise RefusedArgumentError("At least one backend must be enabled")
    with sdpa_kernel(backends) as found:
        yield found
