"""The objects that a call makes: Tensors of arrays, and the GradNode of its results."""

# Fields of Tensors have an underscore in front: they belong to the package, not to its users.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxeager.graph import events
from jaxeager.graph.meta import AutogradMeta
from jaxeager.graph.node import GradNode
from jaxeager.graph.views.storage import Storage

if TYPE_CHECKING:
    import jax
    from jax.core import ShapedArray

    from jaxeager.graph.meta import Edge
    from jaxeager.ops.call.types import Attrs, Items, Mask, Ranks, Scalars, Shapes
    from jaxeager.ops.row import OpRow
    from jaxeager.tensor.tensor import Tensor as TensorClass

_new = object.__new__

# Set by tensor.py, which imports this subpackage.
Tensor: type[TensorClass] = None  # type: ignore[assignment]


def set_tensor_class(tensor_class: type[TensorClass]) -> None:
    """Set the class of the results of this subpackage."""
    global Tensor
    Tensor = tensor_class


def wrap(array: jax.Array, stop_gradient: bool = True) -> TensorClass:
    """Return a Tensor of an array, with a new Storage. This takes about 0.15 us."""
    tensor = _new(Tensor)
    tensor._array = array
    tensor._storage = storage = _new(Storage)
    storage.version = 0
    storage.sharers = None
    tensor._meta = None if stop_gradient else leaf_meta()
    return tensor


def leaf_meta() -> AutogradMeta:
    """Return the AutogradMeta of a new leaf that requires a gradient."""
    meta = AutogradMeta(False)
    if events.leaf_made is not None:
        events.leaf_made(meta)
    return meta


def raw(value: Any) -> Any:
    """Return the array of a tensor, or the array itself."""
    return value._array if hasattr(value, "_storage") else value


def new_node(
    row: OpRow,
    attrs: Attrs,
    scalars: Scalars,
    edges: tuple[Edge | None, ...],
    mask: Mask,
    saved: Items,
    shapes: Shapes,
    out_avals: tuple[ShapedArray, ...],
    ranks: Ranks = None,
) -> GradNode:
    """Return a GradNode with these attributes, which a call of a row has recorded."""
    node = _new(GradNode)
    node.op = row
    node.hooks = None
    node.attrs = attrs
    node.scalars = scalars
    node.edges = edges
    node.mask = mask
    node.ranks = ranks
    node.released = False
    node.width = len(out_avals)
    node.out_avals = out_avals
    node.shapes = shapes
    node.saved = saved
    return node


def attach(tensor: TensorClass, node: GradNode, slot: int = 0, rank: int = 0) -> None:
    """Make a tensor an output of a node."""
    tensor._meta = meta = _new(AutogradMeta)
    meta.stop_gradient = False
    meta.grad = meta.zeros = None
    meta.node = node
    meta.slot = slot
    meta.rank = rank
