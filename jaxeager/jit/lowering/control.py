"""The helpers of converted code: branches, loops and operators, of Python or of a program.

A condition with a concrete value is evaluated in Python, without any difference. A traced one, or
one that depends on an open size, makes a branch or a loop of the program: branches.py, loops.py.
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeGuard

import jax.numpy as jnp
import numpy as np

from jaxeager.core.symbolic import is_symbolic
from jaxeager.errors import InvalidArgumentError
from jaxeager.jit.capture.refusals import tensor_text
from jaxeager.jit.capture.unset import UNSET
from jaxeager.jit.lowering.branches import run_branches
from jaxeager.jit.lowering.loops import Loop
from jaxeager.jit.lowering.running import flow, inside, refuse, refuse_here
from jaxeager.jit.lowering.states import State, read
from jaxeager.ops.call.dispatch import wrap
from jaxeager.ops.elementwise.copies import assign
from jaxeager.static.nn.traced_flow import is_traced
from jaxeager.tensor import Tensor
from jaxeager.tensor.open_number import OpenNumber

_MOST_ROUNDS = 10_000  # of a Python loop that a tensor may end
__all__ = [
    "UNSET", "all_of", "any_of", "compared", "for_", "if_", "none_of", "not_", "plain", "raised",
    "read", "ternary", "while_",
]  # fmt: skip


def is_computed(value: object) -> TypeGuard[Tensor]:
    """Return whether a value is computed by a program, so that Python cannot read it."""
    return isinstance(value, Tensor) and flow() is not None and is_traced(value)


def truth(value: object) -> Any:
    """Return the truth of a value: bool[] in a program, or a bool."""
    if not is_computed(value):
        return bool(value)
    if value.size != 1:
        raise InvalidArgumentError(
            "`if`, `while`, `and`, `or` and `not` take a tensor with one element, but received "
            f"{value._array.dtype}{list(value.shape)}. Use (...).all() or (...).any()."
        )
    return value.reshape([]).astype("bool")


def _place(function: Callable, line: int) -> str:
    return f"{function.__code__.co_filename}:{line}"


# ---- statements


def if_(
    test: object,
    true: Callable,
    false: Callable,
    get: Callable,
    put: Callable,
    names: Sequence[str],
    attributes: Sequence[str],
    seen: Sequence[str],
    counted: Sequence[str],
    line: int,
) -> None:
    """Run ``if test: true() else: false()``.

    Args:
        test: the condition.
        true, false: the branches.
        get, put, names, attributes, seen, counted, line: see ``State``.
    """
    if is_computed(test):
        state = State(get, put, names, attributes, seen, counted, line)
        run_branches(truth(test), [false, true], state, _place(true, line))
    elif test:
        true()
    else:
        false()


def while_(
    test: Callable,
    body: Callable,
    get: Callable,
    put: Callable,
    names: Sequence[str],
    attributes: Sequence[str],
    seen: Sequence[str],
    counted: Sequence[str],
    line: int,
) -> None:
    """Run ``while test(): body()``; see ``if_``."""
    while True:
        found = test()
        if is_computed(found):
            state = State(get, put, names, attributes, seen, counted, line)
            Loop(lambda: truth(test()), body, state, _place(body, line)).run()
            return
        if not found:
            return
        body()


def for_(
    items: Any,
    body: Callable,
    goes_on: Callable | None,
    get: Callable,
    put: Callable,
    names: Sequence[str],
    attributes: Sequence[str],
    seen: Sequence[str],
    counted: Sequence[str],
    line: int,
) -> None:
    """Run ``for item in items: body(item)``; see ``if_``.

    Args:
        goes_on: returns whether neither ``break`` nor ``return`` was reached; None without them.
    """
    if isinstance(items, Steps) or (
        isinstance(items, Tensor) and items.shape and is_symbolic(items._array.shape[0])
    ):
        _counted(items, body, goes_on, get, put, names, attributes, seen, counted, line)
        return
    rounds = 0
    for item in items:
        still = True if goes_on is None else goes_on()
        if is_computed(still):
            rounds += 1
            if rounds > _MOST_ROUNDS:
                refuse(
                    f"the `for` at {_place(body, line)} is ended by a tensor after more than "
                    f"{_MOST_ROUNDS} rounds in Python. Use `while`."
                )
            state = State(get, put, names, attributes, seen, counted, line)
            runs = [_nothing, lambda item=item: body(item)]
            run_branches(truth(still), runs, state, _place(body, line))
        elif still:
            body(item)
        else:
            return
        if goes_on is not None and not is_computed(now := goes_on()) and not now:
            return


def _nothing() -> None:
    pass


class Steps:
    """``range`` of tensors, or of open sizes.

    Args:
        start, stop, step: tensors, ints or sizes.
    """

    def __init__(self, start: object, stop: object, step: object):
        self.start, self.stop, self.step = map(_whole, (start, stop, step))

    def __iter__(self) -> Iterator:
        refuse_here(
            "it loops over the range of a tensor where a program cannot: in a comprehension, in a "
            "function that is not converted, or in list(range(n)). Use a `for` statement."
        )
        return iter(())


def range_(*given: Any) -> range | Steps:
    """Return ``range`` of numbers, or its counterpart in a program."""
    if not any(is_computed(each) or is_symbolic(each) for each in given):
        return builtins.range(*given)
    start, stop, step = (0, *given, 1) if len(given) == 1 else (*given, 1)[:3]
    return Steps(start, stop, step)


def int_(*given: Any, **named: Any) -> Any:
    """Return ``int(...)``: int64[] for a tensor in a program, a size for a fraction of a size."""
    if len(given) == 1 and _is_known(given[0]):
        return math.trunc(given[0])
    if len(given) == 1 and is_computed(given[0]) and given[0].size == 1:
        return given[0].reshape([]).astype("int64")
    return int(*given, **named)


def _is_known(value: object) -> bool:
    return isinstance(value, OpenNumber) and value.known is not None


def float_(*given: Any) -> Any:
    """Return ``float(...)``: a tensor for an open size."""
    if len(given) == 1 and (is_symbolic(given[0]) or _is_known(given[0])):
        return given[0] * 1.0
    return float(*given)


def sqrt(value: Any) -> Any:
    """Return ``math.sqrt(value)``: a tensor for an open size."""
    return float_(value) ** 0.5 if is_symbolic(value) else math.sqrt(value)


def bool_(*given: object) -> Tensor | bool:
    """Return ``bool(...)``: bool[] for a tensor in a program."""
    return truth(*given) if given else False


def _whole(value: object) -> Tensor:
    """Return a number as a separate int64[]: later writes into it do not move a bound."""
    if isinstance(value, Tensor):
        if value.size != 1 or value._array.dtype.kind not in "iu":
            raise InvalidArgumentError(
                f"range() takes integers, but received {value._array.dtype}{list(value.shape)}."
            )
        return assign(value.reshape([])).astype("int64")
    return wrap(jnp.asarray(value, np.int64))


def _counted(
    items: Any,
    body: Callable,
    goes_on: Callable | None,
    get: Callable,
    put: Callable,
    names: Sequence[str],
    attributes: Sequence[str],
    seen: Sequence[str],
    counted: Sequence[str],
    line: int,
) -> None:
    """Run a ``for`` over a range or the rows of a tensor as a ``while`` that counts."""
    steps = items if isinstance(items, Steps) else Steps(0, items._array.shape[0], 1)
    held = [steps.start]  # one more variable, before the others

    def put_all(values: Sequence[Any]) -> None:
        held[0] = values[0]
        put(values[1:])

    def test() -> Any:
        is_in = (held[0] - steps.stop) * steps.step.sign() < 0
        return is_in if goes_on is None else all_of(lambda: is_in, goes_on)

    def once() -> None:
        count = held[0]
        body(items[count] if isinstance(items, Tensor) else count)
        held[0] = count + steps.step

    state = State(
        lambda: (held[0], *get()),
        put_all,
        ["range()", *names],
        attributes,
        seen,
        ["range()", *counted],
        line,
    )
    Loop(lambda: truth(test()), once, state, _place(body, line)).run()


# ---- tests that remain Python's


def plain(test: object, reason: str) -> Any:
    """Return a test for Python; refuse one that a program computes, with the reason."""
    if is_computed(test):
        refuse_here(f"it reads the value of {tensor_text(test)} where it is not known: {reason}.")
    return test


def raised(error: object) -> Any:
    """Return the error of a ``raise``; another one where only a tensor decides if it is raised."""
    known = flow()
    if known is None or not known.depth:
        return error
    kind = error if isinstance(error, type) else type(error)
    message = "" if isinstance(error, type) else f": {error}"
    try:
        refuse_here(
            f"it raises {kind.__name__}{message} in a branch or loop on a tensor, which a program "
            "cannot do: it contains both branches."
        )
    except Exception as refusal:
        return refusal
    return error


# ---- expressions


def not_(value: object) -> Tensor | bool:
    """Return ``not value``."""
    return truth(value).logical_not() if is_computed(value) else not value


def none_of(*flags: object) -> Tensor | bool:
    """Return whether no flag is set."""
    asked = [each for each in flags if is_computed(each)]
    if any(each for each in flags if not is_computed(each)):
        return False
    if not asked:
        return True
    found = truth(asked[0])
    for each in asked[1:]:
        found = found.logical_or(truth(each))
    return found.logical_not()


def all_of(*values: Callable) -> Any:
    """Return ``a and b and ...`` of functions that return a, b, ..."""
    return _chained(values, True)


def any_of(*values: Callable) -> Any:
    """Return ``a or b or ...`` of functions that return a, b, ..."""
    return _chained(values, False)


def _chained(values: Sequence[Callable], goes_on: bool) -> Any:
    first = values[0]()
    if len(values) == 1:
        return first
    if not is_computed(first):
        return _chained(values[1:], goes_on) if bool(first) is goes_on else first
    holds = truth(first)
    line = _place(values[0], values[0].__code__.co_firstlineno)
    what = f"The `{'and' if goes_on else 'or'}` on a tensor at {line}"
    with inside(what, [("what follows", each) for each in values[1:]]):
        other = _chained(values[1:], goes_on)
    if first.dtype == holds.dtype and (isinstance(other, bool) or _is_bool(other)):
        second = truth(other) if isinstance(other, Tensor) else wrap(jnp.asarray(other))
        found = holds.logical_and(second) if goes_on else holds.logical_or(second)
        is_alike = isinstance(other, Tensor) and other.shape == first.shape
        return found.reshape(first.shape) if is_alike else found
    ways = (lambda: other, lambda: first) if goes_on else (lambda: first, lambda: other)
    return ternary(holds, *ways, line)


def _is_bool(value: object) -> bool:
    return isinstance(value, Tensor) and value._array.dtype == np.bool_ and value.size == 1


def compared(left: object, *rest: Any) -> Any:
    """Return ``left < b < c`` from the name of each operator and a function of its operand."""
    pairs = list(zip(rest[::2], rest[1::2], strict=True))
    found: list = []
    for place, (name, value) in enumerate(pairs):
        right = value()
        now = getattr(operator, name)(left, right)
        if is_computed(now) or place == len(pairs) - 1:
            found.append(now)
        elif not now:
            found.append(now)
            break
        left = right
    return all_of(*[lambda e=e: e for e in found])


def ternary(test: object, true: Callable, false: Callable, place: str = "") -> Any:
    """Return ``true() if test else false()``.

    Args:
        test: a tensor or a bool.
        true, false: functions that return the values.
        place: the line, by default that of ``true``.
    """
    if not is_computed(test):
        return true() if test else false()
    held: list = [UNSET]

    def setting(value: Callable) -> Callable:
        def run() -> None:
            held[0] = value()

        return run

    def put(values: Sequence[object]) -> None:
        held[0] = values[0]

    state = State(lambda: (held[0],), put, (), ("a if t else b",), (), (), 0)
    place = place or _place(true, true.__code__.co_firstlineno)
    run_branches(truth(test), [setting(false), setting(true)], state, place)
    return held[0]
