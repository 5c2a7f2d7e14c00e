"""tape_to_jaxpr: the recorded backward of a graph, as a jaxpr and as a pure function.

Note [Tapes as programs]
    A tape is data: nodes, the saved values of each, edges. ``backward()`` computes a function of
    the gradients of the losses and of the saved values. The engine itself records that function: it
    drains the graph once on JAX tracers instead of gradients, in its own order, and on copies of
    the nodes, whose saved arrays are arguments. So each equation of the jaxpr is a step of the
    engine: a node (which contains its VJP kernel), a sum where gradients meet, or hooks.

    An array that was saved twice is one argument. The value of a leaf is an argument with the
    leaf's name; two values of one leaf are two arguments. What a PyLayer keeps besides its saved
    tensors, and the values that a hook holds, are constants.

    The forward that recorded the tape is not in it: a node has its op, its static attributes and
    the values for backward. Where these and the edges determine each operand
    (autograd/tape_forward), the forward kernels can be run again, and the gradients become a
    function of the leaves.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jax
import jax.extend
import jax.numpy as jnp

from jaxeager.errors import InvalidArgumentError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from jax.extend.core import ClosedJaxpr
    from jax.typing import ArrayLike

    from jaxeager.graph.types import Node
    from jaxeager.tensor.tensor import Tensor


@dataclass(frozen=True, slots=True)
class TapeStep:
    """One equation of a tape: a step of the engine.

    Attributes:
        kind: "node", "sum" or "hooks".
        name: the node's name; a sum is "sum", hooks are "hooks_before TanhGradNode".
        line: the line where the node was recorded: "train.py:8"; "" when it is not known.
        formula: the rule of a node's op: "dx = dout * (1 - out * out)"; for hooks their names.
    """

    kind: str
    name: str
    line: str = ""
    formula: str = ""

    @property
    def title(self) -> str:
        """Return the name of the equation in the jaxpr: "TanhGradNode at train.py:8"."""
        return f"{self.name} at {self.line}" if self.line else self.name


class TapeProgram:
    """The backward of a loss as a program, as ``tape_to_jaxpr`` returns it.

    Printing it shows a line for each step of the engine, below the rule of the node and the line of
    the program that recorded it. ``print(tape.jaxpr)`` shows the kernels too.

    Attributes:
        jaxpr: the ``jax.extend.core.ClosedJaxpr``, from ``arguments`` to ``results``.
        arguments: name -> the recorded array: first the gradients of the losses, then the values of
            leaves, then the other saved values of nodes.
        results: the names of the leaves that get a gradient, in the order of ``jaxpr``.
        steps: a TapeStep per equation.
        missing: the reasons why the tape does not determine how its values were computed from the
            leaves, a line for each missing thing; empty when it does (see ``gradients``).

    Example:
        See tape_to_jaxpr.
    """

    def __init__(self, jaxpr: ClosedJaxpr, arguments: dict, results: list[str], steps: list):
        self.jaxpr = jaxpr
        self.arguments: dict[str, jax.Array] = arguments
        self.results = tuple(results)
        self.steps: tuple[TapeStep, ...] = tuple(steps)
        self.missing: tuple[str, ...] = ()
        self._heads: tuple[str, ...] = ()
        self._names: dict[Node, str] = {}
        self._forward: Any = None

    # ---- running it

    def backward(self, arguments: Mapping[str, ArrayLike] | None = None) -> dict[str, jax.Array]:
        """Return the gradient of each leaf, by name, as ``backward()`` adds it to ``grad``.

        A pure function, for ``jax.jit``, ``jax.grad`` and other transformations. Without
        ``jax.jit`` it runs the same kernels as ``backward()``, so the numbers are the same.

        Args:
            arguments: arrays by the names of ``arguments``; those left out have their recorded
                values.

        Raises:
            NotFoundError: for a name that is not among ``arguments``.
            InvalidArgumentError: for a shape other than the recorded one.
        """
        given = self._filled(arguments or {})
        found = jax.extend.core.jaxpr_as_fun(self.jaxpr)(*given.values())
        return dict(zip(self.results, found, strict=True))

    def gradients(
        self, leaves: Mapping[str, ArrayLike], grads: ArrayLike | Sequence[ArrayLike] | None = None
    ) -> dict[str, jax.Array]:
        """Return the gradients for other values of the leaves: forward again, then backward.

        A pure function. The forward kernels of the nodes compute the saved values again. Values
        that do not come from a leaf of the tape (constants, random masks) keep their recorded
        values.

        Args:
            leaves: arrays by the leaves' names, for those with another value.
            grads: the gradient of the loss, or a list for several; as recorded by default.

        Raises:
            InvalidArgumentError: when the tape does not determine how its values were computed; it
                lists the missing things (``missing``).
            NotFoundError: for a name that is not a leaf's.
        """
        values = self.forward(leaves)
        arguments: dict[str, Any] = {
            name: values[name] for name in self.arguments if name in values
        }
        given = grads if isinstance(grads, (list, tuple)) else [] if grads is None else [grads]
        if len(given) not in (0, len(self._heads)):
            raise InvalidArgumentError(
                f"The tape begins with {len(self._heads)} gradients, but got {len(given)}."
            )
        arguments.update(zip(self._heads, given, strict=False))
        return self.backward(arguments)

    def forward(self, leaves: Mapping[str, ArrayLike]) -> dict[str, jax.Array]:
        """Return the results of forward from the leaves: the losses, and the saved values.

        A pure function; a loss has the name of its gradient without "grad of ".

        Args:
            leaves: arrays by name, for the leaves with another value.

        Raises:
            InvalidArgumentError: when the tape does not determine how its values were computed.
            NotFoundError: for a name that is not a leaf's.
        """
        if self.missing:
            raise InvalidArgumentError(
                "The tape does not determine how its values were computed from the leaves:\n  "
                + "\n  ".join(self.missing)
                + "\nUse backward(), which takes the saved values, or autograd.to_jax."
            )
        return self._forward(leaves)

    def name_of(self, leaf: Tensor) -> str:
        """Return the name of a leaf in ``arguments`` and ``results``.

        Raises:
            NotFoundError: when the tape has no gradient for the tensor.
        """
        meta = leaf._meta
        name = None if meta is None or meta.node is None else self._names.get(meta.node)
        if name is None:
            raise NotFoundError(f"The tape has no gradient for the tensor {leaf.name}.")
        return name

    def _filled(self, arguments: Mapping[str, ArrayLike]) -> dict:
        unknown = [name for name in arguments if name not in self.arguments]
        if unknown:
            raise NotFoundError(
                f"The tape has no argument {unknown[0]!r}; it has {', '.join(self.arguments)}."
            )
        given = {name: _alike(name, arguments[name], self.arguments[name]) for name in arguments}
        return {**self.arguments, **given}

    # ---- reading it

    def __str__(self) -> str:
        return tape_text(self)

    def __repr__(self) -> str:
        return (
            f"<TapeProgram of {len(self.steps)} steps, {len(self.arguments)} arguments, "
            f"{len(self.results)} gradients>"
        )


def _alike(name: str, value, recorded) -> jax.Array:
    """Return a value in the dtype of the recorded one; its shape must be the same."""
    array = jnp.asarray(value, recorded.dtype)
    if array.shape != recorded.shape:
        raise InvalidArgumentError(
            f"The tape was recorded with {name} of shape {list(recorded.shape)}, but got "
            f"{list(array.shape)}."
        )
    return array


# ---- text


def tape_text(program: TapeProgram) -> str:
    """Return a tape as text: a line for each equation, below its rule."""
    jaxpr = program.jaxpr.jaxpr
    names = _Names(zip(jaxpr.invars, program.arguments, strict=True))
    kinds = ", ".join(f"{names[var]}: {_kind(var.aval)}" for var in jaxpr.invars)
    lines = [f"backward({kinds}):"]
    lines += [f"  constant {_name(var, names)}: {_kind(var.aval)}" for var in jaxpr.constvars]
    for step, equation in zip(program.steps, jaxpr.eqns, strict=True):
        if step.line or step.formula:
            lines.append("  # " + ": ".join(filter(None, [step.line, step.formula])))
        operands = ", ".join(_name(var, names) for var in equation.invars)
        made = ", ".join(f"{_name(var, names)}: {_kind(var.aval)}" for var in equation.outvars)
        lines.append(f"  {made or 'nothing'} = {step.name.replace(' ', ' of ')}({operands})")
    pairs = zip(program.results, jaxpr.outvars, strict=True)
    lines += [f"  return grad of {name} = {_name(var, names)}" for name, var in pairs]
    return "\n".join(lines)


def _kind(aval) -> str:
    return f"{aval.dtype.name}[{', '.join(map(str, aval.shape))}]"


class _Names(dict):
    """Names by variable; a new one is the next of a, b, ..., z, aa, ab."""

    def __init__(self, named):
        super().__init__(named)
        self._letters = map(_letters, itertools.count())

    def __missing__(self, var) -> str:
        self[var] = next(self._letters)
        return self[var]


def _name(var, names: _Names) -> str:
    return str(var.val) if hasattr(var, "val") else names[var]  # a literal has its value


def _letters(number: int) -> str:
    text = ""
    number += 1
    while number:
        number, last = divmod(number - 1, 26)
        text = chr(ord("a") + last) + text
    return text
