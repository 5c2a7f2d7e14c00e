"""The changes of a traced function: its result, writes, gradients, and its backward."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import jax.numpy as jnp

from jaxeager.arrays.sharded import is_spread
from jaxeager.errors import FatalError, PermissionDeniedError, UnimplementedError
from jaxeager.graph.node import gradient_edge
from jaxeager.graph.partial import UNREACHED, run_partial
from jaxeager.graph.rows import Rows
from jaxeager.jit.capture.captured import Graded, Replaced, Returned, Written
from jaxeager.jit.capture.lifted import Lifted, gradient_of, hooks_of
from jaxeager.jit.capture.nesting import ends, mapped
from jaxeager.tensor import Tensor
from jaxeager.tensor.selected_rows import SelectedRows

if TYPE_CHECKING:
    import jax
    from jax.sharding import Sharding

    from jaxeager.graph.meta import AutogradMeta, Edge
    from jaxeager.jit.capture.capture import Capture


def outputs_of(seen: Capture, result: object, wants_gradients: bool, found: dict) -> list:
    """Return the arrays that a function returns or changes; describe them in ``found``."""
    _refuse_shared_writes(seen)
    _refuse_hooks(seen)
    places, made = results_of(seen, result)
    outputs: list = made["outputs"]
    found["result"], found["replaced"] = made["result"]
    found["written"] = made["written"]
    found["graded"] = _graded(seen, outputs)
    found["stopped"] = _stopped(seen)
    found["outputs"] = len(outputs)
    found["places"] = [(aval.shape, aval.dtype) for _, aval in places]
    found["wanted"], found["rows"], gradients = [], [], []
    found["released"], found["stale"] = False, None
    if wants_gradients and places:
        try:
            found["wanted"], found["rows"], gradients = _gradients(seen, places)
        except FatalError:  # the function itself has run backward
            found["released"] = True
        except PermissionDeniedError as error:  # it overwrote a saved tensor
            found["stale"] = type(error)(getattr(error, "message", str(error)))
    return [*outputs, *gradients]


def results_of(seen: Capture, result: object) -> tuple[list, dict]:
    """Return the outputs with gradients of a function, and a description of its outputs.

    Args:
        seen: the active capture.
        result: the result of the function.

    Returns:
        (AutogradMeta, aval) of each output with a gradient; a dict of the arrays ("outputs"), the
        Written ("written"), and ("result") the result with a Returned for each tensor, with the
        Replaced.
    """
    seen.see([end for end in ends(result) if isinstance(end, Tensor)])
    found = _Outputs(seen)
    written = found.written()
    replaced = [
        Replaced(table, name, found.returned(table[name]), layer)
        for table, name, layer in seen.replaced_members()
    ]
    results = _mapped_result(found.returned, result), replaced
    return found.places, {"outputs": found.arrays, "written": written, "result": results}


class _Outputs:
    """The outputs of a traced function, collected one by one.

    Attributes:
        arrays: the outputs.
        places: (AutogradMeta, aval) of each output with a gradient.
    """

    def __init__(self, seen: Capture):
        self._seen = seen
        self._known: dict[int, Returned] = {}
        self.arrays: list = []
        self.places: list = []

    def _add(self, array: jax.Array, meta: AutogradMeta | None) -> tuple[int, int | None]:
        """Add an output; return its number, and its place among those with gradients."""
        self.arrays.append(array)
        number = len(self.arrays) - 1
        if meta is None or meta.stop_gradient or not jnp.issubdtype(array.dtype, jnp.inexact):
            return number, None
        self.places.append((meta, array.aval))
        return number, len(self.places) - 1

    def written(self) -> list[Written]:
        """Return the lifted tensors that were written; add their new values."""
        found = []
        for number, each in enumerate(self._seen.lifted):
            tensor = each.tensor
            array, meta = tensor._array, tensor._meta
            if array is not each.traced:
                is_made = meta is not each.fresh and meta is not None and not meta.is_leaf()
                output, place = self._add(array, meta if is_made else None)
                versions, sharding = tensor._storage.version, spread_sharding(each.array)
                found.append(Written(number, versions, output, place, sharding))
        return found

    def returned(self, value: object) -> Any:
        """Return the Returned of a tensor, which is added at first; any other value as it is."""
        if not isinstance(value, Tensor):
            return value
        if id(value) not in self._known:
            number = self._seen.number_of(value)
            if _retains(value._meta):
                raise UnimplementedError(f"it returns {value.name}, which keeps a gradient.")
            output, place = None, None
            if number is None:
                output, place = self._add(value._array, value._meta)
            self._known[id(value)] = Returned(output, number, place)
        return self._known[id(value)]


def _retains(meta: Any) -> bool:
    """Return whether the result of an op has a gradient, or will keep one."""
    if meta is None or meta.is_leaf():
        return False
    hooks = meta.node.hooks
    return meta.grad is not None or (hooks is not None and meta.slot + meta.rank in hooks.retained)


def _mapped_result(function: Callable, result: object) -> Any:
    for end in ends(result):
        if isinstance(end, (Iterator, Coroutine)):
            raise UnimplementedError(
                f"it returns a {type(end).__name__}, which runs only when it is iterated."
            )
        inside = vars(end).values() if hasattr(end, "__dict__") else ()
        if not isinstance(end, Tensor) and any(isinstance(each, Tensor) for each in inside):
            raise UnimplementedError(
                f"it returns a {type(end).__name__}, which contains tensors; a program returns "
                "tensors, and lists, tuples and dicts of them."
            )
    return mapped(function, result)


def _graded(seen: Capture, outputs: list) -> list[Graded]:
    """Return the gradients of leaves that a function has changed; add them to outputs."""
    graded = []
    for number, each in enumerate(seen.lifted):
        fresh = each.fresh
        if fresh is None:
            continue
        grad, zeros = gradient_of(fresh)
        if grad is None:
            if each.had_grad or getattr(fresh, "sets_zeros", zeros is not None):
                graded.append(Graded(number, None, zeros, False))
        elif type(grad) is UnseenRows:
            continue  # as it was
        elif grad is not each.traced_grad or seen.number_of(grad) is None:
            rows = grad._rows
            outputs.append(grad._whole)
            graded.append(Graded(number, len(outputs) - 1, None, grad.stop_gradient))
            if rows is not None:
                outputs.append(rows.present)
                graded[-1] = graded[-1]._replace(present=len(outputs) - 1)
    return graded


def _stopped(seen: Capture) -> list[tuple[int, bool]]:
    """Return the lifted tensors whose ``stop_gradient`` was set to another value."""
    return [
        (number, each.fresh.stop_gradient)
        for number, each in enumerate(seen.lifted)
        if each.fresh is not None
        and each.tensor._meta is each.fresh
        and each.fresh.stop_gradient is not each.stops
    ]


class UnseenRows(SelectedRows):
    """A substitute for the gradient of some rows that a leaf had before a trace.

    A program may clear it. It is not an input, so a program cannot add to it or step with it.
    """

    __slots__ = ("_seen",)

    _seen: Capture

    @staticmethod
    def before(seen: Capture) -> UnseenRows:
        """Return one for a capture, which raises when it is read."""
        made = object.__new__(UnseenRows)
        made._rows, made._seen, made._meta = Rows(*[None] * 4), seen, None  # type: ignore[arg-type]
        return made

    @property
    def _dense(self) -> NoReturn:
        self._seen.refuse(
            "it uses a gradient of some rows (SelectedRows) that existed before the call; "
            "clear it within the function first, or leave the function out."
        )

    @_dense.setter
    def _dense(self, array: object) -> None:
        _ = self._dense


def _gradients(seen: Capture, places: list) -> tuple[list[int], list[int], list]:
    """Run the tape of a trace; return the tensors that get gradients, and the gradients.

    Gradients of some rows are listed; for each, its mask of present rows follows the gradients.
    """
    leaves = [
        (number, gradient_edge(each.fresh))
        for number, each in enumerate(seen.lifted)
        if each.fresh is not None
        and not each.fresh.stop_gradient
        and jnp.issubdtype(each.array.dtype, jnp.inexact)
    ]
    roots: list[tuple[Edge, Any]] = [
        (gradient_edge(meta), seen.gradient(aval)) for meta, aval in places
    ]
    found = run_partial(roots, [edge for _, edge in leaves], retain_graph=False)
    wanted: list[int] = []
    gradients: list = []
    rows: dict[int, jax.Array] = {}
    for (number, _), gradient in zip(leaves, found, strict=True):
        if gradient is not None and gradient is not UNREACHED:
            if gradient._rows is not None:
                rows[len(wanted)] = gradient._rows.present
            wanted.append(number)
            gradients.append(gradient._whole)
    return wanted, list(rows), [*gradients, *rows.values()]


def _refuse_shared_writes(seen: Capture) -> None:
    """Raise when a written tensor shares its memory with another lifted one."""
    by_storage: dict[int, list[Lifted]] = {}
    for each in seen.lifted:
        by_storage.setdefault(id(each.storage), []).append(each)
    for group in by_storage.values():
        if len(group) > 1 and any(each.tensor._array is not each.traced for each in group):
            names = " and ".join(each.tensor.name for each in group)
            raise UnimplementedError(f"it writes into {names}, which share their memory.")


def _refuse_hooks(seen: Capture) -> None:
    """Raise when a hook was registered on a tensor from outside, or removed from it."""
    for each in seen.lifted:
        if each.fresh is not None and hooks_of(each.fresh) != each.hooks:
            raise UnimplementedError(
                f"it registers or removes a hook on {each.tensor.name}, which Python does on each "
                "call. Do it outside."
            )


def spread_sharding(array: jax.Array) -> Sharding | None:
    """Return the sharding of an array on several devices; None for one device."""
    return array.sharding if is_spread(array) else None
