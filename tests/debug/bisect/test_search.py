"""The halving search: every place of the first bad candidate, with and without skipped ones."""

import math

import pytest

from jaxeager.debug.bisect.search import BAD, GOOD, SKIP, first_bad


@pytest.mark.parametrize("last", [1, 2, 3, 10, 33])
def test_each_place_is_found_in_few_steps(last):
    for wanted in range(1, last + 1):
        asked = []

        def judge(number, wanted=wanted, asked=asked):
            asked.append(number)
            return BAD if number >= wanted else GOOD

        assert list(first_bad(last, judge)) == [wanted]
        assert len(asked) <= math.ceil(math.log2(last))
        assert {0, last}.isdisjoint(asked)


def test_skipped_candidates_leave_the_others_to_decide():
    skipped = {4, 5, 6}
    for wanted in range(1, 11):
        found = first_bad(
            10, lambda n, wanted=wanted: SKIP if n in skipped else BAD if n >= wanted else GOOD
        )
        assert wanted in found
        assert set(found) - {found[-1]} <= skipped
    assert list(first_bad(5, lambda _: SKIP)) == [1, 2, 3, 4, 5]
