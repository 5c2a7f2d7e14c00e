"""The tolerances of the tests, by dtype and backend."""

from unittest import mock

import jax
import numpy as np
import pytest

from tests.support import compare


@pytest.mark.parametrize(
    ("backend", "asked", "expected"),
    [
        ("cpu", None, 1e-5), ("gpu", None, 2**-8), ("tpu", None, 2**-5), ("gpu", "highest", 1e-5),
        ("gpu", "tensorfloat32", 2**-8),
    ],
)  # fmt: skip
def test_products_of_accelerators_have_fewer_digits(backend, asked, expected):
    with (
        mock.patch("jax.default_backend", return_value=backend),
        jax.default_matmul_precision(asked),
    ):
        assert compare.tolerance("float32") == compare.tolerance("complex64") == expected
        assert compare.tolerance("float64") == 1e-10
        assert compare.tolerance("bfloat16") == 3e-2
        assert compare.tolerance("int32") == 0


def test_a_difference_above_the_tolerance_fails():
    near, far = np.float32(1 + 1e-5), np.float32(1 + 1e-4)
    compare.assert_close(near, np.float32(1), "float32", "near")
    with pytest.raises(AssertionError, match="off by"):
        compare.assert_close(far, np.float32(1), "float32", "far")
    backend = mock.patch("jax.default_backend", return_value="gpu")
    with backend, jax.default_matmul_precision(None):
        compare.assert_close(far, np.float32(1), "float32", "rounded as a GPU does")
