"""The Fourier rows: complex to complex, real to complex, complex to real.

A transform is linear, so the gradient is the same transform in the opposite direction, with the
same scale (Note [Opposite direction]). The public functions are in ``jaxeager.fft``.
"""

from typing import Literal, TypeAlias

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.register import op
from jaxeager.ops.rules.attrs import Ints
from jaxeager.ops.rules.axes import normal_axis
from jaxeager.ops.rules.samples import BadInput, Sample, values

# Note [Opposite direction]
# With a scale s, forward and inverse are s * F and s * conj(F), and the adjoint of one is the other
# with the same s. "backward" scales only the inverse, and "forward" only the forward transform, so
# the norm that keeps s in the opposite direction is the mirrored one.
Norm: TypeAlias = Literal["backward", "ortho", "forward"]

MIRRORED: dict[str, Norm] = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


def _checked(x, axes, normalization: str, dtypes: tuple[str, ...]) -> tuple[int, ...]:
    """Return the axes counted from the front.

    Raises:
        ValueError: for an operand of another dtype, invalid or repeated axes, or another norm.
    """
    if x.dtype.name not in dtypes:
        raise ValueError(f"the operand must be {' or '.join(dtypes)}, but is {x.dtype.name}.")
    if normalization not in MIRRORED:
        raise ValueError(
            f"the norm must be 'backward', 'ortho' or 'forward', but is {normalization!r}."
        )
    axes = tuple(normal_axis(axis, x.ndim) for axis in ((axes,) if type(axes) is int else axes))
    if len(set(axes)) < len(axes):
        raise ValueError(f"the axes must differ from each other, but are {list(axes)}.")
    return axes


def _needs_axes(x, axes: tuple[int, ...]) -> None:
    if not axes or not x.ndim:
        raise ValueError("there must be an axis to transform over, but no axis is given.")


def _resized(shape: tuple[int, ...], axis: int, size: int) -> tuple[int, ...]:
    return (*shape[:axis], size, *shape[axis + 1 :])


def _stands_for_two(shape: tuple[int, ...], axis: int, size: int) -> np.ndarray:
    """Return a mask of the frequencies that represent two: all but 0 and, if even, the last.

    At the others, a Hermitian signal has no imaginary part. Libraries differ in the treatment of
    an imaginary part given there.
    """
    counts = np.ones(shape[axis], bool)
    counts[0] = False
    if size % 2 == 0:
        counts[-1] = False
    return counts.reshape([-1 if i == axis else 1 for i in range(len(shape))])


def _multiplied(x, axis: int, size: int, factor: float):
    """Multiply the frequencies that represent two by a factor."""
    return x * np.where(_stands_for_two(x.shape, axis, size), factor, 1).astype(x.real.dtype)


# ---- complex to complex


def fft_c2c_forward(x, *, axes: Ints, normalization: str = "backward", forward: bool = True):
    """Transform complex numbers; without axes, return them unchanged."""
    axes = _checked(x, axes, normalization, ("complex64", "complex128"))
    if not x.size:
        return jnp.zeros_like(x)
    transform = jnp.fft.fftn if forward else jnp.fft.ifftn
    return transform(x, axes=axes, norm=normalization)


def fft_c2c_vjp(dout, axes, normalization, forward):
    """Transform in the opposite direction."""
    return fft_c2c_forward(
        dout, axes=axes, normalization=MIRRORED[normalization], forward=not forward
    )


def fft_c2c_reference(x, axes, normalization: Norm = "backward", forward=True):
    """Use NumPy's transform."""
    transform = np.fft.fftn if forward else np.fft.ifftn
    return transform(x, axes=axes, norm=normalization) if x.size else x


def fft_c2c_samples():
    """Yield norms, directions, several axes, four axes, and zero-size."""
    yield Sample(values((2, 5)), axes=(1,))
    yield Sample(values((2, 5)), axes=(0, -1), normalization="ortho", forward=False)
    yield Sample(values((4,)), axes=(0,), normalization="forward")
    yield Sample(values((3, 1, 2)), axes=(2, 0), forward=False)
    yield Sample(values((2, 3, 2, 3)), axes=(0, 1, 2, 3))
    yield Sample(values((0, 3)), axes=(1,))


def fft_c2c_errors():
    """Yield real numbers, an axis out of range, one given twice, and another norm."""
    x, bad = values((2, 3)) + 0j, InvalidArgumentError
    yield BadInput((x.real, (0,)), {}, bad, "must be complex64 or complex128, but is float64")
    yield BadInput((x, (2,)), {}, bad, "in the range [-2, 2)")
    yield BadInput((x, (1, -1)), {}, bad, "differ from each other, but are [1, 1]")
    yield BadInput((x, (1,), "half"), {}, bad, "but is 'half'")


fft_c2c = op(
    "fft_c2c",
    fft_c2c_forward,
    vjp=fft_c2c_vjp,
    public=None,
    dtypes="complex64 complex128",
    reference=fft_c2c_reference,
    samples=fft_c2c_samples,
    errors=fft_c2c_errors,
    formula="dx = conj(fft_c2c(conj(dout)))",
    doc="Transform complex numbers to complex ones; recorded by fft, ifft and related functions.",
    example="paddle.fft.fft(paddle.to_tensor([1.0 + 1.0j, 2.0 + 0.0j]))",
)


# ---- real to complex


def fft_r2c_forward(
    x,
    *,
    axes: Ints,
    normalization: str = "backward",
    forward: bool = True,
    onesided: bool = False,
):
    """Transform real numbers; if onesided, the last axis has the frequencies from 0 to n // 2."""
    axes = _checked(x, axes, normalization, ("float32", "float64"))
    _needs_axes(x, axes)
    dtype = np.result_type(x.dtype, np.complex64)
    if not x.size:
        size = x.shape[axes[-1]]
        size = size // 2 + 1 if onesided else size
        return jnp.zeros(_resized(x.shape, axes[-1], size), dtype)
    if not onesided:
        x = x.astype(dtype)
        return fft_c2c_forward(x, axes=axes, normalization=normalization, forward=forward)
    norm = normalization if forward else MIRRORED[normalization]
    out = jnp.fft.rfftn(x, axes=axes, norm=norm)
    return out if forward else jnp.conj(out)


def fft_r2c_vjp(x, dout, axes, normalization, forward, onesided):
    """Transform back, and take the real part; halve what a onesided inverse would count twice."""
    opposite = {"normalization": MIRRORED[normalization], "forward": not forward}
    if not x.size:
        return jnp.zeros_like(x)
    if not onesided:
        return jnp.real(fft_c2c_forward(dout, axes=axes, **opposite)).astype(x.dtype)
    last = (axes,) if type(axes) is int else axes
    size, axis = x.shape[last[-1]], normal_axis(last[-1], x.ndim)
    halved = _multiplied(dout, axis, size, 0.5)
    return fft_c2r_forward(halved, axes=axes, last_dim_size=size, **opposite)


def fft_r2c_reference(x, axes, normalization: Norm = "backward", forward=True, onesided=False):
    """Use NumPy's transform, conjugated for the inverse."""
    size = x.shape[axes[-1]]
    keep = size // 2 + 1 if onesided else size
    if not x.size:
        return np.zeros(_resized(x.shape, axes[-1] % x.ndim, keep), complex)
    transform = np.fft.fftn if forward else np.fft.ifftn
    out = transform(x, axes=axes, norm=normalization)
    return np.take(out, range(keep), axis=axes[-1])


def fft_r2c_samples():
    """Yield one and two sides, odd and even sizes, norms, directions, and zero-size."""
    yield Sample(values((2, 5)), axes=(1,))
    yield Sample(values((2, 6)), axes=(-1,), onesided=True)
    yield Sample(values((2, 5)), axes=(0, 1), normalization="ortho", onesided=True)
    yield Sample(values((4, 3)), axes=(1, 0), forward=False, onesided=True)
    yield Sample(values((3,)), axes=(0,), normalization="forward", forward=False)
    yield Sample(values((1,)), axes=(0,), onesided=True)
    yield Sample(values((2, 3, 1, 3)), axes=(0, 1, 2, 3), onesided=True)
    yield Sample(values((0, 3)), axes=(1,), onesided=True)
    yield Sample(values((2, 0)), axes=(1,), onesided=True)


def fft_r2c_errors():
    """Yield complex and half precision numbers, and no axes."""
    x, bad = values((2, 3)), InvalidArgumentError
    yield BadInput((x + 1j, (0,)), {}, bad, "must be float32 or float64, but is complex128")
    yield BadInput((x.astype("float16"), (0,)), {}, bad, "but is float16")
    yield BadInput((x, ()), {}, bad, "there must be an axis")


fft_r2c = op(
    "fft_r2c",
    fft_r2c_forward,
    vjp=fft_r2c_vjp,
    shapes="x",
    public=None,
    dtypes="float32 float64",
    reference=fft_r2c_reference,
    samples=fft_r2c_samples,
    errors=fft_r2c_errors,
    formula="dx = dout, times the weights with which x was read: the transform in the opposite "
    "direction",
    doc="Transform real numbers to complex ones; recorded by rfft, ihfft and fft of real input.",
    example="paddle.fft.rfft(paddle.to_tensor([1.0, 2.0, 3.0]))",
)


# ---- complex to real


def fft_c2r_forward(
    x,
    *,
    axes: Ints,
    normalization: str = "backward",
    forward: bool = False,
    last_dim_size: int = 0,
):
    """Transform one half (along the last axis) of a Hermitian signal; size 0 means an even size."""
    axes = _checked(x, axes, normalization, ("complex64", "complex128"))
    _needs_axes(x, axes)
    last = axes[-1]
    half = x.shape[last]
    size = last_dim_size or 2 * (half - 1)
    if size < 0 or half != size // 2 + 1:
        raise ValueError(
            f"a signal of {size} points has {max(size, 0) // 2 + 1} frequencies, but there are "
            f"{half} along axis {last}."
        )
    if not size or not x.size:
        return jnp.zeros(_resized(x.shape, last, size), x.real.dtype)
    if forward:
        x, normalization = jnp.conj(x), MIRRORED[normalization]
    # The last axis is separate: a transform over all axes together may assume a Hermitian x.
    if len(axes) > 1:
        x = jnp.fft.ifftn(x, axes=axes[:-1], norm=normalization)
    x = lax.complex(jnp.real(x), jnp.where(_stands_for_two(x.shape, last, size), jnp.imag(x), 0))
    return jnp.fft.irfft(x, size, axis=last, norm=normalization)


def fft_c2r_vjp(x, dout, axes, normalization, forward):
    """Transform back; a frequency that represents two gets the gradient of both."""
    last = (axes,) if type(axes) is int else axes
    if not dout.size:
        return jnp.zeros_like(x)
    size, axis = dout.shape[last[-1]], normal_axis(last[-1], dout.ndim)
    back = fft_r2c_forward(
        dout, axes=axes, normalization=MIRRORED[normalization], forward=not forward, onesided=True
    )
    return _multiplied(back, axis, size, 2.0)


def fft_c2r_reference(x, axes, normalization: Norm = "backward", forward=False, last_dim_size=0):
    """Use NumPy's transform, on the conjugate for the forward direction."""
    size = last_dim_size or 2 * (x.shape[axes[-1]] - 1)
    if not size or not x.size:
        return np.zeros(_resized(x.shape, axes[-1] % x.ndim, size))
    shape = [*(x.shape[axis] for axis in axes[:-1]), size]
    norm = MIRRORED[normalization] if forward else normalization
    return np.fft.irfftn(np.conj(x) if forward else x, shape, axes=axes, norm=norm)


def fft_c2r_samples():
    """Yield odd and even sizes, norms, directions, a constant, and zero-size."""
    yield Sample(values((2, 4)), axes=(1,))
    yield Sample(values((2, 4)), axes=(-1,), last_dim_size=7)
    yield Sample(values((4, 3)), axes=(0, 1), normalization="ortho", forward=True)
    yield Sample(values((3, 2)), axes=(1, 0), normalization="forward", last_dim_size=5)
    yield Sample(values((1,)), axes=(0,), last_dim_size=1)
    yield Sample(values((2, 3, 1, 2)), axes=(0, 1, 2, 3), forward=True)
    yield Sample(values((2, 1)), axes=(1,))
    yield Sample(values((0, 3)), axes=(1,))


def fft_c2r_errors():
    """Yield real numbers, another number of frequencies, and no frequencies."""
    x, bad = values((2, 3)) + 1j, InvalidArgumentError
    yield BadInput((x.real, (0,)), {}, bad, "must be complex64 or complex128, but is float64")
    yield BadInput((x, (1,)), {"last_dim_size": 6}, bad, "6 points has 4 frequencies, but there")
    yield BadInput((x[:, :0], (1,)), {}, bad, "a signal of -2 points")


fft_c2r = op(
    "fft_c2r",
    fft_c2r_forward,
    vjp=fft_c2r_vjp,
    shapes="x",
    public=None,
    dtypes="complex64 complex128",
    reference=fft_c2r_reference,
    samples=fft_c2r_samples,
    errors=fft_c2r_errors,
    formula="dx = the onesided transform of dout in the opposite direction, doubled where a "
    "frequency counts twice",
    boundary="Imaginary parts that a Hermitian signal does not have (of frequency 0, and of the "
    "last one of an even size) do not count, and get 0.",
    doc="Transform half of a Hermitian signal to real numbers; recorded by irfft and hfft.",
    example="paddle.fft.irfft(paddle.to_tensor([1.0 + 0.0j, 2.0 + 1.0j]))",
)
