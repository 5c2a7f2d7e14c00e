"""The text of a tensor in a verbose log: ``{ Name, Dtype, Place, Shape ... ADInfo }``.

Note [Text by level]
    The level is that of the module which prints, or of the module ``utils`` if that is higher, so
    every line is as long as the user requested. 3: name, dtype, place and shape. 4: the pointers
    too. 6: unique names, the gradient, and the tensor's edges in the graph. 11: the values.
    (Paddle uses the level of the whole process or of its module ``utils`` alone, and shows
    neither dtype nor shape at 4.)

    A gradient that does not exist yet is called ``Tensor_``, then its pointer in hexadecimal.

    Pointers are numbers that only increase and are never reused: ``Tensor_Ptr`` is the Tensor,
    ``Tensor_Impl_Ptr`` the memory that views share.
"""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import numpy as np
from jax.core import Tracer
from jax.sharding import NamedSharding

from jaxeager.core.places import place_of
from jaxeager.debug.common import naming
from jaxeager.debug.common.placement_text import dist_lines
from jaxeager.graph import node as nodes
from jaxeager.kernels.lazy.pending import ready

if TYPE_CHECKING:
    from jaxeager.graph.meta import AutogradMeta, Edge
    from jaxeager.tensor.tensor import Tensor

# Operands of ops here that are attributes in Paddle, or a random generator.
_INTERNAL = frozenset("at column drawn group key order places rng_key row starts table".split())


class _Shown(NamedTuple):
    """The printed parts of one tensor from level 4 on."""

    name: str
    aval: Any
    pointer: int
    memory: int
    edge: AutogradMeta | Edge | None
    grad: Tensor | None


def tensor_text(value, level: int, name: str = "", edge=None) -> str:
    """Return the block of one tensor.

    Args:
        value: a Tensor, an array, a shape and dtype, or None for a tensor that holds nothing.
        level: that of the module that prints; see Note [Text by level].
        name: its name if it is not a Tensor; shown from level 6 on.
        edge: where its gradient goes, if it is not a Tensor; None if it needs no gradient.

    Example:
        >>> import jaxeager as paddle
        >>> print(tensor_text(paddle.zeros([2, 3]), 3).expandtabs(4).replace(" \\n", "\\n"))
        {
            Name: None,
            Type: DenseTensor,
            Dtype: float32,
            Place: Place(cpu),
            Shape: 2, 3,
            DistAttr: Unknown
        }
    """
    if level < 4:
        return _short_text(value, level)
    shown = _shown(value, level, name, edge)
    head = f"{{\n\tName: {shown.name},\n\tInitialized: {int(_has_value(shown.aval))},\n"
    head += f"\tTensor_Ptr:{shown.pointer:#x},\n\tTensor_Impl_Ptr: {_hex(shown.memory)}"
    if level < 6:
        return f"{head}, \n\tTensorInfo: [ {_body(shown.aval)}]}}"
    text = f"{head},\n\tTensorInfo: {{ {_body(shown.aval)}\n\t}},\n"
    if level >= 11:
        text += f"\tValue:{{ {_values(shown.aval)} }},\n"
    return f"{text}\tADInfo:{{ {_gradient(shown, level)}\n\t}}\n}}"


def _short_text(value, level: int) -> str:
    """Return the block of a tensor below level 4."""
    if hasattr(value, "_storage"):
        return f"{{\n\tName: {shown_name(value, level)}, {_info(value._array, 1)}\n}}"
    if value is None:
        return "{\n\tName: None, Unknown}"
    return f"{{\n\tName: None, {_info(value, 1)}\n}}"


def operand_text(value, level: int, name: str = "") -> str:
    """Return the text of an operand: a tensor, a list of them, or None if it was not passed."""
    if value is None:
        return "{ UnDefinedTensor }"
    if isinstance(value, (list, tuple)):
        return "[ " + "".join(f"{tensor_text(each, level, name)}, " for each in value) + " ]"
    return _short_text(value, level) if level < 4 else tensor_text(value, level, name)


def pairs_of(names, values, level: int) -> list[str]:
    """Return ``( x , {..})`` for every operand or output that has a name."""
    pairs = zip(names, values, strict=False)
    return [f"( {name} , {operand_text(value, level)})" for name, value in pairs if name]


def list_text(pairs: list[str]) -> str:
    """Return ``[ ( x , {..}),  ( y , {..}), ]``."""
    return "[ \n" + ",  \n".join(pairs) + ", ]" if pairs else "[]"


def pointer_of(thing: Any) -> int:
    """Return the number of a Tensor or array: assigned on first request, never reused."""
    thing = ready(thing)  # a pending array's number is that of its value
    number = getattr(thing, "_pointer", None)
    if number is None:
        if not hasattr(thing, "_storage") and not _is_array(thing):
            return 0
        number = nodes.next_pointer()
        setattr(thing, "_pointer", number)  # noqa: B010 - of an array
    return number


def shown_name(tensor, level: int) -> str:
    """Return the name shown for a Tensor: its own, or a unique one from level 6 on.

    A PyLayer's output has its unique name at every level.
    """
    made = getattr(tensor, "_call", None)
    if made is not None and (level >= 6 or isinstance(made[0], type)):
        return naming.name_of(tensor)
    return tensor._name or "None"  # Tensor.name would assign one


def _shown(value, level: int, name: str, edge) -> _Shown:
    if hasattr(value, "_storage"):
        meta = value._meta
        edge = None if meta is None or meta.stop_gradient else meta
        grad = None if edge is None else edge.grad
        own, memory = shown_name(value, level), nodes.pointer_of(value._storage)
        return _Shown(own, value._array, pointer_of(value), memory, edge, grad)
    shown = name if name and level >= 6 else "None"
    if value is None:
        return _Shown(shown, None, 0, 0, None, None)
    pointer = pointer_of(value)
    return _Shown(shown, value, pointer, pointer, edge, None)


def _hex(number: int) -> str:
    return f"{number:#x}" if number else "0"


# ---- contents


def _info(aval, depth: int) -> str:
    """Return type, dtype, place and shape, one per line."""
    if not _is_array_type(type(aval)):
        return _info_text(aval.shape, aval.dtype, place_text(aval), depth)
    known = aval.aval  # its attributes are faster to read than the array's
    sharding = aval.sharding
    if type(sharding) is NamedSharding:
        return _dist_text(aval, depth)
    return _info_text(known.shape, known.dtype, _place_of_sharding(sharding), depth)


def _dist_text(array, depth: int) -> str:
    """Return the same as ``_info``, for an array on a mesh of devices."""
    tabs = "\n" + "\t" * depth
    lines = ["Type: DistTensor", f"Dtype: {dtype_name(array.dtype)}", f"Place: {place_text(array)}"]
    return tabs + f",{tabs}".join([*lines, *dist_lines(array)])


@functools.lru_cache(4096)
def _info_text(shape: tuple, dtype, place: str, depth: int) -> str:
    tabs = "\n" + "\t" * depth
    lines = ["Type: DenseTensor", f"Dtype: {dtype_name(dtype)}", f"Place: {place}"]
    lines += [f"Shape: {', '.join(map(str, shape))}", "DistAttr: Unknown"]
    return tabs + f",{tabs}".join(lines)


def _is_array(aval) -> bool:
    """Return whether something is an array with values, not one that JAX traces."""
    return _is_array_type(type(aval))


@functools.lru_cache(64)
def _is_array_type(kind: type) -> bool:
    """Return the same for a type: JAX's instance check of an array takes three times as long."""
    return issubclass(kind, jax.Array) and not issubclass(kind, Tracer)


def _body(aval) -> str:
    return "Unknown " if aval is None else f"{_info(aval, 2)}\n\t "


def _has_value(aval) -> bool:
    return isinstance(aval, (jax.Array, np.ndarray, np.generic))


def dtype_text(aval) -> str:
    """Return "float32", an array's element type."""
    return dtype_name(aval.dtype)


@functools.cache  # NumPy is slow at naming its dtypes
def dtype_name(dtype) -> str:
    """Return "float32"."""
    return getattr(dtype, "name", None) or str(dtype)


def place_text(aval) -> str:
    """Return "Place(cpu)", where an array is.

    Example:
        >>> import jax.numpy as jnp
        >>> place_text(jnp.zeros(2)).startswith("Place(")
        True
    """
    if _is_array(aval):
        return _place_of_sharding(aval.sharding)
    if isinstance(aval, Tracer):  # inside a function that JAX traces
        return "Place(traced)"
    return "Place(cpu)" if isinstance(aval, (np.ndarray, np.generic)) else "Place(undefined)"


def _place_of_sharding(sharding) -> str:
    """Return the place of a sharding's arrays; it never changes, so the sharding caches it.

    A cache keyed by sharding would cost three times as much: they are compared in Python.
    """
    text = getattr(sharding, "_place_text", None)
    if text is None:
        text = repr(place_of(next(iter(sharding.device_set))))
        with contextlib.suppress(AttributeError):  # a kind without attributes
            sharding._place_text = text
    return text


def _values(aval) -> str:
    """Return the numbers of an array, as Paddle prints a DenseTensor."""
    if isinstance(aval, Tracer) or not _has_value(aval):
        return "None"
    try:
        data = " ".join([_number(each) for each in np.asarray(aval).reshape(-1)])
    except TypeError:  # a random key has no numeric values
        data = "..."
    shape = ", ".join(map(str, aval.shape))
    return (
        f"  - shape: [{shape}]\n  - layout: NCHW\n  - place: {place_text(aval)}\n"
        f"  - dtype: {dtype_text(aval)}\n  - data: [{data}]"
    )


def _number(value: np.generic) -> str:
    kind = value.dtype.kind
    if kind in "iub":
        return str(int(value))
    if kind == "c":
        return f"({value.real:g},{value.imag:g})"
    return f"{float(value):g}"


# ---- edges in the graph


def _gradient(shown: _Shown, level: int) -> str:
    """Return the text of ADInfo: the tensor's gradient, and the node that made it."""
    if shown.edge is None:
        return "None "
    node = shown.edge.node
    grad = _indented(shown.grad, level) if shown.grad is not None else _absent(shown, level)
    return (
        f"\n\t\tGrad:  {grad} ,\n\t\tGradNode:  \n\t\t\tBackwardOutMeta:   {_edges_text(node)}  ,\n"
        f"\t\t\tBackwardInMeta:   {_no_edges(_widths(node))}  \n\t\t\t ,\n"
        "\t\tStopGradient: [ 0 ] "
    )


def _indented(tensor, level: int) -> str:
    return tensor_text(tensor, level).replace("\n", "\n\t\t")


def _absent(shown: _Shown, level: int) -> str:
    """Return the text of the gradient that a tensor does not have yet, as Paddle names it.

    Its number is next to that of the tensor, or of its node: numbers of things are 64 apart.
    """
    node = None if shown.edge is None else shown.edge.node
    number = (shown.pointer or (0 if node is None else node.node_ptr())) + 32
    text = _absent_text(level).replace("Name: None", f"Name: Tensor_{number:x}", 1)
    return text.replace("Tensor_Ptr:0x0", f"Tensor_Ptr:{number:#x}", 1)


@functools.lru_cache(32)
def _absent_text(level: int) -> str:
    return _indented(None, level)


def _edges_text(node) -> str:
    """Return a node's edges per operand, none where no gradient is needed."""
    if node is None or node.is_leaf:
        return _no_edges((1,))
    edges = _by_rank(node)
    operands = getattr(node.op, "operands", None)
    if operands is None:
        return _slots(edges)
    found = dict(zip([operand.slot for operand in node.op.differentiable], edges, strict=True))
    return _slots([found.get(operand.slot, []) for operand in operands if is_users(operand)])


def is_users(operand) -> bool:
    """Return whether Paddle has an operand too, rather than only the op here."""
    return operand.is_differentiable or operand.name not in _INTERNAL


def _by_rank(node) -> list[list]:
    if node.ranks is None:
        given = getattr(node, "mask", None) or [True] * len(node.edges)
        pairs = zip(node.edges, given, strict=True)
        return [[] if is_wanted is None else [edge] for edge, is_wanted in pairs]
    slots, start = [], 0
    for rank in node.ranks:
        width = 1 if rank is None else rank
        slots.append(list(node.edges[start : start + width]))
        start += width
    return slots


def _widths(node) -> tuple[int, ...]:
    """Return how many tensors each output of a node has."""
    if node is None or node.is_leaf:
        return (1,)
    return (node.width,) if node.op.returns_list else (1,) * node.width


@functools.lru_cache(256)
def _no_edges(widths: tuple[int, ...]) -> str:
    """Return the text of slots with the given numbers of places and no edges."""
    return _slots([[None] * width for width in widths])


def _slots(slots: list[list]) -> str:
    tabs = "\n" + "\t" * 4
    is_stopping = any(edge is not None for slot in slots for edge in slot)
    text = f"{{{tabs}SlotSize: [{len(slots)}]: "
    for number, edges in enumerate(slots):
        stops = "".join("1, " if is_stopping and edge is None else "0, " for edge in edges)
        listed = "".join(map(_edge, edges))
        text += f"{tabs}SlotID: {number},{tabs}StopGradients: {stops},"
        text += f"{tabs}Edges[ {listed} ]\n"
    return f"{text}{tabs}}}"


def _edge(edge) -> str:
    if edge is None:
        return "{ NULL Edge }"
    node = edge.node
    return f" {{ [{edge.slot}, {edge.rank}]: [{node.node_ptr():#x}, {naming.node_name(node)}] }}, "
