"""The three primitives of convolutions: values and derivatives equal those of XLA's own op."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.export import export, symbolic_shape
from jax.sharding import NamedSharding, PartitionSpec

from jaxeager.ops.conv import bilinear, conv_kernels
from jaxeager.ops.conv.conv import conv2d_forward, conv2d_transpose_forward
from jaxeager.ops.conv.geometry import geometry
from jaxeager.ops.rules.samples import values
from tests.support.often import only

# An image, filters, and what a convolution of them is: each with another way on a CPU.
CASES = {
    "few channels": ((2, 3, 7, 6), (4, 3, 3, 2), geometry((2, 1), (1, 2), 1, 1, "NCHW")),
    "few pixels": ((1, 9, 3, 3), (17, 9, 3, 3), geometry(2, (0, 1, 2, 0), 1, 1, "NCHW")),
    "many channels": ((1, 16, 8, 8), (17, 16, 3, 3), geometry(1, 1, (1, 2), 1, "NCHW")),
    "depthwise": ((2, 3, 7, 6), (6, 1, 3, 2), geometry(2, (0, 1, 2, 0), (1, 2), 3, "NCHW")),
    "one channel": ((2, 1, 7, 6), (1, 1, 3, 2), geometry(2, 1, 1, 1, "NCHW")),
    "two groups": ((2, 4, 7, 6), (6, 2, 3, 2), geometry((2, 1), 1, 1, 2, "NCHW")),
    "ten groups": ((1, 20, 4, 4), (20, 2, 3, 2), geometry(1, 1, 1, 10, "NCHW")),
    "patches": ((2, 3, 7, 6), (4, 3, 3, 2), geometry((3, 2), 0, 1, 1, "NCHW")),
    "patches of a volume": (
        (1, 2, 3, 4, 5),
        (3, 2, 2, 1, 2),
        geometry((2, 1, 2), 0, 1, 1, "NCDHW", 3),
    ),
    "volumes": ((1, 2, 3, 4, 4), (3, 2, 2, 2, 2), geometry(2, 1, 1, 1, "NCDHW", 3)),
}
ALWAYS = ("few channels", "depthwise", "two groups", "patches")  # ways differ in test_conv.py
ONE_DEVICE = (1,), ("i",)


def of_xla(x, w, g):
    """Return the convolution as one step of JAX, which JAX knows how to differentiate."""
    return lax.conv_general_dilated(
        x,
        w,
        g.strides,
        g.pads,
        rhs_dilation=g.dilations,
        dimension_numbers=conv_kernels.dimension_numbers(g.layout),
        feature_group_count=g.groups,
    )


def derivatives(convolve, g):
    """Return a function of (x, w) that returns derivatives of the first three orders."""

    def first(x, w):
        return jax.grad(lambda x, w: jnp.sum(jnp.sin(convolve(x, w, g))), (0, 1))(x, w)

    def second(x, w):
        return jax.grad(lambda x, w: sum(jnp.sum(each**3) for each in first(x, w)), (0, 1))(x, w)

    def third(x, w):
        steps = jnp.cos(x), jnp.cos(w)
        return jax.jvp(second, (x, w), steps)[1]

    return jax.jit(lambda x, w: (convolve(x, w, g), first(x, w), second(x, w), third(x, w)))


def assert_alike(found, wanted):
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        scale = float(jnp.max(jnp.abs(other)))
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12 * scale)


@pytest.mark.parametrize("name", only(ALWAYS, CASES))
def test_three_orders_of_derivatives(name):
    image, filters, g = CASES[name]
    x, w = jnp.asarray(values(image)), jnp.asarray(values(filters, seed=1))
    found = derivatives(bilinear.convolution, g)(x, w)
    assert_alike(found, derivatives(of_xla, g)(x, w))


def transposed_by_xla(x, w, strides, paddings, extra, dilations, groups):
    """Return a transposed convolution as one of an image with zeros between its pixels."""
    channels, per_group, *kernel = w.shape
    split = w.reshape(groups, channels // groups, per_group, *kernel).swapaxes(1, 2)
    turned = jnp.flip(split.reshape(groups * per_group, channels // groups, *kernel), (2, 3))
    reach = [d * (k - 1) for d, k in zip(dilations, kernel, strict=True)]
    return lax.conv_general_dilated(
        x,
        turned,
        (1, 1),
        [(r - p, r - p + e) for r, p, e in zip(reach, paddings, extra, strict=True)],
        lhs_dilation=strides,
        rhs_dilation=dilations,
        feature_group_count=groups,
    )


@pytest.mark.parametrize(
    ("groups", "strides", "paddings", "extra", "dilations"),
    [
        pytest.param(1, (2, 1), (1, 0), (1, 0), (1, 1), marks=pytest.mark.deep),
        (2, (2, 3), (0, 4), (0, 2), (1, 2)),
        (4, (1, 2), (1, 1), (2, 3), (3, 4)),  # the output is larger by whole strides
    ],
)
def test_transposed_convolutions(groups, strides, paddings, extra, dilations):
    attrs = {"strides": strides, "paddings": paddings, "dilations": dilations, "groups": groups}
    x, w = jnp.asarray(values((2, 4, 3, 4))), jnp.asarray(values((4, 3, 3, 2), seed=1))

    def ours(x, w, g):
        return conv2d_transpose_forward(x, w, output_padding=extra, **attrs)

    def wanted(x, w, g):
        return transposed_by_xla(x, w, strides, paddings, extra, dilations, groups)

    assert_alike(derivatives(ours, None)(x, w), derivatives(wanted, None)(x, w))


def test_batches_of_images_and_of_filters():
    g = CASES["few channels"][2]
    x, w = jnp.asarray(values((3, 2, 3, 7, 6))), jnp.asarray(values((3, 4, 3, 3, 2), seed=1))

    def loss(x, w):
        return jnp.sum(jnp.sin(bilinear.convolution(x, w, g)))

    for axes in ((0, 0), (0, None), (None, 0), (1, 0)):
        found = jax.jit(jax.vmap(jax.grad(loss, (0, 1)), in_axes=axes))
        one = jax.grad(loss, (0, 1))
        given = jnp.swapaxes(x, 0, 1) if axes[0] == 1 else x if axes[0] == 0 else x[0]
        filters = w if axes[1] == 0 else w[0]
        wanted = [
            one(x[i] if axes[0] is not None else given, w[i] if axes[1] == 0 else filters)
            for i in range(3)
        ]
        assert_alike(found(given, filters), [jnp.stack(each) for each in zip(*wanted, strict=True)])
        total = jax.grad(lambda x, w, axes=axes: jnp.sum(jax.vmap(loss, axes)(x, w)), (0, 1))
        sums = [jnp.stack(each) for each in zip(*wanted, strict=True)]
        given_back = [
            each.sum(0) if axis is None else jnp.moveaxis(each, 0, axis)
            for each, axis in zip(sums, axes, strict=True)
        ]
        assert_alike(jax.jit(total)(given, filters), given_back)


def test_outside_of_a_kernel():
    image, filters, g = CASES["many channels"]
    x, w = jnp.asarray(values(image)), jnp.asarray(values(filters, seed=1))
    assert_alike(bilinear.convolution(x, w, g), of_xla(x, w, g))


@pytest.mark.parametrize("transposed", [False, True])
def test_a_program_for_any_size_and_its_gradient(transposed):
    forward = conv2d_transpose_forward if transposed else conv2d_forward
    attrs = {"strides": 2, "paddings": 1}
    x, w = values((2, 3, 7, 9)), values((3, 3, 3, 3), seed=1)

    def gradients(x, w):
        return jax.grad(lambda x, w: jnp.sum(jnp.sin(forward(x, w, **attrs))), (0, 1))(x, w)

    # A convolution's image is known to have its size only where the stride divides it.
    sizes = symbolic_shape("n, 3, h, k" if transposed else "n, 3, 2*h + 1, 2*k + 1")
    structs = jax.ShapeDtypeStruct(sizes, x.dtype), jax.ShapeDtypeStruct(w.shape, w.dtype)
    program = export(jax.jit(gradients))(*structs)
    assert_alike(program.call(x, w), jax.jit(gradients)(x, w))


def test_sharded_by_type_and_in_shard_map():
    mesh = jax.make_mesh(*ONE_DEVICE, axis_types=(jax.sharding.AxisType.Explicit,))
    g = CASES["depthwise"][2]
    image, filters, _ = CASES["depthwise"]
    x, w = jnp.asarray(values(image)), jnp.asarray(values(filters, seed=1))
    wanted = derivatives(of_xla, g)(x, w)[1]
    images, all_of_it = PartitionSpec("i"), PartitionSpec()

    def loss(x, w):
        return jnp.sum(jnp.sin(bilinear.convolution(x, w, g)))

    given = (
        jax.device_put(x, NamedSharding(mesh, images)),
        jax.device_put(w, NamedSharding(mesh, all_of_it)),
    )
    with jax.set_mesh(mesh):
        assert_alike(jax.jit(jax.grad(loss, (0, 1)))(*given), wanted)
    parts = jax.shard_map(
        lambda x, w: bilinear.convolution(x, w, g),
        mesh=mesh,
        in_specs=(images, all_of_it),
        out_specs=images,
    )
    found = jax.jit(jax.grad(lambda x, w: jnp.sum(jnp.sin(parts(x, w))), (0, 1)))
    assert_alike(found(*given), wanted)


@pytest.mark.parametrize(("platform", "is_convolution"), [("cpu", False), ("cuda", True)])
def test_the_second_derivative_has_the_ways_of_the_platform(platform, is_convolution):
    image, filters, g = CASES["depthwise"]
    structs = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in (image, filters)]
    function = jax.jit(lambda x, w: derivatives(bilinear.convolution, g)(x, w)[2])
    text = export(function, platforms=[platform])(*structs).mlir_module()
    assert ("stablehlo.convolution" in text) == is_convolution
