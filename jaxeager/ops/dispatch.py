"""A forward call, in five stages: parse, promote, find the kernel, run it, record.

``call`` runs them for any row and any argument. What a user's call goes through first is written
per row by binding.py: the same stages for the common case, and this module for every other. Here
tools are told of every stage (watched.py): ``watched`` is an events.Call then, and None otherwise.
"""

import jax
import numpy as np

from jaxeager import dtypes
from jaxeager.arrays import on_device
from jaxeager.errors import InvalidArgumentError, InvalidOperandError, InvalidTypeError
from jaxeager.graph import events, views
from jaxeager.graph.events import tell
from jaxeager.graph.memory import add_view
from jaxeager.graph.meta import AutogradMeta, Edge, gradient_edge
from jaxeager.graph.mode import grad_mode
from jaxeager.graph.node import GradNode
from jaxeager.graph.packed import pack_node
from jaxeager.graph.saved import save
from jaxeager.graph.stale import raw_array, wants
from jaxeager.graph.storage import Storage
from jaxeager.graph.traced import note_write
from jaxeager.ops import fitting, promotion
from jaxeager.ops.bad_operands import bad_item, bad_operand, beside_operator
from jaxeager.ops.kernels import constant_array, forward_kernel
from jaxeager.ops.watched import run_kernel, run_watched, show, watched_call

_new = object.__new__

Tensor: type = None  # type: ignore[assignment]  # set by tensor.py, which stands above this room


def set_tensor_class(tensor_class: type) -> None:
    """Tells dispatch which class its results are."""
    global Tensor
    Tensor = tensor_class


def wrap(array: jax.Array, stop_gradient: bool = True):
    """Returns a Tensor of an array, in a Storage of its own. About 0.15 us."""
    tensor = _new(Tensor)
    tensor._array = array
    storage = tensor._storage = _new(Storage)
    storage.version = 0
    storage.sharers = None
    tensor._meta = None if stop_gradient else leaf_meta()
    return tensor


def leaf_meta() -> AutogradMeta:
    """Returns the AutogradMeta of a new leaf that wants a gradient."""
    meta = AutogradMeta(False)
    if events.leaf_made is not None:
        events.leaf_made(meta)
    return meta


# ---- stage 1: parse


def operand_array(row, operand, value):
    """Returns the array (None, or list of arrays) an operand's value stands for.

    Raises:
        InvalidOperandError: when it is no Tensor and no jax.Array.
    """
    try:
        return value._array
    except AttributeError:
        pass
    if operand.is_list:
        return _list_arrays(row, operand, value)
    if isinstance(value, jax.Array):
        return value
    if value is None and operand.is_optional:
        return None
    raise bad_operand(row.name, operand.name, operand.slot, value)


def _list_arrays(row, operand, values) -> list:
    if not isinstance(values, (list, tuple)):
        raise bad_operand(row.name, operand.name, operand.slot, values, "list of Tensors")
    arrays = []
    for rank, value in enumerate(values):
        array = getattr(value, "_array", None)
        if array is None:
            if not isinstance(value, jax.Array):
                raise bad_item(row.name, operand.name, operand.slot, rank, value)
            array = value
        arrays.append(array)
    return arrays


_scalar_cache: dict = {}


def scalar_array(value, dtype: np.dtype):
    """Returns a number as a 0-D array of the dtype an op computes in; None stays None.

    The arrays are cached: making one costs ten times a dictionary look-up. (b)float16 operands
    meet float32 scalars.
    """
    if value is None:
        return None
    try:
        array = _scalar_cache.get((value, dtype))
    except TypeError:  # a Tensor compares element by element, a list has no hash
        array = None
    if array is None:
        if dtype in dtypes.HALF:
            return scalar_array(value, np.dtype("float32"))
        if type(value) not in promotion.NUMBERS:
            return _scalar_from_tensor(value, dtype)
        array = scalar_of_dtype(value, dtype)
    return array


def scalar_of_dtype(value, dtype: np.dtype) -> jax.Array:
    """Returns a number as a 0-D array of exactly ``dtype``, from the cache when it is there."""
    key = (value if value else repr(value), dtype)  # 0.0 and -0.0 are equal, and not the same
    array = _scalar_cache.get(key)
    if array is None:
        if len(_scalar_cache) >= 4096:
            _scalar_cache.clear()
        array = _scalar_cache[key] = constant_array(fitting.host_number(value, dtype))
    return array


def _scalar_from_tensor(value, dtype: np.dtype):
    array = value._array if hasattr(value, "_storage") else value
    if not isinstance(array, (jax.Array, np.ndarray)) or array.size != 1:
        raise InvalidTypeError(
            f"This argument must be a number or a Tensor of one element, but received {value!r}."
        )
    return on_device(array).reshape(()).astype(dtype)


# ---- stage 2: promote


def promote(row, operands: tuple) -> tuple:
    """Returns the operands after type promotion; a cast is recorded as an op of its own."""
    if row.promote == "float":
        return (promote_to_float(operands[0]), *operands[1:])
    return _promote_pairwise(row, operands)


def promote_to_float(x):
    """Returns x, an integer or bool tensor as the default floating dtype, by a recorded cast."""
    if hasattr(x, "_storage"):
        dtype = x._array.dtype
        if not (dtype in dtypes.FLOATS or dtype in dtypes.COMPLEX):
            return cast(x, dtypes.default_float())
    return x


def _promote_pairwise(row, operands: tuple) -> tuple:
    """Brings the operands named x and y to one dtype."""
    i, j = row.slots["x"], row.slots["y"]
    x, y = operands[i], operands[j]
    if hasattr(x, "_storage") and hasattr(y, "_storage") and x._array.dtype == y._array.dtype:
        return operands
    x = _as_operand(row, "x", operands[i], operands[j])
    y = _as_operand(row, "y", operands[j], operands[i])
    x_array, y_array = raw(x), raw(y)
    if x_array.dtype != y_array.dtype:
        if x is x_array or y is y_array:  # a number: it has the dtype both meet in
            target = x_array.dtype if x is x_array else y_array.dtype
        else:
            target = promotion.common_dtype(x_array, y_array, row.promote == "binary")
        x = x if x_array.dtype == target else cast(x, target)
        y = y if y_array.dtype == target else cast(y, target)
    if events.has_ops and not grad_mode.silent:
        x, y = _shown_number(row, x, y), _shown_number(row, y, x)
    promoted = list(operands)
    promoted[i], promoted[j] = x, y
    return tuple(promoted)


def raw(value):
    """Returns the array of a tensor, or the array itself."""
    return value._array if hasattr(value, "_storage") else value


def _shown_number(row, value, other):
    """Returns a number beside a tensor as the tensor that Paddle makes of it, for tools to see."""
    if hasattr(value, "_storage") or value.ndim or not hasattr(other, "_storage"):
        return value
    from jaxeager.ops.sources import number_tensor

    shape = other._array.shape
    if row.name == "floor_divide" and shape:
        shape = (1,)
    return number_tensor(value, value.dtype, shape)


def _as_operand(row, name: str, value, other):
    """Turns a Python number beside a tensor into an operand."""
    if hasattr(value, "_storage") or isinstance(value, jax.Array):
        return value
    if type(value) in promotion.NUMBERS and hasattr(other, "_storage"):
        return scalar_of_dtype(*fitting.operand(row.name, value, raw(other).dtype))
    raise bad_operand(row.name, name, row.slots[name], value, "int, float, bool or Tensor")


def cast(x, dtype: np.dtype):
    """Casts a tensor with the recorded ``cast`` op, or a raw array without one."""
    if hasattr(x, "_storage"):
        from jaxeager.ops.row import ROWS

        return ROWS["cast"].function(x, dtype)
    return x.astype(dtype)


# ---- stage 5: record


def wants_grad(row, operands: tuple) -> bool:
    """Says whether a gradient is wanted of any operand."""
    for operand in row.differentiable:
        value = operands[operand.slot]
        for tensor in value if operand.is_list else (value,):
            if wants(getattr(tensor, "_meta", None)):
                return True
    return False


def edge_of(tensor) -> Edge | None:
    """Returns the edge a tensor's gradient goes along, None when none is wanted."""
    meta = getattr(tensor, "_meta", None)
    if meta is None or meta.stop_gradient:
        return None
    return gradient_edge(meta, tensor.__dict__.get("_name"))


def record(row, operands: tuple, arrays: list, attrs: tuple, scalars: tuple, outs: list):
    """Makes the GradNode of a call.

    Args:
        row: the op.
        operands: tensors (or arrays, None, lists) as given.
        arrays: their arrays.
        attrs: static attributes.
        scalars: run-time scalars, as arrays.
        outs: (array, Storage or None) per output, hidden ones included.

    Returns:
        the node.
    """
    node = _new(GradNode)
    node.op = row
    node.attrs = attrs
    node.scalars = scalars
    node.released = False
    if row.has_lists:
        node.ranks = tuple(
            [len(operands[o.slot]) if o.is_list else None for o in row.differentiable]
        )
        node.edges = tuple(
            edge_of(tensor)
            for o in row.differentiable
            for tensor in (operands[o.slot] if o.is_list else (operands[o.slot],))
        )
    else:
        node.ranks = None
        node.edges = tuple([edge_of(operands[o.slot]) for o in row.differentiable])
    node.mask = tuple([edge is not None for edge in node.edges])
    if row.has_optional and not row.has_lists:
        given = [operands[o.slot] is not None for o in row.differentiable]
        node.mask = tuple([m if g else None for m, g in zip(node.mask, given, strict=True)])
    node.saved = tuple([_save(row, name, operands, arrays, outs) for name in row.saves])
    node.shapes = tuple([_aval(arrays[row.slots[name]]) for name in row.shapes])
    count = len(outs) - len(row.hidden)
    node.out_avals = tuple([array.aval for array, _ in outs[:count]])
    node.width = count
    return node


def _save(row, name: str, operands: tuple, arrays: list, outs: list):
    slot = row.slots.get(name)
    if slot is None:
        return save(*outs[row.output_slots[name]])
    array, value = arrays[slot], operands[slot]
    if array is None:
        return None
    if isinstance(array, list):
        return [save(a, getattr(v, "_storage", None)) for a, v in zip(array, value, strict=True)]
    return save(array, getattr(value, "_storage", None))


def _aval(array):
    if array is None:
        return None
    return tuple([each.aval for each in array]) if isinstance(array, list) else array.aval


def attach(tensor, node: GradNode, slot: int, rank: int) -> None:
    """Makes a tensor an output of a node."""
    tensor._meta = AutogradMeta(False, node, slot, rank)


# ---- the whole call


def _compute(row, operands, attrs, scalars, watched: events.Call | None, is_inplace=False):
    """Runs stages 1 to 4.

    Returns:
        operands after promotion, their arrays, scalars as arrays, whether to record, and a tuple of
        the output arrays, hidden ones among them when recording.
    """
    if row.promote is not None:
        operands = promote(row, operands)
    arrays = [operand_array(row, o, v) for o, v in zip(row.operands, operands, strict=True)]
    if scalars:
        dtype = arrays[0].dtype
        scalars = tuple([scalar_array(value, dtype) for value in scalars])
    recording = row.is_differentiable and grad_mode.enabled and wants_grad(row, operands)
    if watched is not None:
        watched.operands, watched.arrays, watched.scalars = operands, arrays, scalars
        watched.is_recorded = recording
        tell(events.operands_ready, watched)
    kernel = forward_kernel(row, attrs, recording)
    if watched is None:
        out = run_kernel(row, kernel, arrays, scalars, is_inplace)
    else:
        out = run_watched(row, kernel, arrays, scalars, watched)
    if grad_mode.traced and grad_mode.watching and not grad_mode.enabled:
        out = jax.lax.stop_gradient(out)
    return operands, arrays, scalars, recording, out if type(out) is tuple else (out,)


def call(row, operands: tuple, attrs: tuple = (), scalars: tuple = ()):
    """Runs an op out of place and returns its tensors: one, a tuple, or a list.

    Raises:
        InvalidOperandError: for an operand that is no Tensor.
        InvalidTypeError: for dtypes that do not promote.
        InvalidArgumentError: for shapes or attributes the op cannot take.
    """
    if events.has_stages and not grad_mode.silent:
        return watched_call(_call, row, operands, attrs, scalars, False)
    return _call(row, operands, attrs, scalars)


def call_operator(row, operands: tuple, attrs: tuple = (), scalars: tuple = ()):
    """Runs an op as ``call`` does, for an operator: as in Paddle it takes NumPy arrays as well."""
    taken = [wrap(on_device(v)) if isinstance(v, np.ndarray) else v for v in operands]
    try:
        return call(row, tuple(taken), attrs, scalars)
    except InvalidOperandError as error:
        raise beside_operator(error) from None


def _call(row, operands: tuple, attrs: tuple, scalars: tuple, watched=None):
    if grad_mode.amp is not None:
        operands = grad_mode.amp.cast_operands(row, operands)
    operands, arrays, scalars, recording, out = _compute(row, operands, attrs, scalars, watched)
    count = len(out) - len(row.hidden) if recording else len(out)
    show(events.kernel_ran, row, operands, attrs, out[:count], False)
    tensors = [wrap(array) for array in out[:count]]
    if row.view is not None and hasattr(operands[0], "_storage"):
        _share_memory(row, operands[0], arrays, attrs, tensors, recording)
    node = None
    if recording:
        outs = [(t._array, t._storage) for t in tensors]
        outs += [(array, None) for array in out[count:]]
        node = record(row, operands, arrays, attrs, scalars, outs)
        for position, tensor in enumerate(tensors):
            attach(tensor, node, *((0, position) if row.returns_list else (position, 0)))
        show_node(node, watched)
    show(events.op_ran, row, operands, attrs, tuple(tensors), node, False)
    if row.returns_list:
        return tensors
    return tensors[0] if len(tensors) == 1 else tuple(tensors)


def _share_memory(row, base, arrays: list, attrs: tuple, tensors: list, recording: bool) -> None:
    """Makes the outputs of a view row share the first operand's memory."""
    is_cut = not recording and wants_grad(row, (base, *arrays[1:]))
    for position, tensor in enumerate(tensors):
        found = (row, attrs, tuple(arrays[1:]))
        if row.view.part is not None:
            static = dict(zip(row.attrs, attrs, strict=True))
            found = row.view.part(arrays[0].shape, position, **static)
        add_view(tensor, base, *found, is_cut)


def show_node(node: GradNode, watched: events.Call | None = None) -> None:
    """Lets this thread's hooks on saved tensors, and what follows the call, see a new node."""
    if grad_mode.saved_hooks is not None:
        pack_node(node, grad_mode.saved_hooks)
    if events.take_stack is not None:
        node.stack = events.take_stack()
    if watched is not None:
        watched.node = node
        tell(events.node_made, watched)


def check_inplace(target, what: str = "Leaf Var", writes: bool = True) -> None:
    """Raises when a tensor may not be written in place: a leaf that gradients are wanted of.

    Args:
        target: the tensor; a view of such a leaf may not be written either.
        what: how the message begins.
        writes: False when only its shape is to change.
    """
    if not grad_mode.enabled:
        return
    meta = target._meta
    if meta is not None and not meta.stop_gradient and meta.is_leaf() and not meta.is_lent:
        raise InvalidArgumentError(
            f"{what} ({target.name}) that doesn't stop gradient can't use inplace strategy."
        )
    if writes and target._storage.sharers is not None:
        views.check_no_leaf_above(target, what)


def call_inplace(row, operands: tuple, attrs: tuple = (), scalars: tuple = ()):
    """Runs an op and writes its output into the first operand, which it returns.

    The tensor's version moves by one and it becomes an output of the new node. Nothing is changed
    when an error is raised.

    Raises:
        InvalidArgumentError: for a leaf that requires grad, or when the output has another shape
            because operands broadcast.
    """
    if events.has_stages and not grad_mode.silent:
        return watched_call(_call_inplace, row, operands, attrs, scalars, True)
    return _call_inplace(row, operands, attrs, scalars)


def _call_inplace(row, operands: tuple, attrs: tuple, scalars: tuple, watched=None):
    target = operands[0]
    if not hasattr(target, "_storage"):
        raise bad_operand(f"{row.name}_", row.operands[0].name, 0, target)
    check_inplace(target, writes=row.view is None)
    computed = _compute(row, operands, attrs, scalars, watched, True)
    operands, arrays, scalars, recording, outs = computed
    out, *hidden = outs
    if row.broadcast and out.shape != target._array.shape:
        raise InvalidArgumentError(
            f"The shape of broadcast output {list(out.shape)} is different from that of inplace "
            f"tensor {list(target._array.shape)} in the Inplace operation."
        )
    show(events.kernel_ran, row, operands, attrs, (out,), True)
    if grad_mode.written is not None:
        note_write(target)
    storage, node = target._storage, None
    version = storage.version
    try:
        storage.version = version + row.moves_version
        meta = views.KEEP
        if recording:
            outs = [(out, storage), *((array, None) for array in hidden)]
            node = record(row, operands, arrays, attrs, scalars, outs)
            _unchecked_target(row, node, operands, arrays[0], storage)
            show_node(node, watched)
            meta = AutogradMeta(False, node, 0, 0)
        elif grad_mode.enabled and wants(target._meta):
            from jaxeager.ops.elementwise.overwriting import overwritten

            meta = overwritten(target, out)  # see Note [Overwritten values]
        _write(row, target, out, meta, attrs, arrays)
    except BaseException:
        if raw_array(target) is not out:  # see Note [Interrupts] in graph/at_once.py
            storage.version = version
        raise
    show(events.op_ran, row, operands, attrs, (target,), node, True)
    show(events.op_wrote, row, target)
    return target


def _write(row, target, out, meta, attrs: tuple, arrays: list) -> None:
    """Gives the target of an in-place op its value, and everything that shares its memory."""
    if row.view is not None:
        views.move(target, row, attrs, tuple(arrays[1:]), out, meta)
    elif target._storage.sharers is None:
        views.assign(target, out, meta)
    else:
        views.write_shared(target, out, meta, grad_mode.enabled)


def _unchecked_target(row, node: GradNode, operands: tuple, old, storage: Storage) -> None:
    """Saves the overwritten operand as its old array, unchecked: see Note [Version snapshots].

    Where the same tensor is another operand too it keeps the version from before the write, and
    backward says so, as Paddle does.
    """
    saved = list(node.saved)
    for position, name in enumerate(row.saves):
        slot = row.slots.get(name)
        if slot == 0:
            saved[position] = save(old, None)
        elif slot is not None and getattr(operands[slot], "_storage", None) is storage:
            array, _, version = saved[position]
            saved[position] = array, storage, version - 1
    node.saved = tuple(saved)
