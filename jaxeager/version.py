"""paddle.version: the version of this library, and its build options.

``full_version`` is jaxeager's own; ``paddle_version`` is that of the Paddle whose names, arguments
and errors it has, and the one that ``paddle.utils.require_version`` compares with.
"""

import re

import jax

import jaxeager as paddle

__all__ = [
    "cuda", "cudnn", "hip", "nccl", "show", "tensorrt", "xpu", "xpu_xccl", "xpu_xhpc",
    "xpu_xre",
]  # fmt: skip

full_version = "0.1.0"
OWN_VERSION = full_version  # stays the same when the launcher sets full_version to Paddle's
major, minor, patch = full_version.split(".")
rc = "0"
paddle_version = "3.3.1"
commit = "Unknown"  # Paddle's word for a build from files that are in no repository
cuda_archs: list[int] = []  # kernels are compiled for the available device


def cuda() -> str | bool:
    """Return the version of CUDA that JAX uses, such as "12.9"; False without a GPU.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.version.cuda() is False or "." in paddle.version.cuda()
        True
    """
    if not paddle.device.is_compiled_with_cuda():
        return False
    found = re.search(r"cuda (\d+)", jax.local_devices(backend="gpu")[0].client.platform_version)
    number = int(found.group(1)) if found else 0
    return f"{number // 1000}.{number % 1000 // 10}"


def xpu() -> bool:
    """Return False: XLA has no backend for Kunlun XPUs."""
    return False


def cudnn() -> bool:
    """Return False: JAX does not report which cuDNN it loaded."""
    return False


def nccl() -> str:
    """Return "0": JAX does not report which NCCL it loaded."""
    return "0"


def hip() -> None:
    """Return None: there is no HIP."""


def tensorrt() -> None:
    """Return None: there is no TensorRT."""


def xpu_xre() -> bool:
    """Return False: XLA has no backend for Kunlun XPUs."""
    return False


def xpu_xccl() -> bool:
    """Return False: XLA has no backend for Kunlun XPUs."""
    return False


def xpu_xhpc() -> bool:
    """Return False: XLA has no backend for Kunlun XPUs."""
    return False


def show() -> None:
    """Print the versions.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.version.show()  # doctest: +ELLIPSIS
        full_version: 0.1.0
        paddle_version: 3.3.1
        jax: ...
        cuda: ...
    """
    print(f"full_version: {full_version}")
    print(f"paddle_version: {paddle_version}")
    print(f"jax: {jax.__version__}")
    print(f"cuda: {cuda()}")
