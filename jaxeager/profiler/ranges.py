"""Ranges of time, (begin, end), and sums in which no time counts twice."""

from collections.abc import Iterable

Ranges = list[tuple[int, int]]


def merged(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Return the same time as ranges that do not touch, in order.

    Example:
        >>> merged([(5, 9), (0, 3), (2, 6)])
        [(0, 9)]
    """
    found: Ranges = []
    for begin, end in sorted(ranges):
        if found and begin <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((begin, end))
    return found


def total(ranges: Iterable[tuple[int, int]]) -> int:
    """Return the total length of merged ranges."""
    return sum([end - begin for begin, end in ranges])


def common(first: Ranges, second: Ranges) -> Ranges:
    """Return the time that is in both of two merged lists.

    Example:
        >>> common([(0, 4), (6, 9)], [(2, 7)])
        [(2, 4), (6, 7)]
    """
    found, at = [], 0
    for begin, end in first:
        while at < len(second) and second[at][1] <= begin:
            at += 1
        other = at
        while other < len(second) and second[other][0] < end:
            found.append((max(begin, second[other][0]), min(end, second[other][1])))
            other += 1
    return found
