"""The fourth stage of a call: run the kernel, and report its errors in terms of the op."""

# The errors in FAILURES are of a class whose type is unknown.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import jax
from numpy.exceptions import AxisError

from jaxeager.arrays.as_array import MOVE_ONE, first_apart
from jaxeager.errors import (
    InvalidArgumentError,
    InvalidAxisError,
    JaxEagerError,
    OutOfRangeError,
    ZeroDivisorError,
)
from jaxeager.graph import events
from jaxeager.graph.events import notify
from jaxeager.kernels.tracing import FAILURES, failure
from jaxeager.ops.call.device_join import join_operands
from jaxeager.ops.call.observers import show

if TYPE_CHECKING:
    from jaxeager.ops.call.types import Arrays, Kernel, Operands, Outs, Scalars, Value
    from jaxeager.ops.row import OpRow

UNCOMMON: tuple[type[Exception], ...] = (
    AttributeError, TypeError, ValueError, IndexError, KeyError, ArithmeticError, MemoryError,
    jax.errors.JaxRuntimeError,
)  # fmt: skip
"""The errors that a closure raises for an uncommon call, which has to use ``path.run`` instead."""


def run_kernel(
    row: OpRow,
    kernel: Kernel,
    arrays: Arrays,
    scalars: Scalars,
    is_inplace: bool = False,
    operands: Operands = (),
) -> Outs:
    """Run a kernel; name the op and the operands in an error that it raises while it is traced.

    If one of the arrays is on several devices, the others, and their operands' tensors, move there.
    """
    try:
        if row.check is not None:
            row.check(row.name, *arrays)
        return kernel(*arrays, *scalars)
    except JaxEagerError as error:
        show(events.op_failed, row, is_inplace, error)
        raise
    except FAILURES as error:
        found = failure(row.name, error)
        show(events.op_failed, row, is_inplace, found)
        raise found from error
    except (TypeError, ValueError, IndexError, ZeroDivisionError, OverflowError) as error:
        if join_operands(arrays, operands):
            return run_kernel(row, kernel, arrays, scalars, is_inplace)
        found = kernel_error(row, arrays, error)
        show(events.op_failed, row, is_inplace, found)
        raise found from error


def kernel_error(row: OpRow, arrays: Arrays, error: Exception) -> JaxEagerError:
    """Return the error for operands that a kernel refuses, with their shapes and dtypes."""
    kind = _kind_of(error)
    seen = ", ".join(
        f"{operand.name}: {_describe(array)}"
        for operand, array in zip(row.operands, arrays, strict=True)
    )
    named = zip([operand.name for operand in row.operands], arrays, strict=True)
    found = first_apart(chain.from_iterable(map(_each, named)))
    if found is not None:
        return InvalidArgumentError(
            f"{row.name}: operands must be on one device, but {found}. {MOVE_ONE} The operands "
            f"were {seen}."
        )
    text = str(error).split("\n\n")[0]
    return kind(f"{row.name}: {text} The operands were {seen}.")


def _kind_of(error: Exception) -> type[JaxEagerError]:
    """Return the class of error for one that a kernel raised."""
    if isinstance(error, AxisError):
        return InvalidAxisError
    if isinstance(error, ZeroDivisionError):
        return ZeroDivisorError
    return OutOfRangeError if isinstance(error, IndexError) else InvalidArgumentError


def _each(named: tuple[str, Value]) -> list[tuple[str, Value]]:
    """Return [(name, array)] of an operand; for a list, one pair per element: x[0], x[1]."""
    name, array = named
    if not isinstance(array, (list, tuple)):
        return [named]
    return [(f"{name}[{index}]", each) for index, each in enumerate(array)]


def _describe(array: Value) -> str:
    if array is None:
        return "None"
    if isinstance(array, list):
        return f"[{', '.join(_describe(each) for each in array)}]"
    return f"{array.dtype.name}{list(array.shape)}"


def run_seen(row: OpRow, kernel: Any, arrays: Arrays, scalars: Scalars, seen: events.Call) -> Outs:
    """Run a kernel; notify tools of the kernel, and of whether this call compiled it.

    The results are those of ``seen`` after that: a tool may have replaced them.
    """
    seen.kernel = kernel
    notify(events.kernel_found, seen)
    before = kernel._cache_size()
    out = run_kernel(row, kernel, arrays, scalars, seen.is_inplace, seen.operands)
    seen.is_compiled = kernel._cache_size() > before
    seen.results = out if type(out) is tuple else (out,)
    notify(events.kernel_finished, seen)
    return seen.results if type(out) is tuple else seen.results[0]
