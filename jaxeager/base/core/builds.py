"""What Paddle was built with, answered for what is underneath here: XLA."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.core import places
from jaxeager.device.kinds import is_bf16_supported

if TYPE_CHECKING:
    from jaxeager.core.types import PlaceLike


def _on(place: PlaceLike) -> places.Place:
    return places.as_place(place)


def is_bfloat16_supported(place: PlaceLike) -> bool:
    """Says whether a device takes bfloat16: every one that XLA drives does.

    Args:
        place: the device.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.core.is_bfloat16_supported(paddle.CPUPlace())
        True
    """
    _on(place)
    return True


def is_float16_supported(place: PlaceLike) -> bool:
    """Says whether a device computes in float16: an accelerator does.

    Args:
        place: the device.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.core.is_float16_supported(paddle.CPUPlace())
        False
    """
    return not _on(place).is_cpu_place()


def supports_bfloat16() -> bool:
    """Says whether the current device takes bfloat16."""
    return is_bf16_supported()


def avx_supported() -> bool:
    """Says whether the processor's wide instructions are used: XLA uses what there is."""
    return True


def is_compiled_with_avx() -> bool:
    """Says whether the processor's wide instructions are used: XLA uses what there is."""
    return True


def is_compiled_with_brpc() -> bool:
    """Says whether parameter servers can be called: never."""
    return False


def is_compiled_with_cudnn_frontend() -> bool:
    """Says whether Paddle's way to cuDNN is there: never, XLA has its own."""
    return False


def is_compiled_with_dist() -> bool:
    """Says whether Paddle's own communication library is there: never."""
    return False


def is_compiled_with_mkldnn() -> bool:
    """Says whether Paddle's way to oneDNN is there: never, XLA has its own."""
    return False


def is_compiled_with_onednn() -> bool:
    """Says whether Paddle's way to oneDNN is there: never, XLA has its own."""
    return False


def is_compiled_with_mpi() -> bool:
    """Says whether MPI is used: never."""
    return False


def is_compiled_with_nccl() -> bool:
    """Says whether Paddle's way to NCCL is there: never, XLA has its own."""
    return False


def is_cuda_graph_capturing() -> bool:
    """Says whether a CUDA graph is being recorded: never, XLA makes its own."""
    return False
