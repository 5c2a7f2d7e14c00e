"""The VJP of a node: the plan of its row, and the closure that runs it.

Note [VJP closures]
    ``vjp_of`` returns a closure for a row, by the number of tensors that its nodes save. Rows with
    one output, without lists or optional operands, mostly save nothing, one tensor or two. Most
    nodes of most graphs are of these three kinds, which have their own closures; ``_general``
    serves every other row. All do the same: they check that saved tensors are unchanged (a written
    tensor is an error, a packed one is unpacked), find the kernel by the wanted gradients and, for
    a row whose rule depends on them, by the static values, and call it.
"""

# The errors in FAILURES are of a class whose type is unknown.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

import jax

from jaxeager.errors import JaxEagerError
from jaxeager.graph.grad_tensor_holder import add_arrays
from jaxeager.graph.saved import kind_of, recover, unpacked
from jaxeager.kernels.executables import Origin
from jaxeager.kernels.tracing import FAILURES, failure
from jaxeager.ops.call import kernels
from jaxeager.ops.call.device_join import again

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from jaxeager.graph.node import GradNode
    from jaxeager.ops.call.types import (
        Arrays,
        Aval,
        Gradients,
        Grads,
        Items,
        Kernel,
        Mask,
        RunVJP,
        Shapes,
    )
    from jaxeager.ops.row import OpRow


def vjp_of(row: OpRow) -> RunVJP:
    """Return the function of (node, gradients) that runs the VJP of a row's nodes.

    The function returns a gradient per edge, None where none is wanted, and raises
    PermissionDeniedError when a saved tensor was written in place since.
    """
    is_plain = not (row.has_lists or row.returns_list or row.has_optional)
    if is_plain and len(row.outputs) == 1 and row.hidden_vjp is None and len(row.saves) < 3:
        return (_of_none, _of_one, _of_two)[len(row.saves)](row)
    return _general(row)


def vjp_kernel(row: OpRow, node: GradNode, absent: Sequence[bool] = ()) -> Kernel | None:
    """Return the VJP kernel of a row's node, for tools and to compile it ahead.

    Args:
        row, node: the op, and the node.
        absent: per output whether no gradient reaches it; () if gradients reach all.

    Returns:
        the kernel of (saved..., scalars..., gradients that reach an output...); None for a node
        whose hidden outputs have gradients: two kernels run then.
    """
    if node.width > len(node.out_avals):
        return None
    return _kernel_without(row, node, absent) if any(absent) else visible_kernel(row, node)


def visible_kernel(row: OpRow, node: GradNode) -> Kernel:
    """Return the kernel that computes a node's gradients from those of its visible outputs."""
    key = key_by(row)(node)
    return row.vjp_kernels.get(key) or _make_kernel(row, node, key)


def _kernel_without(row: OpRow, node: GradNode, absent: Sequence[bool]) -> Kernel:
    """Return the kernel of a node that no gradient reaches at some outputs."""
    pairs = zip(node.out_avals, absent, strict=True)
    zeros = tuple([kernels.key_of(aval) if is_absent else None for aval, is_absent in pairs])
    key = key_by(row)(node), zeros
    return row.vjp_kernels.get(key) or _make_kernel(row, node, key, zeros)


def key_by(row: OpRow) -> Callable[[GradNode], Hashable]:
    """Return the function of a node that returns the key of its VJP kernel on the row."""
    if not row.has_variants:
        return attrgetter("mask")
    if not (row.shapes or row.has_lists):
        return attrgetter("mask", "attrs")
    if row.has_lists or row.has_optional or len(row.shapes) > 2:
        return lambda node: (node.mask, node.attrs, shapes_of(node), node.ranks)
    return _one_shape if len(row.shapes) == 1 else _two_shapes


def _one_shape(node: GradNode) -> Items:
    (x,) = node.shapes
    return node.mask, node.attrs, x.shape, x.dtype


def _two_shapes(node: GradNode) -> Items:
    x, y = node.shapes
    return node.mask, node.attrs, x.shape, x.dtype, y.shape, y.dtype


def shapes_of(node: GradNode) -> Shapes:
    """Return the (shape, dtype) of the operands that a node keeps these of."""
    return tuple([kernels.key_of(aval) for aval in node.shapes])


def _make_kernel(row: OpRow, node: GradNode, key: Hashable, absent: Shapes = ()) -> Kernel:
    """Make the VJP kernel that a node needs, and keep it on the row.

    Args:
        row, node: the op, and the node of the call.
        key: the key that the kernel is stored under.
        absent: see ``kernels.with_zeros``.
    """
    if row.passes_on and _is_plain_sum(node):
        passed = row.vjp_kernels[key] = _passing(node.mask)
        return passed
    rule = kernels.vjp_rule(row, node.attrs, node.mask, shapes_of(node), node.ranks)
    what = ("vjp", node.attrs, node.mask, shapes_of(node), node.ranks)
    if absent:
        rule, what = kernels.with_zeros(rule, absent), (*what, absent)
    origin = kernels.origin_of(row, *what)
    kernel = row.vjp_kernels[key] = kernels.jitted(row, rule, node.attrs, origin)
    return kernel


def _is_plain_sum(node: GradNode) -> bool:
    """Return whether the operands that want a gradient have the output's shape and dtype."""
    (out,) = node.out_avals
    pairs = zip(node.shapes, node.mask, strict=True)
    return all((x.shape, x.dtype) == (out.shape, out.dtype) for x, wanted in pairs if wanted)


def _passing(mask: Mask) -> Kernel:
    """Return a function that replaces a kernel that would only copy its operand."""

    def pass_on(grad: jax.Array) -> tuple[jax.Array | None, ...]:
        return tuple([grad if wanted else None for wanted in mask])

    made: Any = pass_on
    # kernels have these attributes: kernels/tracing.py, jax.jit
    made.origin, made._cache_size = Origin(("passed on", mask)), int
    return made


def _of_none(row: OpRow) -> RunVJP:
    find, key_of, has_scalars = row.vjp_kernels.get, key_by(row), bool(row.scalars)

    def run_vjp(node: GradNode, grads: Grads) -> Gradients:
        (grad,) = grads
        key = key_of(node)
        kernel = find(key) or _make_kernel(row, node, key)
        try:
            return kernel(*node.scalars, grad) if has_scalars else kernel(grad)
        except JaxEagerError:
            raise
        except ValueError as error:
            return again(kernel, [*node.scalars, grad], error)
        except FAILURES as error:
            raise failure(f"{row.name}_grad", error) from error

    return run_vjp


def _of_one(row: OpRow) -> RunVJP:
    find, key_of, has_scalars = row.vjp_kernels.get, key_by(row), bool(row.scalars)

    def run_vjp(node: GradNode, grads: Grads) -> Gradients:
        (grad,) = grads
        (wrapper,) = node.saved
        x, storage, version = wrapper
        if storage is not None and storage.version != version:
            x = unpacked(wrapper, node, row.saves[0])
        key = key_of(node)
        kernel = find(key) or _make_kernel(row, node, key)
        try:
            return kernel(x, *node.scalars, grad) if has_scalars else kernel(x, grad)
        except JaxEagerError:
            raise
        except ValueError as error:
            return again(kernel, [x, *node.scalars, grad], error)
        except FAILURES as error:
            raise failure(f"{row.name}_grad", error) from error

    return run_vjp


def _of_two(row: OpRow) -> RunVJP:
    find, key_of, has_scalars = row.vjp_kernels.get, key_by(row), bool(row.scalars)

    def run_vjp(node: GradNode, grads: Grads) -> Gradients:
        (grad,) = grads
        x_wrapper, y_wrapper = node.saved
        x, storage, version = x_wrapper
        if storage is not None and storage.version != version:
            x = unpacked(x_wrapper, node, row.saves[0])
        y, storage, version = y_wrapper
        if storage is not None and storage.version != version:
            y = unpacked(y_wrapper, node, row.saves[1])
        key = key_of(node)
        kernel = find(key) or _make_kernel(row, node, key)
        try:
            return kernel(x, y, *node.scalars, grad) if has_scalars else kernel(x, y, grad)
        except JaxEagerError:
            raise
        except ValueError as error:
            return again(kernel, [x, y, *node.scalars, grad], error)
        except FAILURES as error:
            raise failure(f"{row.name}_grad", error) from error

    return run_vjp


def _general(row: OpRow) -> RunVJP:
    find, key_of = row.vjp_kernels.get, key_by(row)
    saves, has_hidden = row.saves, row.hidden_vjp is not None

    def run_vjp(node: GradNode, grads: Grads) -> Gradients:
        if has_hidden and len(grads) > len(node.out_avals):
            return _with_hidden(row, run_vjp, node, grads)
        arrays = recovered(saves, node)
        arrays += node.scalars
        arrays += [grad for grad in grads if grad is not None]
        if any(grad is None for grad in grads):
            kernel = _kernel_without(row, node, [grad is None for grad in grads])
        else:
            key = key_of(node)
            kernel = find(key) or _make_kernel(row, node, key)
        try:
            return kernel(*arrays)
        except JaxEagerError:
            raise
        except ValueError as error:
            return again(kernel, arrays, error)
        except FAILURES as error:
            raise failure(f"{row.name}_grad", error) from error

    return run_vjp


def recovered(saves: tuple[str, ...], node: GradNode) -> Arrays:
    """Return the arrays that a node saved: a list for a list operand, None for a missing one.

    Raises:
        ValueError: when the node was released in the meantime, by another thread.
    """
    arrays: Arrays = []
    for name, wrapper in zip(saves, node.saved, strict=True):
        if wrapper is None:
            arrays.append(None)
        elif type(wrapper) is list:
            arrays.append([recover(each, node, name) for each in wrapper])
        else:
            array, storage, version = wrapper
            if storage is not None and storage.version != version:
                array = unpacked(wrapper, node, name)
            arrays.append(array)
    return arrays


# ---- hidden outputs: see Note [VJP rows] of derived/higher.py


def _with_hidden(row: OpRow, run_vjp: RunVJP, node: GradNode, grads: Grads) -> Gradients:
    """Return the sum of the gradients from the visible outputs and from the hidden ones."""
    count = len(node.out_avals)
    visible, hidden = grads[:count], grads[count:]
    more: Any = [None] * len(node.edges)
    if any(grad is not None for grad in hidden):
        more = _run_hidden(row, node, hidden)
    if any(grad is not None for grad in visible):
        first = run_vjp(node, visible)
        more = [
            a if b is None else b if a is None else add_arrays(a, b)
            for a, b in zip(first, more, strict=True)
        ]
    return more


def _run_hidden(row: OpRow, node: GradNode, grads: Grads) -> Gradients:
    """Run the VJP of a node's hidden outputs."""
    pairs = zip(grads, hidden_avals(row, node), strict=True)
    douts = [kernels.filled(aval, 0) if grad is None else grad for grad, aval in pairs]
    return hidden_kernel(row, node)(*recovered(row.saves, node), *node.scalars, *douts)


def hidden_kernel(row: OpRow, node: GradNode) -> Kernel:
    """Return the kernel that computes a node's gradients from those of its hidden outputs."""
    shapes = shapes_of(node)
    key = ("hidden", node.mask, node.attrs, shapes, node.ranks)
    kernel = row.vjp_kernels.get(key)
    if kernel is None:
        rule = kernels.hidden_vjp_rule(row, node.attrs, node.mask, shapes, node.ranks)
        origin = kernels.origin_of(row, *key)
        kernel = row.vjp_kernels[key] = kernels.jitted(row, rule, (), origin)
    return kernel


def hidden_avals(row: OpRow, node: GradNode) -> list[Aval]:
    """Return shape and dtype of a node's hidden outputs, as they were saved."""
    saved: dict[str, Any] = dict(zip(row.saves, node.saved, strict=True))
    return [jax.ShapeDtypeStruct(*kind_of(saved[name])) for name in row.hidden]
