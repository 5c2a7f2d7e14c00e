"""Versions that programs read from the inference engine."""

from __future__ import annotations

import jax

from jaxeager.version import OWN_VERSION, paddle_version


def get_version() -> str:
    """Return the versions, one per line: of the implemented Paddle, of jaxeager and of JAX.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.inference.get_version().splitlines()[0]
        'version: 3.3.1'
    """
    return f"version: {paddle_version}\njaxeager: {OWN_VERSION}\njax: {jax.__version__}\n"


def get_trt_compile_version() -> tuple[int, int, int]:
    """Return (0, 0, 0): there is no TensorRT, as in Paddle built without it.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.inference.get_trt_compile_version()
        (0, 0, 0)
    """
    return 0, 0, 0


def get_trt_runtime_version() -> tuple[int, int, int]:
    """Return (0, 0, 0): there is no TensorRT, as in Paddle built without it.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.inference.get_trt_runtime_version()
        (0, 0, 0)
    """
    return 0, 0, 0
