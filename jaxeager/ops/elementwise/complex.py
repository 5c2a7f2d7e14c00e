"""Copies, casts, and conversions between complex numbers and their parts."""

from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.graph.views.view_places import place_of
from jaxeager.ops.derived.view_steps import retyped
from jaxeager.ops.elementwise.unary import unary_errors
from jaxeager.ops.register import composite, op
from jaxeager.ops.row import ViewRule
from jaxeager.ops.rules.attrs import DType
from jaxeager.ops.rules.axes import same_dtype
from jaxeager.ops.rules.precision import copy_of
from jaxeager.ops.rules.samples import BadInput, Sample, binary, unary, values
from jaxeager.ops.rules.subnormals import is_nonzero

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

WITH_COMPLEX = "float32 float64 bfloat16 complex64 complex128"
ONE_COMPLEX = "paddle.to_tensor([1.0 + 2.0j])"


def assign_forward(x):
    """Copy into a new buffer."""
    return copy_of(x)


def assign_vjp(dout):
    """Pass the gradient on."""
    return dout


assign = op(
    "assign",
    assign_forward,
    vjp=assign_vjp,
    public=None,
    dtypes=WITH_COMPLEX + " int64",
    reference="numpy.array",
    samples=unary(),
    errors=unary_errors,
    formula="dx = dout",
    doc="Copy a tensor; the copy is recorded.",
    example="paddle.assign(paddle.to_tensor([1.0, 2.0]))",
)


def assign_out_forward(output, x):
    """Copy x; the public function writes the copy into output."""
    return copy_of(x)


def assign_out_reference(output, x):
    """Return the value itself."""
    return x


def assign_out_samples():
    """Yield shapes, 0-D and zero-size."""
    for shape in ((2, 3), (), (0, 3)):
        yield Sample(values(shape, seed=1), values(shape))


assign_out = op(
    "assign_out",
    assign_out_forward,
    vjp=assign_vjp,
    nondiff="output",
    inplace=True,
    public=None,
    reference=assign_out_reference,
    samples=assign_out_samples,
    formula="dx = dout: what was overwritten gets none",
    doc="Copy a tensor into another one's memory.",
    example="paddle.assign(paddle.to_tensor([1.0, 2.0]), output=paddle.zeros([2]))",
    dtypes=WITH_COMPLEX,
)

# C converts floats to narrow integers through int64, so 300.0 becomes 44 in uint8; XLA would
# saturate. Paddle does the same as C.
NARROW = frozenset(map(np.dtype, ("int8", "uint8", "int16", "uint16", "uint32")))


def cast_forward(x, *, dtype: DType):
    """Convert the elements; for complex numbers, the real part."""
    if x.dtype == dtype:
        return copy_of(x)
    if dtype == np.bool_:
        return is_nonzero(x)
    if jnp.iscomplexobj(x) and dtype.kind != "c":
        x = jnp.real(x)
    if dtype in NARROW and jnp.issubdtype(x.dtype, jnp.inexact):
        x = x.astype(np.int64)
    return x.astype(dtype)


def cast_vjp(x, dout):
    """Convert the gradient back."""
    dtype = x.dtype
    if jnp.iscomplexobj(dout) and not jnp.issubdtype(dtype, jnp.complexfloating):
        dout = jnp.real(dout)
    return dout.astype(dtype)


def cast_reference(x, dtype):
    """Convert with NumPy; for a real dtype, only the real part."""
    x = x.real if np.iscomplexobj(x) and np.dtype(dtype).kind != "c" else x
    return x.astype(dtype)


def cast_samples():
    """Yield wider, narrower, complex and integer results, 0-D and zero-size."""
    yield Sample(values((2, 3)), dtype="float64")
    yield Sample(values((2, 3)), dtype="float32")
    yield Sample(values((2, 3)), dtype="complex128")
    yield Sample(values((2, 3), -5.0, 5.0), dtype="int32", grad=False)
    yield Sample(values((2, 3), 0.0, 5.0), dtype="uint8", grad=False)
    yield Sample(values(()), dtype="float64")
    yield Sample(values((0, 3)), dtype="float32")


cast = op(
    "cast",
    cast_forward,
    vjp=cast_vjp,
    shapes="x",
    inplace=True,
    dtypes="float32 float64 complex128",
    reference=cast_reference,
    samples=cast_samples,
    errors=lambda: (BadInput((np.ones(2), "foo"), {}, InvalidTypeError, "'foo'"),),
    formula="dx = dout, in the dtype of x: its real part where x is real",
    doc="Convert a tensor to another dtype.",
    example="paddle.cast(paddle.to_tensor([1.5, 2.5]), 'int32')",
)


def conj_forward(x):
    """Conjugate each element."""
    return jnp.conj(x) if jnp.iscomplexobj(x) else copy_of(x)


def conj_vjp(dout):
    """Conjugate the gradient."""
    return jnp.conj(dout)


conj = op(
    "conj",
    conj_forward,
    vjp=conj_vjp,
    dtypes="float32 complex64 complex128",
    reference="numpy.conj",
    samples=unary(),
    errors=unary_errors,
    formula="dx = conj(dout)",
    doc="Compute the complex conjugate of each element.",
    example=f"paddle.conj({ONE_COMPLEX})",
)


def conj_of_complex(x):
    """Return the conjugate of a complex tensor; return a real one itself, without a node."""
    return conj(x) if jnp.iscomplexobj(x._array) else x


def _needs_complex(x) -> None:
    if not jnp.iscomplexobj(x):
        raise ValueError(f"the operand must be complex64 or complex128, but is {x.dtype.name}.")


def real_forward(x):
    """Take the real part."""
    _needs_complex(x)
    return jnp.real(x)


def real_vjp(x, dout):
    """Return the gradient as a complex number without imaginary part."""
    return dout.astype(x.dtype)


def imag_forward(x):
    """Take the imaginary part."""
    _needs_complex(x)
    return jnp.imag(x)


def imag_vjp(dout):
    """Return the gradient as imaginary part."""
    return 1j * dout


def needs_complex_errors():
    """Yield a real operand."""
    yield BadInput((np.ones(2),), {}, InvalidArgumentError, "must be complex64 or complex128")


def write_real(base, value):
    """Write the real part back."""
    return lax.complex(value, jnp.imag(base))


def real_place(above):
    """Return the real parts of the same memory."""
    return above.real


def imag_place(above):
    """Return the imaginary parts of the same memory."""
    return above.imag


def write_imag(base, value):
    """Write the imaginary part back."""
    return lax.complex(jnp.real(base), value)


real = op(
    "real",
    real_forward,
    vjp=real_vjp,
    shapes="x",
    view=ViewRule(write_real, retypes=True, place=real_place),
    dtypes="complex64 complex128",
    reference="numpy.real",
    samples=unary(),
    errors=needs_complex_errors,
    formula="dx = dout + 0i",
    doc="Take the real part of each element.",
    example=f"paddle.real({ONE_COMPLEX})",
)
imag = op(
    "imag",
    imag_forward,
    vjp=imag_vjp,
    shapes="x",
    view=ViewRule(write_imag, retypes=True, place=imag_place),
    dtypes="complex64 complex128",
    reference="numpy.imag",
    samples=unary(),
    errors=needs_complex_errors,
    formula="dx = 0 + i * dout",
    doc="Take the imaginary part of each element.",
    example=f"paddle.imag({ONE_COMPLEX})",
)


def complex_forward(real, imag):
    """Combine real and imaginary part."""
    same_dtype(real, imag)
    return lax.complex(*jnp.broadcast_arrays(real, imag))


def complex_vjp(real, imag, dout):
    """Split the gradient into real and imaginary part."""
    return jnp.real(dout), jnp.imag(dout)


def complex_reference(real, imag):
    """Compute the plain formula."""
    return real + 1j * imag


complex = op(
    "complex",
    complex_forward,
    vjp=complex_vjp,
    saves="real imag",
    broadcast=True,
    method=False,
    dtypes="float32 float64",
    reference=complex_reference,
    samples=binary(),
    errors=lambda: (
        BadInput((np.ones(2), np.ones(2, "float32")), {}, InvalidArgumentError, "one dtype"),
    ),
    formula="dreal = real(dout); dimag = imag(dout)",
    doc="Make complex numbers of their real and imaginary parts.",
    example="paddle.complex(paddle.to_tensor([1.0]), paddle.to_tensor([2.0]))",
)


def angle_forward(x):
    """Compute the angle: 0 or pi for real numbers."""
    if jnp.iscomplexobj(x):
        return jnp.arctan2(jnp.imag(x), jnp.real(x))
    return jnp.where(x < 0, np.pi, jnp.where(jnp.isnan(x), x, 0)).astype(x.dtype)


def angle_vjp(x, dout):
    """Return the gradient along the circle; 0 for real numbers, and at 0."""
    if not jnp.iscomplexobj(x):
        return jnp.zeros_like(dout)
    at_zero = x == 0
    x = jnp.where(at_zero, 1, x)
    return jnp.where(at_zero, 0, dout * 1j * x / (jnp.real(x) ** 2 + jnp.imag(x) ** 2))


angle = op(
    "angle",
    angle_forward,
    vjp=angle_vjp,
    saves="x",
    promote="float",
    dtypes="float32 float64 complex64 complex128",
    reference="numpy.angle",
    samples=unary(),
    errors=unary_errors,
    formula="dx = dout * i * x / |x|^2, 0 at 0: 0 for a real x",
    boundary="0 at 0, as in Paddle.",
    doc="Compute the angle of each complex number, in (-pi, pi].",
    example="paddle.angle(paddle.to_tensor([1.0 + 1.0j]))",
)


def as_real_forward(x):
    """Return real and imaginary part in a last dimension of 2."""
    _needs_complex(x)
    return jnp.stack([jnp.real(x), jnp.imag(x)], axis=-1)


def as_complex_forward(x):
    """Return complex numbers from a last dimension of 2."""
    if not x.ndim or x.shape[-1] != 2:
        raise ValueError(f"the last dimension must be 2, but the shape is {list(x.shape)}.")
    return lax.complex(x[..., 0], x[..., 1])


def as_real_vjp(dout):
    """Return the gradient as complex numbers."""
    return as_complex_forward(dout)


def as_complex_vjp(dout):
    """Return the gradient as pairs of real numbers."""
    return as_real_forward(dout)


def as_real_reference(x):
    """Compute the plain formula."""
    return np.stack([x.real, x.imag], axis=-1)


def as_complex_reference(x):
    """Compute the plain formula."""
    return x[..., 0] + 1j * x[..., 1]


def as_complex_samples():
    """Yield a vector and a matrix of pairs, one pair, and none."""
    yield Sample(values((3, 2)))
    yield Sample(values((2, 3, 2)))
    yield Sample(values((2,)))
    yield Sample(values((0, 2)))


def write_as_real(base, value):
    """Write the pairs back as complex numbers."""
    return as_complex_forward(value)


def write_as_complex(base, value):
    """Write the complex numbers back as pairs."""
    return as_real_forward(value)


def as_real_place(above):
    """Return the same memory, read as pairs."""
    part = above.real.dtype
    return retyped(above, part, (*above.shape, 2), (*above.strides, part.itemsize))


def as_complex_place(above):
    """Return the same memory, read as complex numbers; None if pairs are not adjacent."""
    if above.strides[-1] != above.itemsize:
        return None
    dtype = np.result_type(above.dtype, np.complex64)
    return retyped(above, dtype, above.shape[:-1], above.strides[:-1])


as_real = op(
    "as_real",
    as_real_forward,
    vjp=as_real_vjp,
    view=ViewRule(write_as_real, covers=True, retypes=True, place=as_real_place),
    dtypes="complex64 complex128",
    reference=as_real_reference,
    samples=unary(),
    errors=needs_complex_errors,
    formula="dx = as_complex(dout)",
    doc="Show complex numbers as pairs of real ones, in a last dimension of 2.",
    example=f"paddle.as_real({ONE_COMPLEX})",
)
as_complex = op(
    "as_complex",
    as_complex_forward,
    vjp=as_complex_vjp,
    view=ViewRule(write_as_complex, covers=True, retypes=True, place=as_complex_place),
    dtypes="float32 float64",
    reference=as_complex_reference,
    samples=as_complex_samples,
    errors=lambda: (
        BadInput((np.ones(3),), {}, InvalidArgumentError, "the last dimension must be 2"),
    ),
    formula="dx = as_real(dout)",
    doc="Make complex numbers of pairs of real ones, the last dimension.",
    example="paddle.as_complex(paddle.to_tensor([[1.0, 2.0]]))",
)


@composite()
def view_as_complex(input: "Tensor") -> "Tensor":
    """Return pairs of real numbers, the last dimension, as complex ones, in the same memory.

    Args:
        input: float32 or float64 tensor [..., 2].

    Returns:
        complex tensor [...].

    Raises:
        InvalidArgumentError: for another last dimension, or a view in which the two numbers of a
            pair are not adjacent.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.view_as_complex(paddle.to_tensor([[1.0, 2.0]])).tolist()
        [(1+2j)]
    """
    place = place_of(input)
    if place is not None and place.ndim and place.strides[-1] != place.itemsize:
        raise InvalidArgumentError(
            "Expected the stride of last dimension of input(X) to be 1.But received "
            f"{place.strides[-1] // place.itemsize}. Call contiguous() first."
        )
    return as_complex(input)


@composite()
def view_as_real(input: "Tensor") -> "Tensor":
    """Return complex numbers as pairs of real ones in a last dimension of 2, in the same memory.

    Args:
        input: complex tensor [...].

    Returns:
        floating tensor [..., 2].

    Raises:
        InvalidArgumentError: for a tensor that is not complex.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.view_as_real(paddle.to_tensor([1.0 + 2.0j])).tolist()
        [[1.0, 2.0]]
    """
    return as_real(input)
