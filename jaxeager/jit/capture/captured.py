"""What a capture has found: what a program takes, gives and changes."""

from __future__ import annotations

from typing import Any, NamedTuple

from jax.extend.core import ClosedJaxpr


class Written(NamedTuple):
    """A lifted tensor that a program writes.

    Attributes:
        lifted: its number.
        versions: by how much its version moves.
        output: the number of the output that is its value.
        place: of that output among those that gradients arrive at; None: its history is as before.
        sharding: how the tensor is divided among devices, afterwards as before; or None.
    """

    lifted: int
    versions: int
    output: int
    place: int | None
    sharding: Any


class Graded(NamedTuple):
    """A leaf whose gradient a program changes.

    Attributes:
        lifted: its number.
        output: the number of the output that is the gradient; None for no gradient.
        zeros: the aval of zeros that it was cleared to, or None.
        stops: whether the gradient stops gradients.
        came: the number of the output that says which rows came, of a gradient of some rows.
    """

    lifted: int
    output: int | None
    zeros: Any
    stops: bool
    came: int | None = None


class Replaced(NamedTuple):
    """A buffer, or another member of a Layer, that a function puts a new tensor in the place of.

    Attributes:
        table: the dict of the Layer.
        name: its name there.
        value: a Returned.
        layer: the Layer.
    """

    table: dict
    name: str
    value: Any
    layer: Any


class Returned(NamedTuple):
    """An output of a program in what the function returns.

    Attributes:
        output: its number; None for a lifted tensor.
        lifted: the number of a lifted tensor that is returned as it is, or None.
        place: among the outputs that gradients arrive at; None: it stops gradients.
    """

    output: int | None
    lifted: int | None
    place: int | None


class Expected(NamedTuple):
    """What a lifted tensor was like, as far as a program depends on it.

    Attributes:
        stops: whether it stopped gradients.
        gradient: what counts of its gradient, one of UNSEEN to THERE (lifted.py).
        hooks: the hooks on its gradient.
    """

    stops: bool
    gradient: int
    hooks: tuple


class Captured(NamedTuple):
    """What is known of a function once it was traced.

    Attributes:
        jaxpr: of no arguments; its constants are ``inputs``.
        inputs: what each constant is: ("lifted", n), ("draw", n), ("per_call", n),
            ("gradient", n) or ("constant", array).
        tensors: the lifted tensors.
        grads_of: (number, owner) of each lifted tensor that is the gradient of another one.
        draws: the keys that were drawn.
        per_call: functions that give an array on each call.
        result: what the function returned; a Returned where a tensor was.
        written, graded, replaced: what else it changed.
        outputs: how many outputs come before the gradients.
        places: (shape, dtype) of each output that gradients arrive at.
        wanted: the numbers of the lifted tensors that gradients go to.
        rows: which of these gradients are of some rows; after the gradients comes for each of
            them which rows came.
        released: whether backward has run, and let the graph go.
        stale: what backward raises, for the function has written into what it needs; or None.
        stopped: (number, value) of lifted tensors whose ``stop_gradient`` it sets.
        expected: what each lifted tensor was like.
        guards: functions that return whether the program is still valid.
        layers: the Layers that it called, and those it was known to use, with the attributes that
            they had before.
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
    layers: list[tuple[Any, dict]]
