"""Findings on how a layer trains, from its measures, in a few words."""

import numpy as np

from jaxeager.debug.training.measures import Measures

VANISHED = 1e-3  # relative to the largest gradient norm of any layer in the same step
EXPLODED = 1e3  # times the layer's own median
FROZEN, WILD = 1e-6, 0.1  # updates as a share of the value: 1e-3 often works
_DEAD = 0.99  # share of the gradient's elements that are 0


def finding_of(steps: list[Measures], share: float, numbers: list[int]) -> str:
    """Return the problem of a layer, "" if there is none.

    Args:
        steps: its measures, step by step.
        share: its gradient norm as a share of the largest of any layer, the median over its steps.
        numbers: the numbers of the steps.
    """
    bad = next((number for number, each in zip(numbers, steps, strict=True) if each.bad), None)
    if bad is not None:
        return f"NaN or Inf from step {bad}"
    grads = np.array([each.grad for each in steps])
    if np.isnan(grads).all():
        return "no gradient" if steps else ""
    if not np.nanmax(grads):
        return "gradient is all zeros"
    if share < VANISHED:
        return f"gradient vanishes: {share:.0e} of the largest"
    middle = float(np.nanmedian(grads))
    if middle > 0 and np.nanmax(grads) > EXPLODED * middle:
        return f"gradient explodes in step {numbers[int(np.nanargmax(grads))]}"
    if np.nanmedian([each.zeros for each in steps]) > _DEAD:
        return "gradient is nearly all zeros"
    return _finding_of_updates([ratio_of(each) for each in steps])


def _finding_of_updates(ratios: list[float]) -> str:
    known = [each for each in ratios if np.isfinite(each)]
    if not known:
        return ""
    middle = float(np.median(known))
    if middle == 0:
        return "is not updated"
    if middle < FROZEN:
        return f"updates are small: {middle:.0e} of the value"
    return f"updates are large: {middle:.0e} of the value" if middle > WILD else ""


def ratio_of(measures: Measures) -> float:
    """Return the update as a share of the value; NaN if either is unknown or the value is 0."""
    return measures.update / measures.value if measures.value else np.nan
