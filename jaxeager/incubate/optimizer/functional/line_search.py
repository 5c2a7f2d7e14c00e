"""Line search: a step length that satisfies the strong Wolfe conditions.

After Nocedal and Wright, Numerical Optimization (2006), algorithms 3.5 and 3.6: the chosen step
decreases the function and its slope sufficiently.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from jaxeager.tensor import Tensor

ENOUGH = 1e-4  # the share of the slope that the function must decrease by
FLAT = 0.9  # the share of the slope that may remain
LONGEST = 10.0
NARROW = 1e-8  # the least width between two steps that is searched


class Point(NamedTuple):
    """A tried step.

    Attributes:
        step: the step length.
        value: the function there.
        slope: its derivative along the direction.
        gradient: float[n], its gradient.
    """

    step: float
    value: float
    slope: float
    gradient: Tensor


class Found(NamedTuple):
    """The chosen step, 0 if none fits, and the number of function calls."""

    point: Point
    calls: int


def _between(a: Point, b: Point) -> float:
    """Return the minimum of the cubic through two points with their slopes, between them."""
    low, high = min(a.step, b.step), max(a.step, b.step)
    d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.step - b.step)
    square = d1 * d1 - a.slope * b.slope
    if not square >= 0.0:
        return (low + high) / 2
    d2 = math.sqrt(square)
    first, last = (a, b) if a.step <= b.step else (b, a)
    width = last.slope - first.slope + 2 * d2
    if width == 0.0:
        return (low + high) / 2
    step = last.step - (last.step - first.step) * (last.slope + d2 - d1) / width
    return min(max(step, low), high)


def _zoom(look: Callable[[float], Point], start: Point, low: Point, high: Point, most: int):
    """Return the best point between two, and the number of function calls."""
    looks = 0
    while looks < most and abs(high.step - low.step) >= NARROW:
        step, width = _between(low, high), abs(high.step - low.step)
        if min(abs(step - low.step), abs(step - high.step)) < 0.1 * width:
            step = 0.5 * (low.step + high.step)
        found = look(step)
        bound = start.value + ENOUGH * step * start.slope
        if found.value > bound or found.value >= low.value:
            high, looks = found, looks + 1
            continue
        if abs(found.slope) <= -FLAT * start.slope:
            return found, looks
        if found.slope * (high.step - low.step) >= 0:
            high = low
        low, looks = found, looks + 1
    return low, looks


def strong_wolfe(look: Callable[[float], Point], first: float, most: int) -> Found:
    """Return a step that satisfies the strong Wolfe conditions, or 0.

    Args:
        look: evaluates a step.
        first: the step that is tried first.
        most: the maximum number of steps tried.
    """
    start = before = look(0.0)
    calls, step = 1, first
    for count in range(most):
        found, calls = look(step), calls + 1
        if math.isinf(found.value):
            break
        bound = start.value + ENOUGH * step * start.slope
        if found.value > bound or (found.value >= before.value and count > 1):
            point, looks = _zoom(look, start, before, found, most)
            return Found(point, calls + looks)
        if abs(found.slope) <= -FLAT * start.slope:
            return Found(found, calls)
        if found.slope >= 0:
            point, looks = _zoom(look, start, found, before, most)
            return Found(point, calls + looks)
        before, step = found, min(2 * step, LONGEST)
    return Found(start, calls)
