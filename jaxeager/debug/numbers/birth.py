"""FLAGS_nan_birth: where in backward the first number was made that is not finite.

Note [Birth certificates]
    While it is on every VJP kernel gives one more output: whether all it made is finite. XLA works
    that out beside the gradients, in the same executable, and nobody waits for it: it is read when
    the device has it, at the latest when the backward ends. The first node in the order of backward
    whose flag is False was given finite numbers by all before it. What it ran on is kept until its
    flag was read, so it alone is run again, and the error says line, inputs and element.

    A PyLayer and a function of JAX have no kernel of ours: what they make shows at the node that
    takes it, which says that it came in. So does a sum of finite gradients that overflows; at a
    leaf that is not seen.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.core.tracing import jit
from jaxeager.debug.common import naming
from jaxeager.debug.common.late_answers import read_together
from jaxeager.debug.gradients.nodes import brief, title_of
from jaxeager.debug.numbers.statistics import first_bad, is_finite
from jaxeager.debug.stacks.stacks import stack_text
from jaxeager.errors import PreconditionNotMetError
from jaxeager.graph import events
from jaxeager.graph.meta import Edge
from jaxeager.ops.call import kernels
from jaxeager.ops.call.gradient import key_by, recovered, vjp_of
from jaxeager.ops.row import ROWS

AT_MOST = 64  # nodes that have run last and whose flags wait: the device may still be at them


class _Asked(NamedTuple):
    """A node that has run, and whose flag was not read yet.

    Attributes:
        flag: a number that is 0 when all it made is finite, else a NaN.
        node: the node.
        saved: what it had saved, arrays.
        grads: what had arrived at it.
        kernel: what gives its results and the flag again, of ``arrays``; None: ``arrays`` are them.
        arrays: what the kernel takes.
    """

    flag: Any
    node: Any
    saved: list
    grads: list
    kernel: Callable | None
    arrays: list

    def results(self) -> tuple:
        """Returns what the node made, which is computed again."""
        return tuple(self.arrays) if self.kernel is None else self.kernel(*self.arrays)[0]


class _Here(threading.local):
    """What a thread has asked in the backward that it runs, and the first that was not finite.

    Attributes:
        outer: the same of the backwards that this one runs in.
    """

    def __init__(self):
        self.asked: deque[_Asked] = deque()
        self.found: _Asked | None = None
        self.outer: list[tuple[deque, _Asked | None]] = []

    def enter(self) -> None:
        """Begins a backward, which may run within another one."""
        self.outer.append((self.asked, self.found))
        self.asked, self.found = deque(), None

    def leave(self) -> _Asked | None:
        """Ends it; returns the first node that made what is not finite."""
        self.read(len(self.asked))
        found = self.found
        self.asked, self.found = self.outer.pop()
        return found

    def read(self, count: int) -> None:
        """Reads the first flags, and lets what belongs to them go."""
        first = [self.asked.popleft() for _ in range(count)]
        for asked, flag in zip(first, read_together([each.flag for each in first]), strict=True):
            if flag != 0:  # NaN is not
                self.found = self.found or asked
                self.asked.clear()
                return


_here = _Here()


def _put(asked: _Asked) -> None:
    here = _here
    if here.found is None:
        here.asked.append(asked)
        if len(here.asked) >= 2 * AT_MOST:
            here.read(AT_MOST)


class _Reader(events.Observer):
    """Reads the flags that are left when a backward ends, and raises."""

    def backward_began(self, run):
        _here.enter()

    def backward_ended(self, run, error):
        found = _here.leave() if _here.outer else None
        if error is None and found is not None:
            with events.silent():
                raise PreconditionNotMetError(_certificate(found))


# ---- kernels that tell


def _flag(results) -> jax.Array:
    """Returns 0 when all numbers are finite, else NaN: infinity times 0 is none either.

    Products are added up, because that is what XLA does fastest on a CPU.
    """
    floating = [r for r in jax.tree.leaves(results) if jnp.issubdtype(r.dtype, jnp.inexact)]
    parts = [jnp.abs(jnp.vdot(each, each * 0)).astype(jnp.float32) for each in floating]
    return sum(parts[1:], parts[0]) if parts else jnp.zeros((), jnp.float32)


def _telling(row) -> Callable:
    """Returns ``run_vjp`` of a row with kernels that tell whether what they made is finite."""
    plain, made, key_of = vjp_of(row), {}, key_by(row)
    saves, passes_on = row.saves, row.passes_on

    def run_vjp(node, grads: list):
        if passes_on or len(grads) > len(node.out_avals):
            return _looked_at(node, grads, plain)
        saved = recovered(saves, node)
        given, absent = grads, ()
        if len(grads) > 1:
            given = [grad for grad in grads if grad is not None]
            absent = _absent(node, grads) if len(given) < len(grads) else ()
        arrays = [*saved, *node.scalars, *given]
        key = key_of(node), absent
        kernel = made.get(key)
        if kernel is None:
            kernel = made[key] = _kernel(row, node, absent)
        results, flag = kernel(*arrays)
        _put(_Asked(flag, node, saved, grads, kernel, arrays))
        return results

    return run_vjp


def _absent(node, grads: list) -> tuple:
    """Returns what ``kernels.with_zeros`` makes itself: of outputs that no gradient arrived at."""
    pairs = zip(grads, node.out_avals, strict=True)
    return tuple([kernels.key_of(aval) if grad is None else None for grad, aval in pairs])


def _kernel(row, node, absent: tuple) -> Callable:
    shapes = tuple([kernels.key_of(aval) for aval in node.shapes])
    rule = kernels.vjp_rule(row, node.attrs, node.mask, shapes, node.ranks)
    if absent:
        rule = kernels.with_zeros(rule, absent)

    def telling(*arrays):
        results = rule(*arrays)
        return results, _flag(results)

    telling.__name__ = telling.__qualname__ = f"{row.name}_grad"
    return jit(telling)


def _looked_at(node, grads: list, run: Callable):
    """Runs a node as it is, and looks at what is new of what it made, with another kernel."""
    results = run(node, grads)
    taken = set(map(id, grads))
    new = [r for r in results if r is not None and id(r) not in taken]
    arrays = [r for r in new if jnp.issubdtype(r.dtype, jnp.inexact)]
    if arrays:
        _put(_Asked(_flag_of(arrays), node, [], grads, None, list(results)))
    return results


_flag_of = jit(_flag)


# ---- the certificate


def _certificate(found: _Asked) -> str:
    """Returns the message: which node, at which line, which element, from what."""
    node = found.node
    made = found.results()
    results, names = [r for r in made if r is not None], _result_names(node, made)
    bad = next((n, r) for n, r in zip(names, results, strict=True) if not is_finite(r))
    index, value = first_bad(bad[1])
    count = int(np.size(bad[1]) - np.count_nonzero(np.isfinite(_host(bad[1]))))
    lines = [
        f"The first gradient of this backward that is not finite was made by {title_of(node)}: "
        f"{bad[0]} is {value} at {list(index)} of shape {list(bad[1].shape)}, one of {count}.",
    ]
    inputs = _inputs(found)
    ill = [(name, array) for name, array in inputs if not is_finite(array)]
    for name, array in ill:
        where, number = first_bad(array)
        lines.append(f"  It came in: {name} is {number} at {list(where)}{_origin(node, name)}.")
    if not ill:
        lines.append("  It was born here, from finite numbers:")
        lines += [f"    {name} = {brief(array)}{_at(array, index)}" for name, array in inputs]
    formula = getattr(node.op, "formula", "")
    if formula:
        lines.append(f"  Its rule: {formula}.")
    stack = stack_text(node)
    if stack:
        lines.append("  Forward Traceback (most recent call last):\n" + stack.rstrip())
    lines.append(f"  [GradNode < {naming.node_name(node)} > error]")
    return "\n".join(lines)


def _result_names(node, results) -> list[str]:
    names = [f"d{operand.name}" for operand in getattr(node.op, "differentiable", ())]
    if node.ranks is not None or len(names) != len(results):
        names = [f"gradient {number}" for number in range(len(results))]
    return [name for name, result in zip(names, results, strict=True) if result is not None]


def _inputs(found: _Asked) -> list[tuple[str, Any]]:
    """Returns (name, array) of what a node ran on: the gradients, then what it had saved."""
    outputs = (*getattr(found.node.op, "outputs", ()), *getattr(found.node.op, "hidden", ()))
    pairs = []
    for position, grad in enumerate(found.grads):
        name = outputs[position] if position < len(outputs) else f"out{position}"
        if grad is not None:
            pairs.append((f"d{name}", grad))
    saves = getattr(found.node.op, "saves", ())
    for name, value in zip(saves, found.saved, strict=False):
        each = value if isinstance(value, list) else [value]
        pairs += [(f"saved {name}", array) for array in each if array is not None]
    return pairs


def _origin(node, name: str) -> str:
    """Returns where a saved tensor came from: the node that made it in forward."""
    saved = name.removeprefix("saved ")
    if saved == name:
        return ": a sum of finite gradients, or what backward was started from"
    operands = [operand.name for operand in node.op.differentiable]
    if saved in node.op.outputs:
        return ": forward has made it here"
    if saved not in operands or node.ranks is not None:
        return ""
    edge: Edge | None = node.edges[operands.index(saved)]
    return "" if edge is None else f": forward has made it in {title_of(edge.node)}"


def _at(array, index: tuple) -> str:
    """Returns what an array of the same shape has at the place of the bad element."""
    if array.ndim != len(index) or any(i >= n for i, n in zip(index, array.shape, strict=True)):
        return ""
    return f", {_host(array)[index]:.6g} at {list(index)}" if array.ndim else ""


def _host(array) -> np.ndarray:
    values = np.asarray(array)
    return values if values.dtype.kind in "fciub" else values.astype(np.float32)


# ---- switching

_reader: _Reader | None = None
_lock = threading.Lock()


def set_enabled(value: bool) -> None:
    """Does what FLAGS_nan_birth says."""
    global _reader
    with _lock:
        if value == (_reader is not None):
            return
        row: Any
        for row in ROWS.values():
            if value and row.is_differentiable:
                row.run_vjp = _telling(row)
            else:
                vars(row).pop("run_vjp", None)  # the class makes it again when it is called
        if value:
            _reader = _Reader()
            events.observe(_reader)
        else:
            events.unobserve(_reader)  # type: ignore[arg-type]
            _reader = None
