"""Running reductions equal those of JAX, however the axis is cut into pieces."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.export import export, symbolic_shape

from jaxeager.arrays.running import running
from jaxeager.ops.rules.samples import values


def log_sums(x, axis=0):
    return running(jnp.logaddexp, x, axis, partial(lax.cumlogsumexp, axis=axis))


def value_and_gradient(function, x, axis):
    return function(x, axis), jax.grad(lambda x: jnp.sum(jnp.sin(function(x, axis))))(x)


@pytest.mark.parametrize(
    ("shape", "axis"),
    [((1,), 0), ((7,), 0), ((103,), 0), ((2, 90), 1), ((90, 3), 0), ((2, 9, 130), 1), ((2, 0), 1)],
)
def test_lines_of_any_length(shape, axis):
    x = jnp.asarray(values(shape))
    of_both = jax.jit(
        lambda x: [value_and_gradient(each, x, axis) for each in (log_sums, lax.cumlogsumexp)]
    )
    for found, wanted in zip(*of_both(x), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


def test_infinities_and_nan():
    x = np.full(50, -np.inf)
    x[[10, 20]] = 1.0, 700.0
    x = np.stack(
        [x, np.where(np.arange(50) == 30, np.inf, x), np.where(np.arange(50) == 5, np.nan, x)]
    )
    found = jax.jit(log_sums, static_argnums=1)(jnp.asarray(x), 1)
    np.testing.assert_array_equal(np.isneginf(found).sum(1), [10, 10, 5])
    np.testing.assert_allclose(found[:2, 10:20], 1.0)
    np.testing.assert_allclose(found[:2, 20:30], 700.0)
    np.testing.assert_array_equal(found[1, 30:], np.inf)
    assert np.isnan(found[2, 5:]).all()


def test_pairs_whose_operation_does_not_commute():
    """Products of matrices of two rows, as a tuple of their elements."""

    def product(a, b):
        return (
            a[0] * b[0] + a[1] * b[2],
            a[0] * b[1] + a[1] * b[3],
            *(
                a[2] * b[0] + a[3] * b[2],
                a[2] * b[1] + a[3] * b[3],
            ),
        )

    elements = tuple(jnp.asarray(values((40, 2), seed=seed)) for seed in range(4))
    usual = partial(lax.associative_scan, product)
    found = jax.jit(lambda each: running(product, each, 0, usual))(elements)
    for one, other in zip(found, usual(elements), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)


def test_batches_and_open_sizes():
    x = jnp.asarray(values((3, 40)))
    wanted = lax.cumlogsumexp(x, 1)
    np.testing.assert_allclose(jax.jit(jax.vmap(log_sums))(x), wanted, rtol=1e-12)
    for sizes, axis in (("n, 40", 1), ("3, n", 1)):
        struct = jax.ShapeDtypeStruct(symbolic_shape(sizes), x.dtype)
        program = export(jax.jit(partial(log_sums, axis=axis)))(struct)
        np.testing.assert_allclose(program.call(x), wanted, rtol=1e-12)


def test_within_shard_map():
    mesh = jax.make_mesh((1,), ("i",))
    part = jax.sharding.PartitionSpec("i")
    x = jax.device_put(values((3, 40)), jax.sharding.NamedSharding(mesh, part))
    mapped = jax.shard_map(partial(log_sums, axis=1), mesh=mesh, in_specs=part, out_specs=part)
    np.testing.assert_allclose(jax.jit(mapped)(x), jnp.log(jnp.cumsum(jnp.exp(x), 1)), rtol=1e-12)


@pytest.mark.parametrize(("platform", "has_loop"), [("cpu", True), ("cuda", False)])
def test_only_a_cpu_loops(platform, has_loop):
    struct = jax.ShapeDtypeStruct((3, 40), jnp.float32)
    text = export(jax.jit(log_sums), platforms=[platform])(struct).mlir_module()
    assert ("stablehlo.while" in text) == has_loop
