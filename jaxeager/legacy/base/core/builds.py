"""Paddle's build options, answered for XLA."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.core import places
from jaxeager.device.kinds import is_bf16_supported

if TYPE_CHECKING:
    from jaxeager.core.types import PlaceLike


def _on(place: PlaceLike) -> places.Place:
    return places.as_place(place)


def is_bfloat16_supported(place: PlaceLike) -> bool:
    """Return whether a device supports bfloat16: every XLA device does.

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
    """Return whether a device computes in float16: accelerators do.

    Args:
        place: the device.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.core.is_float16_supported(paddle.CPUPlace())
        False
    """
    return not _on(place).is_cpu_place()


def supports_bfloat16() -> bool:
    """Return whether the current device supports bfloat16."""
    return is_bf16_supported()


def avx_supported() -> bool:
    """Return True: XLA uses the processor's wide instructions, as far as it has them."""
    return True


def is_compiled_with_avx() -> bool:
    """Return True: XLA uses the processor's wide instructions, as far as it has them."""
    return True


def is_compiled_with_brpc() -> bool:
    """Return False: there are no parameter servers."""
    return False


def is_compiled_with_cudnn_frontend() -> bool:
    """Return False: XLA has its own interface to cuDNN."""
    return False


def is_compiled_with_dist() -> bool:
    """Return False: Paddle's own communication library is not used."""
    return False


def is_compiled_with_mkldnn() -> bool:
    """Return False: XLA has its own interface to oneDNN."""
    return False


def is_compiled_with_onednn() -> bool:
    """Return False: XLA has its own interface to oneDNN."""
    return False


def is_compiled_with_mpi() -> bool:
    """Return False: MPI is not used."""
    return False


def is_compiled_with_nccl() -> bool:
    """Return False: XLA has its own interface to NCCL."""
    return False


def is_cuda_graph_capturing() -> bool:
    """Return False: XLA records its own CUDA graphs."""
    return False
