"""The threshold at which clipping and rounding change a distribution least.

Note [Threshold by divergence]
A histogram of absolute values is clipped at a candidate bin: the counts above it are added to the
last bin that is kept. The kept bins are then merged into as many groups as integers have steps, and
each group's count is spread evenly over its bins that are not empty. The threshold is the candidate
for which this distribution has the smallest Kullback-Leibler divergence from the clipped one.
Candidates are the bins of the upper half that are not empty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt


def cal_kl_threshold(hist: npt.ArrayLike, bin_width: float, bits: int) -> float:
    """Return the threshold of the smallest divergence (Note [Threshold by divergence]).

    Args:
        hist: counts of absolute values, float[bins].
        bin_width: width of a bin.
        bits: number of bits of an integer, including the sign.

    Paddle: with more steps than bins it merges all bins into one group, so the threshold of 12 bits
    is not better than that of 8. Here each bin is its own group.

    Example:
        >>> import numpy as np
        >>> counts = np.array([8.0, 9.0, 7.0, 8.0, 9.0, 8.0, 0.0, 1.0])
        >>> cal_kl_threshold(counts, 0.5, 3)
        3.25
    """
    counts = np.asarray(hist, "float64")
    steps = 2 ** (bits - 1) - 1
    start = (len(counts) - 1) // 2
    ends = [end for end in range(start, len(counts)) if end and counts[end - 1]]
    if ends:
        best = min(ends, key=lambda end: _divergence(counts, end, steps))
    else:  # all that is in the upper half is in its last bin
        below = np.flatnonzero(counts[: start + 1])
        best = int(below[-1]) if below.size else 0
    return float((best + 0.5) * bin_width)


def _divergence(counts: np.ndarray, end: int, steps: int) -> float:
    """Return the divergence for clipping at bin ``end`` and merging into groups."""
    clipped = counts[:end].copy()
    clipped[-1] += counts[end:].sum()
    kept = clipped != 0
    size = max(end // steps, 1)
    starts = np.arange(0, min(size * steps, end), size)  # the last group extends to the end
    sums = np.add.reduceat(counts[:end], starts)
    filled = np.add.reduceat(kept.astype("float64"), starts)
    means = sums / np.maximum(filled, 1.0)
    merged = np.repeat(means, np.diff(np.append(starts, end)))[kept]
    clipped, total = clipped[kept], counts.sum()
    terms = clipped * np.log(merged.sum() * clipped) - clipped * np.log(total * merged)
    return float(terms.sum() / total)
