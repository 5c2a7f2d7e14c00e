"""Random permutations."""

import jax
import numpy as np
import pytest

from jaxeager.ops.random.draws import _permutation


@pytest.mark.parametrize("count", [0, 1, 2, 1700, 5000])
def test_a_permutation_is_the_one_of_jax(count):
    key = jax.random.key(3)
    found = _permutation(key, count, np.dtype(np.int64))
    np.testing.assert_array_equal(found, jax.random.permutation(key, count))
