"""A ``while`` on a tensor as ``lax.while_loop``.

Note [What a loop carries]
    The variables that a loop carries are found by tracing its body until no new one is found. At
    first those are carried that are tensors and are bound in the body, and numbers that are counted
    up (``i += 1``); every other variable has its value from before the loop. A variable that is
    another number, or another tensor, after the round is carried: it is a tensor from then on, and
    the body is traced again. So are tensors that the body writes in place. A variable that had no
    value before, or has another shape after a round, is local to the body: it has no value after
    the loop, and reading it raises an error with that reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from jaxeager.arrays import random
from jaxeager.jax_bridge.from_jax import from_jax
from jaxeager.jit.capture.captured import Returned
from jaxeager.jit.capture.loop_gradients import looped
from jaxeager.jit.capture.nesting import ends, mapped
from jaxeager.jit.capture.parts import Part, part_of
from jaxeager.jit.capture.unset import UNSET
from jaxeager.jit.lowering.branches import called, copied, distinct, recording, write
from jaxeager.jit.lowering.joining import INTERNAL, Differs, fits, number_dtype, same, text_of
from jaxeager.jit.lowering.running import flow, inside, name_in, refuse
from jaxeager.jit.lowering.states import NUMBERS, Opaque, State, fill
from jaxeager.ops.call.dispatch import wrap
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    import jax
    from jax.core import ShapedArray

    from jaxeager.jit.capture.parts import Ran


class Loop:
    """A loop that becomes a part of a program: see Note [What a loop carries].

    Args:
        test: returns whether it continues, bool[] or a bool.
        body: runs one round.
        state: the variables that the body sets.
        place: the line, for errors.
    """

    def __init__(self, test: Callable, body: Callable, state: State, place: str):
        self._test, self._body, self._state = test, body, state
        self.place = place
        self._start = state.now()
        self._carried: dict[tuple[int, int], Tensor] = {}  # by variable and leaf
        self._written: list[Tensor] = []
        self._own: dict[int, str] = {}  # variables local to the body, with the reason
        self._key: Tensor | None = None
        self._draws = 0
        self._is_guess = True
        for at in range(state.locals):
            for number, value in enumerate(ends(self._start[0][at])):
                self._guess((at, number), value)

    def run(self) -> None:
        """Trace it, run it, and set the variables."""
        while True:
            once = self._traced_once()
            if not self._finds_more(once):
                break
        holds = self._part(self._holds)
        if holds.written:
            refuse(f"the test of the loop at {self.place} writes into a tensor.")
        keys = [] if self._key is None else [self._key]
        operands = [*self._carried.values(), *self._written, *keys, *holds.outside, *once.outside]
        run = from_jax(self._loop(holds, once), name="while")
        with recording([*self._carried.values()]):
            outs = run(*copied(operands, self._written))
        self._set_after(list(outs))

    def _guess(self, place: tuple, value: object) -> None:
        """Carry a tensor, or a number that is counted up."""
        if isinstance(value, Tensor):
            self._carried[place] = value
        elif isinstance(value, NUMBERS) and self._state.names[place[0]] in self._state.counted:
            self._carried[place] = wrap(jnp.asarray(value, number_dtype(value)))

    # ---- tracing

    def _arguments(self) -> tuple[dict, list]:
        """Return a tensor for each carried leaf, and all arguments of a part."""
        substitutes = {
            place: wrap(jnp.array(value._array, copy=True), value.stop_gradient)
            for place, value in self._carried.items()
        }
        self._draw = wrap(random.no_key())
        return substitutes, [*substitutes.values(), *self._written, self._draw]

    def _part(self, run: Callable) -> Part:
        substitutes, arguments = self._arguments()
        self._substitutes = substitutes

        def round_() -> object:
            used = [*self._state.values(), ("test", self._test), ("body", self._body)]
            with inside(f"The loop on a tensor at {self.place}", used):
                with random.drawing_from(self._draw._array) as stream:
                    self._begin(substitutes)
                    found = run()
                    self._state.go_back()
                self._draws = stream.draws
            return found

        try:
            return part_of("a loop", round_, arguments)
        finally:
            self._state.go_back()

    def _traced_once(self) -> Part:
        try:
            return self._part(self._round)
        except NameError as error:
            why = self._why_own(error)
            if why is None:
                raise
            refuse(why)
            raise

    def _round(self) -> tuple[list, list]:
        self._body()
        return self._state.now()

    def _holds(self) -> object:
        try:
            return self._test()
        except NameError as error:
            why = self._why_own(error)
            if why is not None:
                refuse(why)
            raise

    def _why_own(self, error: NameError) -> str | None:
        """Return why a variable of the body has no value at the start of a round."""
        name = name_in(error)
        for at, why in self._own.items():
            if self._state.names[at] == name and why:
                return why
        return None

    def _begin(self, substitutes: dict) -> None:
        """Set variables and containers to their values at the start of a round."""
        state = self._state
        state.go_back()
        state.set(self._filled(substitutes, len(state.names), 0))
        for (container, _), content in zip(
            state.containers, self._filled(substitutes, len(state.containers), 1), strict=True
        ):
            fill(container, content)

    def _filled(self, substitutes: dict, count: int, which: int) -> list:
        """Return the initial values, or contents, with substitutes for the carried ones."""
        offset = 0 if which == 0 else len(self._state.names)
        made = []
        for at in range(count):
            if which == 0 and at in self._own:
                made.append(UNSET)
                continue
            numbers = iter(range(10**9))
            made.append(
                mapped(
                    lambda end, at=at, numbers=numbers: _plain(
                        substitutes.get((at + offset, next(numbers)), end)
                    ),
                    self._start[which][at],
                )
            )
        return made

    # ---- carried variables

    def _finds_more(self, once: Part) -> bool:
        """Note the changes of a traced round; return whether any of them is new."""
        more = False
        kinds = [*self._start[0], *self._start[1]]
        ended = [*once.result[0], *once.result[1]]
        for at, (start, end) in enumerate(zip(kinds, ended, strict=True)):
            if at not in self._own:
                more |= self._compare(at, start, end, once)
        substitutes = {*map(id, self._substitutes.values()), *map(id, self._carried.values())}
        known = {*map(id, self._written), id(self._draw)}
        for tensor in once.written_tensors():
            if id(tensor) in substitutes and self._is_guess:  # its variable may stay the same
                self._carried, self._own, self._is_guess = {}, {}, False
                return True
            if id(tensor) in substitutes:
                refuse(
                    f"the loop at {self.place} writes into a tensor and binds its variable to "
                    "another one. Do only one of the two."
                )
            if id(tensor) not in known:
                self._written.append(tensor)
                more = True
        if self._draws and self._key is None:
            self._key = wrap(random.plain_words(random.next_key()))
        return more

    def _compare(self, at: int, start: object, end: object, once: Part) -> bool:
        """Compare a variable, or a container, before and after a round."""
        state = self._state
        is_local = at < state.locals
        name = [*state.names, *state.container_names][at]
        if type(start) is Opaque and start.value is UNSET:  # never a container
            if type(end) is Opaque and end.value is UNSET:
                return False
            if name != INTERNAL:
                self._own[at] = ""
                return True
            start = self._start[0][at] = mapped(lambda e: _zero(e, once), end, stops_at=Returned)
        if type(start) is Opaque and type(end) is type(start.value) in (list, dict):
            content = state.content_of(start, self._start[1])  # bound to another list or dict
            start = self._start[0][at] = content
        try:
            return self._compare_leaves(at, start, end, once)
        except Differs as differs:
            why = (
                f"{called(name)} changes in the loop on a tensor at {self.place}: it {differs}. In "
                "a program it keeps its shape and dtype: create it with its final size before the "
                "loop, and write into it."
            )
            if not is_local or name == INTERNAL:
                refuse(why)
            self._own[at] = why
            self._carried = {place: e for place, e in self._carried.items() if place[0] != at}
            return True

    def _compare_leaves(self, at: int, start: object, end: object, once: Part) -> bool:
        if _skeleton(start) != _skeleton(end):
            raise Differs(f"is {text_of(start)} before and {text_of(end)} after a round")
        more = False
        pairs = zip(ends(start), ends(end, Returned), strict=True)
        for number, (before, after) in enumerate(pairs):
            more |= self._compare_leaf((at, number), before, after, once)
        return more

    def _compare_leaf(self, place: tuple, before: Any, after: object, once: Part) -> bool:
        is_tensor = type(after) is Returned
        aval = once.aval_of(after) if is_tensor else None
        carried = self._carried.get(place)
        if carried is not None:
            array = carried._array
            if (
                aval is None
                and isinstance(after, NUMBERS)
                and not array.shape
                and fits(after, array.dtype)
            ):
                return False
            if aval is not None and (aval.shape, aval.dtype) == (array.shape, array.dtype):
                return False
            if not isinstance(before, Tensor) and self._widened(place, before, after, aval):
                return True
            raise Differs(
                f"is {text_of(None, array)} before and {text_of(after, aval)} after a round"
            )
        if is_tensor and isinstance(before, Tensor) and once.tensor_of(after) is before:
            return False
        if isinstance(before, Tensor):
            self._carried[place] = before
            return True
        if type(before) is Opaque:
            if type(after) is Opaque and same(after.value, before.value):
                return False
            raise Differs(f"is {text_of(before)} before and {text_of(after, aval)} after a round")
        if not is_tensor and same(before, after):
            return False
        if not is_tensor and not isinstance(after, NUMBERS):
            raise Differs(f"is {text_of(before)} before and {text_of(after)} after a round")
        dtype = number_dtype(before) if aval is None or not fits(before, aval.dtype) else aval.dtype
        self._carried[place] = wrap(jnp.asarray(before, dtype))
        return True

    def _widened(
        self, place: tuple, before: object, after: Any, aval: jax.Array | ShapedArray | None
    ) -> bool:
        """Give a carried number another dtype; return whether that helps."""
        dtype = number_dtype(after) if aval is None else aval.dtype
        shape = () if aval is None else aval.shape
        if shape or self._carried[place]._array.dtype == dtype or not fits(before, dtype):
            return False
        self._carried[place] = wrap(jnp.asarray(before, dtype))
        return True

    # ---- running

    def _loop(self, holds: Part, once: Part) -> Callable:
        """Return the loop as a function of arrays, which holds none of its tensors."""
        count, has_key = len(self._carried) + len(self._written), self._key is not None
        end = count + has_key
        cut = len(holds.outside)
        asked, round_ = holds.run, once.run
        going = holds.source(holds.result) if type(holds.result) is Returned else holds.result
        after = [self._end_of(once, place) for place in self._carried]
        after = [once.source(each) if type(each) is Returned else each for each in after]
        after += [once.written_source(each) for each in self._written]

        def split(state: Sequence[jax.Array]) -> list:
            return [*state[:count], state[-1] if has_key else random.no_key()]

        def goes_on(state: Sequence[jax.Array], given: Sequence[jax.Array]) -> jax.Array:
            if type(going) is not Returned:
                return jnp.asarray(bool(going))
            return asked(split(state), given[:cut]).array(going).reshape(())

        def body(state: Sequence[jax.Array], given: Sequence[jax.Array]) -> list:
            words = []
            if has_key:
                kept, now = random.split_words(state[-1])
                state, words = [*state[:-1], now], [kept]
            arguments = split(state)
            ran = round_(arguments, given[cut:])
            held = zip(after, arguments[:count], strict=True)
            return [*[_array(ran, each, now) for each, now in held], *words]

        def run(*given: jax.Array) -> list:
            return looped(goes_on, body)(list(given[:end]), list(given[end:]))[:count]

        return run

    def _end_of(self, once: Part, place: tuple[int, int]) -> Any:
        at, number = place
        return ends([*once.result[0], *once.result[1]][at], Returned)[number]

    def _set_after(self, outs: list) -> None:
        """Set variables to the results of the loop."""
        state = self._state
        made = dict(zip(self._carried, outs, strict=False))
        values = self._filled(made, len(state.names), 0)
        contents = self._filled(made, len(state.containers), 1)
        known = flow()
        for at, why in self._own.items():
            if known is not None:
                name = state.names[at]
                known.missing[name] = why or (
                    f"{called(name)} is set only in the loop on a tensor at {self.place}, of which "
                    "a program may run no round. Give it a value before the loop."
                )
        state.set(values)
        for (container, _), content in zip(state.containers, contents, strict=True):
            fill(container, content)
        write(distinct(self._written), outs[len(self._carried) :])


def _plain(end: object) -> object:
    return end.value if type(end) is Opaque else end


def _skeleton(value: object) -> list:
    """Return the kinds, lengths and keys of nested lists, tuples and dicts."""
    found: list = []
    mapped(
        lambda end: found.append(None),
        value,
        lambda inner: found.append(
            (type(inner), len(inner), list(inner) if isinstance(inner, dict) else None)
        ),
        stops_at=Returned,
    )
    return found


def _zero(end: object, once: Part) -> object:
    """Return a substitute for a leaf before the first round that sets it."""
    if type(end) is not Returned:
        return end
    aval = once.aval_of(end)
    return wrap(jnp.zeros(aval.shape, aval.dtype))


def _array(ran: Ran, end: object, now: jax.Array) -> jax.Array:
    """Return an end of a round: an output, a number, or the earlier value (None)."""
    if end is None:
        return now
    return ran.array(end) if type(end) is Returned else jnp.asarray(end, now.dtype)
