"""Sources: functions that make a tensor without operands, reported to tools like ops.

They have no row, because nothing is differentiated. Tools need to see the origin of a tensor all
the same, under the name of Paddle's op: ``zeros`` is a ``full``, ``randn`` a ``gaussian``. Where
Paddle first makes tensors from numbers (the bounds of ``arange``, the 2 of ``x > 2``), tools are
shown these too; they cost nothing otherwise.
"""

from __future__ import annotations

import functools
import inspect
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import jax.numpy as jnp

from jaxeager.arrays.as_array import on_device
from jaxeager.graph import events
from jaxeager.graph.events import notify
from jaxeager.graph.mode import grad_mode
from jaxeager.kernels.tracing import explained, jit
from jaxeager.ops.call.wrapping import wrap
from jaxeager.ops.row import Operand

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from inspect import Parameter

    import jax

    from jaxeager.core.types import DTypeLike
    from jaxeager.ops.call.types import Function, Items, Named, Results
    from jaxeager.tensor.tensor import Tensor

    # A function of a call's arguments that returns (operand, value, dtype) per number.
    Numbers: TypeAlias = Callable[..., Iterable[tuple[str, complex, DTypeLike]]]

Made = TypeVar("Made")


class Source:
    """The substitute of a row for a function that makes a tensor.

    Attributes:
        name: Paddle's name of the op.
        operands: an Operand for the tensor it is made like, if there is one.
        grad_name: the name of its nodes, for a user's function that is differentiated.
    """

    is_differentiable = False
    has_lists = False
    returns_list = False
    view = None
    hidden: tuple[str, ...] = ()
    attrs: dict[str, Parameter] = {}  # noqa: RUF012 - never written
    scalars: dict[str, Parameter] = {}  # noqa: RUF012
    differentiable: tuple[Operand, ...] = ()

    def __init__(self, name: str, operands: str = "", outputs: str = "out", grad_name: str = ""):
        self.name = self.api_name = name
        self.grad_name = grad_name
        self.public_names = (name,)
        names = enumerate(operands.split())
        self.operands = tuple([Operand(each, slot, False, False, False) for slot, each in names])
        self.outputs = tuple(outputs.split())


_source_of = functools.lru_cache(1024)(Source)  # one per name, operands and outputs


def source(
    name: str,
    operands: str = "",
    numbers: Numbers | None = None,
    more: dict[str, str] | None = None,
) -> Callable[[Function], Function]:
    """Show tools the calls of a function that makes a tensor; a decorator.

    Args:
        name: Paddle's name of the op.
        operands: the names of its first parameters, if those are tensors.
        numbers: a function of the same arguments that returns (operand, value, dtype) for every
            number that Paddle makes a tensor from; these are the operands then.
        more: by parameter, the name of the additional output that exists when it is true.
    """

    def register(make: Function) -> Function:
        signature = inspect.signature(make)
        make = explained(name)(make)

        @functools.wraps(make)
        def made(*arguments: Any, **given: Any) -> Any:
            if not events.has_ops or grad_mode.silent:
                return make(*arguments, **given)
            names, outputs = operands, "out"
            tensors = arguments[: len(operands.split())]
            if numbers is not None or more is not None:
                bound = signature.bind(*arguments, **given)
                bound.apply_defaults()
                if numbers is not None:
                    names, tensors = _operands_of_numbers(numbers, bound.arguments)
                for parameter, output in (more or {}).items():
                    outputs += f" {output}" if bound.arguments[parameter] else ""
            row = _source_of(name, names, outputs)
            return _with_events(row, tensors, partial(make, *arguments, **given))

        return made

    return register


def _operands_of_numbers(numbers: Numbers, arguments: Named) -> tuple[str, tuple[Tensor, ...]]:
    """Return the operands' names and tensors; empty for arguments that will be refused."""
    try:
        found = numbers(**arguments)
        tensors = [number_tensor(value, dtype, (1,)) for _, value, dtype in found]
    except (TypeError, ValueError, OverflowError):
        return "", ()
    return " ".join(name for name, _, _ in found), tuple(tensors)


def number_tensor(value: Any, dtype: DTypeLike, shape: Sequence[int]) -> Tensor:
    """Return the tensor that Paddle makes from a number, and notify tools; return a Tensor itself.

    This is called only while a tool observes ops.
    """
    if hasattr(value, "_storage"):
        return value
    return _with_events(_source_of("full"), (), partial(_number_tensor, value, dtype, tuple(shape)))


def _number_tensor(value: Any, dtype: DTypeLike, shape: tuple[int, ...]) -> Tensor:
    return wrap(_spread(on_device(value, dtype), shape))


@partial(jit, static_argnums=1)
def _spread(array: jax.Array, shape: tuple[int, ...]) -> jax.Array:
    return jnp.broadcast_to(array, shape)


def notify_made(name: str, tensor: Tensor) -> None:
    """Notify tools of a tensor as if op ``name`` had made it, or filled it if that ends in "_"."""
    if not (events.has_ops or events.op_wrote) or grad_mode.silent:
        return
    is_inplace = name.endswith("_")
    row = _source_of(name.removesuffix("_"), "output" if is_inplace else "")
    if events.has_ops:
        _with_events(row, (tensor,) if is_inplace else (), lambda: tensor, is_inplace)
    if is_inplace:
        notify(events.op_wrote, row, tensor)


def call_with_events(
    name: str, operands: Iterable[object], grad_name: str, run: Callable[[events.Call], Made]
) -> Made:
    """Run a user's JAX function and report it to tools like an op.

    Args:
        name: the name of the op.
        operands: the arguments of the function; tools are shown the Tensors.
        grad_name: the name of its node, "" if it has none.
        run: a function of the Call that runs the user's function, calls ``kernel_done`` when its
            arrays exist, and sets the node and outputs of the Call.
    """
    tensors = tuple([each for each in operands if hasattr(each, "_storage")])
    names = " ".join(f"x{position}" for position in range(len(tensors)))
    call = events.Call(Source(name, names, "", grad_name), tensors, (), (), False)
    call.is_recorded = bool(grad_name)
    return _walk(call, partial(run, call), is_users=True)


def kernel_done(call: events.Call, arrays: list[jax.Array]) -> None:
    """Notify tools that the function of ``call_with_events`` has returned these arrays."""
    call.row.outputs = output_names(len(arrays))
    call.results = tuple(arrays)
    notify(events.kernel_finished, call)
    notify(events.kernel_ran, call.row, call.operands, (), call.results, False)


def output_names(count: int) -> tuple[str, ...]:
    """Return the names of a function's outputs: "out", or "out_0", "out_1", ..."""
    return ("out",) if count == 1 else tuple([f"out_{position}" for position in range(count)])


def _with_events(
    row: Source, operands: Items, make: Callable[[], Made], is_inplace: bool = False
) -> Made:
    """Make the tensor, or tuple of tensors, and report it to tools like an op."""
    return _walk(events.Call(row, operands, (), (), is_inplace), make)


def _walk(call: events.Call, make: Callable[[], Made], is_users: bool = False) -> Made:
    """Report the stages of a call to tools; ``make`` returns its tensors instead of a kernel."""
    row, operands = call.row, call.operands
    call.arrays = [each._array for each in operands if hasattr(each, "_array")]
    notify(events.call_began, call)
    try:
        notify(events.operands_ready, call)
        notify(events.kernel_found, call)
        made = make() if is_users else _made_silently(call, make)
        if call.node is not None:
            notify(events.node_made, call)
        notify(events.op_ran, row, operands, (), call.outputs, call.node, call.is_inplace)
        notify(events.call_ended, call)
    except BaseException as error:
        notify(events.call_failed, call, error)
        raise
    return made


def _made_silently(call: events.Call, make: Callable[[], Any]) -> Any:
    """Make the tensors of a call and notify tools that its kernel has run."""
    with events.silent():
        made: Results = make()
    call.outputs = made if isinstance(made, tuple) else (made,)
    call.results = tuple([tensor._array for tensor in call.outputs])
    notify(events.kernel_finished, call)
    notify(events.kernel_ran, call.row, call.operands, (), call.results, call.is_inplace)
    return made
