"""The ways to find the largest element of each window agree, with ties, nan and infinities."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.ops.pooling import max_windows
from jaxeager.ops.pooling.pool_kernels import pool_of
from tests.support.often import every

SIZE = 6, 8
WINDOWS = {
    "touching": ("_tiled", "_compared", "_compared_inside"),
    "overlapping": ("_compared", "_compared_inside"),
    "with a margin": ("_compared",),
    "outside": ("_compared",),  # the last windows have no element
    "of several sizes": ("_compared", "_compared_inside"),
    "one": ("_tiled",),
}


def image(kind):
    draw = np.random.default_rng(3)
    x = draw.integers(-2, 3, (2, 3, *SIZE)).astype(kind)  # many ties
    x[0, 0, 1:4, 1:5] = -np.inf
    x[0, 1, 2, 3:6] = np.nan
    x[1, 2] = -np.inf
    return jnp.asarray(x)


def positions(name, x):
    if name == "overlapping":
        return max_windows.window_positions(SIZE, pool_of(x, 3, 2, 0, False, "NCHW", 2), (2, 3))
    if name in ("with a margin", "outside"):
        strides = (2, 2) if name == "with a margin" else (2, 3)
        pool = pool_of(x, (3, 2), strides, (1, 1), True, "NCHW", 2)
        return max_windows.window_positions(SIZE, pool, pool.out)
    out = {"touching": (3, 4), "of several sizes": (4, 3), "one": (1, 1)}[name]
    return max_windows.window_positions(SIZE, None, out)


@pytest.mark.parametrize("dtype", every(2, ["float32", "float16"]))
@pytest.mark.parametrize("name", WINDOWS)
def test_the_ways_agree(name, dtype):
    x = image(dtype)
    seen = positions(name, x)
    wanted = max_windows._looked_up(x, seen)
    for way in WINDOWS[name]:
        found = jax.jit(lambda x, way=way: getattr(max_windows, way)(x, seen))(x)
        for one, other in zip(found, wanted, strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", [name for name in WINDOWS if name != "outside"])
def test_the_first_of_equal_elements_has_the_slope(name):
    x = jnp.zeros((1, 1, *SIZE))
    seen = positions(name, x)
    place = max_windows.max_of_windows(x, seen)[1]
    slopes = jax.grad(lambda x: jnp.sum(max_windows.max_of_windows(x, seen)[0]))(x)
    wanted = np.bincount(np.ravel(place), minlength=np.prod(SIZE))
    np.testing.assert_array_equal(np.ravel(slopes), wanted)


def test_windows_that_are_known_are_not_looked_up():
    for name in WINDOWS:
        x = image("float32")
        seen = positions(name, x)
        program = jax.make_jaxpr(lambda x, seen=seen: max_windows.max_of_windows(x, seen))(x)
        assert "argmax" not in str(program)


@pytest.mark.parametrize(("kernel", "stride", "pad"), [(5, 1, 2), (7, 3, 3), (6, 2, 0), (17, 2, 8)])
def test_large_windows_over_edges_have_the_first_largest_element(kernel, stride, pad):
    x = np.random.default_rng(kernel).integers(0, 6, (2, 1, 18, 18)).astype(np.float32)
    x[0, 0, 4, 4], x[1, 0, :9] = np.nan, -np.inf
    pool = paddle.nn.functional.max_pool2d
    out, mask = pool(paddle.to_tensor(x), kernel, stride, pad, return_mask=True)
    for n, _, i, j in np.ndindex(*out.shape):
        rows, cols = (slice(max(k * stride - pad, 0), k * stride - pad + kernel) for k in (i, j))
        places = np.arange(18 * 18).reshape(18, 18)[rows, cols].ravel()
        window = x[n, 0, rows, cols].ravel()
        best = int(np.argmax(window))
        np.testing.assert_array_equal(out.numpy()[n, 0, i, j], window[best])
        assert mask.numpy()[n, 0, i, j] == places[best]
