"""Rows that add elements around a tensor: pad, pad3d."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.core.symbolic import has_symbols
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.register import op
from jaxeager.ops.rules.attrs import Ints, Scalar, Sizes
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, values


def _check_padding(paddings, count: int) -> None:
    if len(paddings) != count:
        raise ValueError(f"the paddings must be {count} numbers, but received {list(paddings)}.")


def pad_forward(x, *, paddings: Sizes, pad_value: Scalar = 0.0):
    """Pad a tensor with a value; paddings are two numbers per dimension, from the first."""
    _check_padding(paddings, 2 * x.ndim)
    if any(n < 0 for n in paddings):
        raise ValueError(f"the paddings must not be negative, but received {list(paddings)}.")
    config = [(paddings[2 * i], paddings[2 * i + 1], 0) for i in range(x.ndim)]
    return lax.pad(x, pad_value.astype(x.dtype), config)


def pad_vjp(x, dout, *, paddings):
    """Return the part of the gradient where x was."""
    starts = paddings[::2]
    return lax.slice(dout, starts, [a + n for a, n in zip(starts, x.shape, strict=True)])


def pad_reference(x, paddings, pad_value=0.0):
    """Use NumPy's pad."""
    pairs = list(zip(paddings[::2], paddings[1::2], strict=True))
    return np.pad(x, pairs, constant_values=pad_value)


def pad_samples():
    """Yield one and two dimensions, a value, no padding, zero-size."""
    yield Sample(values((3,)), paddings=[1, 2])
    yield Sample(values((2, 3)), paddings=[1, 0, 0, 2], pad_value=1.5)
    yield Sample(values((2, 3)), paddings=[0, 0, 0, 0])
    yield Sample(values((0, 3)), paddings=[1, 0, 0, 1])


def pad_errors():
    """Yield too few numbers, and a negative one."""
    yield BadInput((np.ones((2, 3)), [1, 1]), {}, InvalidArgumentError, "must be 4 numbers")
    yield BadInput((np.ones(3), [-1, 1]), {}, InvalidArgumentError, "must not be negative")


pad = op(
    "pad",
    pad_forward,
    vjp=pad_vjp,
    shapes="x",
    public=None,
    reference=pad_reference,
    samples=pad_samples,
    errors=pad_errors,
    formula="dx = dout, put where x was read",
    doc="Surround a tensor with a value.",
    dtypes=WITH_COMPLEX,
)

PAD_MODES: dict[str, Any] = {
    "constant": "constant",
    "reflect": "reflect",
    "replicate": "edge",
    "circular": "wrap",
}


def pad3d_forward(
    x, *, paddings: Ints, mode: str = "constant", value: Scalar = 0.0, data_format: str = "NCDHW"
):
    """Pad the three spatial dimensions of a 5-D tensor; paddings count from the last one."""
    pairs = _spatial_pairs(x.shape, paddings, mode, data_format)
    if mode == "constant":
        return lax.pad(x, value.astype(x.dtype), [(*pair, 0) for pair in pairs])
    if any(has_symbols(each) for each in (x.shape, *pairs)):
        return _padded_by_copies(x, pairs, mode)
    out = jnp.pad(x, [(max(a, 0), max(b, 0)) for a, b in pairs], mode=PAD_MODES[mode])
    ends = [n + min(b, 0) for n, (_, b) in zip(out.shape, pairs, strict=True)]
    return out[tuple(slice(max(-a, 0), end) for end, (a, _) in zip(ends, pairs, strict=True))]


def _padded_by_copies(x, pairs, mode: str):
    """Pad with copies of elements of x, as the mode requires; negative padding cuts off."""
    for axis, (low, high) in enumerate(pairs):
        size = x.shape[axis]
        if (low, high) == (0, 0):
            continue
        place = jnp.arange(size + low + high) - low
        if mode == "reflect":
            place = (size - 1) - jnp.abs((size - 1) - jnp.abs(place))
        elif mode == "replicate":
            place = jnp.clip(place, 0, size - 1)
        else:
            place = place % size
        x = jnp.take(x, place, axis)
    return x


def _spatial_pairs(shape, paddings, mode: str, data_format: str) -> list[tuple[int, int]]:
    """Return (before, after) per dimension.

    Raises:
        ValueError: when the tensor, a number or the mode is not valid.
    """
    if len(shape) != 5 or data_format not in ("NCDHW", "NDHWC"):
        raise ValueError(f"takes a 5-D tensor, NCDHW or NDHWC, not {data_format}.")
    if mode not in PAD_MODES:
        raise ValueError(f"the mode must be one of {', '.join(PAD_MODES)}, not {mode!r}.")
    _check_padding(paddings, 6)
    spatial = [tuple(paddings[i : i + 2]) for i in (4, 2, 0)]
    none = [(0, 0)]
    pairs = none * 2 + spatial if data_format == "NCDHW" else [*none, *spatial, *none]
    for size, pair in zip(shape, pairs, strict=True):
        if mode == "reflect" and any(n > 0 and n > size - 1 for n in pair):
            raise ValueError(
                f"reflect padding of {pair} is more than {size - 1}, for {size} elements."
            )
        if mode in ("replicate", "circular") and size == 0 and any(n > 0 for n in pair):
            raise ValueError(f"{mode} padding needs an element to repeat.")
    return pairs


def pad3d_reference(x, paddings, mode="constant", value=0.0, data_format="NCDHW"):
    """Use NumPy's pad, after cutting where paddings are negative."""
    pairs = [tuple(paddings[i : i + 2]) for i in (4, 2, 0)]
    pairs = [(0, 0), *pairs]
    pairs.insert(1 if data_format == "NCDHW" else 4, (0, 0))
    for axis, (before, after) in enumerate(pairs):
        keep = range(max(-before, 0), np.shape(x)[axis] + min(after, 0))
        x = np.take(x, keep, axis)
    pairs = [(max(a, 0), max(b, 0)) for a, b in pairs]
    extra = {"constant_values": value} if mode == "constant" else {}
    return np.pad(x, pairs, PAD_MODES[mode], **extra)


def pad3d_samples():
    """Yield every mode, both layouts and a negative padding."""
    x = values((1, 2, 2, 3, 4))
    yield Sample(x, paddings=[1, 2, 0, 1, 1, 0], value=0.5)
    yield Sample(x, paddings=[1, 2, 0, 1, 1, 0], mode="reflect")
    yield Sample(x, paddings=[1, 2, 0, 1, 1, 0], mode="replicate")
    yield Sample(x, paddings=[1, 2, 0, 1, 1, 0], mode="circular")
    yield Sample(x, paddings=[5, 9, 7, 0, 1, 2], mode="circular")
    yield Sample(x, paddings=[-1, 1, 0, 0, 0, -1], data_format="NDHWC")


def pad3d_errors():
    """Yield an unknown mode, a padding too wide to reflect, and 4-D input."""
    x = np.ones((1, 1, 2, 2, 2))
    yield BadInput((x, [1] * 6, "mirror"), {}, InvalidArgumentError, "mode must be one of")
    yield BadInput((x, [2] * 6, "reflect"), {}, InvalidArgumentError, "is more than 1")
    yield BadInput((x[0], [1] * 6), {}, InvalidArgumentError, "takes a 5-D tensor")


pad3d = op(
    "pad3d",
    pad3d_forward,
    shapes="x",
    public=None,
    reference=pad3d_reference,
    samples=pad3d_samples,
    errors=pad3d_errors,
    formula="dx = dout, added where x was read",
    doc="Pad the spatial dimensions of a 5-D tensor with a value or with copies.",
    dtypes=WITH_COMPLEX,
)
