"""paddle.incubate: what Paddle still calls young."""

from jaxeager.incubate import autograd, distributed

__all__ = ["autograd", "distributed"]
