"""The path of a call of one, two or three tensors with one result: see Note [Closures]."""

# Fields of Tensors have an underscore in front: they belong to the package, not to its users.
# What a closure sets in its ``try`` exists wherever it is used: ``out`` is None otherwise. And a
# tensor that wants a gradient has a ``_meta``.
# pyright: reportPrivateUsage=false, reportPossiblyUnboundVariable=false
# pyright: reportOptionalMemberAccess=false

from __future__ import annotations

from itertools import product
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from jaxeager.core import dtypes
from jaxeager.graph.mode import read_enabled
from jaxeager.graph.views.view_places import add_view
from jaxeager.ops.call.observers import cast_operands, early, lookers, show_result
from jaxeager.ops.call.operands import bare_kinds, scalar_array
from jaxeager.ops.call.plan import plan_of
from jaxeager.ops.call.recording import edge_of
from jaxeager.ops.call.running import UNCOMMON
from jaxeager.ops.call.wrapping import attach, new_node, wrap

if TYPE_CHECKING:
    from collections.abc import Callable

    from jaxeager.graph.meta import Edge
    from jaxeager.graph.saved import TensorWrapper
    from jaxeager.ops.call.types import Function, Items
    from jaxeager.ops.row import OpRow

    Keeper = Callable[[Items, Items], tuple[TensorWrapper, ...]]

_ONE = (True,)
_INEXACT = dtypes.FLOATS | dtypes.COMPLEX


def one_operand(row: OpRow, general: Function) -> Function:
    """Return the function ``(x, attrs, scalars)`` of an op of one tensor."""
    plan = plan_of(row)
    kernels, is_view, is_differentiable = (
        row.forward_kernels,
        row.view is not None,
        _differs(row, 0),
    )
    needs_float = row.promote is not None or row.check is not None
    keeps_x, keeps_out = row.operands[0].name in row.saves, row.outputs[0] in row.saves
    keeps_kind, usual = bool(row.shapes), _usual_attrs(row)

    def call(x: Any, attrs: Items = usual, scalars: Items = ()) -> Any:
        if early:
            casted = cast_operands(row, (x,))
            if casted is None:
                return general(plan, (x,), attrs, scalars)
            (x,) = casted
        try:
            x_array = x._array
            x_meta: Any = x._meta
            if needs_float and x_array.aval.dtype not in _INEXACT:
                out = None
            elif scalars:
                dtype = x_array.aval.dtype
                numbers = tuple([scalar_array(each, dtype) for each in scalars])
                out = kernels[attrs](x_array, *numbers)
            else:
                numbers = scalars
                out = kernels[attrs](x_array)
        except UNCOMMON:
            out = None
        if out is None:
            return general(plan, (x,), attrs, scalars)

        is_wanted = is_differentiable and x_meta is not None and not x_meta.stop_gradient
        recording = is_wanted and read_enabled()
        tensor = wrap(out)
        if is_view:
            add_view(tensor, x, row, attrs, (), is_wanted and not recording)
        if recording:
            edges = (x_meta if x_meta.node else edge_of(x),)
            shapes = (x_array.aval,) if keeps_kind else ()
            saved = ()
            if keeps_x:
                storage = x._storage
                saved = ((x_array, storage, storage.version),)
            if keeps_out:
                storage = tensor._storage
                saved = (*saved, (out, storage, storage.version))
            node = new_node(row, attrs, numbers, edges, _ONE, saved, shapes, (out.aval,))
            attach(tensor, node)
        else:
            node = None
        if lookers:
            show_result(row, (x,), attrs, (tensor,), node)
        return tensor

    return call


def two_operands(
    row: OpRow,
    general: Function,
    numbers: frozenset[type] = frozenset(),
    on_number: Function | None = None,
) -> Function:
    """Return the function ``(x, y, attrs)`` of an op of two tensors.

    An operand that gets no gradient may be a bare array: an index, a random key.
    """
    plan = plan_of(row)
    kernels, is_view, is_differentiable = (
        row.forward_kernels,
        row.view is not None,
        row.is_differentiable,
    )
    x_differs, y_differs = _differs(row, 0), _differs(row, 1)
    are_equal = (x_differs and y_differs) or (row.promote is not None and not is_differentiable)
    promotes, is_checked = row.promote is not None, row.check is not None
    keeps_both = plan.kept == (0, 1) and x_differs and y_differs
    keep, keep_kinds, usual = _keeper(row), _kinds_keeper(row), _usual_attrs(row)

    def call(x: Any, y: Any, attrs: Items = usual) -> Any:
        if numbers and type(y) in numbers:
            return on_number(x, y)  # pyright: ignore[reportOptionalCall]
        if early:
            casted = cast_operands(row, (x, y))
            if casted is None:
                return general(plan, (x, y), attrs)
            x, y = casted
        try:
            if are_equal:
                x_array = x._array
                x_meta: Any = x._meta
                y_array = y._array
                y_meta: Any = y._meta
            else:
                x_array = x._array if x_differs or type(x) not in bare_kinds else x
                y_array = y._array if y_differs or type(y) not in bare_kinds else y
                x_meta = x._meta if x_differs else None
                y_meta = y._meta if y_differs else None
            if promotes and (
                x_array.aval.dtype is not y_array.aval.dtype
                or (is_checked and x_array.aval.dtype not in _INEXACT)
            ):
                out = None
            else:
                out = kernels[attrs](x_array, y_array)
        except UNCOMMON:
            out = None
        if out is None:
            return general(plan, (x, y), attrs)

        x_wants = x_meta is not None and not x_meta.stop_gradient
        y_wants = y_meta is not None and not y_meta.stop_gradient
        recording = (x_wants or y_wants) and is_differentiable and read_enabled()
        tensor = wrap(out)
        if is_view:
            add_view(tensor, x, row, attrs, (y_array,), (x_wants or y_wants) and not recording)
        if recording:
            if are_equal:
                edges = (
                    (x_meta if x_meta.node else edge_of(x)) if x_wants else None,
                    (y_meta if y_meta.node else edge_of(y)) if y_wants else None,
                )
                mask = (x_wants, y_wants)
            else:
                edges, mask = (edge_of(x if x_wants else y),), _ONE
            shapes = keep_kinds((x_array.aval, y_array.aval)) if keep_kinds else ()
            if keeps_both:
                storage = x._storage
                x_saved = (x_array, storage, storage.version)
                storage = y._storage
                saved = (x_saved, (y_array, storage, storage.version))
            else:
                saved = keep((x, y, tensor), (x_array, y_array, out)) if keep else ()
            node = new_node(row, attrs, (), edges, mask, saved, shapes, (out.aval,))
            attach(tensor, node)
        else:
            node = None
        if lookers:
            show_result(row, (x, y), attrs, (tensor,), node)
        return tensor

    return call


def three_operands(row: OpRow, general: Function) -> Function:
    """Return the function ``(x, y, z, attrs)`` of an op of three tensors.

    An operand that gets no gradient may be a bare array.
    """
    plan = plan_of(row)
    kernels, met, kinds = row.forward_kernels, plan.met, plan.kinds
    needs_float = row.promote == "float" or row.check is not None
    x_differs, y_differs, z_differs = (_differs(row, slot) for slot in range(3))
    keep, usual, masks = _keeper(row), _usual_attrs(row), _masks(row)

    def call(x: Any, y: Any, z: Any, attrs: Items = usual) -> Any:
        if early:
            casted = cast_operands(row, (x, y, z))
            if casted is None:
                return general(plan, (x, y, z), attrs)
            x, y, z = casted
        try:
            x_array = x._array if x_differs or type(x) not in bare_kinds else x
            y_array = y._array if y_differs or type(y) not in bare_kinds else y
            z_array = z._array if z_differs or type(z) not in bare_kinds else z
            x_meta: Any = x._meta if x_differs else None
            y_meta: Any = y._meta if y_differs else None
            z_meta: Any = z._meta if z_differs else None
            arrays = (x_array, y_array, z_array)
            if met is not None and (
                arrays[met[0]].aval.dtype is not arrays[met[1]].aval.dtype
                or (needs_float and arrays[met[0]].aval.dtype not in _INEXACT)
            ):
                out = None
            else:
                out = kernels[attrs](x_array, y_array, z_array)
        except UNCOMMON:
            out = None
        if out is None:
            return general(plan, (x, y, z), attrs)

        x_wants = x_meta is not None and not x_meta.stop_gradient
        y_wants = y_meta is not None and not y_meta.stop_gradient
        z_wants = z_meta is not None and not z_meta.stop_gradient
        tensor = wrap(out)
        if (x_wants or y_wants or z_wants) and read_enabled():
            edges: list[Edge | None] = []
            if x_differs:
                edges.append((x_meta if x_meta.node else edge_of(x)) if x_wants else None)
            if y_differs:
                edges.append((y_meta if y_meta.node else edge_of(y)) if y_wants else None)
            if z_differs:
                edges.append((z_meta if z_meta.node else edge_of(z)) if z_wants else None)
            mask = masks[x_wants, y_wants, z_wants]
            shapes: Items = tuple([arrays[slot].aval for slot in kinds]) if kinds else ()  # pyright: ignore[reportUnknownMemberType]  # maybe unbound
            saved = keep((x, y, z, tensor), (x_array, y_array, z_array, out)) if keep else ()
            node = new_node(row, attrs, (), tuple(edges), mask, saved, shapes, (out.aval,))
            attach(tensor, node)
        else:
            node = None
        if lookers:
            show_result(row, (x, y, z), attrs, (tensor,), node)
        return tensor

    return call


def _masks(row: OpRow) -> dict[tuple[bool, ...], tuple[bool, ...]]:
    """Return the masks of nodes, by which of the operands require a gradient."""
    slots = [operand.slot for operand in row.differentiable]
    return {
        wanted: tuple([wanted[slot] for slot in slots])
        for wanted in product((False, True), repeat=len(row.operands))
    }


def _usual_attrs(row: OpRow) -> Items:
    """Return the attributes of a call that passes none."""
    given = [each for each in row.attrs.values() if each.default is not each.empty]
    return tuple([each.annotation(each.default) for each in given])


def _differs(row: OpRow, slot: int) -> bool:
    """Return whether an operand gets gradients."""
    return row.is_differentiable and row.operands[slot].is_differentiable


def _keeper(row: OpRow) -> Keeper | None:
    """Return the function that makes a node's ``saved`` from operands, result and their arrays.

    None for a row that saves nothing.
    """
    places = [row.slots.get(name, len(row.operands)) for name in row.saves]
    if not any(name in row.nondiff for name in row.saves):
        return _tensor_keeper(places) if places else None

    def keep(tensors: Items, arrays: Items) -> tuple[TensorWrapper, ...]:
        saved: list[TensorWrapper] = []
        for place in places:
            storage = getattr(tensors[place], "_storage", None)
            saved.append((arrays[place], storage, storage.version if storage else 0))
        return tuple(saved)

    return keep


def _tensor_keeper(places: list[int]) -> Keeper:
    """Return the function that makes ``saved`` when all of it is tensors, not bare arrays."""

    def keep(tensors: Items, arrays: Items) -> tuple[TensorWrapper, ...]:
        saved: list[TensorWrapper] = []
        for place in places:
            storage = tensors[place]._storage
            saved.append((arrays[place], storage, storage.version))
        return tuple(saved)

    return keep


def _kinds_keeper(row: OpRow) -> Callable[[Items], Items] | None:
    """Return the C function that selects a node's ``shapes`` from the operands' avals.

    None for a row that keeps none.
    """
    places = [row.slots[name] for name in row.shapes]
    if not places:
        return None
    return itemgetter(*places) if len(places) > 1 else itemgetter(slice(places[0], places[0] + 1))
