"""Rows that cut a signal into overlapping frames, and that add frames up to a signal."""

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.register import op
from jaxeager.ops.rules.samples import BadInput, Sample, values

ALL_DTYPES = "float32 float64 bfloat16 int64 complex128"


def _check(axis: int, **sizes: int) -> None:
    if axis not in (0, -1):
        raise ValueError(f"the axis must be 0 or -1, but is {axis}.")
    for name, size in sizes.items():
        if size < 1:
            raise ValueError(f"{name} must be a positive integer, but is {size}.")


def _places(count: int, frame_length: int, hop_length: int):
    """Return the position in the signal of each element of each frame: int[count, frame_length].

    The kernel computes them: as constants they would make it as large as the signal.
    """
    return jnp.arange(count)[:, None] * hop_length + jnp.arange(frame_length)


def _frames_first(x, axis: int):
    """Return frames with the dimensions (count, length) first."""
    return x if axis == 0 else jnp.moveaxis(x, (-1, -2), (0, 1))


def frame_forward(x, *, frame_length: int, hop_length: int, axis: int = -1):
    """Cut a signal into frames: [..., length, count] along -1, [count, length, ...] along 0."""
    _check(axis, frame_length=frame_length, hop_length=hop_length)
    size = x.shape[axis] if x.ndim else 0
    if frame_length > size:
        raise ValueError(f"a frame of {frame_length} does not fit into a signal of {size}.")
    places = _places((size - frame_length) // hop_length + 1, frame_length, hop_length)
    return x[places] if axis == 0 else x[..., places.T]


def frame_vjp(x, dout, frame_length, hop_length, axis):
    """Add up the gradients of each element from all its frames."""
    signals = x.shape[1:] if axis == 0 else x.shape[:-1]
    return _added(dout, x.shape[axis], signals, hop_length, axis)


def _added(frames, size: int, signals: tuple[int, ...], hop_length: int, axis: int):
    """Add frames to signals of zeros."""
    frames = _frames_first(frames, axis)
    places = _places(*frames.shape[:2], hop_length)
    out = jnp.zeros((size, *signals), frames.dtype).at[places].add(frames)
    return out if axis == 0 else jnp.moveaxis(out, 0, -1)


def frame_reference(x, frame_length, hop_length, axis=-1):
    """Use NumPy's sliding windows, every ``hop_length``-th of them."""
    windows = np.lib.stride_tricks.sliding_window_view(x, frame_length, axis=axis)
    if axis == 0:
        return np.moveaxis(windows[::hop_length], -1, 1)
    return np.swapaxes(windows[..., ::hop_length, :], -1, -2)


def frame_samples():
    """Yield signals, overlapping frames, gaps between them, a remainder, and both axes."""
    yield Sample(values((2, 8)), frame_length=4, hop_length=3)
    yield Sample(values((7,)), frame_length=3, hop_length=1)
    yield Sample(values((7,)), frame_length=2, hop_length=3, axis=0)
    yield Sample(values((6, 2, 2)), frame_length=4, hop_length=1, axis=0)
    yield Sample(values((2, 2, 5)), frame_length=5, hop_length=2)
    yield Sample(values((0, 5)), frame_length=2, hop_length=2)


def frame_errors():
    """Yield a frame that does not fit, another axis, and a hop of 0."""
    x, bad = values((2, 8)), InvalidArgumentError
    yield BadInput((x, 9, 1), {}, bad, "a frame of 9 does not fit into a signal of 8")
    yield BadInput((x, 3, 1, 1), {}, bad, "the axis must be 0 or -1, but is 1")
    yield BadInput((x, 3, 0), {}, bad, "hop_length must be a positive integer, but is 0")
    yield BadInput((np.float64(1.0), 1, 1), {}, bad, "a signal of 0")


frame = op(
    "frame",
    frame_forward,
    vjp=frame_vjp,
    shapes="x",
    public=None,
    dtypes=ALL_DTYPES,
    reference=frame_reference,
    samples=frame_samples,
    errors=frame_errors,
    formula="dx = dout, added where x was read: 0 where no frame reaches",
    doc="Cut a signal into frames that may overlap; recorded by stft.",
    example="paddle.signal.frame(paddle.arange(8), 4, 2)",
)


def overlap_add_forward(x, *, hop_length: int, axis: int = -1):
    """Add frames, each ``hop_length`` after the one before."""
    _check(axis, hop_length=hop_length)
    if x.ndim < 2:
        raise ValueError(f"the operand must have 2 dimensions or more, but has {x.ndim}.")
    if x.dtype == bool:
        raise ValueError("frames of bools cannot be added.")
    count, length, *signals = _frames_first(x, axis).shape
    if hop_length > length:
        raise ValueError(f"hop_length {hop_length} is more than the {length} elements of a frame.")
    size = (count - 1) * hop_length + length if count else 0
    return _added(x, size, tuple(signals), hop_length, axis)


def overlap_add_vjp(x, dout, hop_length, axis):
    """Cut the gradient into frames."""
    if not x.size:
        return jnp.zeros(x.shape, dout.dtype)
    length = x.shape[1] if axis == 0 else x.shape[-2]
    return frame_forward(dout, frame_length=length, hop_length=hop_length, axis=axis)


def overlap_add_reference(x, hop_length, axis=-1):
    """Loop over the frames."""
    frames = x if axis == 0 else np.moveaxis(x, (-1, -2), (0, 1))
    count, length, *signals = frames.shape
    out = np.zeros(((count - 1) * hop_length + length, *signals), x.dtype)
    for number, each in enumerate(frames):
        out[number * hop_length : number * hop_length + length] += each
    return out if axis == 0 else np.moveaxis(out, 0, -1)


def overlap_add_samples():
    """Yield frames that overlap, that are adjacent, one frame, and both axes."""
    yield Sample(values((3, 4)), hop_length=2)
    yield Sample(values((2, 3, 4)), hop_length=3)
    yield Sample(values((4, 3, 2)), hop_length=1, axis=0)
    yield Sample(values((5, 1)), hop_length=2)
    yield Sample(values((0, 3, 4)), hop_length=2)


def overlap_add_errors():
    """Yield a vector, a gap between frames, and another axis."""
    bad = InvalidArgumentError
    yield BadInput((values((3,)), 1), {}, bad, "2 dimensions or more, but has 1")
    yield BadInput((values((3, 2)), 4), {}, bad, "4 is more than the 3 elements")
    yield BadInput((values((3, 2)), 1, 1), {}, bad, "the axis must be 0 or -1, but is 1")
    yield BadInput((values((3, 2)) > 0, 1), {}, bad, "frames of bools")


overlap_add = op(
    "overlap_add",
    overlap_add_forward,
    vjp=overlap_add_vjp,
    shapes="x",
    public=None,
    dtypes=ALL_DTYPES,
    reference=overlap_add_reference,
    samples=overlap_add_samples,
    errors=overlap_add_errors,
    formula="dx = frame(dout, frame_length)",
    doc="Add frames that may overlap up to a signal; recorded by istft.",
    example="paddle.signal.overlap_add(paddle.ones([4, 3]), 2)",
)
