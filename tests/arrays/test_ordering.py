"""The order of elements equals NumPy's stable order, for every dtype and in both directions."""

import itertools

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

from jaxeager.arrays import ordering
from jaxeager.arrays.ordering import argsort

DTYPES = [
    "bool", "uint8", "int8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16",
    "bfloat16", "float32", "float64",
]  # fmt: skip


def edges(dtype):
    """Return the least, the largest and the special numbers of a dtype, some of them twice."""
    if dtype.kind == "b":
        return np.array([True, False, True, False])
    if np.issubdtype(dtype, np.integer):
        kind = np.iinfo(dtype)
        found = [kind.max, kind.min, 0, 1, kind.max - 1, kind.min + 1, kind.max, kind.max // 2]
        return np.array(found, dtype)
    kind = ml_dtypes.finfo(dtype)
    found = [np.nan, np.inf, -np.inf, 0.0, -0.0, kind.max, kind.min, kind.tiny, -kind.tiny, -np.nan]
    with np.errstate(all="ignore"):
        return np.array([*found, kind.smallest_subnormal, -0.0, np.nan], dtype)


def stable_order(x, axis, descending):
    """Return NumPy's stable order; nan is the largest number."""
    wide = x.astype(np.float64) if x.dtype == ml_dtypes.bfloat16 else x
    if not descending:
        return np.argsort(wide, axis, kind="stable")
    size = x.shape[axis]
    return np.flip(size - 1 - np.argsort(np.flip(wide, axis), axis, kind="stable"), axis)


@pytest.mark.parametrize("name", DTYPES)
def test_order_of_every_dtype(name):
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    draw = np.random.default_rng(7)
    special = edges(dtype)
    x = special[draw.integers(0, len(special), (3, 41))]
    if dtype.itemsize == 8:  # numbers that differ in one half only
        x[0] = draw.integers(0, 4, 41).astype(dtype) * dtype.type(2**33) + x[0].astype(bool)
    ways = (-1, False), (-1, True), (0, False)
    sort = jax.jit(lambda x: [argsort(x, axis, descending) for axis, descending in ways])
    for (axis, descending), found in zip(ways, sort(jnp.asarray(x)), strict=True):
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found, stable_order(x, axis, descending))


def test_lines_without_elements_and_batches():
    assert argsort(jnp.zeros((3, 0))).shape == (3, 0)
    assert argsort(jnp.zeros((0, 3)), 0).shape == (0, 3)
    x = jnp.asarray(np.random.default_rng(1).normal(size=(4, 5, 6)))
    found = jax.vmap(argsort, in_axes=1)(x)
    np.testing.assert_array_equal(found, np.argsort(np.swapaxes(x, 0, 1), -1))


@pytest.mark.parametrize(("platform", "arrays"), [("cpu", 1), ("cuda", 2)])
def test_a_cpu_sorts_one_array_of_integers(platform, arrays):
    struct = jax.ShapeDtypeStruct((3, 40), np.float32)
    text = jax.export.export(jax.jit(argsort), platforms=[platform])(struct).mlir_module()
    (line,) = [line for line in text.splitlines() if "stablehlo.sort" in line]
    assert line.split("stablehlo.sort")[1].split(")")[0].count("%") == arrays


def test_without_int64():
    x = np.array([3.0, np.nan, -1.0, 3.0, 0.0], np.float32)
    with jax.enable_x64(False):
        np.testing.assert_array_equal(argsort(jnp.asarray(x)), [2, 4, 0, 3, 1])
        np.testing.assert_array_equal(argsort(jnp.asarray(x), descending=True), [1, 0, 3, 4, 2])


@pytest.mark.parametrize(
    "name", ["float16", "bfloat16", "float32", "float64", "int8", "int32", "uint64", "bool"]
)
def test_places_of_extremes(name):
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    draw = np.random.default_rng(5)
    special = edges(dtype)
    for shape, axis in (((5, 9), 1), ((9, 5), 0), ((3, 7, 2), 1), ((6,), 0)):
        x = special[draw.integers(0, len(special), shape)]
        wide = x.astype(np.float64) if dtype.name == "bfloat16" else x
        ways = list(itertools.product(("argmax", "argmin"), (False, True)))

        def places(x, axis=axis, ways=ways):
            return [getattr(ordering, name)(x, axis, keepdims) for name, keepdims in ways]

        for (name, keepdims), found in zip(ways, jax.jit(places)(jnp.asarray(x)), strict=True):
            wanted = getattr(np, name)(wide, axis, keepdims=keepdims)
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("explicit", [True, False])
def test_sharded_by_type_and_in_shard_map(explicit):
    kind = jax.sharding.AxisType.Explicit
    mesh = jax.make_mesh((1,), ("i",), axis_types=(kind,))
    rows = jax.sharding.PartitionSpec("i")
    x = np.random.default_rng(3).normal(size=(4, 6)).astype(np.float32)
    given = jax.device_put(x, jax.sharding.NamedSharding(mesh, rows))

    def found(x):
        return argsort(x), ordering.argmax(x, 1)

    parts = jax.shard_map(found, mesh=mesh, in_specs=rows, out_specs=rows)
    with jax.set_mesh(mesh):
        order, place = jax.jit(found if explicit else parts)(given)
    np.testing.assert_array_equal(order, np.argsort(x, -1))
    np.testing.assert_array_equal(place, np.argmax(x, 1))


@pytest.mark.parametrize(
    "dtype", ["float16", "bfloat16", "float32", "float64", "int8", "uint16", "int32", "int64"]
)
def test_the_largest_elements_in_order(dtype):
    """Elements that tie keep their order; nan is the largest number."""
    x = jnp.asarray(np.random.default_rng(7).integers(0, 9, (4, 30))).astype(dtype)
    if jnp.issubdtype(x.dtype, jnp.floating):
        x = x.at[0, 5].set(jnp.nan).at[1, 3].set(jnp.inf).at[2].set(-jnp.inf)
    out, places = jax.jit(ordering.largest, static_argnums=1)(x, 6)
    wide = np.asarray(x.astype("float64"))
    expected = np.argsort(-np.where(np.isnan(wide), 1e400, wide), -1, kind="stable")[:, :6]
    assert (out.dtype, places.dtype) == (x.dtype, np.int64)
    np.testing.assert_array_equal(places, expected)
    np.testing.assert_array_equal(out.astype("float64"), np.take_along_axis(wide, expected, -1))


def test_the_largest_integers_beyond_those_of_floats():
    x = jnp.array([2**53 + 1, 2**53, 2**53 + 2, -(2**63)])
    assert ordering.largest(x, 4)[1].tolist() == [2, 0, 1, 3]
    assert ordering.largest(x[:3].astype("uint64") + np.uint64(2**63), 2)[1].tolist() == [2, 0]
    assert ordering.largest(jnp.array([2**24, 2**24 + 1], "int32"), 1)[1].tolist() == [1]


def test_places_along_an_axis_before_whole_images():
    x = np.random.default_rng(4).integers(0, 4, (2, 5, 1024)).astype(np.float32)
    x[1, 3, ::2] = np.nan
    found = jax.jit(ordering.argmax, static_argnums=1)(jnp.asarray(x), 1)
    np.testing.assert_array_equal(found, np.argmax(x, 1))
