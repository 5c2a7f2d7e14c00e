"""Storage: one array and one in-place version, shared by every tensor that is the same memory."""

import jax


class Storage:
    """The memory of a tensor. A tensor and its ``detach()`` have the same Storage object.

    Attributes:
        array: the jax.Array that is the value now. Arrays are immutable: writing in place puts
            another one here.
        version: how often it was written in place, as Paddle counts.
    """

    __slots__ = ("array", "version")

    array: jax.Array
    version: int

    def __init__(self, array: jax.Array):
        self.array = array
        self.version = 0
