"""TensorWrapper: a tensor that backward needs, with its version at the save.

Note [Version snapshots]
    An op that needs a forward tensor in backward keeps its array, and the version of its Storage.
    Arrays are immutable, so the kept array is always the value of that time; the version shows
    whether the user has since written over it in place. Then an error is raised when the node runs,
    as in Paddle, because a gradient of a value that the program no longer holds is most often a
    mistake. Two kinds of saves are not checked: the old value of the operand of an in-place op
    itself (``storage`` is None), and no-need-buffer saves, which keep a shape and a dtype and no
    array at all (a node's ``shapes``). Writes that do not change the version (``set_value``, an
    optimizer step) leave the kept array as it was, so the gradient is that of the value that was
    used. With ``FLAGS_inplace_saved=snapshot`` every write is treated in this way, as a functional
    program computes.
"""

# Fields of Tensors have an underscore in front: they belong to the package, not to its users.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from jaxeager.core import ports
from jaxeager.errors import InvalidArgumentError, PermissionDeniedError
from jaxeager.graph.meta import Edge
from jaxeager.graph.node import given_name
from jaxeager.graph.saved_hooks import Packed
from jaxeager.graph.views.storage import Storage

if TYPE_CHECKING:
    import jax

    from jaxeager.graph.node import GradNode
    from jaxeager.graph.types import Kind, Node

TensorWrapper: TypeAlias = tuple[Any, Any, int]
"""A saved tensor: its array, its Storage (None when unchecked) and the version at the save.

If ``saved_tensors_hooks`` packed the tensor, array and Storage are a Packed.

A plain tuple, because every recorded op makes some and a tuple is created twice as fast as an
object.
"""


_MODES = ("error", "snapshot")
_takes_snapshots = False  # whether the saved value is used although the tensor was written since


def set_inplace_saved(mode: str) -> None:
    """Set the treatment of a saved tensor that was written in place: FLAGS_inplace_saved.

    Args:
        mode: "error" raises; "snapshot" uses the saved value, which still exists.

    Raises:
        InvalidArgumentError: for another word.
    """
    global _takes_snapshots
    if mode not in _MODES:
        raise InvalidArgumentError(
            f"FLAGS_inplace_saved is 'error' or 'snapshot', but received {mode!r}."
        )
    _takes_snapshots = mode == "snapshot"


def save(array: jax.Array, storage: Storage | None) -> TensorWrapper:
    """Return the TensorWrapper of an array, the present value of a Storage."""
    return array, storage, 0 if storage is None else storage.version


def recover(wrapper: TensorWrapper, node: GradNode | None = None, name: str = "") -> jax.Array:
    """Return the saved array; raise PermissionDeniedError when the tensor was written since.

    Args:
        wrapper: the TensorWrapper.
        node: the node it was saved for, for the error.
        name: its name in the node's op, for the error.
    """
    array, storage, version = wrapper
    if storage is not None and storage.version != version:
        return unpacked(wrapper, node, name)
    return array


def unpacked(wrapper: TensorWrapper, node: GradNode | None, name: str) -> jax.Array:
    """Return the array of a TensorWrapper whose version differs, or that is packed.

    Raises:
        PermissionDeniedError: when the version differs, and FLAGS_inplace_saved is "error".
    """
    kept = wrapper[0]
    if type(kept) is Packed:
        return kept.array()
    if not _takes_snapshots:
        raise_modified(wrapper, node, name)
    return kept


def kind_of(wrapper: TensorWrapper) -> Kind:
    """Return (shape, dtype) of a saved tensor, packed or not."""
    return wrapper[0].shape, wrapper[0].dtype


def raise_modified(
    wrapper: TensorWrapper, node: GradNode | None = None, name: str = ""
) -> NoReturn:
    """Raise Paddle's error for a saved tensor that was written in place.

    The error identifies the tensor as far as possible: its name, when one was requested or given,
    its dtype and shape, and the op that saved it. Tools know more (``describe_write``).

    Args:
        wrapper: the TensorWrapper.
        node: the node it was saved for, None when unknown.
        name: its name in the node's op.
    """
    array, storage, version = wrapper
    now = storage.version  # an unchecked save has none
    edge = None if node is None else _edge_of(node, name)
    who = "" if edge is None else _tensor_name(edge)
    text = (
        f"Tensor '{who}' used in gradient computation has been modified by an inplace operation. "
        f"Its version is {now} but the expected version is {version}. "
        "Please fix your code to void calling an inplace operator after using the Tensor which "
        "will used in gradient computation.\n"
        "  [Hint: Expected tensor_version == wrapper_version_snapshot, but received "
        f"tensor_version:{now} != wrapper_version_snapshot:{version}.]\n"
        f"  [Tensor: {array.dtype.name}{list(array.shape)}"
    )
    if edge is not None and edge.node is not node:
        text += ", a leaf" if edge.node.is_leaf else f", made by {_op_name(edge.node)}"
    if node is not None:
        what = f"'{name}' of" if name else "an operand of"
        text += f", {what} {_op_name(node)}, saved for {node.name()}"
    text += ".]"
    if ports.describe_write is not None:
        text += ports.describe_write(wrapper, node)
    raise PermissionDeniedError(text)


def _op_name(node: Node) -> str:
    """Return the name of a node's op; for a PyLayer, the name of its class."""
    return getattr(node.op, "name", None) or node.name().removeprefix("GradNodePyLayer_")


def _tensor_name(edge: Edge) -> str:
    """Return the name of the tensor whose gradient an edge carries; "" when it is unknown."""
    if ports.name_of_edge is not None:
        return ports.name_of_edge(edge)
    return given_name(edge.node, edge.slot + edge.rank)


def _edge_of(node: GradNode, name: str) -> Edge | None:
    """Return the edge of a tensor that a node saved under a name; None for a list of them."""
    outputs = getattr(node.op, "outputs", ())
    if name in outputs:
        return Edge(node, outputs.index(name))
    names = [operand.name for operand in getattr(node.op, "differentiable", ())]
    if name in names and node.ranks is None:
        return node.edges[names.index(name)]
    return None
