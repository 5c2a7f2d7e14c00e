"""The [PRECISION] line: writes the statistics of one tensor in Paddle's form, and reads them.

[PRECISION] [ERROR] in [device=cpu, op=log, tensor=out, dtype=fp32], numel=3, num_nan=1, ...
[PRECISION] in [device=cpu, op=scale, tensor=out, dtype=fp32], numel=3, num_zero=1, ...
"""

import math
import re
from typing import NamedTuple

from jaxeager.debug.numbers.statistics import SHORT, Statistics


class Record(NamedTuple):
    """One parsed line; counts of NaN and Inf are None in a line without [ERROR]."""

    op: str
    tensor: str
    device: str
    dtype: str
    numel: int
    num_nan: int | None
    num_inf: int | None
    num_zero: int
    max: float
    min: float
    mean: float


def device_text(array) -> str:
    """Return the name of the device an array is on: "cpu", "gpu:0".

    Example:
        >>> import jax.numpy as jnp
        >>> device_text(jnp.ones([1])) in ("cpu", "gpu:0", "tpu:0")
        True
    """
    device = min(array.devices(), key=lambda each: each.id)
    return "cpu" if device.platform == "cpu" else f"{device.platform}:{device.id}"


def head_text(device: str, op: str, tensor: str, dtype) -> str:
    """Return the text between "in" and the numbers."""
    name = SHORT.get(dtype.name, dtype.name)
    tensor = re.sub(r"[\s,\[\]=]", "_", tensor)
    return f"[device={device}, op={op}, tensor={tensor}, dtype={name}]"


def counts_text(found: Statistics) -> str:
    """Return "num_nan=1, num_inf=0, num_zero=2"."""
    return f"num_nan={found.num_nan}, num_inf={found.num_inf}, num_zero={found.num_zero}"


def number_text(value: float) -> str:
    """Return a number as C's %e prints it, including "-nan".

    Example:
        >>> number_text(0.5), number_text(-math.inf), number_text(math.copysign(math.nan, -1))
        ('5.000000e-01', '-inf', '-nan')
    """
    if math.isnan(value):
        return "-nan" if math.copysign(1.0, value) < 0 else "nan"
    return f"{value:e}"


def line_text(head: str, found: Statistics) -> str:
    """Return a whole line, with [ERROR] if a number is not finite.

    Args:
        head: the result of ``head_text``.
        found: the statistics of the tensor.
    """
    numbers = ", ".join(f"{n}={number_text(getattr(found, n))}" for n in ("max", "min", "mean"))
    if found.is_bad:
        return (
            f"[PRECISION] [ERROR] in {head}, numel={found.numel}, {counts_text(found)}, {numbers}"
        )
    return f"[PRECISION] in {head}, numel={found.numel}, num_zero={found.num_zero}, {numbers}"


_FIELD = re.compile(r"(\w+)=([^,\s\]]*)")


def parse_line(line: str) -> Record | None:
    """Return the data of a line, None if it is not a [PRECISION] line or is malformed.

    Example:
        >>> parse_line("[PRECISION] in [device=cpu, op=add, tensor=, dtype=fp32], numel=1, "
        ...            "num_zero=0, max=2e+00, min=2e+00, mean=2e+00").max
        2.0
    """
    if "[PRECISION]" not in line:
        return None
    found = dict(_FIELD.findall(line))
    try:
        return Record(
            found["op"], found["tensor"], found["device"], found["dtype"], int(found["numel"]),
            _count(found, "num_nan"), _count(found, "num_inf"), int(found["num_zero"]),
            float(found["max"]), float(found["min"]), float(found["mean"]),
        )  # fmt: skip
    except (KeyError, ValueError):
        return None


def _count(found: dict, name: str) -> int | None:
    return int(found[name]) if name in found else None
