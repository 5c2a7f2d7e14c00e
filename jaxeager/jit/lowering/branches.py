"""An ``if`` on a tensor as ``lax.switch``: both branches are parts of the program."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
from jax import lax

from jaxeager.graph.mode import grad_mode
from jaxeager.jax_bridge.from_jax import from_jax
from jaxeager.jit.capture.captured import Returned
from jaxeager.jit.capture.nesting import mapped
from jaxeager.jit.capture.parts import Part, drawing, key_of_stream, part_of, wants_gradient
from jaxeager.jit.capture.unset import UNSET
from jaxeager.jit.lowering.joining import INTERNAL, Differs, Joining, Out
from jaxeager.jit.lowering.running import flow, inside, refuse
from jaxeager.jit.lowering.states import Opaque, State, fill
from jaxeager.ops.elementwise.copies import assign

if TYPE_CHECKING:
    import jax

    from jaxeager.tensor import Tensor


_WHAT = {INTERNAL: "the return value"}


def called(name: str) -> str:
    """Return the name of a variable for errors."""
    return _WHAT.get(name, f"`{name}`")


def run_branches(test: Tensor, runs: Sequence[Callable], state: State, place: str) -> None:
    """Run one of two branches, chosen by a tensor, in a program.

    Args:
        test: bool[], a tensor.
        runs: the branches for false and for true.
        state: the variables that they set.
        place: the line, for errors.
    """
    what = f"The `if` on a tensor at {place}"
    key = key_of_stream()
    used = [*state.values(), *[(each.__name__, each) for each in runs]]

    try:
        parts = [_branch_part(run, state, key, what, used) for run in runs]
    finally:
        state.go_back()
    joining = Joining([each.aval_of for each in parts], [each.tensor_of for each in parts])
    values = [
        _joined_variable(joining, state, place, at, _alike(state, at, parts))
        for at in range(len(state.names))
    ]
    contents = [
        _joined_content(joining, name, place, [each.result[1][at] for each in parts])
        for at, name in enumerate(state.container_names)
    ]
    written = distinct([tensor for each in parts for tensor in each.written_tensors()])
    tensors = select(test, parts, joining.outputs, written, key)

    def end_of(end: object) -> object:
        if type(end) is Out:
            return tensors[end.place]
        return end.value if type(end) is Opaque else end

    filled = functools.partial(mapped, end_of)
    state.set([filled(each) for each in values])
    for (container, _), content in zip(state.containers, contents, strict=True):
        fill(container, filled(content))
    write(written, tensors[len(joining.outputs) :])


def _branch_part(
    run: Callable, state: State, key: Tensor | None, what: str, used: Sequence[tuple[str, object]]
) -> Part:
    """Return a branch as a part, whose result is the state that the branch leaves."""

    def state_after() -> tuple[list, list]:
        with inside(what, used), drawing(key):
            state.go_back()
            run()
            found = state.now()
            state.go_back()
        return found

    return part_of("`if`", state_after, [] if key is None else [key])


def _alike(state: State, at: int, parts: Sequence[Part]) -> list:
    """Return a variable after each branch; as a list's items where one is a new list."""
    values = [each.result[0][at] for each in parts]
    if any(type(each) in (list, dict) for each in values):
        return [
            state.content_of(each, part.result[1]) if type(each) is Opaque else each
            for each, part in zip(values, parts, strict=True)
        ]
    return values


def _joined_variable(
    joining: Joining, state: State, place: str, at: int, values: Sequence[object]
) -> Any:
    """Return one value of a variable; UNSET with a note when there is none."""
    name = state.names[at]
    try:
        return joining.joined(values, fills=name == INTERNAL)
    except Differs as differs:
        why = (
            f"{called(name)} {differs} after the `if` on a tensor at {place}: a program needs one "
            "kind of value there."
        )
        known = flow()
        if at >= state.locals or name.startswith("_jx_") or known is None:
            refuse(why)
        known.missing[name] = why  # type: ignore[union-attr]
        return UNSET


def _joined_content(joining: Joining, name: str, place: str, values: Sequence[object]) -> Any:
    """Return one content of a list, dict or set."""
    try:
        return joining.joined(values)
    except Differs as differs:
        return refuse(
            f"{called(name)} {differs} after the `if` on a tensor at {place}: a program needs one "
            "kind of value there."
        )


def select(
    test: Tensor,
    parts: Sequence[Part],
    outputs: Sequence[tuple],
    written: Sequence[Tensor],
    key: Tensor | None,
) -> Sequence[Tensor]:
    """Return the tensors of the chosen part: its outputs, and the tensors it has written.

    Args:
        test: the number of the part, a tensor.
        parts: the parts.
        outputs: see ``Joining``.
        written: the tensors that any of them writes.
        key: the source of their random numbers, or None.
    """
    keys = [] if key is None else [key]
    if not outputs and not written:
        return []
    starts = [len(keys) + sum(len(each.outside) for each in parts[:n]) for n in range(len(parts))]
    end = starts[-1] + len(parts[-1].outside)

    def branch(part: Part, at: int, number: int) -> Callable:
        run, stop = part.run, at + len(part.outside)
        found: list[Any] = [
            part.source(sources[number]) if type(sources[number]) is Returned else sources[number]
            for sources, _, _ in outputs
        ]
        kinds = [(dtype, shape) for _, dtype, shape in outputs]
        changed = [part.written_source(each) for each in written]

        def taken(given: Sequence[jax.Array]) -> list:
            ran = run(given[: len(keys)], given[at:stop])
            arrays = [
                ran.array(each) if type(each) is Returned else jnp.full(shape, each, dtype)
                for each, (dtype, shape) in zip(found, kinds, strict=True)
            ]
            held = zip(changed, given[end:], strict=True)
            return arrays + [now if each is None else ran.array(each) for each, now in held]

        return taken

    branches = [branch(part, starts[n], n) for n, part in enumerate(parts)]

    def switch(index: jax.Array, *given: jax.Array) -> list:
        return lax.switch(index.reshape(()).astype("int32"), branches, given)

    outside = [each for part in parts for each in part.outside]
    passed = [
        part.tensor_of(source)
        for sources, _, _ in outputs
        for part, source in zip(parts, sources, strict=True)
        if type(source) is Returned
    ]
    with recording(passed):
        return from_jax(switch, name="cond")(test, *keys, *copied([*outside, *written], written))


@contextlib.contextmanager
def recording(passed: Sequence[Tensor | None]) -> Iterator[None]:
    """Pass gradients under ``no_grad`` to tensors that a part may return unchanged."""
    before = grad_mode.enabled
    if not before and any(map(wants_gradient, passed)):
        grad_mode.enabled = True
    try:
        yield
    finally:
        grad_mode.enabled = before


def copied(operands: Sequence[Tensor | jax.Array], written: Sequence[Tensor]) -> list:
    """Return operands, with copies of those written next: backward needs the earlier values."""
    copies = {id(each): assign(each) for each in written}
    return [copies.get(id(each), each) for each in operands]


def write(written: Sequence[Tensor], tensors: Sequence[Tensor]) -> None:
    """Write the new values from a part into the tensors themselves."""
    for tensor, value in zip(written, tensors, strict=True):
        assign(value, tensor)


def distinct(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Return each tensor once."""
    return list({id(each): each for each in tensors}.values())
