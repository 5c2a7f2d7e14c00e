"""paddle.base: names that programs written for Paddle reach into."""

from jaxeager.base import core, framework
from jaxeager.core.places import (
    CPUPlace,
    CUDAPinnedPlace,
    CUDAPlace,
    CustomPlace,
    IPUPlace,
    XPUPlace,
)

__all__ = [
    "CPUPlace", "CUDAPinnedPlace", "CUDAPlace", "CustomPlace", "IPUPlace", "XPUPlace", "core",
    "framework",
]  # fmt: skip
