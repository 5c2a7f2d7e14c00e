"""The two ways of computing a convolution agree, and each platform gets its own."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxeager.ops.conv import conv_kernels as kernels
from jaxeager.ops.conv import few_pixels
from jaxeager.ops.conv.conv import conv2d_forward
from jaxeager.ops.conv.geometry import geometry
from jaxeager.ops.conv.products import product_filter_grad, product_forward, product_input_grad
from jaxeager.ops.rules.samples import values

GEOMETRIES = [
    geometry(1, 0, 1, 1, "NCHW"),
    geometry((2, 1), (1, 2), 1, 1, "NCHW"),
    geometry(2, (0, 1, 2, 0), (1, 2), 1, "NCHW"),
]

CHOSEN = kernels.forward, kernels.input_grad, kernels.filter_grad


def _operands(kernel=(3, 2)):
    image = jnp.asarray(values((2, 3, 7, 6)))
    return image, jnp.asarray(values((4, 3, *kernel), seed=1))


def assert_equals_xla(x, w, g, *ways):
    """Assert that a way's convolution and both gradients equal those of XLA's own op.

    Args:
        x: images.
        w: filters.
        g: the geometry.
        ways: functions of (x, w, g), (x, w, dout, g) and (x, w, dout, g).
    """

    @jax.jit
    def both(x, w):
        out, pull = jax.vjp(lambda x, w: kernels._convolve(x, w, g), x, w)
        dout = jnp.asarray(values(out.shape, seed=2))
        forward, *gradients = ways
        return [forward(x, w, g), *[way(x, w, dout, g) for way in gradients]], [out, *pull(dout)]

    for found, wanted in zip(*both(x, w), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("g", GEOMETRIES)
@pytest.mark.parametrize("kernel", [(3, 2), (1, 1)])
def test_dot_formulations_equal_the_convolution(g, kernel):
    x, w = _operands(kernel)
    assert_equals_xla(x, w, g, product_forward, product_input_grad, product_filter_grad)


@pytest.mark.parametrize("g", GEOMETRIES)
@pytest.mark.parametrize("size", [(7, 6), (3, 3)])
def test_looked_up_formulations_equal_the_convolution(g, size):
    x = jnp.asarray(values((2, 3, *size)))
    w = jnp.asarray(values((4, 3, 3, 2), seed=1))
    forward = partial(product_forward, columns=few_pixels.few_columns)
    filter_grad = partial(product_filter_grad, columns=few_pixels.few_columns)
    assert_equals_xla(x, w, g, forward, few_pixels.few_input_grad, filter_grad)


@pytest.mark.parametrize("g", GEOMETRIES)
@pytest.mark.parametrize("per_channel", [1, 2])
def test_shifted_sums_equal_the_depthwise_convolution(g, per_channel):
    g = g._replace(groups=3)
    x = jnp.asarray(values((2, 3, 7, 6)))
    w = jnp.asarray(values((3 * per_channel, 1, 3, 2), seed=1))
    assert kernels._is_depthwise(x, w, g)
    gradients = kernels._shift_input_grad, kernels._shift_filter_grad
    assert_equals_xla(x, w, g, kernels._shift_forward, *gradients)


@pytest.mark.parametrize("g", GEOMETRIES)
@pytest.mark.parametrize("filters", [1, 3])
def test_shifted_sums_equal_the_convolution_of_one_channel(g, filters):
    x, w = jnp.asarray(values((2, 1, 7, 6))), jnp.asarray(values((filters, 1, 3, 2), seed=1))
    assert kernels._is_of_one_channel(x, w, g)
    assert_equals_xla(x, w, g, *CHOSEN)


def test_which_convolutions_of_one_channel_are_shifted_sums():
    def fits(image, filter, dtype=jnp.float32):
        found = (jnp.zeros(image, dtype), jnp.zeros(filter, dtype))
        return kernels._is_of_one_channel(*found, GEOMETRIES[0])

    assert fits((64, 1, 28, 28), (32, 1, 5, 5))
    assert fits((8, 1, 64, 64), (1, 1, 7, 7), jnp.float64)
    assert not fits((64, 1, 28, 28), (64, 1, 7, 7))  # a matrix product is faster
    assert not fits((8, 1, 64, 64), (1, 1, 11, 11))  # many slices to compile
    assert not fits((8, 2, 64, 64), (1, 2, 3, 3))
    assert not fits((8, 1, 64, 64), (1, 1, 3, 3), jnp.bfloat16)
    assert not fits((8, 1, 2, 2), (1, 1, 3, 3))


@pytest.mark.parametrize("g", GEOMETRIES)
@pytest.mark.parametrize("pieces", [2, 4])
def test_a_filter_gradient_in_pieces_is_that_of_all(g, pieces):
    x = jnp.asarray(values((8, 3, 7, 6)))
    w = jnp.asarray(values((4, 3, 3, 2), seed=1))
    direction = jnp.asarray(values(x.shape, seed=3))
    ways = partial(kernels._filter_grad_in_pieces, pieces=pieces), kernels._plain_filter_grad

    @jax.jit
    def both(x, w):
        dout = jnp.asarray(values(kernels._convolve(x, w, g).shape, seed=2))
        of_images = [partial(way, filter=w, dout=dout, g=g) for way in ways]
        return [jax.jvp(each, (x,), (direction,)) for each in of_images]

    for found, wanted in zip(*both(x, w), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("shape", "filter", "dtype", "pieces"),
    [
        ((64, 6, 14, 14), (16, 6, 5, 5), "float32", 1),  # 4 MiB of columns
        ((256, 6, 14, 14), (16, 6, 5, 5), "float32", 2),  # 15
        ((2048, 6, 14, 14), (16, 6, 5, 5), "float32", 4),
        ((2046, 6, 14, 14), (16, 6, 5, 5), "float32", 2),  # cannot be divided in four of one size
        ((2047, 6, 14, 14), (16, 6, 5, 5), "float32", 1),
        ((2048, 6, 14, 14), (16, 6, 5, 5), "bfloat16", 1),
        ((0, 6, 14, 14), (16, 6, 5, 5), "float32", 1),
    ],
)
def test_many_images_are_taken_in_pieces(shape, filter, dtype, pieces):
    g = geometry(1, 0, 1, 1, "NCHW")
    x, w = jax.ShapeDtypeStruct(shape, dtype), jax.ShapeDtypeStruct(filter, dtype)
    assert kernels._pieces(x, w, g) == pieces
    out = jax.eval_shape(lambda x, w: kernels._convolve(x, w, g), x, w)
    grad = jax.jit(lambda x, w, dout: kernels.filter_grad(x, w, dout, g))
    text = jax.export.export(grad, platforms=["cpu"])(x, w, out).mlir_module()
    assert text.count("stablehlo.convolution") == pieces * bool(shape[0])


@pytest.mark.parametrize("g", GEOMETRIES)
@pytest.mark.parametrize("groups", [2, 10])
def test_groups_equal_the_convolution_in_groups(g, groups):
    g = g._replace(groups=groups)
    x = jnp.asarray(values((2, 2 * groups, 7, 6)))
    w = jnp.asarray(values((3 * groups, 2, 3, 2), seed=1))
    assert_equals_xla(x, w, g, *CHOSEN)


def _lowered(platform: str, channels: int, groups: int) -> str:
    x = jax.ShapeDtypeStruct((4, channels, 8, 8), jnp.float32)
    w = jax.ShapeDtypeStruct((2 * groups, channels // groups, 3, 3), jnp.float32)
    kernel = jax.jit(lambda x, w: conv2d_forward(x, w, paddings=1, groups=groups))
    return jax.export.export(kernel, platforms=[platform])(x, w).mlir_module()


@pytest.mark.parametrize(
    ("platform", "channels", "groups", "is_convolution"),
    [
        ("cpu", 1, 1, False),
        ("cpu", 16, 1, True),
        ("cpu", 64, 2, True),
        ("cpu", 16, 16, False),
        ("cuda", 1, 1, True),
        ("cuda", 16, 16, True),
        ("tpu", 1, 1, True),
    ],
)
def test_only_a_cpu_has_another_algorithm(platform, channels, groups, is_convolution):
    text = _lowered(platform, channels, groups)
    assert ("stablehlo.convolution" in text) == is_convolution


@pytest.mark.parametrize(
    ("shape", "filter", "dtype", "fits"),
    [
        ((64, 1, 28, 28), (6, 1, 3, 3), "float32", True),
        ((64, 1, 28, 28), (6, 1, 3, 3), "bfloat16", False),
        ((512, 3, 64, 64), (6, 3, 3, 3), "float32", False),  # too many columns
        ((64, 32, 28, 28), (6, 32, 3, 3), "float32", False),  # too many channels
        ((64, 32, 28, 28), (6, 32, 1, 1), "float32", True),  # a matrix product anyway
        ((0, 1, 28, 28), (6, 1, 3, 3), "float32", False),
    ],
)
def test_which_convolutions_a_cpu_takes_as_a_dot(shape, filter, dtype, fits):
    g = geometry(1, 1 if filter[2] == 3 else 0, 1, 1, "NCHW")
    x, w = jax.ShapeDtypeStruct(shape, dtype), jax.ShapeDtypeStruct(filter, dtype)
    assert kernels._forward_by_dot(x, w, g) == fits
    assert kernels._input_grad_by_dot(x, w, g) == fits


def test_groups_never_become_one_dot():
    g = geometry(1, 0, 1, 3, "NCHW")
    x, w = jnp.ones((2, 3, 4, 4), "float32"), jnp.ones((3, 1, 2, 2), "float32")
    assert not kernels._forward_by_dot(x, w, g)


@pytest.mark.parametrize(
    ("batch", "size", "channels", "looked_up"),
    [
        (8, 2, 64, (True, True, True)),  # 32 pixels for 64 channels
        (64, 2, 64, (True, True, False)),  # nine positions over four pixels
        (8, 8, 64, (False, False, False)),
        (1, 8, 64, (True, False, True)),  # 64 pixels of 64 channels: adding them up costs as much
    ],
)
def test_few_pixels_are_looked_up(batch, size, channels, looked_up):
    g = geometry(1, 1, 1, 1, "NCHW")
    x = jax.ShapeDtypeStruct((batch, channels, size, size), jnp.float32)
    w = jax.ShapeDtypeStruct((channels, channels, 3, 3), jnp.float32)
    assert few_pixels.forward_looks_up(x, w, g) == looked_up[0]
    assert few_pixels.input_grad_looks_up(x, w, g) == looked_up[1]
    assert few_pixels.filter_grad_looks_up(x, w, g) == looked_up[2]


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize(
    ("kernel", "out", "strides"),
    [((2, 3), (3, 1), (2, 1)), ((4, 2), (2, 4), (2, 2)), ((2, 2, 3), (2, 3, 2), (2, 2, 2))],
)
def test_filters_larger_along_one_axis_and_smaller_along_another(kernel, out, strides, groups):
    """XLA's convolution with holes ends the process there."""
    dims = len(kernel)
    g = geometry(strides, 1, 1, groups, {2: "NCHW", 3: "NCDHW"}[dims], dims)
    size = [(n - 1) * s + k - 2 for n, s, k in zip(out, strides, kernel, strict=True)]
    x, w = values((1, 2 * groups, *size)), values((3 * groups, 2, *kernel), seed=1)
    dout = values((1, 3 * groups, *out), seed=2)
    found = jax.jit(partial(kernels._plain_input_grad, g=g))(x, w, dout)
    for number in range(x.size):  # the convolution is linear in the image
        one = np.zeros(x.size)
        one[number] = 1
        part = kernels._convolve(jnp.asarray(one.reshape(x.shape)), jnp.asarray(w), g)
        np.testing.assert_allclose(found.ravel()[number], jnp.sum(part * dout), rtol=1e-12)
