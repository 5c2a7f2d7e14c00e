"""The search for the first bad candidate in a list, by halving."""

from collections.abc import Callable

GOOD, BAD, SKIP = "good", "bad", "skip"


class UnusableError(Exception):
    """Arguments or ends that cannot be used; the message states why and what to do."""


def first_bad(last: int, judge: Callable[[int], str]) -> range:
    """Return the candidates among which the first bad one is: one, or more if some were skipped.

    Number 0 is known to be good and ``last`` to be bad. If bad candidates precede good ones, the
    result is one of the places where a good candidate is followed by a bad one.

    Args:
        last: the number of the last candidate, at least 1.
        judge: returns GOOD, BAD or SKIP for a candidate's number.

    Example:
        >>> first_bad(100, lambda number: BAD if number >= 37 else GOOD)
        range(37, 38)
        >>> first_bad(10, lambda number: SKIP if number == 5 else BAD if number > 4 else GOOD)
        range(5, 7)
    """
    good, bad, skipped = 0, last, set()
    while True:
        number = _nearest_to_middle(good, bad, skipped)
        if number is None:
            return range(good + 1, bad + 1)
        verdict = judge(number)
        if verdict == SKIP:
            skipped.add(number)
        elif verdict == GOOD:
            good = number
        else:
            bad = number


def _nearest_to_middle(good: int, bad: int, skipped: set[int]) -> int | None:
    """Return the candidate between two that is nearest to their middle and was not skipped."""
    middle = (good + bad) // 2
    for distance in range(bad - good):
        for number in (middle - distance, middle + distance):
            if good < number < bad and number not in skipped:
                return number
    return None
