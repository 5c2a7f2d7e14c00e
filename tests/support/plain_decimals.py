"""The decimals of numbers, in the simple way that faster code is compared with."""

import numpy as np


def plain_decimals(values, precision=3, separator="") -> bytes:
    """Return the text of numbers, converted one at a time."""
    form = f"%.{precision}f"
    numbers = np.asarray(values).reshape(-1)
    if numbers.dtype.kind == "c":
        texts = [f"{form % each.real}+{form % each.imag}j" for each in numbers]
    else:
        texts = [form % float(each) for each in numbers]
    return separator.join(texts).encode()
