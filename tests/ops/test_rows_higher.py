"""Second and third order of every row, through the tape: see support/higher.py.

One sample a row in float64, and one in complex128 where a row takes complex numbers.
"""

import pytest

import jaxeager as paddle  # noqa: F401 - fills the table
from jaxeager.ops.row import NONDIFF, ROWS
from tests.support.cases import Case, all_cases, cases_of, has_gradient, inputs, pick, wanted
from tests.support.higher import check_higher_orders


def _sample_of(row, dtype: str) -> Case | None:
    """Returns the first sample that has elements and a gradient, in that dtype."""
    for case in cases_of(row):
        if case.dtype == dtype and has_gradient(case):
            arrays = inputs(case)
            if all(pick(arrays, place).size for place in wanted(row, arrays)):
                return case
    return None


DIFFERENTIABLE = [row for row in ROWS.values() if row.vjp is not NONDIFF]
REAL = [case for row in DIFFERENTIABLE if (case := _sample_of(row, "float64")) is not None]
COMPLEX = [case for row in DIFFERENTIABLE if (case := _sample_of(row, "complex128")) is not None]


@pytest.mark.parametrize("case", REAL, ids=[case.row.name for case in REAL])
def test_second_and_third_order(case):
    check_higher_orders(case)


@pytest.mark.parametrize("case", COMPLEX, ids=[case.row.name for case in COMPLEX])
def test_second_and_third_order_of_complex(case):
    check_higher_orders(case)


def test_every_row_with_a_gradient_is_here():
    tested = {case.row.name for case in (*REAL, *COMPLEX)}
    rows = {case.row.name for case in all_cases() if has_gradient(case)}
    assert rows <= tested, f"no sample of {rows - tested} can be differentiated twice"
