"""The figures of arrays, computed on the host and by a kernel."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxeager.debug.explorer import figures

CASES = {
    "floats": jnp.array([[3.0, -4.0], [0.0, 0.5]], jnp.float32),
    "bad": jnp.array([jnp.nan, jnp.inf, -jnp.inf, 1.0]),
    "only bad": jnp.array([jnp.nan, jnp.nan]),
    "bfloat16": jnp.array([1.0, 2.0, 3.0], jnp.bfloat16),
    "integers": jnp.array([5, 0, -5]),
    "bools": jnp.array([True, False, True]),
    "complex": jnp.array([3 + 4j, 0j]),
    "huge": jnp.array([1e200, -1e200]),
    "one": jnp.float32(2.0),
}


def figures_of(array):
    (found,) = figures.answers([figures.ask(array)])
    return found


@pytest.mark.parametrize("name", CASES)
def test_a_kernel_says_what_the_host_says(name):
    array = CASES[name]
    here = figures_of(array)
    (there,) = figures.answers([(array.size, figures._asked(array))])
    assert here.keys() == there.keys()
    for key, value in here.items():
        assert there[key] == (value if value is None else pytest.approx(value, rel=1e-6)), key
    assert sum(here["histogram"]) == array.size - here["nan"] - here["inf"]


def test_figures_count_nan_inf_and_zeros():
    found = figures_of(CASES["bad"])
    assert (found["count"], found["nan"], found["inf"], found["zero"]) == (4, 1, 2, 0)
    assert found["min"] == found["max"] == found["norm"] == 1.0
    assert figures_of(CASES["only bad"])["norm"] is None
    assert figures_of(CASES["huge"])["norm"] == pytest.approx(np.sqrt(2) * 1e200)
    assert figures_of(CASES["complex"])["max"] == 5.0


def test_bars_are_equal_parts_of_the_range():
    bars = figures_of(jnp.linspace(0.0, 1.0, 240))["histogram"]
    assert len(bars) == figures.BINS
    assert max(bars) - min(bars) <= 1


def test_arrays_without_figures():
    deleted = jnp.ones([2]) + 1
    deleted.delete()
    assert figures_of(jnp.zeros([0])) is None
    assert figures_of(deleted) is None
    seen = []
    jax.make_jaxpr(lambda x: seen.append(figures.ask(x)) or x)(jnp.ones([2]))
    assert seen == [None]
