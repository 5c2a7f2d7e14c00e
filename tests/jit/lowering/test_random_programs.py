"""Random small programs of nested branches and loops mean the same with and without conversion."""

from __future__ import annotations

import itertools
import linecache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jaxeager as paddle
from jaxeager.jit.lowering import lowered
from tests.support.examples import examples

NAMES = ["a", "b", "c"]
_numbers = itertools.count()

constants = st.integers(-2, 3).map(str)
values = st.one_of(constants, st.sampled_from(NAMES))


@st.composite
def expressions(draw, depth=2):
    if depth == 0 or draw(st.integers(0, 2)) == 0:
        return draw(values)
    kind = draw(st.integers(0, 3))
    left, right = draw(expressions(depth=depth - 1)), draw(expressions(depth=depth - 1))
    if kind == 3:
        return f"(number({left}) if {draw(conditions(depth=0))} else number({right}))"
    return f"({left} {'+-*'[kind]} {right})"


@st.composite
def conditions(draw, depth=1):
    if depth == 0 or draw(st.booleans()):
        left, right = draw(expressions(depth=1)), draw(expressions(depth=1))
        return f"({left}) {draw(st.sampled_from(['<', '>', '<=', '==', '!=']))} ({right})"
    kind = draw(st.sampled_from(["and", "or", "not", "chain"]))
    one, two = draw(conditions(depth=0)), draw(conditions(depth=0))
    if kind == "not":
        return f"not ({one})"
    if kind == "chain":
        return f"{draw(values)} < ({draw(values)}) <= {draw(values)}"
    return f"({one}) {kind} ({two})"


@st.composite
def blocks(draw, depth, in_loop):
    """Return the lines of a block: assignments, branches, loops that end, and jumps out of them."""
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.integers(0, 7 if depth else 2))
        if kind <= 2:
            name, value = draw(st.sampled_from(NAMES)), draw(expressions())
            lines.append(f"{name} = clip({value})")
        elif kind <= 5:
            lines.append(f"if {draw(conditions())}:")
            lines += indented(draw(blocks(depth - 1, in_loop)))
            lines += indented(draw(st.sampled_from([[], [], leaving(in_loop)])))
            if draw(st.booleans()):
                lines.append("else:")
                lines += indented(draw(blocks(depth - 1, in_loop)))
        else:
            count = f"n{next(_numbers)}"
            if kind == 6:
                lines += [f"{count} = zero", f"while {count} < 3 and ({draw(conditions())}):"]
                lines.append(f"    {count} = {count} + 1")
            else:
                lines.append(f"for {count} in range(times({draw(values)})):")
            lines += indented(draw(blocks(depth - 1, True)))
            if draw(st.integers(0, 3)) == 0:
                lines += ["else:", *indented(draw(blocks(depth - 1, in_loop)))]
    return lines


def leaving(in_loop):
    return ["break"] if in_loop else ["return a + b, b, c"]


def indented(lines):
    return [f"    {each}" for each in lines]


@st.composite
def programs(draw):
    lines = draw(blocks(2, False))
    return "\n".join(["def forward(a, b, c, zero):", *indented(lines), "    return a, b, c", ""])


def clip(value):
    """Keep numbers small, whether they are Python's or tensors."""
    if isinstance(value, paddle.Tensor):
        return value.clip(-50, 50)
    return max(-50, min(50, value))


def clip_to_tensor(value):
    """Keep numbers small, and constants of the dtype of the arguments, as a loop requires."""
    found = clip(value)
    is_tensor = isinstance(found, paddle.Tensor)
    return found.astype("float64") if is_tensor else paddle.to_tensor(np.float64(found))


def times(value):
    """Return a number of turns, an integer of Python or a tensor."""
    if isinstance(value, paddle.Tensor):
        value = value.astype("int64")
    return abs(clip(value)) % 4


def same(value):
    return value


def compiled(text, clip=clip, number=same):
    """Return the function of a text, which is in linecache like those of a console.

    Args:
        text: the source.
        clip: what its assignments call.
        number: what the two sides of its conditional expressions go through.
    """
    name = f"<program {next(_numbers)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    scope = {"clip": clip, "number": number, "times": times}
    exec(compile(text, name, "exec"), scope)
    return scope["forward"]


NUMBERS = st.tuples(*[st.integers(-3, 3)] * 3)


@settings(max_examples=examples(20, 40), deadline=None)
@given(programs(), NUMBERS)
def test_of_python_numbers(text, numbers):
    function = compiled(text)
    assert lowered(function)(*numbers, 0) == function(*numbers, 0)


def check(text, each):
    function = compiled(text)
    marked = paddle.jit.to_static(function, full_graph=True)
    for numbers in each:
        found = [
            run(*[paddle.to_tensor(number, "int64") for number in (*numbers, 0)])
            for run in (function, marked)
        ]
        for wanted, got in zip(*found, strict=True):
            assert int(got) == int(wanted), text


@pytest.mark.deep
@settings(max_examples=40, deadline=None)
@given(programs(), st.lists(NUMBERS, min_size=3, max_size=5))
def test_of_tensors(text, each):
    check(text, each)


@pytest.mark.deep
@settings(max_examples=20, deadline=None)
@given(programs(), st.floats(-2, 2, width=16), st.floats(-2, 2, width=16))
def test_gradients(text, first, second):
    function = compiled(text, clip_to_tensor, clip_to_tensor)
    found = []
    for run in (function, paddle.jit.to_static(function, full_graph=True)):
        given = [paddle.to_tensor(np.float64(n), stop_gradient=False) for n in (first, second, 1.5)]
        sum(run(*given, paddle.to_tensor(0)), start=given[0] * 0).backward()
        found.append([0.0 if each.grad is None else each.grad.item() for each in given])
    np.testing.assert_allclose(found[1], found[0], rtol=1e-6, atol=1e-9, err_msg=text)
