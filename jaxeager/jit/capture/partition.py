"""The split of a jaxpr of forward and backward: steps that depend on gradients are second."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import jax.extend.core as jex
from jax.extend.core import ClosedJaxpr, Jaxpr

if TYPE_CHECKING:
    from jax.extend.core import Var


class Halves(NamedTuple):
    """The two programs.

    Attributes:
        forward: takes ``forward_inputs``; returns the outputs, followed by the values for backward.
        backward: takes those values, followed by the gradients; returns the gradients of inputs.
        forward_inputs: the numbers of the constants that forward takes.
        backward_inputs: the numbers of those that backward takes, which need not be kept.
        gradients: the numbers of the gradients that backward takes.
        kept: the number of arrays that backward takes from forward.
        ways: for each gradient that backward returns, the numbers of those that lead to it.
    """

    forward: ClosedJaxpr
    backward: ClosedJaxpr | None
    forward_inputs: list[int]
    backward_inputs: list[int]
    gradients: list[int]
    kept: int
    ways: list[set[int]]


def parted(jaxpr: ClosedJaxpr, inputs: list, outputs: int) -> Halves:
    """Split a jaxpr without arguments.

    Args:
        jaxpr: the jaxpr.
        inputs: the kinds of its constants: see ``capture.Captured``.
        outputs: the number of its outputs that are forward's.
    """
    inner = jaxpr.jaxpr
    constants = list(inner.constvars)
    gradients = [
        var for var, (kind, _) in zip(constants, inputs, strict=True) if kind == "gradient"
    ]
    late = set(gradients)
    first, second = [], []
    for step in inner.eqns:
        if any(_is_var(each) and each in late for each in step.invars):
            late.update(step.outvars)
            second.append(step)
        else:
            first.append(step)

    wanted = inner.outvars[outputs:]
    second, used = _needed(second, wanted)
    made = {var for step in first for var in step.outvars}
    kept = [var for var in used if var in made]
    taken = [var for var in used if var not in made and var not in late]
    first, first_used = _needed(first, [*inner.outvars[:outputs], *kept])

    places = {var: place for place, var in enumerate(constants)}
    forward_inputs = sorted(places[var] for var in first_used if var in places)
    backward_inputs = sorted(places[var] for var in taken)
    arrived = [var for var in gradients if var in used]
    return Halves(
        forward=_closed(
            inner, [constants[p] for p in forward_inputs], first, [*inner.outvars[:outputs], *kept]
        ),
        backward=_closed(
            inner, [*[constants[p] for p in backward_inputs], *kept, *arrived], second, wanted
        )
        if wanted
        else None,
        forward_inputs=forward_inputs,
        backward_inputs=backward_inputs,
        gradients=[inputs[places[var]][1] for var in arrived],
        kept=len(kept),
        ways=_ways(second, {var: inputs[places[var]][1] for var in arrived}, wanted),
    )


def _ways(steps: list, gradients: dict, wanted: list) -> list[set[int]]:
    """Return, for each wanted variable, the numbers of the gradients it depends on."""
    of: dict[Var, set[int]] = {var: {number} for var, number in gradients.items()}
    for step in steps:
        found: set[int] = set()
        for each in step.invars:
            if _is_var(each):
                found |= of.get(each, set())
        of |= dict.fromkeys(step.outvars, found)
    return [of.get(var, set()) if _is_var(var) else set() for var in wanted]


def _is_var(atom: Var | jex.Literal) -> bool:
    return not isinstance(atom, jex.Literal)


def _needed(steps: list, wanted: list) -> tuple[list, dict]:
    """Return the steps that lead to wanted variables, and the earlier variables that they take.

    A wanted variable that no step makes is taken as well. The variables are in a dict, which keeps
    their order.
    """
    needed = {each: None for each in wanted if _is_var(each)}
    chosen = []
    for step in reversed(steps):
        if step.effects or any(var in needed for var in step.outvars):
            chosen.append(step)
            needed.update((each, None) for each in step.invars if _is_var(each))
    made = {var for step in chosen for var in step.outvars}
    return chosen[::-1], {var: None for var in needed if var not in made}


def _closed(whole: Jaxpr, takes: list, steps: list, gives: list) -> ClosedJaxpr:
    """Return a jaxpr of some steps of another one."""
    effects = set().union(*[step.effects for step in steps]) if steps else set()
    part = whole.replace(
        constvars=[],
        invars=takes,
        outvars=gives,
        eqns=steps,
        effects=effects,
        debug_info=whole.debug_info.with_unknown_names(),
    )
    return ClosedJaxpr(part, [])
