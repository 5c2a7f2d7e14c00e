"""The path of a call of several tensors, or with several results: see Note [Closures]."""

# pyright: reportOptionalMemberAccess=false
from collections.abc import Callable

from jaxeager.core import dtypes
from jaxeager.graph.meta import AutogradMeta
from jaxeager.graph.mode import read_enabled
from jaxeager.graph.node import GradNode
from jaxeager.graph.views.storage import Storage
from jaxeager.ops.call.observers import cast_operands, early, lookers, show_result
from jaxeager.ops.call.operands import read, readers_of, scalar_array
from jaxeager.ops.call.plan import plan_of
from jaxeager.ops.call.recording import aval_of, mask_of, ranks_of, save_each
from jaxeager.ops.call.running import UNCOMMON

_new = object.__new__
_INEXACT = dtypes.FLOATS | dtypes.COMPLEX

Tensor: type = None  # type: ignore[assignment]  # as in wrapping.py, with one look-up less


def several_operands(row, general: Callable) -> Callable:
    """Return the function ``(operands, attrs, scalars)`` of an op of several tensors, or outputs.

    An operand that gets no gradient may be a bare array, an optional one None. Operands and the
    result may be lists of tensors.
    """
    plan = plan_of(row)
    kernels, record_kernels, count = plan.kernels, plan.record_kernels, plan.count
    is_differentiable, met = row.is_differentiable, plan.met
    needs_float = row.promote == "float" or row.check is not None
    kinds, most = plan.kinds, len(plan.tensors)
    kept = tuple([(place, _is_tensor(row, place)) for place in plan.kept])
    readers = readers_of(row)
    hidden, has_lists, returns_list = plan.hidden, row.has_lists, plan.returns_list
    all_wanted = (True,) * most

    def call(operands, attrs=(), scalars=()):
        if early:
            casted = cast_operands(row, operands)
            if casted is None:
                return general(plan, operands, attrs, scalars)
            operands = casted
        is_recording = is_differentiable and read_enabled()
        try:
            arrays, edges, wanted = read(readers, operands, is_recording)
            numbers = scalars
            if scalars:
                dtype = arrays[0].aval.dtype
                numbers = tuple([scalar_array(each, dtype) for each in scalars])
            if met is not None and (
                arrays[met[0]].aval.dtype is not arrays[met[1]].aval.dtype
                or (needs_float and arrays[met[0]].aval.dtype not in _INEXACT)
            ):
                out = None
            else:
                kernel = record_kernels[attrs] if wanted else kernels[attrs]
                out = kernel(*arrays, *numbers) if numbers else kernel(*arrays)
        except UNCOMMON:
            out = None
        if out is None:
            return general(plan, operands, attrs, scalars)

        outs = out if type(out) is tuple else (out,)
        node, tensors = None, []
        if wanted:
            node, avals = _new(GradNode), []
            for slot, array in enumerate(outs[:-hidden] if hidden else outs):
                tensor = _new(Tensor)
                tensor._array = array
                tensor._storage = storage = _new(Storage)
                storage.version = 0
                storage.sharers = None
                tensor._meta = meta = _new(AutogradMeta)
                meta.stop_gradient = False
                meta.grad = meta.zeros = None
                meta.node = node
                meta.slot, meta.rank = (0, slot) if returns_list else (slot, 0)
                tensors.append(tensor)
                avals.append(array.aval)
            node.op = row
            node.hooks = None
            node.attrs = attrs
            node.scalars = numbers
            node.edges = tuple(edges)
            node.mask = all_wanted if wanted == most else mask_of(plan, operands, edges)
            node.ranks = ranks_of(plan, operands) if has_lists else None
            node.released = False
            node.width = len(tensors)
            node.out_avals = tuple(avals)
            shapes, saved = [], []
            for slot in kinds:
                array = arrays[slot]
                shapes.append(aval_of(array) if array is None or has_lists else array.aval)
            node.shapes = tuple(shapes)
            for place, is_tensor in kept:
                if place < 0:
                    storage = tensors[~place]._storage if ~place < count else None
                    saved.append((outs[~place], storage, 0))
                elif is_tensor:
                    storage = operands[place]._storage
                    saved.append((arrays[place], storage, storage.version))
                elif arrays[place] is None:
                    saved.append(None)
                elif type(arrays[place]) is list:
                    saved.append(save_each(arrays[place], operands[place]))
                else:
                    storage = getattr(operands[place], "_storage", None)
                    saved.append((arrays[place], storage, storage.version if storage else 0))
            node.saved = tuple(saved)
        else:
            for array in outs:
                tensor = _new(Tensor)
                tensor._array = array
                tensor._storage = storage = _new(Storage)
                storage.version = 0
                storage.sharers = None
                tensor._meta = None
                tensors.append(tensor)
        if lookers:
            show_result(row, operands, attrs, tuple(tensors), node)
        if returns_list:
            return tensors
        return tensors[0] if count == 1 else tuple(tensors)

    return call


def _is_tensor(row, place: int) -> bool:
    """Return whether an operand is always a tensor: not a bare array, a list or None."""
    if place < 0:
        return False
    operand = row.operands[place]
    return operand.is_differentiable and not (operand.is_optional or operand.is_list)
