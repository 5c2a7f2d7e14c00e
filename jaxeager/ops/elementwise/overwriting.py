"""Writes of values without history into tensors that have one.

Note [Overwritten values]
    After ``y.floor_divide_(2.0)``, ``y.set_value(array)`` or ``paddle.assign(array, output=y)``
    nothing depends on the old value of ``y``: the gradient of the old value is 0. (In Paddle ``y``
    keeps the node that produced the old value, and its gradient.) So the write is recorded as an
    ``overwrite``, whose rule is 0.

    A leaf that requires a gradient stays a leaf: ``set_value`` gives it another value, and its
    gradient is that of the new value. The same holds for a view of it. Nothing is recorded under
    ``no_grad``, by ``x.data = other``, or by a write through ``x.detach()``: these exclude the
    write from the graph.
"""

import jax.numpy as jnp

from jaxeager.core import ports
from jaxeager.graph.meta import AutogradMeta
from jaxeager.graph.mode import grad_mode
from jaxeager.graph.traced_writes import note_write
from jaxeager.graph.views import shared_writes
from jaxeager.graph.views.stale import wants
from jaxeager.ops.call.observers import show_node
from jaxeager.ops.call.plan import plan_of
from jaxeager.ops.call.recording import edge_of, record
from jaxeager.ops.register import op
from jaxeager.ops.row import ROWS
from jaxeager.ops.rules.samples import WITH_COMPLEX, Sample, values


def overwrite_forward(x, value):
    """Return the value."""
    return value


def overwrite_samples():
    """Yield shapes, 0-D and zero-size."""
    for shape in ((2, 3), (), (0, 3)):
        yield Sample(values(shape, seed=1), values(shape))


def overwrite_reference(x, value):
    """Return the value itself."""
    return value


def overwrite_vjp(x):
    """Return zeros of the shape and dtype of the overwritten value."""
    return jnp.zeros(x.shape, x.dtype)


op(
    "overwrite",
    overwrite_forward,
    vjp=overwrite_vjp,
    shapes="x",
    nondiff="value",
    public=None,
    dtypes=WITH_COMPLEX,
    reference=overwrite_reference,
    samples=overwrite_samples,
    formula="dx = 0: nothing of the old value is left",
    doc="Replace a value by one without history; recorded by a write that has no gradient.",
    example="paddle.to_tensor([5.0, 7.0]).floor_divide_(2.0)",
)


def overwrite(tensor, array) -> None:
    """Give a tensor a value that has no history; do not increase its version.

    Args:
        tensor: a Tensor. A leaf stays a leaf, and the part of a leaf that a view shows stays part
            of it.
        array: a jax.Array of its shape and dtype.
    """
    meta = tensor._meta
    if not grad_mode.enabled or (wants(meta) and meta.is_leaf()):
        shared_writes.write_array(tensor, array)
        return
    storage = tensor._storage
    if storage.sharers is not None and shared_writes.leaf_above(tensor) is not None:
        shared_writes.write_array(tensor, array)
        return
    if grad_mode.written is not None:
        note_write(tensor)
    new = overwritten(tensor, array) if wants(meta) else shared_writes.KEEP
    if storage.sharers is None:
        shared_writes.assign(tensor, array, new)
    else:
        shared_writes.write_shared(tensor, array, new, True)


def overwritten(tensor, array) -> AutogradMeta:
    """Return the AutogradMeta of a tensor that gets a value without history.

    Args:
        tensor: a Tensor that requires a gradient, with its old value.
        array: its new value.
    """
    plan, operands, arrays = plan_of(ROWS["overwrite"]), (tensor, array), [tensor._array, array]
    node = record(plan, operands, arrays, (), (), [edge_of(tensor)], [tensor], (array,))
    before = tensor._meta.node
    if before is not None and before.op is node.op:
        node.edges, node.shapes = before.edges, before.shapes  # so no chain grows in a loop
    show_node(node)
    return AutogradMeta(False, node, 0, 0)


ports.overwritten = overwritten
