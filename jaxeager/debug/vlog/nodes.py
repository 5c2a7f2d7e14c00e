"""The part of the verbose log about the inputs, kernel and results of one node.

Note [Names in a node's lines]
    Paddle's generated code calls the gradient of ``x`` ``grad_x`` if the op's gradient can be
    differentiated again, and ``x_grad`` if it cannot; ``TWICE`` has the ops of the first kind. A
    node's inputs are listed gradients first, then saved tensors, operands before outputs.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.core import Tracer

from jaxeager.arrays.as_array import host_values
from jaxeager.debug.common import naming, tensor_text
from jaxeager.debug.vlog import vlog
from jaxeager.debug.vlog.kernel_text import (
    backend_of,
    dispatch_texts,
    kernel_text,
    kinds_of,
    operand_label,
)
from jaxeager.graph.meta import Edge
from jaxeager.ops.row import OpRow
from jaxeager.ops.rules.gradient_names import gradient_op

TWICE = frozenset(
    "abs acos add batch_norm bmm celu clip concat conv2d conv2d_transpose conv3d cos "
    "depthwise_conv2d divide elu exp expand gather gather_nd index_add index_put index_select "
    "instance_norm leaky_relu log masked_fill masked_select matmul maximum mean minimum "
    "multiply pad pad3d pool2d pow put_along_axis relu repeat_interleave "
    "repeat_interleave_with_tensor_index reshape rsqrt sigmoid silu sin slice softplus sqrt square "
    "squeeze stack subtract sum take_along_axis tanh tile transpose unsqueeze view_shape "
    "where".split()
)
# Gradients for which Paddle also has a composite rule; a line states that it is not used.
FUSED = frozenset(
    "abs_grad add_double_grad add_grad batch_norm_grad concat_grad cos_double_grad cos_grad "
    "cumprod_grad cumsum_grad divide_grad dropout_grad elementwise_pow_grad erf_grad exp_grad "
    "expand_grad floor_grad gather_nd_grad gelu_grad group_norm_grad instance_norm_grad "
    "layer_norm_grad leaky_relu_grad log_grad max_grad maximum_grad min_grad minimum_grad "
    "multiply_double_grad multiply_grad p_norm_grad pad_grad pow_double_grad pow_grad prod_grad "
    "relu_grad roll_grad rsqrt_grad scatter_grad scatter_nd_add_grad sigmoid_grad silu_grad "
    "sin_double_grad sin_grad slice_grad softmax_grad sqrt_grad stack_grad subtract_grad sum_grad "
    "tanh_double_grad tanh_grad tile_grad topk_grad transpose_grad".split()
)
_NEVER = 1000  # higher than any level
# Ops whose lines are from a separate file, and begin and end at other levels:
# module, level of the inputs, of the C++ call, of the last block.
_BY_HAND = {"multiply": ("multiply_node", 3, 3, 4), "conv2d": ("conv2d_nodes", _NEVER, 3, 4)}
_GENERATED = ("nodes", 5, 4, 6)


class Value(NamedTuple):
    """One tensor of a node's lines.

    Attributes:
        thing: its array, or its shape and dtype; None if there is none.
        edge: where its gradient goes; None if none is needed, or if it is itself a gradient.
        name: its unique name, "" when unknown.
    """

    thing: Any
    edge: Edge | None
    name: str


class Item(NamedTuple):
    """One name in a node's lines, with its tensor, or a list of its tensors."""

    label: str
    values: Value | list[Value]


def api_name(node) -> str:
    """Return the name of the op that computes a node's gradient: "add_grad", "pow_double_grad"."""
    row = node.op
    if not _is_row(row):
        return f"{getattr(row, 'name', None) or node.name()}_grad"
    return gradient_op(row.api_name)


def _is_row(row) -> bool:
    """Return whether a node's op is in the table; JAX functions and constants are not."""
    return isinstance(row, OpRow)


def lines_of(node) -> tuple[str, int, int, int]:
    """Return module and levels of the lines of a node's gradient: see ``_BY_HAND``."""
    return _BY_HAND.get(getattr(node.op, "api_name", ""), _GENERATED)


def grad_label(row, name: str) -> str:
    """Return the name of an operand's or output's gradient: Note [Names in a node's lines]."""
    is_twice = _is_row(row) and (row.order > 1 or row.api_name in TWICE)
    return f"grad_{name}" if is_twice else f"{name}_grad"


# ---- inputs and results of a node


def inputs_of(node, grads: list, kept: list[Item]) -> list[Item]:
    """Return the inputs of a node's kernel: gradients, then saved tensors; reversed for conv2d."""
    arrived = taken(node, grads)
    return kept + arrived if lines_of(node)[0] == "conv2d_nodes" else arrived + kept


def taken(node, grads: list) -> list[Item]:
    """Return the gradients that a node received; shape and dtype for missing ones."""
    row, avals = node.op, node.out_avals
    found = [
        Value(avals[position] if grad is None else grad, None, _grad_name(node, position))
        for position, grad in enumerate(grads[: len(avals)])
    ]
    if row.returns_list:
        return [Item("grad_grad" if row.order > 1 else grad_label(row, row.outputs[0]), found)]
    names = row.outputs if _is_row(row) else [f"out{n}" for n in range(len(found))]
    return [
        Item(grad_label(row, name), value)
        for name, value, aval in zip(names, found, avals, strict=True)
        if jnp.issubdtype(aval.dtype, jnp.inexact) or value.thing is not aval
    ]


def _grad_name(node, position: int) -> str:
    return naming.grad_name(edge_to(node, position))


def edge_to(node, position: int) -> Edge:
    """Return the edge to one of a node's outputs, by its flat position."""
    return Edge(node, 0, position) if node.op.returns_list else Edge(node, position)


def saved(node) -> list[Item]:
    """Return the tensors a node saved in forward, operands before outputs."""
    row = node.op
    if not _is_row(row):
        return []
    kept = dict(zip(row.shapes, node.shapes, strict=False))
    kept |= dict(zip(row.saves, node.saved, strict=False))
    order = [operand.name for operand in row.operands if tensor_text.is_users(operand)]
    order += [*row.outputs, *row.hidden]
    return [Item(_label(row, n), _values(node, n, kept[n])) for n in order if n in kept]


def _label(row, name: str) -> str:
    """Return an operand's name; ``dout`` in a gradient's row is ``grad_out``."""
    if row.order > 1 and row.slots.get(name, 0) >= len(row.slots) - 1 and name.startswith("d"):
        return f"grad_{name[1:]}"
    return operand_label(row, name)


def _values(node, name: str, kept) -> Value | list[Value]:
    row = node.op
    slot = row.output_slots.get(name)
    if name not in row.slots and slot is not None:
        edge = Edge(node, slot)
        if slot < len(row.outputs):
            return Value(_thing(kept), edge, naming.edge_name(edge))
        call = naming.call_of(node)
        shown = _thing(kept)
        return Value(shown, edge, naming.output_name(call, name, shown) if call else "")
    edges = _edges_of(node, name)
    is_list = isinstance(kept, list) or (type(kept) is tuple and name in row.shapes)
    each_kept = kept if is_list else [kept]
    edges = edges or [None] * len(each_kept)
    names = getattr(node, "notes", {}).get("operands", {}).get(name) or [""] * len(each_kept)
    found = [
        Value(_thing(each), edge, _edge_name(edge) or other)
        for each, edge, other in zip(each_kept, edges, names, strict=True)
    ]
    return found if is_list else found[0]


def remember(node, operands: tuple) -> None:
    """Store the names of operands without a gradient in a new node's notes."""
    row, names = node.op, {}
    if not _is_row(row):  # a JAX function of the user
        return
    for operand, value in zip(row.operands, operands, strict=True):
        values = value if operand.is_list else [value]
        if operand.name in row.saves or operand.name in row.shapes:
            names[operand.name] = [_shown_name(each) for each in values]
    node.notes["operands"] = names


def _shown_name(value) -> str:
    """Return a Tensor's name, without assigning one; "" if it has none."""
    if not hasattr(value, "_storage"):
        return ""
    return tensor_text.shown_name(value, 6).replace("None", "")


def _edge_name(edge: Edge | None) -> str:
    return "" if edge is None else naming.edge_name(edge)


def _thing(kept):
    """Return the array of a saved tensor, or its shape and dtype; packed ones stay packed."""
    if kept is None or isinstance(kept, jax.Array):
        return kept
    thing = kept[0] if type(kept) is tuple else kept
    return thing if isinstance(thing, jax.Array) else jax.ShapeDtypeStruct(thing.shape, thing.dtype)


def _edges_of(node, name: str) -> list:
    """Return the edges of an operand's tensors; none for an operand without gradients."""
    start = 0
    for position, operand in enumerate(node.op.differentiable):
        width = None if node.ranks is None else node.ranks[position]
        count = 1 if width is None else width
        if operand.name == name:
            return list(node.edges[start : start + count])
        start += count
    return []


def made(node, results) -> list[Item]:
    """Return a node's resulting gradients, per operand."""
    row = node.op
    flat = [
        Value(grad, None, "" if edge is None else naming.grad_name(edge))
        for grad, edge in zip(results, node.edges, strict=True)
    ]
    if not _is_row(row):
        return [Item(f"in{position}_grad", value) for position, value in enumerate(flat)]
    items, start = [], 0
    for position, operand in enumerate(row.differentiable):
        width = None if node.ranks is None else node.ranks[position]
        values = flat[start : start + (1 if width is None else width)]
        start += len(values)
        label = grad_label(row, operand_label(row, operand.name))
        items.append(Item(label, values[0] if width is None else values))
    return items


# ---- their text


def inputs_text(items: list[Item], module: str, end: str = "]} ") -> str:
    """Return the block that lists a node's inputs."""
    texts = [f"( {item.label} , {_input_text(item, module)}), " for item in items]
    return "{ Input: [ \n" + " \n".join(texts) + end


def results_text(inputs: list[Item], outputs: list[Item], module: str) -> str:
    """Return the block that lists a node's inputs and results."""
    texts = [f" ( {item.label} , [{_item_text(item, module)}]), " for item in outputs]
    end = "],  \n" if module == "multiply_node" else "]  \n"
    return inputs_text(inputs, module, end) + " Output: [ \n" + " \n".join(texts) + "] } "


def _input_text(item: Item, module: str) -> str:
    if isinstance(item.values, Value) and item.values.thing is None:
        return "{ UnDefinedTensor }"
    return f"[{_item_text(item, module)}]"


def _item_text(item: Item, module: str) -> str:
    if isinstance(item.values, list):
        return list_text(item.values, module)
    return value_text(item.values, module)


def list_text(values: list[Value], module: str) -> str:
    """Return the text of a list of tensors."""
    return "[ " + "".join(f"{value_text(value, module)}, " for value in values) + " ]"


def value_text(value: Value, module: str) -> str:
    """Return the block of one tensor, as long as the level of the module that prints it."""
    return tensor_text.tensor_text(
        value.thing, vlog.text_level(module), name=value.name, edge=value.edge
    )


# ---- kernels


def kernel_texts(node, inputs: list[Item]) -> tuple[str, str]:
    """Return the two lines about the kernel and its inputs."""
    row, name = node.op, api_name(node)
    found = [value.thing for item in inputs for value in _flat(item) if value.thing is not None]
    given = [tensor_text.dtype_text(thing) for thing in found]
    backend = backend_of([thing for thing in found if isinstance(thing, jax.Array)])
    is_first = _is_row(row) and row.order == 1
    kinds = kinds_of(row, name) if is_first else ()
    return (
        f"{name} API kernel key: [{backend}, NCHW, {given[0] if given else 'Undefined'}]",
        kernel_text(name, (backend, "NCHW"), tuple(given), tuple(_result_dtypes(node)), kinds),
    )


def _result_dtypes(node) -> list[str]:
    """Return the dtypes of a node's resulting gradients."""
    found = []
    for edge, aval in zip(node.edges, node.op.input_avals(node), strict=True):
        if edge is None:
            continue
        if aval is not None:
            found.append(tensor_text.dtype_name(aval[1]))
        else:  # nothing of the operand is stored: its gradient has the result's dtype
            found.append(tensor_text.dtype_text(node.out_avals[0]))
    return found


def _flat(item: Item) -> list[Value]:
    return item.values if isinstance(item.values, list) else [item.values]


def dispatched(inputs: list[Item]) -> list[str]:
    """Return a line per tensor of a node's kernel with the device whose kernels are searched."""
    things = [value.thing for item in inputs for value in _flat(item)]
    return dispatch_texts([each for each in things if isinstance(each, jax.Array)])


def versions(node) -> dict[int, tuple[int, int]]:
    """Return, by the array that a node has saved, the version when saved and the current one."""
    found = {}
    for wrapper in node.saved:
        each = wrapper if isinstance(wrapper, list) else [wrapper]
        for saved in each:
            if type(saved) is tuple and len(saved) == 3 and saved[1] is not None:
                array, storage, version = saved
                found[id(array)] = version, storage.version
    return found


def is_ones(array) -> bool:
    """Return whether an array is all ones, like the default initial gradient."""
    if array.size == 0 or isinstance(array, Tracer):
        return True
    return bool((host_values(array) == 1).all())
