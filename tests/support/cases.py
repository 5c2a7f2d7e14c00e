"""Samples of the op table as test cases: a row, one of its samples, one dtype."""

import importlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

from jaxeager.ops.row import NONDIFF, ROWS, OpRow
from jaxeager.ops.rules.samples import Sample
from jaxeager.tensor import Tensor

from .compare import exact

COMPLEX = ("complex64", "complex128")
FLOATING = ("float16", "bfloat16", "float32", "float64")
WIDE = {"complex64": "complex128"} | dict.fromkeys(("float16", "bfloat16", "float32"), "float64")


class Case(NamedTuple):
    """One row, one sample, one dtype."""

    row: OpRow
    number: int
    sample: Sample
    dtype: str

    @property
    def id(self) -> str:
        """Return the case's name in the test report."""
        return f"{self.row.name}-{self.number}-{self.sample!r}-{self.dtype}"


def numpy_dtype(name: str) -> np.dtype:
    """Return the NumPy dtype of a name, bfloat16 among them."""
    return np.dtype(getattr(ml_dtypes, name, None) or name)


def all_cases() -> Iterator[Case]:
    """Yield every row, sample and dtype of the table."""
    for row in ROWS.values():
        yield from cases_of(row)


def cases_of(row: OpRow) -> Iterator[Case]:
    """Yield every sample and dtype of one row."""
    for number, sample in enumerate(row.samples() if row.samples else ()):
        for dtype in dtypes_of(row, sample):
            yield Case(row, number, sample, dtype)


def dtypes_of(row: OpRow, sample: Sample) -> list[str]:
    """Return the dtypes a sample is run in; one with complex values has no bfloat16."""
    if has_complex_values(sample):
        return [name for name in row.dtypes if name in (*COMPLEX, "float32", "float64")]
    return list(row.dtypes)


def has_complex_values(sample: Sample) -> bool:
    """Return whether an input of a sample is complex, whatever the dtype of the case."""
    return any(array.dtype.kind == "c" for array in _flat(sample.inputs))


def has_gradient(case: Case) -> bool:
    """Return whether the gradient of a case is tested."""
    if case.row.vjp is NONDIFF or not case.sample.grad:
        return False
    return case.dtype in (*FLOATING, *COMPLEX) and bool(wanted(case.row, inputs(case)))


def _flat(values) -> list[np.ndarray]:
    arrays = []
    for value in values:
        if isinstance(value, (list, tuple)):
            arrays += _flat(value)
        elif value is not None and not _is_key(value):
            arrays.append(value if hasattr(value, "dtype") else np.asarray(value))
    return arrays


def inputs(case: Case) -> list:
    """Return the sample's inputs in the case's dtype: arrays, lists of arrays, or None."""
    return [_cast(value, case.dtype) for value in case.sample.inputs]


def _cast(value, dtype: str) -> Any:
    if value is None or _is_key(value):
        return value
    if isinstance(value, (list, tuple)):
        return [_cast(each, dtype) for each in value]
    array = np.asarray(value)
    if array.dtype.kind == "c":
        narrow = dtype in ("float32", "complex64")
        return array.astype(np.complex64 if narrow else np.complex128)
    if array.dtype.kind != "f":
        return array
    if dtype in COMPLEX:
        # A separate imaginary part, away from the cuts on the real axis.
        steps = np.arange(array.size).reshape(array.shape)
        return (array + 1j * (0.3 + 0.11 * (steps % 5))).astype(dtype)
    if dtype == "bool":
        return array > 0
    if dtype not in FLOATING:
        return np.where(array < 0, np.floor(array), np.ceil(array)).astype(dtype)  # no new zeros
    return array.astype(numpy_dtype(dtype))


def _is_key(value) -> bool:
    return isinstance(value, jax.Array) and jnp.issubdtype(value.dtype, jax.dtypes.prng_key)


def exact_inputs(arrays: Any) -> Any:
    """Return the same values in float64 and complex128, for the comparison."""
    if isinstance(arrays, (list, tuple)):
        return [exact_inputs(each) for each in arrays]
    return arrays if arrays is None or _is_key(arrays) else exact(arrays)


def tensors(arrays: Any, stop_gradient: bool = True) -> Any:
    """Return a Tensor for each array, in the same lists."""
    if isinstance(arrays, (list, tuple)):
        return [tensors(each, stop_gradient) for each in arrays]
    if arrays is None or _is_key(arrays):
        return arrays
    return Tensor.from_array(jnp.asarray(arrays), stop_gradient=stop_gradient)


def wanted(row: OpRow, arrays: list) -> list[tuple[int, int | None]]:
    """Return (slot, rank) of every differentiable floating input; rank is None outside a list."""
    places = []
    for operand in row.differentiable:
        value = arrays[operand.slot] if operand.slot < len(arrays) else None
        if isinstance(value, list):
            places += [(operand.slot, r) for r, each in enumerate(value) if is_inexact(each)]
        elif value is not None and is_inexact(value):
            places.append((operand.slot, None))
    return places


def is_inexact(array) -> bool:
    """Return whether an array or Tensor holds floating or complex numbers."""
    return jnp.issubdtype(numpy_dtype(str(array.dtype).removeprefix("paddle.")), jnp.inexact)


def pick(values: Any, place: tuple[int, int | None]) -> Any:
    """Return the value at (slot, rank)."""
    slot, rank = place
    return values[slot] if rank is None else values[slot][rank]


def put(values: list, place: tuple[int, int | None], value) -> None:
    """Set the value at (slot, rank)."""
    slot, rank = place
    if rank is None:
        values[slot] = value
    else:
        values[slot][rank] = value


def static_of(row: OpRow, sample: Sample) -> dict:
    """Return the row's static attributes for a sample, defaults filled in."""
    values = {}
    for name, parameter in row.attrs.items():
        values[name] = parameter.annotation(sample.attrs.get(name, parameter.default))
    return values


def scalars_of(row: OpRow, sample: Sample, dtype: str) -> dict:
    """Return the row's run-time scalars for a sample as 0-D arrays of a dtype."""
    values = {}
    for name, parameter in row.scalars.items():
        value = sample.attrs.get(name, parameter.default)
        values[name] = None if value is None else jnp.asarray(value, numpy_dtype(dtype))
    return values


def reference_of(row: OpRow) -> Callable:
    """Return the NumPy function a row's forward is compared with."""
    if callable(row.reference):
        return row.reference
    assert row.reference is not None, f"row {row.name} has no reference"
    module, _, name = row.reference.rpartition(".")
    return getattr(importlib.import_module(module), name)


def as_outputs(out) -> list:
    """Return the outputs of a call as a list, whether it returned one, a tuple or a list."""
    return list(out) if isinstance(out, (list, tuple)) else [out]


def cotangents(outputs) -> list:
    """Return one fixed output gradient per floating output, None for the others."""
    grads = []
    for position, out in enumerate(outputs):
        shape = tuple(out.shape)
        dtype = numpy_dtype(str(out.dtype).removeprefix("paddle."))
        if not jnp.issubdtype(dtype, jnp.inexact):
            grads.append(None)
            continue
        draw = np.random.default_rng(position).uniform(0.5, 1.5, (2, *shape))
        value = draw[0] - 1j * draw[1] if dtype.kind == "c" else draw[0]
        grads.append(np.asarray(value).astype(dtype))
    return grads
