"""Late choices: in a program for any number of images, the fastest way is chosen."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.export import export, symbolic_shape

from jaxeager.ops.conv import choice, conv_kernels
from jaxeager.ops.conv.geometry import Geometry
from tests.support.here import only_on_a_cpu

PLAIN = Geometry((1, 1), ((1, 1), (1, 1)), (1, 1), 1, "NCHW")


def program(function, *shapes):
    """Return a function as a program for any number of images."""
    scope = jax.export.SymbolicScope()
    given = [
        jax.ShapeDtypeStruct(symbolic_shape(", ".join(map(str, each)), scope=scope), "float32")
        for each in shapes
    ]
    return export(jax.jit(function))(*given)


def draw(*shape):
    return np.random.default_rng(len(shape)).normal(size=shape).astype("float32")


@pytest.mark.parametrize(
    ("image", "kernel"),
    [
        ((64, 4, 4), (32, 64, 3, 3)),  # few pixels, while there are few images
        ((2, 9, 9), (4, 2, 3, 3)),  # few channels: a product
        ((4, 5, 5), (8, 4, 1, 1)),
        ((16, 2, 2), (16, 16, 3, 3)),  # more filter than image, always
    ],
)
@pytest.mark.parametrize("count", [1, 40])
def test_a_program_for_any_number_of_images(image, kernel, count):
    def convolve(x, w):
        return conv_kernels.forward(x, w, PLAIN)

    def plain(x, w):
        return lax.conv(x, w, (1, 1), [(1, 1), (1, 1)])

    x, w = draw(count, *image), draw(*kernel)
    saved = program(convolve, ("n", *image), kernel)
    np.testing.assert_allclose(saved.call(x, w), plain(x, w), rtol=1e-4, atol=1e-4)
    found = jax.grad(lambda x, w: (saved.call(x, w) ** 2).sum(), (0, 1))(x, w)
    wanted = jax.grad(lambda x, w: (plain(x, w) ** 2).sum(), (0, 1))(x, w)
    for each, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(each, other, rtol=1e-3, atol=1e-2)


@only_on_a_cpu("elsewhere XLA's convolution always wins, and has a library's name")
def test_the_program_compiled_for_a_batch_has_only_the_faster_way():
    """For one image the columns are looked up; for many no condition is left either."""

    def text(count):
        def convolve(x, w):
            return conv_kernels.forward(x, w, PLAIN)

        saved = program(convolve, ("n", 64, 4, 4), (32, 64, 3, 3))
        given = draw(count, 64, 4, 4), draw(32, 64, 3, 3)
        return jax.jit(saved.call).lower(*given).compile().as_text()

    assert "convolution(" not in text(1)
    assert "convolution(" in text(400)
    assert "conditional(" not in text(1) + text(400)


def test_the_first_way_whose_condition_holds():
    def first(x, g):
        return x + g

    def second(x, g):
        return x * 10 + g

    def plain(x, g):
        return x - g

    x = jnp.ones([])
    unknown = jnp.asarray(True)
    assert choice.first_way([(False, first), (False, second)], plain) is None
    assert choice.first_way([(False, first), (True, second)], plain) is second
    late = choice.first_way([(unknown, first), (True, second)], plain)
    assert late is not None
    assert late(x, g=1) == 2
    assert choice.first_way([(~unknown, first), (True, second)], plain)(x, g=1) == 11  # type: ignore[misc]
    assert choice.first_way([(~unknown, first)], plain)(x, g=1) == 0  # type: ignore[misc]
