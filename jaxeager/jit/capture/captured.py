"""The results of a capture: the inputs, outputs and changes of a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from jax.extend.core import ClosedJaxpr

if TYPE_CHECKING:
    from jax.core import ShapedArray
    from jax.sharding import Sharding

    from jaxeager.nn import Layer


class Written(NamedTuple):
    """A lifted tensor that a program writes.

    Attributes:
        lifted: its number.
        versions: the increase of its version.
        output: the number of the output that is its value.
        place: the place of that output among those with gradients; None if its history is
            unchanged.
        sharding: the division of the tensor among devices, which stays the same; or None.
    """

    lifted: int
    versions: int
    output: int
    place: int | None
    sharding: Sharding | None


class Graded(NamedTuple):
    """A leaf whose gradient a program changes.

    Attributes:
        lifted: its number.
        output: the number of the output that is the gradient; None for no gradient.
        zeros: the aval of zeros that it was cleared to, or None.
        stops: whether the gradient stops gradients.
        present: the number of the output with the mask of present rows, for a gradient of some
            rows.
    """

    lifted: int
    output: int | None
    zeros: ShapedArray | None
    stops: bool
    present: int | None = None


class Replaced(NamedTuple):
    """A buffer or other member of a Layer for which a function sets a new tensor.

    Attributes:
        table: the dict of the Layer.
        name: its name there.
        value: a Returned.
        layer: the Layer.
    """

    table: dict
    name: str
    value: object
    layer: Layer


class Returned(NamedTuple):
    """An output of a program in the result of the function.

    Attributes:
        output: its number; None for a lifted tensor.
        lifted: the number of a lifted tensor that is returned as it is, or None.
        place: its place among the outputs with gradients; None if it stops gradients.
    """

    output: int | None
    lifted: int | None
    place: int | None


class Expected(NamedTuple):
    """The properties of a lifted tensor on which a program depends.

    Attributes:
        stops: whether it stopped gradients.
        gradient: the dependence on its gradient, one of UNSEEN to THERE (lifted.py).
        hooks: the hooks on its gradient.
    """

    stops: bool
    gradient: int
    hooks: tuple


class Captured(NamedTuple):
    """The data of a function after its trace.

    Attributes:
        jaxpr: without arguments; its constants are ``inputs``.
        inputs: the kind of each constant: ("lifted", n), ("draw", n), ("per_call", n), ("gradient",
            n) or ("constant", array).
        tensors: the lifted tensors.
        grads_of: (number, owner) of each lifted tensor that is the gradient of another one.
        draws: the drawn keys.
        per_call: functions that return an array on each call.
        result: the result of the function, with a Returned for each tensor.
        written, graded, replaced: its other changes.
        outputs: the number of outputs before the gradients.
        places: (shape, dtype) of each output with a gradient.
        wanted: the numbers of the lifted tensors that get gradients.
        rows: the gradients of some rows among these; for each of them a mask of present rows
            follows after the gradients.
        released: whether backward has run, and released the graph.
        stale: the error of a backward after the function has overwritten a saved tensor; or None.
        stopped: (number, value) of lifted tensors whose ``stop_gradient`` it sets.
        expected: the expected properties of each lifted tensor.
        guards: functions that return whether the program is still valid.
        layers: the Layers that it called, and those it was known to use, with their earlier
            attributes.
    """

    jaxpr: ClosedJaxpr
    inputs: list
    tensors: list
    grads_of: list[tuple[int, int]]
    draws: list
    per_call: list
    result: Any
    written: list[Written]
    graded: list[Graded]
    replaced: list[Replaced]
    outputs: int
    places: list
    wanted: list[int]
    rows: list[int]
    released: bool
    stale: Exception | None
    stopped: list[tuple[int, bool]]
    expected: list[Expected]
    guards: list
    layers: list[tuple[Layer, dict]]
