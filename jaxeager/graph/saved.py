"""TensorWrapper: a tensor that backward needs, with the version it had.

Note [Version snapshots]
    An op that needs a forward tensor in backward keeps its array, and the version its Storage had.
    Arrays are immutable, so the array kept is always the value of that time; the version says
    whether the user has since written over it in place. Paddle raises then, and so do we, at the
    moment the node runs: a gradient of a value the program no longer holds is most often a mistake.
    Two saves are not checked: the old value of the operand of an in-place op itself (``storage`` is
    None), and no-need-buffer saves, which keep a shape and a dtype and no array at all (a node's
    ``shapes``). Writes that do not move the version (``set_value``, an optimizer step) leave the
    array kept here as it was, so the gradient is the one of the value that was used.
"""

from typing import NoReturn, TypeAlias

import jax

from jaxeager.errors import PermissionDeniedError
from jaxeager.graph.storage import Storage

TensorWrapper: TypeAlias = tuple[jax.Array, Storage | None, int]
"""A saved tensor: its array, its Storage (None when unchecked) and the version at the save.

A plain tuple, because every recorded op makes some and a tuple is made twice as fast as an object.
"""


def save(array: jax.Array, storage: Storage | None) -> TensorWrapper:
    """Returns the TensorWrapper of an array that is the value of a Storage now."""
    return array, storage, 0 if storage is None else storage.version


def recover(wrapper) -> jax.Array:
    """Returns the saved array; PermissionDeniedError when the tensor was written since."""
    if type(wrapper) is not tuple:  # a graph.packed.Packed
        return wrapper.array()
    array, storage, version = wrapper
    if storage is not None and storage.version != version:
        raise_modified(storage.version, version)
    return array


def kind_of(wrapper) -> tuple:
    """Returns (shape, dtype) of a saved tensor, packed or not."""
    if type(wrapper) is tuple:
        return wrapper[0].shape, wrapper[0].dtype
    return wrapper.shape, wrapper.dtype


def raise_modified(now: int, then: int) -> NoReturn:
    """Raises Paddle's error for a saved tensor whose version moved from ``then`` to ``now``."""
    raise PermissionDeniedError(
        "Tensor '' used in gradient computation has been modified by an inplace operation. "
        f"Its version is {now} but the expected version is {then}. "
        "Please fix your code to void calling an inplace operator after using the Tensor which "
        "will used in gradient computation."
    )
