"""Jitted kernels for a row and its static attributes: the forward kernel and the VJP kernels.

A VJP kernel is built per set of wanted gradients (a mask), so that XLA never computes or returns an
unwanted one: an output costs about 0.8 us on a CPU, as much as the tape itself.
"""

# Functions of JAX have partly unknown types.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import inspect
import weakref
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.as_array import on_device
from jaxeager.core.weak_entries import removing_ref
from jaxeager.graph.saved import kind_of
from jaxeager.kernels.executables import Origin
from jaxeager.kernels.tracing import jit
from jaxeager.ops.call.host_kernels import HostKernel
from jaxeager.ops.rules.cpu_reductions import reduces_on_cpu
from jaxeager.ops.rules.far_places import with_far_places
from jaxeager.ops.rules.long_scatters import scatters_in_float64
from jaxeager.ops.rules.wide_sums import adds_in_float32

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from jaxeager.graph.node import GradNode
    from jaxeager.ops.call.types import (
        Arrays,
        Attrs,
        Aval,
        Items,
        Kernel,
        Mask,
        Named,
        Outs,
        Ranks,
        Rule,
        Shapes,
        Value,
    )
    from jaxeager.ops.row import Operand, OpRow


def forward_rule(row: OpRow, attrs: Attrs, with_hidden: bool = False) -> Rule:
    """Return the pure function of (operands..., scalars...) that the forward kernel jits.

    The function returns one array for a row of one output, else a tuple; hidden outputs only with
    ``with_hidden``.
    """
    static = dict(zip(row.attrs, attrs, strict=True))
    count = len(row.operands)
    names = [operand.name for operand in row.operands]
    visible = len(row.outputs)
    one_output = visible == 1 and not row.returns_list

    def rule(*arrays: Value) -> Outs:
        scalars = dict(zip(row.scalars, arrays[count:], strict=True))
        operands = with_far_places(row, dict(zip(names, arrays, strict=False)))
        out = row.forward(*operands.values(), **static, **scalars)
        if row.hidden and not with_hidden:
            return out[0] if one_output else tuple(out[:visible])
        return out if one_output and not row.hidden else tuple(out)

    rule.__name__ = rule.__qualname__ = row.name
    return _exact_and_fast(rule)


def _exact_and_fast(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Return a rule whose long sums are exact, and fast on a CPU: the notes of its three parts."""
    return scatters_in_float64(reduces_on_cpu(adds_in_float32(rule)))


def forward_kernel(row: OpRow, attrs: Attrs, with_hidden: bool = False) -> Kernel:
    """Return the jitted forward kernel, built once per attributes and kept on the row."""
    kernels = row.record_kernels if with_hidden else row.forward_kernels
    kernel = kernels.get(attrs)
    if kernel is None:
        rule = forward_rule(row, attrs, with_hidden and bool(row.hidden))
        origin = origin_of(row, "forward", attrs, with_hidden)
        kernel = kernels[attrs] = jitted(row, rule, attrs, origin)
    return kernel


def jitted(row: OpRow, rule: Rule, attrs: Attrs, origin: Origin | None) -> Kernel:
    """Return the kernel of one of a row's rules."""
    kernel = jit(rule, attrs, origin=origin)
    return HostKernel(kernel, rule.__name__, row.host_on) if row.host_on else kernel


# Ops whose quick code was slower than the full one from 2**14 elements on (kernels/tiers.py,
# Note [Tiers]): they move distant elements next to each other, and sum in forward or backward;
# the last three loop over vectors.
_FULL_SOON = frozenset(
    "transpose dropout argmax argmin embedding embedding_of_rows gather gather_nd index_select "
    "take_along_axis put_along_axis scatter scatter_nd_add index_add index_put "
    "index_elementwise_get index_elementwise_put index_elementwise_put_with_tensor "
    "masked_select logcumsumexp cummax cummin".split()
)


def origin_of(row: OpRow, *what: object) -> Origin | None:
    """Return the identity of a row's kernel, which is the same in every process.

    None for a row that is not written in this package: its source may change.
    """
    if not _is_of_package(row):
        return None
    rules = (row.forward, row.vjp, row.hidden_vjp)
    written = [getattr(rule, "__qualname__", "") for rule in rules]  # rows may have one name
    elements = 2**20 if "conv" in row.name else 2**14 if row.name in _FULL_SOON else 2**18
    return Origin((row.name, *written, *what), elements)


def _is_of_package(row: OpRow) -> bool:
    """Return whether a row, and the row that it is the gradient of, are from this package."""
    below = getattr(row.forward, "differentiates", None)
    rules = (row.forward, row.vjp, row.hidden_vjp)
    return all(map(_is_ours, rules)) and (below is None or _is_of_package(below))


def _is_ours(rule: Rule | None) -> bool:
    """Return whether a rule is from this package, by its ``__module__`` and by its globals.

    The two differ for a wrapper, which has the ``__module__`` of the function it wraps.
    """
    written_in = getattr(rule, "__globals__", {}).get("__name__", "jax.")
    modules = (getattr(rule, "__module__", "jax."), written_in)
    return all(module.startswith(("jaxeager.ops.", "jax.")) for module in modules)


def vjp_rule(row: OpRow, attrs: Attrs, mask: Mask, shapes: Shapes, ranks: Ranks) -> Rule:
    """Return the pure function that a VJP kernel jits.

    Args:
        row: the op.
        attrs: its static attributes, in order.
        mask: whether the gradient is wanted, per differentiable input tensor (flat).
        shapes: (shape, dtype) per name in ``row.shapes`` (a tuple of them for a list, None for
            an operand that is None).
        ranks: the length of the list, or None, per differentiable operand; None without lists.

    Returns:
        a function of (saved..., scalars..., output gradients...) that returns a tuple with the
        gradient of each differentiable input, None for those not wanted.
    """
    rule = _derived if row.is_derived else _written
    return _gradient_rule(row, attrs, mask, shapes, ranks, rule, f"{row.name}_grad")


def with_zeros(rule: Rule, absent: Shapes) -> Rule:
    """Return a VJP rule that makes the missing gradients of outputs itself.

    Filling them and reading them again would cost two kernels, and neither is needed.

    Args:
        rule: the result of ``vjp_rule``.
        absent: (shape, dtype) of a gradient that is zeros, None for one that is given, per output.

    Returns:
        a function of (saved..., scalars..., the output gradients that are given...).
    """
    given = absent.count(None)

    def kernel(*arrays: Value) -> Outs:
        kept = len(arrays) - given
        grads = iter(arrays[kept:])
        whole = [next(grads) if each is None else jnp.zeros(*each) for each in absent]
        return rule(*arrays[:kept], *whole)

    kernel.__name__ = kernel.__qualname__ = rule.__name__
    return kernel


def hidden_vjp_rule(row: OpRow, attrs: Attrs, mask: Mask, shapes: Shapes, ranks: Ranks) -> Rule:
    """Return the pure VJP function of a row's hidden outputs; ``vjp_rule`` is for the visible ones.

    Args:
        row, attrs, mask, shapes, ranks: as for ``vjp_rule``.

    Returns:
        a function of (saved..., scalars..., gradients of the hidden outputs...).
    """
    rule = _derived_hidden if row.is_hidden_derived else _written_hidden
    return _gradient_rule(row, attrs, mask, shapes, ranks, rule, f"{row.name}_hidden_grad")


def _gradient_rule(
    row: OpRow,
    attrs: Attrs,
    mask: Mask,
    shapes: Shapes,
    ranks: Ranks,
    rule: Callable[..., Arrays],
    name: str,
) -> Rule:
    """Return ``rule`` with all static values bound, as a function of arrays."""
    static = dict(zip(row.attrs, attrs, strict=True))
    known = {n: _struct(s) for n, s in zip(row.shapes, shapes, strict=True)}
    n_saved, n_scalars = len(row.saves), len(row.scalars)

    def kernel(*arrays: Value) -> Items:
        saved = dict(zip(row.saves, arrays[:n_saved], strict=True))
        scalars = dict(zip(row.scalars, arrays[n_saved : n_saved + n_scalars], strict=True))
        grads = arrays[n_saved + n_scalars :]
        values = with_far_places(row, {**known, **saved}, grads)
        results = rule(row, values, static, scalars, grads, mask, ranks)
        operands = _flat_operands(row, values, ranks)
        return tuple(
            _finish(row, grad, operand) if wanted else None
            for grad, operand, wanted in zip(results, operands, mask, strict=True)
        )

    kernel.__name__ = kernel.__qualname__ = name
    return _exact_and_fast(kernel)


def _struct(shape: Any) -> Any:
    """Convert a (shape, dtype), or a tuple of them, into the struct or list that a rule gets."""
    if shape is None:
        return None
    if shape and isinstance(shape[-1], np.dtype):
        return jax.ShapeDtypeStruct(*shape)
    return [jax.ShapeDtypeStruct(*each) for each in shape]


def _flat_operands(row: OpRow, values: Named, ranks: Ranks) -> Arrays:
    """Return the array or struct of each differentiable input tensor, None if not kept."""
    flat: Arrays = []
    for position, operand in enumerate(row.differentiable):
        value = values.get(operand.name)
        width = None if ranks is None else ranks[position]
        if width is None:
            flat.append(value)
        else:
            flat.extend([None] * width if value is None else value)
    return flat


def _finish(row: OpRow, grad: Any, operand: Any) -> Any:
    """Sum a gradient over broadcast dimensions and cast it to the operand's dtype."""
    if grad is None or operand is None:
        return grad
    if row.broadcast and grad.shape != operand.shape:
        extra = grad.ndim - len(operand.shape)
        stretched = [i + extra for i, n in enumerate(operand.shape) if n == 1]
        grad = grad.sum(axis=(*range(extra), *stretched), dtype=grad.dtype)
        grad = grad.reshape(operand.shape)
    dtype = operand.dtype
    if jnp.iscomplexobj(grad) and not jnp.issubdtype(dtype, jnp.complexfloating):
        grad = grad.real
    return grad.astype(dtype)


def _written(
    row: OpRow,
    values: Named,
    static: Named,
    scalars: Named,
    grads: Items,
    mask: Mask,
    ranks: Ranks,
) -> Arrays:
    """Call a hand-written rule with the values that its parameters name; return flat gradients."""
    douts = list(grads) if row.returns_list else None
    given: Named = {**static, **scalars, **values}
    if row.returns_list:
        given[f"d{row.outputs[0]}"] = douts
    else:
        given.update((f"d{name}", grad) for name, grad in zip(row.outputs, grads, strict=True))
    return _call_rule(row, row.vjp, given, ranks)


def _written_hidden(
    row: OpRow,
    values: Named,
    static: Named,
    scalars: Named,
    grads: Items,
    mask: Mask,
    ranks: Ranks,
) -> Arrays:
    """Call the hand-written rule of the hidden outputs."""
    named = {f"d{name}": grad for name, grad in zip(row.hidden, grads, strict=True)}
    return _call_rule(row, row.hidden_vjp, {**static, **scalars, **values, **named}, ranks)  # pyright: ignore[reportArgumentType]  # not None


def _derived_hidden(
    row: OpRow,
    values: Named,
    static: Named,
    scalars: Named,
    grads: Items,
    mask: Mask,
    ranks: Ranks,
) -> Arrays:
    """Derive the gradients of the hidden outputs, which come after the visible ones."""
    first = len(row.outputs)
    return _derived(row, values, static, scalars, grads, mask, ranks, first)


def _call_rule(row: OpRow, rule: Rule, given: Named, ranks: Ranks) -> Arrays:
    """Call a rule with the values that its parameters name; return flat gradients."""
    parameters = inspect.signature(rule).parameters.values()
    unknown = [each.name for each in parameters if each.name not in given]
    if unknown:
        raise TypeError(
            f"Row {row.name}: its VJP takes {', '.join(unknown)}, but the row gives it only "
            f"{', '.join(given)}. A VJP gets the tensors that the row saves (saves=...), its "
            "attributes and the gradients of its outputs, by name."
        )
    args = [given[p.name] for p in parameters if p.kind is not p.KEYWORD_ONLY]
    kwargs = {p.name: given[p.name] for p in parameters if p.kind is p.KEYWORD_ONLY}
    results: jax.Array | Items | list[Any] | None
    results, wanted = rule(*args, **kwargs), len(row.differentiable)
    is_tuple = isinstance(results, tuple)
    if is_tuple != (wanted > 1) or (is_tuple and len(results) != wanted):
        count = f"{len(results)} gradients" if is_tuple else "one gradient, in no tuple,"
        raise TypeError(
            f"Row {row.name}: its VJP returns {count} for {wanted} differentiable operands "
            f"({', '.join(each.name for each in row.differentiable)})."
        )
    return _flatten(results if is_tuple else (results,), ranks)


def _flatten(results: Items, ranks: Ranks) -> Arrays:
    if ranks is None:
        return list(results)
    flat: Arrays = []
    for grad, width in zip(results, ranks, strict=True):
        flat.extend([grad] if width is None else grad)
    return flat


def _derived(
    row: OpRow,
    values: Named,
    static: Named,
    scalars: Named,
    grads: Items,
    mask: Mask,
    ranks: Ranks,
    first: int = 0,
) -> Arrays:
    """Derive the gradients with jax.vjp of the forward; operands that were not saved are zeros.

    ``grads`` are the gradients of the outputs from number ``first`` on.
    """
    operands: list[jax.Array | list[jax.Array] | None] = [
        _primal(row, operand, values) for operand in row.operands
    ]
    places = [
        (o.slot, rank)
        for position, o in enumerate(row.differentiable)
        for rank in (_ranks_of(position, ranks))
    ]
    wanted = [place for place, is_wanted in zip(places, mask, strict=True) if is_wanted]
    primals = [_as_float(_pick(operands, place)) for place in wanted]

    def forward(*wanted_values: jax.Array) -> Items:
        merged: Arrays = [list(o) if isinstance(o, (list, tuple)) else o for o in operands]
        for (slot, rank), value in zip(wanted, wanted_values, strict=True):
            if rank is None:
                merged[slot] = value
            else:
                merged[slot][rank] = value
        out = row.forward(*merged, **static, **scalars)
        one = len(row.outputs) == 1 and not row.returns_list and not row.hidden
        return (out,) if one else tuple(out)[first : first + len(grads)]

    outs: tuple[jax.Array, ...]
    pull: Callable[[Items], Items]
    outs, pull = jax.vjp(forward, *primals)  # pyright: ignore[reportUnknownVariableType]  # JAX's
    cotangents = tuple(
        jnp.conj(g).astype(o.dtype) if jnp.issubdtype(o.dtype, jnp.inexact) else _float0(o)
        for g, o in zip(grads, outs, strict=True)
    )
    results = iter([jnp.conj(grad) for grad in pull(cotangents)])
    return [next(results) if is_wanted else None for is_wanted in mask]


def _ranks_of(position: int, ranks: Ranks) -> Iterable[int | None]:
    width = None if ranks is None else ranks[position]
    return (None,) if width is None else range(width)


def _pick(operands: Arrays, place: tuple[int, int | None]) -> Any:
    slot, rank = place
    return operands[slot] if rank is None else operands[slot][rank]


def _primal(row: OpRow, operand: Operand, values: Named) -> Any:
    """Return the saved value of an operand, or zeros of its shape if the value is not needed."""
    if operand.name not in values:
        if operand.is_optional:
            return None
        raise TypeError(f"Row {row.name}: a derived VJP needs {operand.name!r} in saves or shapes.")
    value: jax.Array | jax.ShapeDtypeStruct | list[Any] = values[operand.name]
    if isinstance(value, (list, tuple)):
        return [_zeros(each) for each in value]
    return _zeros(value)


def _zeros(value: Any) -> Any:
    if isinstance(value, jax.ShapeDtypeStruct):
        return jnp.zeros(value.shape, value.dtype)
    return value


def _as_float(value: Any) -> Any:
    """Convert integers to floats: as in Paddle they get gradients, and the rule needs floats."""
    if jnp.issubdtype(value.dtype, jnp.inexact):
        return value
    return value.astype(jnp.float64 if value.dtype.itemsize == 8 else jnp.float32)


def _float0(out: jax.Array) -> np.ndarray:
    return np.zeros(out.shape, jax.dtypes.float0)


def key_of(aval: Aval | tuple[Aval, ...] | None) -> Any:
    """Return the hashable (shape, dtype) of an aval, a tuple of them for a list, None for None."""
    if aval is None:
        return None
    if type(aval) is tuple:
        return tuple([(each.shape, each.dtype) for each in aval])
    return (aval.shape, aval.dtype)  # pyright: ignore[reportAttributeAccessIssue]  # no tuple


def input_avals(row: OpRow, node: GradNode) -> Arrays:
    """Return (shape, dtype) of each differentiable input of a node; None if not kept."""
    values = {n: key_of(a) for n, a in zip(row.shapes, node.shapes, strict=True)}
    for name, wrapper in zip(row.saves, node.saved, strict=False):
        if type(wrapper) is list:
            values[name] = tuple([kind_of(each) for each in wrapper])  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  # TensorWrappers
        elif wrapper is not None:
            values[name] = kind_of(wrapper)
    return _flat_operands(row, values, node.ranks)


_fill_kernels: dict[Items, Kernel] = {}
_single_values: dict[Items, jax.Array] = {}


def filled(aval: Aval, value: int) -> jax.Array:
    """Return zeros or ones of an aval's shape and dtype, from a cached kernel.

    An array of one element, with which almost every backward starts, is made once.
    """
    key = (aval.shape, aval.dtype, value)
    array = _single_values.get(key)
    if array is not None:
        return array
    kernel = _fill_kernels.get(key)
    if kernel is None:
        if len(_fill_kernels) >= 1024:  # shapes may vary without end
            _fill_kernels.clear()
        kernel = _fill_kernels[key] = jit(
            lambda: jnp.full(*key[::2], dtype=key[1]), name="fill", origin=Origin(("fill", *key))
        )
    if aval.size != 1:
        return kernel()
    with jax.ensure_compile_time_eval():
        array = _single_values[key] = on_device(np.full(*key[::2], dtype=key[1]))
    return array


def constant_array(value: np.ndarray) -> jax.Array:
    """Return a jax.Array of a host array that may be kept: concrete even inside jax.jit."""
    with jax.ensure_compile_time_eval():
        return on_device(value)


_numbers: dict[int, tuple[weakref.ref[jax.Array], np.ndarray]] = {}


def known_array(value: np.ndarray) -> jax.Array:
    """Return a ``constant_array`` whose numbers ``numbers_of`` returns without reading it."""
    array = constant_array(value)
    know_numbers(array, value)
    return array


def know_numbers(array: jax.Array, value: np.ndarray) -> None:
    """Make ``numbers_of`` return the given numbers for an array, as long as that lives."""
    _numbers[id(array)] = removing_ref(_numbers, array), value


def numbers_of(array: jax.Array) -> np.ndarray:
    """Return the numbers of an array; those of a ``known_array`` without reading the device."""
    reference, value = _numbers.get(id(array), (None, None))
    if value is not None and reference is not None and reference() is array:
        return value
    return np.asarray(array)
