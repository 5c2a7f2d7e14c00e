"""The path of a call for the shapes of call that are most: one tensor in, or two, and one out.

Note [Closures]
    ``one_operand`` and ``two_operands`` return the function that a row's calls go through. What is
    known of the row when it is registered stands in the function's cells, so that a call asks for
    nothing its row does not have; the stages are those of ``path.run``, without its loops. That is
    worth 1.5 us a call, and more shapes of call would be worth less.

    They go on while all is as it mostly is: operands are tensors, of one dtype where that matters,
    and the kernel is there. Whatever is not (numbers, promotion, a kernel that has to be made, an
    error to be explained) makes a call begin again in ``path.run``, behind the handler, so that
    what is raised there is no consequence of what was caught.
"""

# pyright: reportOptionalMemberAccess=false
from collections.abc import Callable
from operator import attrgetter, itemgetter
from typing import Any

import jax

from jaxeager.core import dtypes
from jaxeager.graph.memory import add_view
from jaxeager.graph.meta import AutogradMeta
from jaxeager.graph.mode import read_enabled
from jaxeager.graph.node import GradNode
from jaxeager.graph.storage import Storage
from jaxeager.ops.call import wrapping
from jaxeager.ops.call.looking import cast_operands, early, lookers, show_result
from jaxeager.ops.call.operands import bare_kinds, scalar_array
from jaxeager.ops.call.path import run
from jaxeager.ops.call.plan import plan_of
from jaxeager.ops.call.recording import aval_of, edge_of, mask_of

_new = object.__new__
_ONE = (True,)
_INEXACT = dtypes.FLOATS | dtypes.COMPLEX
_UNCOMMON = (
    AttributeError, TypeError, ValueError, IndexError, KeyError, ArithmeticError, MemoryError,
    jax.errors.JaxRuntimeError,
)  # fmt: skip

Tensor: type = None  # type: ignore[assignment]  # as in wrapping.py, whose is a look-up further


def set_tensor_class(tensor_class: type) -> None:
    """Tells this room which class its results are."""
    global Tensor
    Tensor = tensor_class
    wrapping.set_tensor_class(tensor_class)


def closure_of(
    row,
    general: Callable = run,
    numbers: frozenset = frozenset(),
    on_number: Callable | None = None,
) -> Callable | None:
    """Returns what a row's calls go through, None when that is ``path.run``.

    Args:
        row: the op.
        general: what goes on with a call that is not common: ``path.run``, or another of its kind.
        numbers: types that y may have and that are not for the op to look at.
        on_number: what is called instead, with (x, y), when y has one of them.
    """
    shape = shape_of(row)
    if shape == 1:
        return one_operand(row, general)
    if shape == 2:
        return two_operands(row, general, numbers, on_number)
    return None if shape is None else several_operands(row, general)


def shape_of(row) -> int | None:
    """Returns how many operands a row's closure takes one by one; 0 for a tuple of them.

    None for a row that has no closure: one with a list in or out, or with several views.
    """
    if row.returns_list or row.has_lists:
        return None
    is_plain = len(row.outputs) == 1 and not (row.hidden or row.has_optional)
    count = len(row.operands)
    if is_plain and (count == 1 or (count == 2 and not row.scalars)):
        return count
    return None if row.view is not None else 0


def one_operand(row, general: Callable) -> Callable:
    """Returns the function ``(x, attrs, scalars)`` of an op of one tensor."""
    plan = plan_of(row)
    kernels, is_view, is_differentiable = (
        row.forward_kernels,
        row.view is not None,
        _differs(row, 0),
    )
    needs_float = row.promote is not None or row.check is not None
    keeps_x, keeps_out = row.operands[0].name in row.saves, row.outputs[0] in row.saves
    keeps_kind, usual = bool(row.shapes), _usual_attrs(row)

    def call(x, attrs=usual, scalars=()):
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
        except _UNCOMMON:
            out = None
        if out is None:
            return general(plan, (x,), attrs, scalars)

        is_wanted = is_differentiable and x_meta is not None and not x_meta.stop_gradient
        recording = is_wanted and read_enabled()
        tensor = _new(Tensor)
        tensor._array = out
        if is_view:
            add_view(tensor, x, row, attrs, (), is_wanted and not recording)
        else:
            tensor._storage = storage = _new(Storage)
            storage.version = 0
            storage.sharers = None
        if recording:
            node = _new(GradNode)
            node.op = row
            node.hooks = None
            node.attrs = attrs
            node.scalars = numbers
            node.edges = (x_meta if x_meta.node else edge_of(x),)
            node.mask = _ONE
            node.ranks = None
            node.released = False
            node.width = 1
            node.out_avals = (out.aval,)
            node.shapes = (x_array.aval,) if keeps_kind else ()
            saved = ()
            if keeps_x:
                storage = x._storage
                saved = ((x_array, storage, storage.version),)
            if keeps_out:
                storage = tensor._storage
                saved = (*saved, (out, storage, storage.version))
            node.saved = saved
            tensor._meta = meta = _new(AutogradMeta)
            meta.stop_gradient = meta.grad_is_zeroed = False
            meta.grad = None
            meta.node = node
            meta.slot = meta.rank = 0
        else:
            node = tensor._meta = None
        if lookers:
            show_result(row, (x,), attrs, (tensor,), node)
        return tensor

    return call


def two_operands(
    row, general: Callable, numbers: frozenset = frozenset(), on_number: Callable | None = None
) -> Callable:
    """Returns the function ``(x, y, attrs)`` of an op of two tensors.

    One that no gradient goes to may be a bare array: an index, a random key.
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

    def call(x, y, attrs=usual):
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
                x_array, x_meta = _read(x, x_differs)
                y_array, y_meta = _read(y, y_differs)
            if promotes and (
                x_array.aval.dtype is not y_array.aval.dtype
                or (is_checked and x_array.aval.dtype not in _INEXACT)
            ):
                out = None
            else:
                out = kernels[attrs](x_array, y_array)
        except _UNCOMMON:
            out = None
        if out is None:
            return general(plan, (x, y), attrs)

        x_wants = x_meta is not None and not x_meta.stop_gradient
        y_wants = y_meta is not None and not y_meta.stop_gradient
        recording = (x_wants or y_wants) and is_differentiable and read_enabled()
        tensor = _new(Tensor)
        tensor._array = out
        if is_view:
            add_view(tensor, x, row, attrs, (y_array,), (x_wants or y_wants) and not recording)
        else:
            tensor._storage = storage = _new(Storage)
            storage.version = 0
            storage.sharers = None
        if recording:
            node = _new(GradNode)
            node.op = row
            node.hooks = None
            node.attrs = attrs
            node.scalars = ()
            if are_equal:
                node.edges = (
                    (x_meta if x_meta.node else edge_of(x)) if x_wants else None,
                    (y_meta if y_meta.node else edge_of(y)) if y_wants else None,
                )
                node.mask = (x_wants, y_wants)
            else:
                node.edges = (edge_of(x if x_wants else y),)
                node.mask = _ONE
            node.ranks = None
            node.released = False
            node.width = 1
            node.out_avals = (out.aval,)
            node.shapes = keep_kinds((x_array.aval, y_array.aval)) if keep_kinds else ()
            if keeps_both:
                storage = x._storage
                x_saved = (x_array, storage, storage.version)
                storage = y._storage
                node.saved = (x_saved, (y_array, storage, storage.version))
            else:
                node.saved = keep((x, y, tensor), (x_array, y_array, out)) if keep else ()
            tensor._meta = meta = _new(AutogradMeta)
            meta.stop_gradient = meta.grad_is_zeroed = False
            meta.grad = None
            meta.node = node
            meta.slot = meta.rank = 0
        else:
            node = tensor._meta = None
        if lookers:
            show_result(row, (x, y), attrs, (tensor,), node)
        return tensor

    return call


def several_operands(row, general: Callable) -> Callable:
    """Returns the function ``(operands, attrs, scalars)`` of an op of several tensors, or outputs.

    One that no gradient goes to may be a bare array, one that is optional None.
    """
    plan = plan_of(row)
    kernels, record_kernels, count, kept = plan.kernels, plan.record_kernels, plan.count, plan.kept
    is_differentiable, met = row.is_differentiable, plan.met
    needs_float = row.promote == "float" or row.check is not None
    reached, kinds = plan.tensors, plan.kinds
    optional = tuple([each.is_optional for each in row.operands])
    all_wanted = (True,) * len(reached)
    are_tensors = all(each.is_differentiable and not each.is_optional for each in row.operands)

    def call(operands, attrs=(), scalars=()):
        if early:
            casted = cast_operands(row, operands)
            if casted is None:
                return general(plan, operands, attrs, scalars)
            operands = casted
        edges, wanted = [], 0
        try:
            if are_tensors:
                arrays = tuple(map(_array_of, operands))
            else:
                arrays = []
                for each, is_optional in zip(operands, optional, strict=True):
                    if type(each) in bare_kinds or (each is None and is_optional):
                        arrays.append(each)
                    else:
                        arrays.append(each._array)
            numbers = scalars
            if scalars:
                dtype = arrays[0].aval.dtype
                numbers = tuple([scalar_array(each, dtype) for each in scalars])
            if is_differentiable and read_enabled():
                for slot in reached:
                    meta: Any = getattr(operands[slot], "_meta", None)
                    if meta is None or meta.stop_gradient:
                        edges.append(None)
                    else:
                        edges.append(meta if meta.node else edge_of(operands[slot]))
                        wanted += 1
            if met is not None and (
                arrays[met[0]].aval.dtype is not arrays[met[1]].aval.dtype
                or (needs_float and arrays[met[0]].aval.dtype not in _INEXACT)
            ):
                out = None
            else:
                kernel = record_kernels[attrs] if wanted else kernels[attrs]
                out = kernel(*arrays, *numbers) if numbers else kernel(*arrays)
        except _UNCOMMON:
            out = None
        if out is None:
            return general(plan, operands, attrs, scalars)

        outs = out if type(out) is tuple else (out,)
        node = _new(GradNode) if wanted else None
        tensors = []
        for array in outs[:count]:
            tensor = _new(Tensor)
            tensor._array = array
            tensor._storage = storage = _new(Storage)
            storage.version = 0
            storage.sharers = None
            if node is None:
                tensor._meta = None
            else:
                tensor._meta = meta = _new(AutogradMeta)
                meta.stop_gradient = meta.grad_is_zeroed = False
                meta.grad = None
                meta.node = node
                meta.slot = len(tensors)
                meta.rank = 0
            tensors.append(tensor)
        if node is not None:
            node.op = row
            node.hooks = None
            node.attrs = attrs
            node.scalars = numbers
            node.edges = tuple(edges)
            if wanted == len(reached):
                node.mask = all_wanted
            else:
                node.mask = mask_of(plan, operands, edges)
            node.ranks = None
            node.released = False
            node.width = count
            node.out_avals = (outs[0].aval,) if count == 1 else tuple(map(_aval_of, outs[:count]))
            node.shapes = tuple([aval_of(arrays[slot]) for slot in kinds]) if kinds else ()
            saved = []
            for place in kept:
                if place < 0:
                    storage = tensors[~place]._storage if ~place < count else None
                    saved.append((outs[~place], storage, 0))
                elif arrays[place] is None:
                    saved.append(None)
                else:
                    storage = getattr(operands[place], "_storage", None)
                    saved.append((arrays[place], storage, storage.version if storage else 0))
            node.saved = tuple(saved)
        if lookers:
            show_result(row, operands, attrs, tuple(tensors), node)
        return tensors[0] if count == 1 else tuple(tensors)

    return call


_array_of, _aval_of = attrgetter("_array"), attrgetter("aval")


def _read(operand, is_differentiable: bool) -> tuple:
    """Returns array and AutogradMeta of an operand of an op of which not all are differentiable."""
    if is_differentiable:
        return operand._array, operand._meta
    return operand if type(operand) in bare_kinds else operand._array, None


def _usual_attrs(row) -> tuple:
    """Returns the attributes of a call that gives none."""
    given = [each for each in row.attrs.values() if each.default is not each.empty]
    return tuple([each.annotation(each.default) for each in given])


def _differs(row, slot: int) -> bool:
    """Says whether gradients go to an operand."""
    return row.is_differentiable and row.operands[slot].is_differentiable


def _keeper(row) -> Callable | None:
    """Returns the function that makes ``saved`` of a node of operands and result, and their arrays.

    None for a row that saves nothing.
    """
    places = [row.slots.get(name, len(row.operands)) for name in row.saves]

    def keep(tensors: tuple, arrays: tuple) -> tuple:
        saved = []
        for place in places:
            storage = getattr(tensors[place], "_storage", None)
            saved.append((arrays[place], storage, storage.version if storage else 0))
        return tuple(saved)

    return keep if places else None


def _kinds_keeper(row) -> Callable | None:
    """Returns the function that takes ``shapes`` of a node out of the operands' avals, one of C.

    None for a row that keeps none.
    """
    places = [row.slots[name] for name in row.shapes]
    if not places:
        return None
    return itemgetter(*places) if len(places) > 1 else itemgetter(slice(places[0], places[0] + 1))
