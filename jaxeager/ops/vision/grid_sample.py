"""Rows grid_sample and affine_grid: images read at places given by tensors."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.core.open_size import as_array
from jaxeager.core.symbolic import has_symbols, is_symbolic
from jaxeager.errors import InvalidArgumentError
from jaxeager.kernels.size_limit import check_size
from jaxeager.ops.register import op
from jaxeager.ops.row import DERIVED
from jaxeager.ops.rules.attrs import Shape
from jaxeager.ops.rules.axes import same_dtype
from jaxeager.ops.rules.precision import wide_dtype
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values

MODES = ("bilinear", "nearest")
PADDINGS = ("zeros", "reflection", "border")


def _check(x, grid, mode: str, padding_mode: str) -> None:
    dims = x.ndim - 2
    if mode not in MODES:
        raise ValueError(
            f"The mode of grid sample function should be in {list(MODES)}, but got: {mode}"
        )
    if padding_mode not in PADDINGS:
        raise ValueError(
            "The padding mode of grid sample function should be in "
            f"{list(PADDINGS)}, but got: {padding_mode}"
        )
    if dims not in (2, 3) or grid.ndim != x.ndim:
        raise ValueError(
            "Input(X) and Input(Grid) should both have 4 or both 5 dimensions, but have "
            f"{x.ndim} and {grid.ndim}."
        )
    if grid.shape[-1] != dims:
        raise ValueError(
            f"Input(Grid) dimension[{dims + 1}] should be {dims}, but received {grid.shape[-1]}"
        )
    if x.shape[0] != grid.shape[0]:
        raise ValueError(
            "Input(X) and Input(Grid) dimension[0] should be equal, but received X dimension[0]"
            f"({x.shape[0]}) != Grid dimension[0]({grid.shape[0]})"
        )
    if any(n < 1 for n in x.shape[2:]):
        raise ValueError(f"the image must not be empty, but its shape is {list(x.shape)}.")
    same_dtype(x, grid)


def _place(coordinate, size: int, padding_mode: str, align_corners: bool):
    """Return the fractional position in the image of a coordinate in [-1, 1]."""
    if align_corners:
        place = (coordinate + 1) * ((size - 1) / 2)
    else:
        place = ((coordinate + 1) * size - 1) / 2
    if padding_mode == "reflection":
        place = _reflected(place, size, align_corners)
    if padding_mode != "zeros":
        inside = (place >= 0) & (place < size - 1)
        place = jnp.where(inside, place, jnp.clip(lax.stop_gradient(place), 0, size - 1))
    return place


def _reflected(place, size: int, align_corners: bool):
    """Reflect places at the outermost centers, or half an element beyond them."""
    shift = 0.0 if align_corners else 0.5
    period = 2.0 * (size - 1 if align_corners else size)
    if has_symbols((size,)):
        folded = _folded(place, shift, jnp.maximum(period, 1.0))
        return jnp.where(period > 0, folded, 0.0)
    return jnp.zeros_like(place) if period == 0 else _folded(place, shift, period)


def _folded(place, shift: float, period):
    moved = place + shift
    moved = jnp.where(moved < 0, -moved, moved)
    moved = moved - lax.stop_gradient(jnp.floor(moved / period)) * period
    return jnp.where(moved > period / 2, period - moved, moved) - shift


def _read(flat, places: list, size: tuple[int, ...]):
    """Return elements of images [N, C, elements] at places [N, P], 0 outside: [N, C, P]."""
    inside, index = jnp.ones(places[0].shape, bool), jnp.zeros(places[0].shape, jnp.int32)
    for place, n in zip(places, size, strict=True):
        inside &= (place >= 0) & (place <= n - 1)
        index = index * n + jnp.clip(place, 0, n - 1).astype(jnp.int32)
    seen = jax.vmap(lambda image, at: jnp.take(image, at, axis=1))(flat, index)
    return jnp.where(inside[:, None], seen, jnp.zeros((), flat.dtype))


def grid_sample_forward(
    x,
    grid,
    *,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = True,
):
    """Read images [N, C, (D,) H, W] at a grid [N, ..., 2 or 3] of (x, y(, z))."""
    _check(x, grid, mode, padding_mode)
    size, wide = x.shape[2:], wide_dtype(x.dtype)
    flat = x.astype(wide).reshape(*x.shape[:2], -1)
    coordinates = grid.astype(wide).reshape(grid.shape[0], -1, len(size))
    places = [
        _place(coordinates[..., -1 - axis], n, padding_mode, align_corners)
        for axis, n in enumerate(size)
    ]
    if mode == "nearest":
        out = _read(flat, [jnp.round(lax.stop_gradient(place)) for place in places], size)
    else:
        out = _blend(flat, places, size)
    return out.reshape(*x.shape[:2], *grid.shape[1:-1]).astype(x.dtype)


def _blend(flat, places: list, size: tuple[int, ...]) -> Any:
    """Interpolate linearly between the elements around each place, four or eight of them."""
    lows = [lax.stop_gradient(jnp.floor(place)) for place in places]
    parts = [place - low for place, low in zip(places, lows, strict=True)]
    total = None
    for corner in np.ndindex(*(2,) * len(size)):
        weight = jnp.ones(places[0].shape, flat.dtype)
        for part, side in zip(parts, corner, strict=True):
            weight = weight * (part if side else 1 - part)
        seen = _read(flat, [low + side for low, side in zip(lows, corner, strict=True)], size)
        total = seen * weight[:, None] if total is None else total + seen * weight[:, None]
    return total


def grid_sample_reference(x, grid, mode="bilinear", padding_mode="zeros", align_corners=True):
    """Loop over the places."""
    size = x.shape[2:]
    out = np.zeros((*x.shape[:2], *grid.shape[1:-1]), x.dtype)
    for at in np.ndindex(*grid.shape[:-1]):
        n, where = at[0], at[1:]
        point = [
            _reference_place(grid[(*at, -1 - axis)], s, padding_mode, align_corners)
            for axis, s in enumerate(size)
        ]
        if mode == "nearest":
            point = [np.round(p) for p in point]
        for corner in np.ndindex(*(2,) * len(size)):
            cell = [int(np.floor(p)) + side for p, side in zip(point, corner, strict=True)]
            if all(0 <= c < s for c, s in zip(cell, size, strict=True)):
                weight = np.prod([1 - abs(p - c) for p, c in zip(point, cell, strict=True)])
                out[(n, slice(None), *where)] += x[(n, slice(None), *cell)] * weight
    return out


def _reference_place(coordinate, size, padding_mode, align_corners):
    place = (coordinate + 1) / 2 * (size - 1)
    low, high = 0.0, size - 1.0
    if not align_corners:
        place, low, high = (coordinate + 1) / 2 * size - 0.5, -0.5, size - 0.5
    if padding_mode == "reflection":
        while not low <= place <= high:
            place = 2 * low - place if place < low else 2 * high - place
    return place if padding_mode == "zeros" else min(max(place, 0.0), size - 1.0)


def grid_sample_samples():
    """Yield each mode and padding, both alignments, places outside, volumes."""
    image, grid = values((2, 2, 4, 3)), values((2, 3, 2, 2), -1.6, 1.6, seed=1)
    for mode in MODES:
        yield Sample(image, grid, mode=mode)
        for padding_mode in PADDINGS:
            attrs = {"mode": mode, "padding_mode": padding_mode, "align_corners": False}
            yield Sample(image, grid, **attrs)
    yield Sample(image, 3 * grid, padding_mode="reflection")
    yield Sample(values((1, 2, 3, 2, 4)), values((1, 2, 2, 1, 3), -1.4, 1.4, seed=1))


def grid_sample_errors():
    """Yield unknown modes, and shapes that do not fit."""
    x, grid, bad = values((2, 1, 2, 2)), values((2, 1, 1, 2)), InvalidArgumentError
    yield BadInput((x, grid), {"mode": "x"}, bad, "The mode of grid sample function should be in")
    yield BadInput((x, grid), {"padding_mode": "x"}, bad, "The padding mode of grid sample")
    yield BadInput((x, values((2, 1, 1, 3))), {}, bad, "dimension[3] should be 2, but received 3")
    yield BadInput((x, grid[:1]), {}, bad, "X dimension[0](2) != Grid dimension[0](1)")


grid_sample = op(
    "grid_sample",
    real_only(grid_sample_forward),
    vjp=DERIVED,
    saves="x grid",
    public="functional",
    reference=grid_sample_reference,
    samples=grid_sample_samples,
    errors=grid_sample_errors,
    # A grid with 8 bits of precision reads elsewhere.
    dtypes="float32 float64",
    formula="dx = each dout times the weight with which x was read, added up; "
    "dgrid = dout times the slope of the image there",
    boundary="at an element the slope is the one towards the next element, 0 outside and for mode "
    "'nearest'. On the last element, with border or reflection, it is 0, the slope beyond it; "
    "Paddle gives the slope towards a 0 that is not there.",
    doc="Read images at the positions in a grid of coordinates in [-1, 1].",
    example="paddle.nn.functional.grid_sample("
    "paddle.ones([1, 1, 2, 2]), paddle.zeros([1, 1, 1, 2]))",
)


# ---- affine_grid


def _line(n: int, align_corners: bool) -> np.ndarray | jax.Array:
    """Return the coordinates of n elements in [-1, 1], as a JAX array for a symbolic size."""
    if is_symbolic(n):
        steps = 2.0 * jnp.arange(n)
        ends = steps / jnp.maximum(as_array(n) - 1, 1) - jnp.minimum(as_array(n) - 1, 1)
        return ends if align_corners else (steps + 1) / as_array(n) - 1
    if align_corners:
        return np.linspace(-1, 1, n) if n > 1 else np.zeros(1)
    return (2 * np.arange(n) + 1) / n - 1


def affine_grid_forward(theta, *, output_shape: Shape, align_corners: bool = True):
    """Return grids [N, H, W, 2] or [N, D, H, W, 3] for matrices [N, 2, 3] or [N, 3, 4]."""
    dims = len(output_shape) - 2
    if dims not in (2, 3):
        raise ValueError(
            "The size of attribute 'output_shape' in AffineGridOp should be 4 or 5. But received "
            f"output_shape's size=[{dims + 2}]."
        )
    if theta.ndim != 3 or theta.shape[1:] != (dims, dims + 1):
        raise ValueError(
            f"theta must be [N, {dims}, {dims + 1}] for an output shape of {dims + 2} numbers, "
            f"but is {list(theta.shape)}."
        )
    if theta.shape[0] != output_shape[0]:
        raise ValueError(
            f"theta is for a batch of {theta.shape[0]}, but output_shape for {output_shape[0]}."
        )
    check_size("affine_grid", output_shape[2:], theta.dtype)
    lines = [_line(n, align_corners) for n in output_shape[2:]]
    xp: Any = jnp if has_symbols(output_shape) else np
    axes = xp.meshgrid(*lines, indexing="ij")
    base = xp.stack([*reversed(axes), xp.ones_like(axes[0])], -1)
    wide = wide_dtype(theta.dtype)
    grid = jnp.tensordot(
        jnp.asarray(base, wide), theta.astype(wide), (-1, 2), precision=lax.Precision.HIGHEST
    )
    return jnp.moveaxis(grid, -2, 0).astype(theta.dtype)


def affine_grid_reference(theta, output_shape, align_corners=True):
    """Apply the matrix to one point after the other."""
    size = output_shape[2:]
    out = np.zeros((len(theta), *size, len(size)), theta.dtype)
    for at in np.ndindex(*out.shape[:-1]):
        point = []
        for i, n in zip(at[1:], size, strict=True):
            outer = 2 * i / (n - 1) - 1 if n > 1 else 0.0
            point.append(outer if align_corners else (2 * i + 1) / n - 1)
        out[at] = theta[at[0]] @ np.array([*reversed(point), 1.0])
    return out


def affine_grid_samples():
    """Yield images and volumes, both alignments, one element."""
    theta = values((2, 2, 3))
    yield Sample(theta, output_shape=(2, 1, 3, 4))
    yield Sample(theta, output_shape=(2, 1, 1, 3), align_corners=False)
    yield Sample(theta, output_shape=(2, 1, 1, 3))
    yield Sample(values((1, 3, 4)), output_shape=(1, 1, 2, 3, 2), align_corners=False)


def affine_grid_errors():
    """Yield shapes that do not fit."""
    theta, bad = values((2, 2, 3)), InvalidArgumentError
    yield BadInput((theta,), {"output_shape": (2, 3, 4)}, bad, "But received output_shape's size=")
    yield BadInput((theta,), {"output_shape": (2, 1, 2, 2, 2)}, bad, "theta must be [N, 3, 4]")
    yield BadInput((theta,), {"output_shape": (3, 1, 2, 2)}, bad, "theta is for a batch of 2")
    yield BadInput((theta,), {"output_shape": (2, 1, 2, -2)}, bad, "must not be negative")


affine_grid = op(
    "affine_grid",
    real_only(affine_grid_forward),
    vjp=DERIVED,
    shapes="theta",
    public=None,
    reference=affine_grid_reference,
    samples=affine_grid_samples,
    errors=affine_grid_errors,
    formula="dtheta = dout, times the weights with which theta was read: x, y and 1",
    doc="Apply matrices to the coordinates of images; recorded by F.affine_grid.",
    example="paddle.nn.functional.affine_grid(paddle.ones([1, 2, 3]), [1, 1, 2, 2])",
)
