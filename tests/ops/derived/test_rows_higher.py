"""Second and third order of every row, through the tape: see support/higher.py.

One sample per row in float64, and one in complex128 if a row accepts complex numbers. From the
second order on all rules are derived, by one mechanism: the third order, and the second of complex
numbers, are usually tested for one row of each file of ops, and for all rows by `make test-all`.
"""

import inspect

import pytest

import jaxeager as paddle  # noqa: F401 - fills the table
from jaxeager.ops.row import NONDIFF, ROWS
from tests.support.cases import Case, all_cases, cases_of, has_gradient, inputs, pick, wanted
from tests.support.higher import check_order


def _sample_of(row, dtype: str) -> Case | None:
    """Return the first sample that has elements and a gradient, in that dtype."""
    for case in cases_of(row):
        if case.dtype == dtype and has_gradient(case):
            arrays = inputs(case)
            if all(pick(arrays, place).size for place in wanted(row, arrays)):
                return case
    return None


LONG = {"implicit_gamma", "grid_sample"}  # their third order takes some ten seconds to compile
DIFFERENTIABLE = [row for row in ROWS.values() if row.vjp is not NONDIFF]
REAL = [case for row in DIFFERENTIABLE if (case := _sample_of(row, "float64")) is not None]
COMPLEX = [case for row in DIFFERENTIABLE if (case := _sample_of(row, "complex128")) is not None]


def _over(cases: list[Case], always: tuple[int, ...]):
    """Parametrise over cases and orders; after the first row of a file the others are `deep`.

    Args:
        cases: a case of each row.
        always: the orders that are tested of every row.
    """
    seen, parameters = set(), []
    for case in cases:
        file = inspect.getmodule(case.row.forward)
        is_long = case.row.name in LONG
        marks = (pytest.mark.deep,) if is_long or file in seen else ()
        if not is_long:
            seen.add(file)
        parameters += [
            pytest.param(
                case, order, id=f"{case.row.name}-{order}", marks=() if order in always else marks
            )
            for order in (2, 3)
        ]
    return pytest.mark.parametrize(("case", "order"), parameters)


@_over(REAL, always=(2,))
def test_higher_order(case, order):
    check_order(case, order)


@_over(COMPLEX, always=())
def test_higher_order_of_complex(case, order):
    check_order(case, order)


def test_every_row_with_a_gradient_is_here():
    tested = {case.row.name for case in (*REAL, *COMPLEX)}
    rows = {case.row.name for case in all_cases() if has_gradient(case)}
    assert rows <= tested, f"no sample of {rows - tested} can be differentiated twice"
