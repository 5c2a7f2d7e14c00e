"""The decimals of many numbers as one text, as C's ``printf("%.3f")`` writes them.

Note [Exact decimals]
    ``x * 10**p`` is rounded to an integer, half to even, and its digits are written for all
    numbers of a block together. The product is exact for float32 and narrower numbers up to
    EXACT_PRECISION decimals (24 bits and the factor 5**p fit into the 53 bits of a double). For
    others it may be off by one rounding, which only matters within an ulp of a tie. A block that
    contains a number so close to a tie, a NaN, an Inf or a huge number is formatted number by
    number.
"""

from collections.abc import Iterator

import numpy as np

EXACT_PRECISION = 12
_HUGE = 2.0**52  # from here on a double has no fractional part to round
_BLOCK = 1 << 15
_SMALL = 64  # below it, formatting number by number is faster
_DIGIT = np.uint8(ord("0"))


def decimal_text(values: np.ndarray, precision: int, separator: str = "") -> bytes:
    """Return ``%.{precision}f`` of every number, concatenated in row-major order.

    Args:
        values: real numbers or bools of any shape and dtype; a complex one is ``re+imj``.
        precision: decimals, 0 or more.
        separator: the text between two numbers.

    Returns:
        the text, as ASCII.

    Example:
        >>> import numpy as np
        >>> decimal_text(np.array([[1.5, -0.25], [0.0005, 2.0]]), 3)
        b'1.500-0.2500.0012.000'
    """
    return b"".join(decimal_blocks(values, precision, separator))


def decimal_blocks(values: np.ndarray, precision: int, separator: str = "") -> Iterator[bytes]:
    """Yield the text of ``decimal_text`` in pieces."""
    flat = values.reshape(-1)
    if flat.dtype.kind == "c":
        form = f"%.{precision}f+%.{precision}fj"
        pairs = np.stack([np.real(flat), np.imag(flat)], axis=1).reshape(-1)
        yield _plain(pairs.astype(np.float64), form, len(flat), separator)
        return
    form = f"%.{precision}f"
    if len(flat) <= _SMALL or precision > EXACT_PRECISION or separator:
        yield _plain(flat.astype(np.float64), form, len(flat), separator)
        return
    is_exact = flat.dtype.kind in "bfV" and flat.dtype.itemsize <= 4
    for start in range(0, len(flat), _BLOCK):
        block = flat[start : start + _BLOCK].astype(np.float64)
        text = _digits(block, precision, is_exact)
        yield _plain(block, form, len(block), "") if text is None else text


def _plain(numbers: np.ndarray, form: str, count: int, separator: str) -> bytes:
    """Format number by number."""
    return (separator.join([form] * count) % tuple(numbers.tolist())).encode()


def _digits(block: np.ndarray, precision: int, is_exact: bool) -> bytes | None:
    """Return the digits of a block of doubles, or None if it must be formatted by number."""
    with np.errstate(over="ignore"):
        scaled = np.abs(block) * 10.0**precision
    if not scaled.max() < _HUGE:  # true for NaN as well
        return None
    rounded = np.rint(scaled)
    if not is_exact:
        from_tie = np.abs(np.abs(scaled - rounded) - 0.5)
        if (from_tie <= scaled * 2.0**-51).any():
            return None
    largest = int(rounded.max())
    width = max(len(str(largest)), precision + 1)
    left = rounded.astype(np.uint32 if largest < 2**32 else np.uint64)
    point = precision > 0
    text = np.empty((len(block), 1 + width + point), np.uint8)
    text[:, 0] = ord("-")
    kept = np.empty(text.shape, bool)
    kept[:, 0] = np.signbit(block)
    if point:
        text[:, width - precision + 1] = ord(".")
        kept[:, width - precision + 1] = True
    for place in range(width):  # from the last digit to the first
        column = width - place + (point and place < precision)
        kept[:, column] = True if place <= precision else left > 0
        above = left // 10
        text[:, column] = (left - above * 10).astype(np.uint8) + _DIGIT
        left = above
    return text[kept].tobytes()
