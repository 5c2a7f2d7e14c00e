"""Comparing arrays: one tolerance per dtype and backend, and its reason.

Note [Digits of products]
    An accelerator rounds the factors of a float32 product of matrices, or of a convolution, by
    default: GPUs to 11 bits (TF32), TPUs to 8. Most tests compare values that are exact except for
    their last digits, so on an accelerator a run of the tests requests all digits from XLA
    (conftest.py). With ``JAXEAGER_TEST_PRODUCTS=default`` it runs with users' settings:
    ``tolerance`` then is that of the rounded factors, which the tests of the op table use.
"""

from typing import Any

import jax
import ml_dtypes
import numpy as np

# The share of the largest value by which one value may be off.
TOLERANCE = {
    # XLA's and SciPy's series for special functions differ in the last three or four digits.
    "float64": 1e-10,
    "complex128": 1e-10,
    # 24 bits: 6e-8 a rounding, some tens of them in a matrix product or a norm.
    "float32": 1e-5,
    "complex64": 1e-5,
    # 11 bits: 5e-4 a rounding, and kernels round between their steps.
    "float16": 5e-3,
    # 8 bits: 4e-3 a rounding, and kernels round between their steps.
    "bfloat16": 3e-2,
}


# The remaining bits of the factors of a product, unless JAX is asked for more.
PRODUCT_BITS = {"gpu": 11, "cuda": 11, "rocm": 11, "tpu": 8}
_ROUNDED = ("float32", "complex64")  # the dtype of the factors; other dtypes keep theirs


def tolerance(dtype: str) -> float:
    """Return the share of the largest value by which a value of a dtype may be off here."""
    usual = TOLERANCE.get(dtype, 0.0)
    if dtype not in _ROUNDED or not products_are_rounded():
        return usual
    return 2.0 ** (3 - PRODUCT_BITS[jax.default_backend()])  # some roundings, which mostly cancel


def products_are_rounded() -> bool:
    """Return whether the backend rounds the factors of float32 products: see Note [Digits of
    products]."""
    config: Any = jax.config  # JAX declares none of its settings
    asked = config.jax_default_matmul_precision
    return jax.default_backend() in PRODUCT_BITS and asked not in ("highest", "float32")


def exact(array: np.ndarray) -> np.ndarray:
    """Return the same values as float64, complex128, or unchanged."""
    array = np.asarray(array)
    if array.dtype.kind == "c":
        return array.astype(np.complex128)
    is_float = array.dtype.kind == "f" or array.dtype == ml_dtypes.bfloat16
    return array.astype(np.float64) if is_float else array


def assert_close(got, expected, dtype: str, what: str, factor: float = 1.0) -> None:
    """Assert shape, the places of nan and infinity, and values within ``factor`` tolerances."""
    got, expected = exact(np.asarray(got)), exact(np.asarray(expected))
    assert got.shape == expected.shape, f"{what}: shape {got.shape}, expected {expected.shape}"
    if expected.dtype.kind not in "fc":
        assert np.array_equal(got, expected), f"{what}: {got}, expected {expected}"
        return
    usual = np.isfinite(expected)
    assert np.array_equal(got[~usual], expected[~usual], equal_nan=True), (
        f"{what}: {got}, expected {expected}"
    )
    size = np.abs(expected[usual])
    scale = size.max(initial=0.0)
    # A sum that cancels to nothing leaves one rounding of a number of size 1.
    rounding = float(ml_dtypes.finfo(dtype).eps) if dtype in TOLERANCE else 0.0
    allowed = factor * (tolerance(dtype) * (size + scale) + rounding)
    off = np.abs(got[usual] - expected[usual])
    assert np.all(off <= allowed), (
        f"{what} ({dtype}): off by {np.max(off - allowed):.2e} more than allowed\n"
        f"got      {got}\nexpected {expected}"
    )
