"""Line search: a step length that satisfies the strong Wolfe conditions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import jax

ENOUGH_DECREASE = 1e-4  # the least fall of the loss, as a share of the fall predicted by the slope
ENOUGH_FLATNESS = 0.9  # the largest slope, as a share of the first one
MOST_PROBES = 25


class Probe(NamedTuple):
    """The results at one step length.

    They are in the dtype of the gradient: a fall of the loss that is lost in rounding must not
    count.

    Attributes:
        step: the distance along the direction.
        loss: the loss there.
        slope: its derivative along the direction.
        grad: the gradient there, flat.
        largest: the largest absolute element of the gradient.
    """

    step: float
    loss: float
    slope: float
    grad: jax.Array
    largest: float


def strong_wolfe(
    probe: Callable[[float], Probe],
    start: Probe,
    step: float,
    length: float,
    least_change: float = 1e-9,
) -> tuple[Probe, int]:
    """Return the best probe along a direction, and the number of evaluations of the loss.

    Args:
        probe: a function from a step length to the results there.
        start: the results at step 0; its slope is negative.
        step: the first length.
        length: the largest absolute element of the direction.
        least_change: stop when the interval changes no element by more than this.

    Example:
        >>> from jaxeager.optimizer.line_search import Probe, strong_wolfe
        >>> def parabola(step):
        ...     return Probe(step, (step - 1.0) ** 2, 2.0 * (step - 1.0), None, 0.0)
        >>> best, count = strong_wolfe(parabola, parabola(0.0), 1.0, 1.0)
        >>> best.step, count
        (1.0, 1)
    """
    with np.errstate(all="ignore"):
        ends, count, is_done = _bracket(probe, start, step)
        low, high = (0, 1) if ends[0].loss <= ends[-1].loss else (1, 0)
        is_stuck = False
        while not is_done and count <= MOST_PROBES:
            if abs(ends[1].step - ends[0].step) * length < least_change:
                break
            step, is_stuck = _inside(ends, is_stuck)
            new = probe(step)
            count += 1
            if _is_too_high(new, start) or new.loss >= ends[low].loss:
                ends[high] = new
                low, high = (0, 1) if ends[0].loss <= ends[1].loss else (1, 0)
                continue
            is_done = _is_flat(new, start)
            if not is_done and new.slope * (ends[high].step - ends[low].step) >= 0:
                ends[high] = ends[low]
            ends[low] = new
        return ends[low], count


def _is_too_high(probe: Probe, start: Probe) -> bool:
    return bool(probe.loss > start.loss + ENOUGH_DECREASE * probe.step * start.slope)


def _is_flat(probe: Probe, start: Probe) -> bool:
    return bool(abs(probe.slope) <= -ENOUGH_FLATNESS * start.slope)


def _bracket(probe: Callable, start: Probe, step: float) -> tuple[list[Probe], int, bool]:
    """Return the ends of an interval that contains a good step, or the good step alone.

    Returns:
        the ends, the number of probes, and whether the single end is the answer.
    """
    before, new = start, probe(step)
    for count in range(1, MOST_PROBES + 1):
        if _is_too_high(new, start) or (count > 2 and new.loss >= before.loss):
            return [before, new], count, False
        if _is_flat(new, start):
            return [new], count, True
        if new.slope >= 0:
            return [before, new], count, False
        nearest, farthest = new.step + 0.01 * (new.step - before.step), new.step * 10
        step = _cubic_minimum(before, new, nearest, farthest)
        before, new = new, probe(step)
    return [start, new], MOST_PROBES + 1, True


def _inside(ends: list[Probe], was_stuck: bool) -> tuple[float, bool]:
    """Return a step between the ends, and whether it is too near to one of them.

    The second time in succession it is moved away from that end, by a tenth of the interval.
    """
    least, most = sorted((ends[0].step, ends[1].step))
    step = _cubic_minimum(ends[0], ends[1], least, most)
    margin = 0.1 * (most - least)
    if not min(most - step, step - least) < margin:
        return step, False
    if not was_stuck and least < step < most:
        return step, True
    return (most - margin if abs(step - most) < abs(step - least) else least + margin), False


def _cubic_minimum(one: Probe, other: Probe, least: float, most: float) -> float:
    """Return the minimum of the cubic through two probes and their slopes, within bounds."""
    if one.step > other.step:
        one, other = other, one
    width = np.float64(other.step - one.step)
    mean = one.slope + other.slope - 3 * (one.loss - other.loss) / -width
    square = mean * mean - one.slope * other.slope
    if not square >= 0:
        return (least + most) / 2.0
    root = np.sqrt(square)
    share = (other.slope + root - mean) / (other.slope - one.slope + 2 * root)
    return float(min(max(other.step - width * share, least), most))
