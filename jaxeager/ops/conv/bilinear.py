"""The convolution of images and its two gradients: primitives of JAX, linear in each operand.

Note [Each transpose is another of the three]
    A convolution is linear in its images and in its filters. The gradient of the images is linear
    in the output's gradient and the filters, and the gradient of the filters in the images and the
    output's gradient. The transpose of each of the three in one operand is one of the other two.

    JAX differentiates the steps of a function. The ways of a CPU (conv_kernels.py) are slices, sums
    and products, whose derivatives, step by step, are slow. Primitives that name each other as
    transposes use these ways for derivatives of every order, and for transposed convolutions: the
    second derivative of a convolution (8 images of 32x32 with 32 channels) took 110 ms and takes
    29, the gradients of a transposed convolution in 4 groups 60 ms and 5. A way is chosen when a
    primitive is lowered. ``jax.vmap`` batches the steps.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from jaxeager.arrays.ordering import has_mesh
from jaxeager.kernels.tracing import plain_settings
from jaxeager.ops.conv import conv_kernels as kernels
from jaxeager.ops.conv.geometry import Geometry

Sizes = tuple[int, ...]
Steps = Callable[..., jax.Array]


def convolution(x, filter, geometry: Geometry):
    """Return the convolution of images [N, C, ...] with filters [M, C / groups, ...]."""
    return _apply(_CONVOLUTION, x, filter, geometry=geometry)


def image_gradient(dout, filter, geometry: Geometry, size: Sizes):
    """Return the gradient of the images of a convolution.

    Args:
        dout: the gradient of the output, [N, M, ...].
        filter: the filters, [M, C / groups, ...].
        geometry: that of the convolution.
        size: the spatial sizes of an image.
    """
    return _apply(_IMAGE_GRADIENT, dout, filter, geometry=geometry, size=tuple(size))


def filter_gradient(x, dout, geometry: Geometry, kernel: Sizes):
    """Return the gradient of the filters of a convolution.

    Args:
        x: the images, [N, C, ...].
        dout: the gradient of the output, [N, M, ...].
        geometry: that of the convolution.
        kernel: the spatial sizes of a filter.
    """
    return _apply(_FILTER_GRADIENT, x, dout, geometry=geometry, kernel=tuple(kernel))


# ---- the shapes of the results, and the steps. XLA removes the zeros: only their shape is read.


def _output_shape(x, filter, geometry: Geometry) -> Sizes:
    return x.shape[0], filter.shape[0], *geometry.out_size(x.shape[2:], filter.shape[2:])


def _image_shape(dout, filter, geometry: Geometry, size: Sizes) -> Sizes:
    return dout.shape[0], filter.shape[1] * geometry.groups, *size


def _filter_shape(x, dout, geometry: Geometry, kernel: Sizes) -> Sizes:
    return dout.shape[1], x.shape[1] // geometry.groups, *kernel


def _convolution_steps(x, filter, *, geometry: Geometry):
    return kernels.forward(x, filter, geometry)


def _image_gradient_steps(dout, filter, *, geometry: Geometry, size: Sizes):
    images = jnp.zeros(_image_shape(dout, filter, geometry, size), dout.dtype)
    return kernels.input_grad(images, filter, dout, geometry)


def _filter_gradient_steps(x, dout, *, geometry: Geometry, kernel: Sizes):
    filter = jnp.zeros(_filter_shape(x, dout, geometry, kernel), x.dtype)
    return kernels.filter_grad(x, filter, dout, geometry)


# ---- the primitives


def _primitive(name: str, steps: Steps, shape: Callable[..., Sizes]) -> Primitive:
    """Return a primitive of two arrays.

    Args:
        name: its name in a jaxpr.
        steps: function of both operands and the parameters that computes the result.
        shape: function of the same that returns the shape of the result.
    """
    made = Primitive(name)
    made.def_impl(_plain(steps))  # a call outside a kernel; the package has none
    made.def_abstract_eval(lambda x, y, **params: x.update(shape=shape(x, y, **params)))
    mlir.register_lowering(made, mlir.lower_fun(_plain(steps), multiple_results=False))
    batching.primitive_batchers[made] = partial(_batched, steps)
    return made


def _plain(steps: Steps) -> Steps:
    """Return the steps, which the user's settings for promotions do not reach."""

    def plain(*operands: jax.Array, **params: Any) -> jax.Array:
        with plain_settings():
            return steps(*operands, **params)

    return plain


def _batched(
    steps: Steps, operands: Iterable, axes: Iterable, **params: Any
) -> tuple[jax.Array, int]:
    return jax.vmap(partial(steps, **params), in_axes=tuple(axes))(*operands), 0


_CONVOLUTION = _primitive("convolution", _convolution_steps, _output_shape)
_IMAGE_GRADIENT = _primitive("convolution_image_gradient", _image_gradient_steps, _image_shape)
_FILTER_GRADIENT = _primitive("convolution_filter_gradient", _filter_gradient_steps, _filter_shape)

ad.defbilinear(
    _CONVOLUTION,
    lambda grad, x, filter, geometry: image_gradient(grad, filter, geometry, x.aval.shape[2:]),
    lambda grad, x, filter, geometry: filter_gradient(x, grad, geometry, filter.aval.shape[2:]),
)
ad.defbilinear(
    _IMAGE_GRADIENT,
    lambda grad, dout, filter, geometry, size: convolution(grad, filter, geometry),
    lambda grad, dout, filter, geometry, size: filter_gradient(
        grad, dout, geometry, filter.aval.shape[2:]
    ),
)
ad.defbilinear(
    _FILTER_GRADIENT,
    lambda grad, x, dout, geometry, kernel: image_gradient(dout, grad, geometry, x.aval.shape[2:]),
    lambda grad, x, dout, geometry, kernel: convolution(x, grad, geometry),
)

#: The steps of each primitive, for programs that cannot contain it (an ONNX model).
STEPS = {
    _CONVOLUTION.name: _convolution_steps,
    _IMAGE_GRADIENT.name: _image_gradient_steps,
    _FILTER_GRADIENT.name: _filter_gradient_steps,
}


def _apply(primitive: Primitive, x, y, **params: Any) -> jax.Array:
    """Apply a primitive, or its steps to operands whose type has a mesh.

    JAX knows for its own primitives how results are sharded (by explicit axes, in ``shard_map``).
    """
    if has_mesh(x) or has_mesh(y):
        return STEPS[primitive.name](x, y, **params)
    return primitive.bind(x, y, **params)
