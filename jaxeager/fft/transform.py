"""The steps of every transform: cast, crop or pad, and run the row."""

from jaxeager.core import dtypes
from jaxeager.fft.arguments import axes_of, axis_of, check_norm, check_size
from jaxeager.nn.functional.padding import pad
from jaxeager.ops.call.dispatch import raw
from jaxeager.ops.elementwise.copies import assign
from jaxeager.ops.indexing.slicing import slice_along
from jaxeager.ops.signal.fft import fft_c2c, fft_c2r, fft_r2c

COMPLEX_OF = {"float32": "complex64", "float64": "complex128"}


def complex_to_complex(x, sizes, axes, norm, forward, out=None):
    """Transform over given axes; real input has a zero imaginary part."""
    x = _as_float(x)
    x = _resized(x, sizes, axes)
    if raw(x).dtype in dtypes.COMPLEX:
        return _written(fft_c2c(x, tuple(axes), norm, forward), out)
    return _written(fft_r2c(x, tuple(axes), norm, forward, False), out)


def real_to_complex(x, sizes, axes, norm, forward, out=None):
    """Transform real numbers to one half of the frequencies."""
    x = _resized(_as_float(x), sizes, axes)
    return _written(fft_r2c(x, tuple(axes), norm, forward, True), out)


def complex_to_real(x, sizes, axes, norm, forward, out=None):
    """Transform one half of the frequencies to real numbers."""
    x = _as_float(x)
    complex_dtype = COMPLEX_OF.get(raw(x).dtype.name)
    if complex_dtype is not None:
        x = x.astype(complex_dtype)
    last = 0
    if sizes is not None:
        *others, last = sizes
        x = _resized(x, [*others, last // 2 + 1], axes)
    return _written(fft_c2r(x, tuple(axes), norm, forward, last), out)


def over_axis(kind, x, n, axis, norm, forward, out):
    """Run a transform over one axis of ``n`` points.

    Raises:
        InvalidArgumentError: for arguments that do not fit.
    """
    check_norm(norm)
    axis = axis_of(x, axis)
    if n is not None:
        check_size(n)
    return kind(x, None if n is None else [n], [axis], norm, forward, out)


def over_axes(kind, x, s, axes, norm, forward, out):
    """Run a transform over several axes of ``s`` points.

    Raises:
        InvalidArgumentError: for arguments that do not fit.
    """
    check_norm(norm)
    return kind(x, s, axes_of(x, s, axes), norm, forward, out)


def _as_float(x):
    """Cast integers to the default floating dtype."""
    is_integer = raw(x).dtype.kind in "iu"
    return x.astype(dtypes.get_default_dtype()) if is_integer else x


def _resized(x, sizes, axes):
    """Crop, then pad with zeros at the end, where a size differs from the axis."""
    if sizes is None:
        return x
    shape = x.shape
    pairs = list(zip(axes, sizes, strict=True))
    cuts = [(axis, size) for axis, size in pairs if size < shape[axis]]
    if cuts:
        at, ends = zip(*cuts, strict=True)
        x = slice_along(x, list(at), [0] * len(at), list(ends))
    widths = [0] * (2 * x.ndim)
    for axis, size in pairs:
        widths[2 * axis + 1] = max(size - shape[axis], 0)
    return pad(x, widths) if any(widths) else x


def _written(result, out):
    """Return a result, after writing it to ``out``, if given."""
    if out is not None:
        assign(result, out)
    return result
