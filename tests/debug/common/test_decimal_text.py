"""The decimals of many numbers computed together, against those of one at a time."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxeager.debug.common.decimal_text import decimal_text
from tests.support.plain_decimals import plain_decimals

FLOATS = ["float16", "float32", "float64", *(ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn)]
INTEGERS = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


@pytest.mark.parametrize("precision", [0, 1, 3, 6, 12, 15])
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS + ["complex64", "complex128"], ids=str)
def test_decimals_are_those_of_printf(dtype, precision):
    drawn = np.random.default_rng(3).standard_normal(150)
    for scale in (1e-4, 1.0, 1e3, 1e9, 1e25):
        values = drawn * scale
        values[::5] = np.round(values[::5] * 16) / 16  # ties
        if np.dtype(dtype).kind in "uib":
            values = np.clip(values, 0, 100) if np.dtype(dtype).kind != "i" else values % 100
        with np.errstate(over="ignore", invalid="ignore"):
            values = values.astype(dtype)
        assert decimal_text(values, precision) == plain_decimals(values, precision)


@given(
    st.lists(st.floats(width=32), min_size=65, max_size=90),
    st.integers(0, 12),
)
def test_decimals_of_any_float32(values, precision):
    array = np.array(values, np.float32)
    assert decimal_text(array, precision) == plain_decimals(array, precision)


@given(st.lists(st.floats(), min_size=65, max_size=90), st.integers(0, 14))
def test_decimals_of_any_float64(values, precision):
    array = np.array(values, np.float64)
    assert decimal_text(array, precision) == plain_decimals(array, precision)


@pytest.mark.parametrize("precision", range(13))
def test_ties_go_to_even_as_in_glibc(precision):
    ties = (np.arange(-200, 200) + 0.5) / 10.0**precision
    sixteenths = np.arange(-300, 300) / 64
    for values in (ties, ties.astype("float32"), sixteenths):
        assert decimal_text(values, precision) == plain_decimals(values, precision)


def test_an_array_with_a_special_number_has_the_plain_decimals():
    for odd in (np.nan, -np.nan, np.inf, -np.inf, 1e300, -0.0, 5e-324):
        values = np.linspace(-2, 2, 200)
        values[77] = odd
        assert decimal_text(values, 3) == plain_decimals(values, 3)


@given(
    st.integers(0, 3),
    *[st.lists(st.integers(-130, 130).map(lambda n: n / 8), min_size=2, max_size=3)] * 2,
)
def test_equal_texts_are_equal_numbers(precision, first, second):
    separator = "" if precision else ","
    a, b = (decimal_text(np.array(each), precision, separator) for each in (first, second))
    rounded = [[f"{each:.{precision}f}" for each in values] for values in (first, second)]
    assert (a == b) == (rounded[0] == rounded[1])
