"""paddle.sysconfig: the folders of Paddle's headers and libraries; there are none here."""

from jaxeager.core.unsupported_names import refused

_named = refused(
    "paddle.sysconfig",
    "There are no C++ headers or libraries of Paddle; jax.ffi has those of XLA.",
    "get_include get_lib",
)
globals().update(_named)
__all__ = list(_named)
