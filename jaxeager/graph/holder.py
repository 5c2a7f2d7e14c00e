"""GradTensorHolder: the gradients that have arrived at one node.

Note [Flat position]
    A node's inputs are numbered by (slot, rank). Every op has either several outputs of one tensor
    (rank always 0) or one output that is a list (slot always 0), so ``slot + rank`` numbers them
    without gaps, and the holder is one flat list. An op with a list among several outputs
    would need offsets here; none exists.
"""

import jax


@jax.jit
def add_arrays(a, b):
    """Returns a + b in a's dtype."""
    return a + b.astype(a.dtype)


class GradTensorHolder:
    """One place per forward output of a node; None where no gradient has arrived.

    It is made when the first gradient arrives.

    Addition makes a new array, so an array that came in is never changed: what a hook or a user
    holds stays as it was. (Paddle adds into the first one that came.)
    """

    __slots__ = ("buffers",)

    def __init__(self, width: int, position: int, grad: jax.Array):
        if width == 1:
            self.buffers: list = [grad]
        else:
            self.buffers = [None] * width
            self.buffers[position] = grad

    def add(self, position: int, grad: jax.Array) -> None:
        """Adds a gradient at a flat position, ``slot + rank``."""
        current = self.buffers[position]
        self.buffers[position] = grad if current is None else add_arrays(current, grad)
