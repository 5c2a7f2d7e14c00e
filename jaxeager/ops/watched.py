"""Running a kernel, and telling tools of it: what ops/dispatch.py does while somebody looks on."""

from itertools import chain

from jaxeager.arrays import MOVE_ONE, first_apart
from jaxeager.errors import InvalidArgumentError, JaxEagerError, OutOfRangeError
from jaxeager.graph import events
from jaxeager.graph.events import tell
from jaxeager.graph.mode import grad_mode
from jaxeager.ops.kernels import forward_kernel
from jaxeager.tracing import FAILURES, failure


def show(event, *what) -> None:
    """Tells what wants the cheap events of ops, unless the package runs the op for itself."""
    if event is not None and not grad_mode.silent:
        event(*what)


def watched_call(run, row, operands: tuple, attrs: tuple, scalars: tuple, is_inplace: bool):
    """Runs a call that tools are told of stage by stage."""
    watched = events.Call(row, operands, attrs, scalars, is_inplace)
    tell(events.call_began, watched)
    try:
        result = run(row, operands, attrs, scalars, watched)
        watched.outputs = tuple(result) if isinstance(result, (tuple, list)) else (result,)
        tell(events.call_ended, watched)
    except BaseException as error:
        tell(events.call_failed, watched, error)
        raise
    return result


def run_kernel(row, kernel, arrays: list, scalars: tuple, is_inplace: bool = False):
    """Runs a kernel; an error it raises while it is traced says which op and which operands."""
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
        found = kernel_error(row, arrays, error)
        show(events.op_failed, row, is_inplace, found)
        raise found from error


def kernel_error(row, arrays: list, error: Exception) -> JaxEagerError:
    """Returns the error for operands a kernel cannot take, with their shapes and dtypes."""
    kind = OutOfRangeError if isinstance(error, IndexError) else InvalidArgumentError
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


def _each(named: tuple) -> list[tuple]:
    """Returns (name, array) of an operand; of one that is a list, one for each: x[0], x[1]."""
    name, array = named
    if not isinstance(array, (list, tuple)):
        return [named]
    return [(f"{name}[{index}]", each) for index, each in enumerate(array)]


def _describe(array) -> str:
    if array is None:
        return "None"
    if isinstance(array, list):
        return f"[{', '.join(_describe(each) for each in array)}]"
    return f"{array.dtype.name}{list(array.shape)}"


def run_watched(row, kernel, arrays: list, scalars: tuple, watched: events.Call):
    """Runs a kernel and says which, and whether that compiled it."""
    watched.kernel = kernel
    tell(events.kernel_found, watched)
    before = kernel._cache_size()
    out = run_kernel(row, kernel, arrays, scalars, watched.is_inplace)
    watched.is_compiled = kernel._cache_size() > before
    watched.results = out if type(out) is tuple else (out,)
    tell(events.kernel_finished, watched)
    return out


def run_stages(watched: events.Call, arrays: list, scalars: tuple, is_recorded: bool):
    """Runs the kernel of a call whose operands need nothing done: for the code binding.py writes.

    Returns:
        what the kernel returns.
    """
    watched.arrays, watched.scalars, watched.is_recorded = arrays, scalars, bool(is_recorded)
    tell(events.operands_ready, watched)
    kernel = forward_kernel(watched.row, watched.attrs, watched.is_recorded)
    return run_watched(watched.row, kernel, arrays, scalars, watched)
