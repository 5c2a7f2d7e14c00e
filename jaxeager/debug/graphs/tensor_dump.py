"""grad_tensors.log: the gradients of a captured subgraph as text, and as .npy files on request.

Note [Summaries]
    A tensor is written in full, as in Paddle: ``%f`` of each element, integers exactly. For one
    of more than FLAGS_dump_grad_tensors_summary elements (0, the default: for none) the text has
    the first and the last values, the numbers of NaN and Inf, and minimum, maximum and mean of the
    finite values (minimum and maximum of the absolute values if they are complex). On an
    accelerator these are computed on the device and read once. With FLAGS_dump_grad_tensors_npy
    every tensor is also saved in full.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from jaxeager.arrays.as_array import host_values
from jaxeager.debug.common.decimal_text import decimal_text
from jaxeager.debug.common.tensor_text import place_text
from jaxeager.kernels.tracing import jit

if TYPE_CHECKING:
    from types import ModuleType

_SHOWN = 3  # values shown of a larger tensor, at its beginning and at its end


class Figures(NamedTuple):
    """The summary of a large tensor; each field is an array.

    Attributes:
        first, last: its first and last values.
        smallest, largest, mean: of the finite values.
        nans, infs: the number of each.
    """

    first: Any
    last: Any
    smallest: Any
    largest: Any
    mean: Any
    nans: Any
    infs: Any


class TensorLog:
    """The text of one grad_tensors.log, in order of execution.

    Args:
        folder: the folder of .npy files, None to write none; it is created with the first file.
        most: the number of elements beyond which a tensor is summarized, 0 for no number.
    """

    def __init__(self, folder: Path | None = None, most: int = 0):
        self._folder = folder
        self._most = most
        self._blocks: list[str] = []
        self._last: tuple[object, str] = (None, "")  # a result passed to several edges is read once

    def add(self, name: str, array) -> None:
        """Add a gradient under its name."""
        before, lines = self._last
        if before is not array or self._folder is not None:
            lines = self._lines(name, array)
            self._last = array, lines
        shown = name.replace("\n", "\\n")  # scripts read a block line by line
        self._blocks.append(f"Variable: {shown}\n{lines}")

    def text(self) -> str:
        """Return the text of the gradients added so far."""
        return "".join(self._blocks)

    def _lines(self, name: str, array) -> str:
        if isinstance(array, Tracer):
            return _block(array, ["  - data: not available, JAX is tracing"])
        is_large = 0 < self._most < array.size
        if self._folder is None and is_large and not _is_on_host(array):
            return _block(array, summary_lines(array, _figures_on_device(array)))
        host = host_values(array)
        if is_large:
            with np.errstate(all="ignore"):
                lines = summary_lines(array, figures_of(host.reshape(-1), np))
        else:
            lines = [f"  - data: [{values_text(host)}]"]
        if self._folder is not None:
            lines.append(f"  - npy: {self._save(name, host)}")
        return _block(array, lines)

    def _save(self, name: str, host: np.ndarray) -> str:
        """Save an array; return its path relative to the log, or why it could not be saved."""
        assert self._folder is not None
        word = re.sub(r"[^\w.@-]", "_", name, flags=re.ASCII)[:120]
        file = f"{len(self._blocks):05d}_{word}.npy"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            np.save(self._folder / file, for_npy(host))
        except OSError as error:  # the running backward continues
            return f"not saved, {error}"
        return f"{self._folder.name}/{file}"


def for_npy(host: np.ndarray) -> np.ndarray:
    """Return an array that NumPy alone can read: narrow floats and integers widened, exactly.

    Example:
        >>> import ml_dtypes
        >>> for_npy(np.ones(2, ml_dtypes.bfloat16)).dtype.name
        'float32'
    """
    if host.dtype.isbuiltin == 1:
        return host
    return host.astype(np.float32 if jnp.issubdtype(host.dtype, jnp.floating) else np.int32)


def values_text(host: np.ndarray) -> str:
    """Return the elements, row by row, with six decimals.

    Example:
        >>> values_text(np.array([2**62 + 1, -2]))
        '4611686018427387905.000000 -2.000000'
        >>> values_text(np.array([1 + 2j]))
        '1.000000+2.000000j'
    """
    if host.dtype == bool or jnp.issubdtype(host.dtype, jnp.integer):
        return " ".join(f"{int(value)}.000000" for value in host.reshape(-1).tolist())
    return decimal_text(host, 6, " ").decode() if host.size else ""


def figures_of(flat, xp: ModuleType) -> Figures:
    """Return the summary of a large tensor.

    Args:
        flat: its elements, an array with one axis.
        xp: numpy, or jax.numpy, which computes them.
    """
    dtype = flat.dtype
    is_real = not jnp.issubdtype(dtype, jnp.complexfloating)
    if jnp.issubdtype(dtype, jnp.inexact):
        wide = flat.astype(xp.float64 if is_real else xp.complex128)
        sizes = wide if is_real else xp.abs(wide)
        is_finite = xp.isfinite(wide)
        count = is_finite.sum()
        smallest = xp.where(is_finite, sizes, np.inf).min()
        largest = xp.where(is_finite, sizes, -np.inf).max()
        mean = xp.where(is_finite, wide, 0).sum() / xp.maximum(count, 1)
        nothing = xp.asarray(np.nan)
        found = [xp.where(count > 0, each, nothing) for each in (smallest, largest, mean)]
        nans = xp.isnan(wide).sum()
        infs = flat.size - count - nans
    else:
        wide = flat.astype(xp.int64 if dtype != xp.uint64 else xp.uint64)
        found = [wide.min(), wide.max(), wide.astype(xp.float64).mean()]
        nans = infs = xp.asarray(0)
    smallest, largest, mean = found
    return Figures(flat[:_SHOWN], flat[-_SHOWN:], smallest, largest, mean, nans, infs)


@jit
def _figures(array):
    return figures_of(array.reshape(-1), jnp)


def _figures_on_device(array) -> Figures:
    return Figures(*jax.device_get(_figures(array)))


def summary_lines(array, figures: Figures) -> list[str]:
    """Return the lines that replace a large tensor's data."""
    first, last, *rest, nans, infs = (np.asarray(each) for each in figures)
    names = ("min", "max", "mean")
    return [
        f"  - data: [{values_text(first)} ... {values_text(last)}]",
        f"  - elements: {array.size}",
        *(f"  - {name}: {values_text(each)}" for name, each in zip(names, rest, strict=True)),
        f"  - nan: {int(nans)}",
        f"  - inf: {int(infs)}",
    ]


def _block(array, data: list[str]) -> str:
    """Return the lines below the name, the data last."""
    lines = [
        "  - lod: {}",
        f"  - place: {place_text(array)}",
        f"  - shape: [{', '.join(map(str, array.shape))}]",
        "  - layout: NCHW",
        f"  - dtype: {array.dtype.name}",
        *data,
    ]
    return "".join(f"{line}\n" for line in lines)


def _is_on_host(array) -> bool:
    return all(device.platform == "cpu" for device in array.devices())
