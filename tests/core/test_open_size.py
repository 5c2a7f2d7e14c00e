"""Sizes that represent any number: one form for equal ones, and the reasons of refusals."""

import math

import jax
import pytest
from jax.export import SymbolicScope

from jaxeager.core.open_conditions import (
    Condition,
    bounds_of,
    broken_condition,
    conditions_for_sign,
    conditions_for_zero,
    is_bound,
)
from jaxeager.core.open_size import OpenSize, open_shape
from jaxeager.core.size_comparisons import Undecided
from jaxeager.core.symbolic import greater, lesser, typical

H, W = open_shape("h, w", SymbolicScope())


def value(size, h):
    return int(size._evaluate({"h": h, "w": 2})) if isinstance(size, OpenSize) else size


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (H + (7 - H % 7) % 7, -(-H // 7) * 7),
        ((H + (7 - H % 7) % 7) // 7, (H + 6) // 7),
        ((H - 2) // 2 + 1, H // 2),
        ((H // 2) // 3, H // 6),
        (((H - 1) // 2 + 1 - 1) // 2 + 1, (H + 3) // 4),
        ((2 * H + 1) // 4, H // 2),
        (H + H % 2, (H + 1) // 2 * 2),
        (H - H // 2, (H + 1) // 2),
        (greater(H - 2, 0), H - lesser(H, 2)),
        (greater(greater(H - 2, 0) - 1, 0), greater(H - 3, 0)),
        (math.ceil(H), H),
    ],
)
def test_equal_sizes_have_one_form(one, other):
    assert one == other
    assert hash(one) == hash(other)
    assert [value(one, n) for n in range(1, 40)] == [value(other, n) for n in range(1, 40)]


@pytest.mark.parametrize(
    "work",
    [
        lambda h: (7 - h % 7) % 7, lambda h: (3 * h + 5) // 4, lambda h: (5 - h) // 3,
        lambda h: h // -2, lambda h: (h * h + h) // 2 % 3, lambda h: divmod(h + 1, 4)[1],
        lambda h: (h + h // 2 + 1) // 2, lambda h: h - (h + 2) // 3 * 2, lambda h: h**2 - h,
        lambda h: lesser(h, 5) + greater(h // 2, 3), lambda h: 3 * h - 2 * (h // 2),
    ],
)  # fmt: skip
def test_a_size_is_the_number_that_python_finds(work):
    assert [value(work(H), n) for n in range(1, 50)] == [int(work(n)) for n in range(1, 50)]


def test_comparisons_that_hold_for_every_size_are_decided():
    assert H >= 1
    assert H // 2 < H
    assert (H + 2) * (W + 1) >= H * W
    assert (7 - H % 7) % 7 < 7
    assert not H > H


@pytest.mark.parametrize(
    "ask", [lambda: H > 2, lambda: H == 3, lambda: H != W, lambda: bool(H % 2), lambda: H < W]
)
def test_questions_that_depend_on_the_size_are_refused(ask):
    with pytest.raises(Undecided, match="depends on the size"):
        ask()


def test_no_number_is_made_of_an_open_size():
    for ask in (float, int, range, math.sqrt):
        with pytest.raises(Undecided, match="is open and has no value"):
            ask(H)


def test_conditions_under_which_a_question_is_decided():
    assert conditions_for_sign(H - 3)[0] == [Condition("h", ">=", 3)]
    assert conditions_for_sign(32 - H) == [
        [Condition("h", ">=", 33)],
        [Condition("h", "<=", 32)],
    ]
    assert conditions_for_zero(H - 2 * (H // 2)) == [Condition("h", "step", 2, 0)]
    assert conditions_for_zero((H + 3) // 4 - 2 * ((H + 7) // 8)) == [Condition("h", "step", 8, 0)]
    assert conditions_for_zero(W - H) == [Condition("w", "same", "h")]
    assert conditions_for_zero(H - 3) == []
    assert conditions_for_zero(W - H + 1) == []


def test_a_number_that_breaks_a_condition_is_named():
    assert broken_condition(H, 1, []) is None
    assert broken_condition(4 * H, 8, []) is None
    assert broken_condition(4 * H, 9, []) == "sizes 4, 8, 12 and so on"
    (n,) = shape = open_shape("n", SymbolicScope(["n >= 3"]))
    bounds = bounds_of([jax.ShapeDtypeStruct(shape, "float32")])
    assert bounds == ["n >= 3"]
    assert all(map(is_bound, bounds))
    assert not is_bound("n >= m")
    assert broken_condition(n, 2, bounds) == "n >= 3"
    assert broken_condition(2 * n, 4, bounds) == "2*n >= 6"
    assert broken_condition(n, 2, ["n <= 1"]) == "n <= 1"
    assert broken_condition(n, 3, bounds) is None
    assert typical(2 * n) == 10080
