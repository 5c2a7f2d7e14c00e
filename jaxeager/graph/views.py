"""Tensors that share memory: what a write through one of them means for the others."""


def write_array(tensor, array, moves_version: bool = False) -> None:
    """Makes an array the value of a tensor, and of every tensor that shares its memory.

    Args:
        tensor: a Tensor.
        array: its new value, a jax.Array.
        moves_version: whether the write counts as in-place; ``set_value`` and an optimizer's step
            do not, as in Paddle.
    """
    tensor._array = array
    storage = tensor._storage
    if moves_version:
        storage.version += 1
