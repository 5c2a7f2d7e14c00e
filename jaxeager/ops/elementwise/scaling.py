"""Powers, scaling, limits, sums of lists and interpolation: ops that also take numbers."""

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.ops.elementwise.power_kernels import power_of
from jaxeager.ops.register import op
from jaxeager.ops.rules.attrs import Scalar, Static, Tensors
from jaxeager.ops.rules.axes import as_first, same_dtype
from jaxeager.ops.rules.precision import copy_of, in_float32
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, values


def pow_forward(x, *, y: Static):
    """Raise x to a constant power; by multiplication for a small integer."""
    if jnp.issubdtype(x.dtype, jnp.inexact):
        return copy_of(x) if y == 1 else _raised(x, y)
    if y != int(y) or y < 0:
        raise ValueError(
            f"{x.dtype.name} to the power {y} is not an integer; cast to a float first."
        )
    return copy_of(x) if y == 1 else x ** int(y)


def _raised(x, y):
    """Raise x to a power; to 2 for 2.0: XLA multiplies then instead of taking logarithms."""
    if isinstance(y, complex):
        return power_of(x, y)
    return x ** (int(y) if float(y).is_integer() else y)


def pow_vjp(x, dout, *, y):
    """Return the gradient; 0 everywhere if the power is 0, also at x = 0."""
    if y == 0:
        return jnp.zeros_like(dout)
    if y == 1:
        return dout
    return dout * jnp.conj(y * _raised(x, y - 1))


def pow_reference(x, y):
    """Compute NumPy's power."""
    return np.power(x, y)


def pow_samples():
    """Yield integer, negative, fractional and zero powers, 0-D and zero-size."""
    yield Sample(values((2, 3)), y=2)
    yield Sample(values((2, 3)), y=3.0)
    yield Sample(values((2, 3), 0.5, 2.0), y=-1.5)
    yield Sample(values((2, 3)), y=0)
    yield Sample(values((), 0.5, 2.0), y=0.5)
    yield Sample(values((0, 3)), y=2)


pow_scalar = op(
    "pow",
    in_float32(pow_forward),
    vjp=in_float32(pow_vjp),
    saves="x",
    inplace=True,
    public=None,
    dtypes=WITH_COMPLEX,
    reference=pow_reference,
    samples=pow_samples,
    errors=lambda: (
        BadInput((np.array([2]),), {"y": -1}, InvalidArgumentError, "to the power -1"),
    ),
    formula="dx = dout * conj(y * x^(y - 1)), 0 at y = 0",
    boundary="x ** 0 has 0 everywhere, also at x = 0, as in Paddle (JAX: nan).",
    doc="Raise a tensor to a constant power.",
    example="paddle.pow(paddle.to_tensor([2.0, 3.0]), 2)",
)


def scale_forward(x, *, scale: Scalar = 1.0, bias: Scalar = 0.0, bias_after_scale: bool = True):
    """Scale and shift, each unless None; with (b)float16 in float32, and cast the result back."""
    out = x
    if bias is not None and not bias_after_scale:
        out = out + bias
    if scale is not None:
        out = out * scale
    if bias is not None and bias_after_scale:
        out = out + bias
    return copy_of(x) if out is x else out.astype(x.dtype)


def scale_vjp(dout, *, scale):
    """Scale the gradient."""
    return dout if scale is None else (dout * jnp.conj(scale)).astype(dout.dtype)


def scale_reference(x, scale=1.0, bias=0.0, bias_after_scale=True):
    """Compute the plain formula, with the scalars in the tensor's dtype."""
    scale = np.array(1 if scale is None else scale).astype(x.dtype)
    bias = np.array(0 if bias is None else bias).astype(x.dtype)
    return x * scale + bias if bias_after_scale else (x + bias) * scale


def scale_samples():
    """Yield a scale, a bias, both in both orders, 0-D and zero-size."""
    yield Sample(values((2, 3)), scale=2.5)
    yield Sample(values((2, 3)), scale=-0.5, bias=3.0)
    yield Sample(values((2, 3)), scale=2.0, bias=1.5, bias_after_scale=False)
    yield Sample(values(()), scale=None, bias=2.0)
    yield Sample(values((0, 3)), scale=2.0)


scale = op(
    "scale",
    scale_forward,
    vjp=scale_vjp,
    inplace=True,
    public=None,
    dtypes=WITH_COMPLEX,
    reference=scale_reference,
    samples=scale_samples,
    formula="dx = dout * conj(scale)",
    doc="Multiply by a number and add a number; recorded by x * 2, x + 1 and -x.",
    example="paddle.scale(paddle.to_tensor([1.0, 2.0]), scale=3.0, bias=1.0)",
)


def rounded_quotient(x, number):
    """Divide by a number, or by an array that is broadcast, and round once.

    XLA multiplies by 1 / number wherever the divisor is broadcast, so that a third of the quotients
    has a wrong last digit: 7 / 3 is 2.3333335. It divides where the divisor depends on x, as here:
    by 1 where x is nan.
    """
    if not jnp.issubdtype(x.dtype, jnp.floating) or jnp.iscomplexobj(number):
        return x / number
    return x / jnp.where(jnp.isnan(x), 1, number)


def div_scale_forward(x, *, scale: Scalar = 1.0):
    """Divide by a number."""
    return rounded_quotient(x, scale).astype(x.dtype)


def div_scale_vjp(dout, *, scale):
    """Divide the gradient by the number."""
    return rounded_quotient(dout, jnp.conj(scale)).astype(dout.dtype)


def div_scale_reference(x, scale=1.0):
    """Compute the plain formula."""
    return x / scale


div_scale = op(
    "div_scale",
    div_scale_forward,
    vjp=div_scale_vjp,
    promote="float",
    public=None,
    dtypes=WITH_COMPLEX,
    reference=div_scale_reference,
    samples=lambda: (
        Sample(values((2, 3)), scale=3.0),
        Sample(values(()), scale=-0.5),
        Sample(values((0, 3)), scale=2.0),
    ),
    formula="dx = dout / conj(scale)",
    doc="Divide by a number; recorded by x / 2.",
    example="paddle.to_tensor([3.0, 5.0]) / 2",
)


@real_only
def clip_forward(x, *, min: Scalar = None, max: Scalar = None):
    """Limit x to [min, max]; keep nan."""
    out = x if min is None else jnp.maximum(x, min)
    out = out if max is None else jnp.minimum(out, max)
    return copy_of(x) if out is x else out.astype(x.dtype)


def clip_vjp(x, dout, *, min, max):
    """Pass the gradient where x is within the bounds, the bounds included."""
    inside = x == x
    inside = inside if min is None else inside & (x >= min)
    inside = inside if max is None else inside & (x <= max)
    return jnp.where(inside, dout, 0).astype(dout.dtype)


def clip_reference(x, min=None, max=None):
    """Compute NumPy's clip, which needs at least one bound."""
    return np.clip(x, min, max) if (min, max) != (None, None) else x


def clip_samples():
    """Yield both bounds, each alone, none, 0-D and zero-size."""
    yield Sample(values((2, 3)), min=-0.5, max=1.0)
    yield Sample(values((2, 3)), min=0.25)
    yield Sample(values((2, 3)), max=0.25)
    yield Sample(values((2, 3)))
    yield Sample(values(()), min=-1.5, max=1.5)
    yield Sample(values((0, 3)), min=0.0)


clip = op(
    "clip",
    clip_forward,
    vjp=clip_vjp,
    saves="x",
    inplace=True,
    public=None,
    reference=clip_reference,
    samples=clip_samples,
    formula="dx = dout where min <= x <= max, else 0",
    boundary="the limits count as inside: 1 there, as in Paddle (JAX: 0.5).",
    doc="Limit the elements to a range.",
    example="paddle.clip(paddle.to_tensor([-1.0, 0.5, 2.0]), 0.0, 1.0)",
)


def add_n_forward(inputs: Tensors):
    """Add up tensors of one shape and dtype."""
    inputs = as_first(*inputs)
    same_dtype(*inputs)
    shapes = [tuple(each.shape) for each in inputs]
    if len(set(shapes)) > 1:
        raise ValueError(f"the inputs must have the same shape, but have {shapes}.")
    total = inputs[0]
    for each in inputs[1:]:
        total = total + each
    return total if len(inputs) > 1 else copy_of(total)


def add_n_vjp(inputs, dout):
    """Pass the gradient on to each."""
    return [dout] * len(inputs)


def add_n_reference(inputs):
    """Compute NumPy's sum over a stack."""
    return np.sum(inputs, axis=0)


def add_n_samples():
    """Yield three, two and one tensors, 0-D and zero-size."""
    yield Sample([values((2, 3), seed=seed) for seed in range(3)])
    yield Sample([values(()), values((), seed=1)])
    yield Sample([values((4,))])
    yield Sample([values((0, 3)), values((0, 3))])


def add_n_errors():
    """Yield shapes that differ, and an input that is not a list."""
    yield BadInput(
        ([np.ones(2), np.ones(1)],), {}, InvalidArgumentError, "must have the same shape"
    )
    yield BadInput((3,), {}, InvalidTypeError, "must be list of Tensors")


add_n = op(
    "add_n",
    add_n_forward,
    vjp=add_n_vjp,
    shapes="inputs",
    public=None,
    grad_name="AddNGradNodeFinal",
    dtypes=WITH_COMPLEX,
    reference=add_n_reference,
    samples=add_n_samples,
    errors=add_n_errors,
    formula="dinputs[k] = dout",
    doc="Add up a list of tensors of one shape.",
    example="paddle.add_n([paddle.ones([2]), paddle.ones([2])])",
)


def lerp_forward(x, y, weight):
    """Move from x towards y by the weight."""
    same_dtype(x, y, weight)
    if not jnp.issubdtype(x.dtype, jnp.inexact):
        raise ValueError(f"the operands must have a floating dtype, not {x.dtype.name}.")
    return x + weight * (y - x)


def lerp_vjp(x, y, weight, dout):
    """Split the gradient by the weight."""
    weight = jnp.conj(weight)
    return dout * (1 - weight), dout * weight


def lerp_reference(x, y, weight):
    """Compute the plain formula."""
    return x + weight * (y - x)


def lerp_samples():
    """Yield equal shapes, broadcasting, a 0-D weight, 0-D and zero-size."""
    yield Sample(values((2, 3)), values((2, 3), seed=1), values((2, 3), 0.0, 1.0))
    yield Sample(values((2, 3)), values((3,), seed=1), np.array(0.3))
    yield Sample(values((3,)), values((2, 3), seed=1), np.array(0.3))
    yield Sample(values(()), values((), seed=1), np.array(0.7))
    yield Sample(values((0, 3)), values((0, 3)), np.array(0.7))


lerp = op(
    "lerp",
    in_float32(lerp_forward),
    vjp=in_float32(lerp_vjp),
    saves="x y weight out",
    nondiff="weight",
    broadcast=True,
    inplace=True,
    public=None,
    reference=lerp_reference,
    samples=lerp_samples,
    errors=lambda: (
        BadInput(
            (np.ones(2), np.ones(2), np.ones(2, "float32")),
            {},
            InvalidArgumentError,
            "must have one dtype",
        ),
    ),
    formula="dx = dout * conj(1 - weight); dy = dout * conj(weight)",
    doc="Interpolate linearly between two tensors.",
    example="paddle.lerp(paddle.zeros([2]), paddle.ones([2]), 0.25)",
    dtypes=WITH_COMPLEX,
)


def lerp_with_weight_vjp(x, y, weight, dout):
    """Add the gradient of the weight."""
    return *lerp_vjp(x, y, weight, dout), dout * jnp.conj(y - x)


lerp_with_weight = op(
    "lerp_with_weight",
    in_float32(lerp_forward),
    vjp=in_float32(lerp_with_weight_vjp),
    saves="x y weight out",
    broadcast=True,
    inplace=True,
    public=None,
    grad_name="LerpGradNode",
    dtypes=WITH_COMPLEX,
    reference=lerp_reference,
    samples=lerp_samples,
    formula="dx = dout * conj(1 - weight); dy = dout * conj(weight); dweight = dout * conj(y - x)",
    doc="lerp of a weight that needs a gradient; Paddle gives it none.",
)
