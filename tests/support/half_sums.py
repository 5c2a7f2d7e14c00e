"""The 16-bit results of a row's kernels when they add up 4,096 equal terms.

A row adds up in 16 bits when the rule of its forward or of its VJP has a step that does, in any of
its samples. Such a sample is enlarged until that step has 4,096 terms: one of the sizes in it
becomes 4,096 or 64 wherever it occurs, or one dimension of one operand does, and each operand is
filled with one number. Rows with sizes that must fit together have samples in ``SAMPLES``, rows
that cannot be tested a reason in ``UNTRIED``.
"""

import inspect
import itertools
import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.errors import JaxEagerError
from jaxeager.ops.call import kernels
from jaxeager.ops.row import NONDIFF, OpRow
from jaxeager.ops.rules.samples import Sample

from .cases import has_complex_values, is_inexact, numpy_dtype, scalars_of, static_of

TERMS = 4096
_LARGEST = 2**21  # elements of an array, or trying it takes too long
_DIGITS = {"bfloat16": 8, "float16": 11}
_LEAST_EXPONENT = {"bfloat16": -126, "float16": -14}


class Part(NamedTuple):
    """A kernel of a row at a sample: its forward, or its VJP.

    Attributes:
        row, sample: its op and sample.
        is_vjp: whether it is the VJP.
    """

    row: OpRow
    sample: Sample
    is_vjp: bool

    def attrs(self) -> tuple:
        """Return the row's static attributes."""
        found = static_of(self.row, self.sample)
        return tuple(found[name] for name in self.row.attrs)


# ---- steps that add up


_ADDING = frozenset(
    "reduce_sum reduce_prod cumsum cumprod cumlogsumexp reduce_window_sum select_and_scatter_add "
    "scatter-add scatter-mul scatter-sub".split()
)


def _terms_of(step) -> int | None:
    """Return the number of terms that a step sums or multiplies; None for other steps."""
    name, params = step.primitive.name, step.params
    if name not in _ADDING:
        return None
    first, *others = [each.aval.shape for each in step.invars]
    if name in ("reduce_sum", "reduce_prod"):
        return math.prod(first[axis] for axis in params["axes"])
    if name in ("cumsum", "cumprod", "cumlogsumexp"):
        return first[params["axis"]]
    if name in ("reduce_window_sum", "select_and_scatter_add"):
        return math.prod(params["window_dimensions"])
    return math.prod(others[0][:-1])  # a scatter, with this many indices


def steps_of(program, times: int = 1) -> Iterator[tuple[str, int]]:
    """Yield name and number of terms of each step that adds up 16-bit floats, at any depth.

    Products of matrices and convolutions are not among them: XLA adds theirs up in float32.
    """
    for step in program.eqns:
        terms = _terms_of(step)
        if terms is not None:
            if step.outvars[0].aval.dtype.name in _DIGITS:
                yield step.primitive.name, terms * times
            continue
        length = step.params["length"] if step.primitive.name == "scan" else 1
        for value in step.params.values():
            for each in value if isinstance(value, (list, tuple)) else (value,):
                if hasattr(each, "eqns"):
                    yield from steps_of(each, times * length)


# ---- kernels and their operands


def rule_of(part: Part, dtype: str) -> tuple[Callable, list] | None:
    """Return a kernel's rule, and a struct of each of its operands in a dtype.

    None for a VJP of which no gradient is required.
    """
    row = part.row
    structs = [_struct(value, dtype) for value in part.sample.inputs]
    structs += [None] * (len(row.operands) - len(structs))
    scalars = list(scalars_of(row, part.sample, dtype).values())
    forward = kernels.forward_rule(row, part.attrs(), True)
    if not part.is_vjp:
        return forward, structs + scalars
    outs = jax.eval_shape(_plain(forward), *structs, *scalars)
    outs = list(outs) if isinstance(outs, (list, tuple)) else [outs]
    named: dict[str, Any] = dict(zip((o.name for o in row.operands), structs, strict=True))
    if row.returns_list:
        named[row.outputs[0]] = outs
    else:
        named.update(zip((*row.outputs, *row.hidden), outs, strict=True))
        outs = outs[: len(row.outputs)]
    mask, ranks = _wanted(row, structs)
    if not any(mask):
        return None
    shapes = tuple(_key(named[name]) for name in row.shapes)
    rule = kernels.vjp_rule(row, part.attrs(), mask, shapes, ranks if row.has_lists else None)
    return rule, [named[name] for name in row.saves] + scalars + outs


def _plain(rule: Callable) -> Callable:
    """Return a kernel's rule from before its sums were made in float32."""
    return inspect.unwrap(rule)


def _struct(value, dtype: str):
    if value is None:
        return None
    if isinstance(value, (list, tuple)):
        return [_struct(each, dtype) for each in value]
    found = value.dtype if hasattr(value, "dtype") else np.asarray(value).dtype
    floating = jnp.issubdtype(found, jnp.floating)
    return jax.ShapeDtypeStruct(np.shape(value), numpy_dtype(dtype) if floating else found)


def _key(struct):
    if isinstance(struct, list):
        return tuple(map(_key, struct))
    return None if struct is None else (struct.shape, np.dtype(struct.dtype))


def _wanted(row: OpRow, structs: list) -> tuple[tuple, tuple]:
    """Return which gradients are required, and the lengths of lists."""
    mask: list[bool] = []
    ranks: list[int | None] = []
    for operand in row.differentiable:
        value = structs[operand.slot]
        values = value if isinstance(value, list) else [value]
        mask += [each is not None and is_inexact(each) for each in values]
        ranks.append(len(value) if isinstance(value, list) else None)
    return tuple(mask), tuple(ranks)


# ---- samples with many terms


def _pooled(kernel: int, dims: int) -> Iterator[Sample]:
    """Yield windows of 4,096 elements that overlap, that touch, and 4,096 windows."""
    overlapping = np.full((1, 1, *[kernel + 2] * dims), 0.3)
    touching = np.full((1, 1, *[2 * kernel] * dims), 0.3)
    for kind in ("max", "avg"):
        yield Sample(overlapping, kernel_size=kernel, pooling_type=kind)
    yield Sample(touching, kernel_size=kernel, strides=kernel, pooling_type="avg")
    windows = (kernel,) * dims
    yield Sample(overlapping, kernel_size=windows, pooling_type="max", adaptive=True)


def _set_rows() -> Iterator[Sample]:
    boxed: dict[str, Any] = {"spans": (TERMS, 3), "steps": (1, 1), "kept": (TERMS, 3)}
    yield Sample(np.ones((TERMS, 3)), np.array(0.3), np.array([0, 0]), **boxed)


def _expanded() -> Iterator[Sample]:
    yield Sample(np.full((1, 3), 0.3), shape=[TERMS, 3])


def _tiled() -> Iterator[Sample]:
    yield Sample(np.full((1, 3), 0.3), repeat_times=[TERMS, 1])


def _repeated() -> Iterator[Sample]:
    yield Sample(np.full((2, 3), 0.3), repeats=TERMS, axis=1)


def _padded() -> Iterator[Sample]:
    yield Sample(np.full((1, 1, 1, 1, 1), 0.3), paddings=[TERMS, 0, 0, 0, 0, 0], mode="replicate")


SAMPLES: dict[str, Callable[[], Iterator[Sample]]] = {
    "pool2d": partial(_pooled, 64, 2),
    "pool3d": partial(_pooled, 16, 3),
    "set_value_with_tensor": _set_rows,
    "expand": _expanded,
    "repeat_interleave": _repeated,
    "pad3d": _padded,
    "tile": _tiled,
}
UNTRIED = {
    "diagonal": "its gradient scatters each element to a place of its own",
    "diag": "4,096 elements on a diagonal are 2**24 in all",
    "diag_embed": "as for diag",
    "trace": "as for diag",
}


def plain_samples(row: OpRow) -> Iterator[Sample]:
    """Yield the row's own samples that are neither complex nor empty."""
    for sample in row.samples() if row.samples else ():
        if not has_complex_values(sample) and 0 not in _sizes(sample.inputs):
            yield sample


def _shapes(values) -> Iterator[tuple[int, ...]]:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _shapes(value)
        elif value is not None:
            yield np.shape(value)


def _sizes(values) -> set[int]:
    return {size for shape in _shapes(values) for size in shape}


def blown_up(row: OpRow) -> Iterator[Sample]:
    """Yield samples of a row, some of their dimensions long, each operand of one number."""
    if row.name in SAMPLES:
        yield from SAMPLES[row.name]()
        return
    for sample in plain_samples(row):
        for length, size in itertools.product((TERMS, 64), sorted(_sizes(sample.inputs))):
            change = partial(_swap, size=size, length=length)
            inputs = [_with_shape(value, change) for value in sample.inputs]
            yield Sample(*inputs, grad=sample.grad, **sample.attrs)
            attrs = {k: _replaced(v, size, length) for k, v in sample.attrs.items()}
            if attrs != sample.attrs:
                yield Sample(*inputs, grad=sample.grad, **attrs)
        for number, value in enumerate(sample.inputs):
            for axis in range(0 if isinstance(value, (list, tuple)) else np.ndim(value)):
                for length in (TERMS, 64):
                    inputs = [_with_shape(each, list) for each in sample.inputs]
                    inputs[number] = _with_shape(value, partial(_put, axis=axis, length=length))
                    yield Sample(*inputs, grad=sample.grad, **sample.attrs)


def _swap(sizes, size: int, length: int) -> list[int]:
    return [length if each == size else each for each in sizes]


def _put(sizes, axis: int, length: int) -> list[int]:
    return [length if number == axis else size for number, size in enumerate(sizes)]


def _with_shape(value, change: Callable):
    """Return an operand of another shape, filled with its first number."""
    if isinstance(value, (list, tuple)):
        return [_with_shape(each, change) for each in value]
    if value is None or isinstance(value, jax.Array):  # a key
        return value
    array = np.asarray(value)
    return np.broadcast_to(array.ravel()[0], tuple(change(array.shape)))


def _replaced(value, size: int, length: int):
    if isinstance(value, (list, tuple)):
        return [_replaced(each, size, length) for each in value]
    return length if type(value) is int and value == size else value


# ---- which of them a row is tried at


def parts_of(row: OpRow) -> tuple[list[Part], set]:
    """Return where each adding step of a row has 4,096 terms, and the steps that never do.

    A step is (whether it is the VJP's, its name).
    """
    wanted = set() if row.name in UNTRIED else wanted_steps(row)
    found: dict[tuple[bool, str], Part] = {}
    for sample in blown_up(row) if wanted else ():
        if wanted <= set(found):
            break
        for part in parts_at(row, sample):
            for name, terms in steps_at(part, plain=True):
                if terms >= TERMS:
                    found.setdefault((part.is_vjp, name), part)
    parts = {id(part): part for part in found.values()}  # one may have several steps
    return list(parts.values()), wanted - set(found)


def wanted_steps(row: OpRow) -> set[tuple[bool, str]]:
    """Return the adding steps of a row's rules, in any of its samples."""
    return {
        (part.is_vjp, name)
        for sample in plain_samples(row)
        for part in parts_at(row, sample)
        for name, terms in steps_at(part, plain=True)
        if terms > 1
    }


def parts_at(row: OpRow, sample: Sample) -> list[Part]:
    """Return the forward kernel at a sample, and the VJP if there is one."""
    has_vjp = row.vjp is not NONDIFF and sample.grad
    return [Part(row, sample, is_vjp) for is_vjp in ((False, True) if has_vjp else (False,))]


def steps_at(part: Part, plain: bool = False) -> list[tuple[str, int]]:
    """Return the steps of a kernel that add in 16 bits; none if it has no such operands.

    Args:
        part: the kernel.
        plain: whether to inspect its rule from before its sums were made in float32.
    """
    try:
        found = rule_of(part, "bfloat16")
        if found is None:
            return []
        rule, structs = found
        program = jax.make_jaxpr(_plain(rule) if plain else rule)(*structs)
    except (TypeError, ValueError, IndexError, ArithmeticError, JaxEagerError):
        return []  # sizes that do not fit together, or no row for 16 bits
    made = [var.aval for step in program.eqns for var in step.outvars]
    sizes = [math.prod(each.shape) for each in (*program.in_avals, *made) if hasattr(each, "shape")]
    return [] if max(sizes, default=0) > _LARGEST else list(steps_of(program))


# ---- their results


def errors_of(part: Part, dtype: str, plain: bool = False) -> list[float]:
    """Return the error of each 16-bit result, in units in the last place.

    The reference is the rule in float64 on the same numbers, rounded once.

    Args:
        part: the kernel.
        dtype: "bfloat16" or "float16".
        plain: whether to run the rule from before its sums were made in float32.
    """
    half, wide = _arguments(part, dtype)
    rule, wide_rule = _rules(part, dtype)
    got = jax.tree.leaves(jax.jit(_plain(rule) if plain else rule)(*half))
    want = jax.tree.leaves(jax.jit(wide_rule)(*wide))
    pairs = zip(got, want, strict=True)
    return [_units_off(g, w, dtype) for g, w in pairs if g.dtype == numpy_dtype(dtype)]


def _rules(part: Part, dtype: str) -> tuple[Callable, Callable]:
    (rule, _), (wide, _) = (rule_of(part, each) for each in (dtype, "float64"))  # type: ignore
    return rule, _plain(wide)


def _arguments(part: Part, dtype: str) -> tuple[list, list]:
    """Return a kernel's operands in 16 bits, and the same numbers in float64."""
    row = part.row
    inputs = [*part.sample.inputs]
    inputs += [None] * (len(row.operands) - len(inputs))
    scalars = list(scalars_of(row, part.sample, dtype).values())
    _, structs = rule_of(part._replace(is_vjp=False), dtype)  # type: ignore[misc]
    half = [_array(v, s) for v, s in zip([*inputs, *scalars], structs, strict=True)]
    if not part.is_vjp:
        return half, _exact(half)
    _, forward = _rules(part._replace(is_vjp=False), dtype)
    outs = jax.jit(forward)(*_exact(half))
    outs = list(outs) if isinstance(outs, (list, tuple)) else [outs]
    named = dict(zip((operand.name for operand in row.operands), half, strict=False))
    if row.returns_list:
        named[row.outputs[0]] = outs
    else:
        named.update(zip((*row.outputs, *row.hidden), outs, strict=True))
    _, structs = rule_of(part, dtype)  # type: ignore[misc]
    kept = [named[name] for name in row.saves] + half[len(row.operands) :]
    given = [np.full(each.shape, 0.6) for each in structs[len(kept) :]]
    found = [_array(v, s) for v, s in zip([*kept, *given], structs, strict=True)]
    return found, _exact(found)


def _array(value, struct):
    """Return a value in the dtype of a struct."""
    if isinstance(value, (list, tuple)):
        return [_array(v, s) for v, s in zip(value, struct, strict=True)]
    return None if value is None else jnp.asarray(value).astype(struct.dtype)


def _exact(values) -> list:
    def wide(array):
        return array.astype(jnp.float64) if is_inexact(array) else array

    return jax.tree.map(wide, values)


def _units_off(got, want, dtype: str) -> float:
    """Return the greatest distance from the rounded value, in units of its last place."""
    with np.errstate(all="ignore"):
        rounded = np.asarray(want, np.float64).astype(numpy_dtype(dtype)).astype(np.float64)
        found = np.asarray(got).astype(np.float64)
        exponent = np.nan_to_num(np.floor(np.log2(np.abs(rounded))), posinf=0, neginf=-999)
        unit = 2.0 ** (np.maximum(exponent, _LEAST_EXPONENT[dtype]) + 1 - _DIGITS[dtype])
        off = np.abs(found - rounded) / unit
    same = (found == rounded) | (np.isnan(found) & np.isnan(rounded))
    same |= (np.abs(rounded) < 2.0**-126) & (np.abs(found) < 2.0**-126)  # a CPU flushes those
    return float(np.max(np.where(same, 0, off), initial=0))
