"""Every row of the op table, every sample, every dtype: forward, gradients, in-place, errors.

The tests come from the rows: a new row needs no edit here. See support/checks.py for the checks.
"""

import pytest

import jaxeager as paddle  # noqa: F401 - fills the table
from jaxeager.ops.row import NONDIFF, ROWS
from tests.support import checks
from tests.support.cases import COMPLEX, Case, all_cases, cases_of, has_gradient, inputs, wanted

CASES = list(all_cases())
WITH_GRADIENT = [case for case in CASES if has_gradient(case)]


def _first(row, dtypes, count: int, fits=lambda case: True) -> list[Case]:
    """Returns the first samples with a gradient, in the first of those dtypes a row has."""
    for dtype in dtypes:
        cases = [c for c in cases_of(row) if c.dtype == dtype and has_gradient(c) and fits(c)]
        if cases:
            return cases[:count]
    return []


def _several_gradients(case: Case) -> bool:
    return len(wanted(case.row, inputs(case))) > 1


def _fits_in_place(case: Case) -> bool:
    """Says whether a sample's result may be written: broadcast, an operand may not grow."""
    operands = checks.tensors(inputs(case))
    return (
        not case.row.broadcast
        or case.row.function(*operands, **case.sample.attrs).shape == operands[0].shape
    )


def _over(cases: list[Case]):
    return pytest.mark.parametrize("case", cases, ids=[case.id for case in cases])


ROW_LIST = list(ROWS.values())
OVER_ROWS = pytest.mark.parametrize("row", ROW_LIST, ids=[row.name for row in ROW_LIST])
REAL = ("float64", "float32", "bfloat16")
# Masks, versions and second order concern the rule, not the dtype: float64 shows the most digits.
MASKS = [c for row in ROW_LIST for c in _first(row, ("float64", *COMPLEX), 1, _several_gradients)]
SECOND = [c for row in ROW_LIST for c in _first(row, ("float64",), 2) + _first(row, COMPLEX[1:], 1)]
VERSIONS = [c for row in ROW_LIST for c in _first(row, (*REAL, *COMPLEX), 1)]
EXAMPLES = [row for row in ROW_LIST if row.example]
INPLACE = [row for row in ROW_LIST if row.inplace]
RANDOM = [row for row in ROW_LIST if checks.is_random(row)]
BAD = [(row, bad) for row in ROW_LIST if row.errors for bad in row.errors()]


@OVER_ROWS
def test_row_is_complete(row):
    checks.check_complete(row)


@pytest.mark.parametrize("row", EXAMPLES, ids=[row.name for row in EXAMPLES])
def test_example_runs(row):
    checks.check_example(row)


@_over([case for case in CASES if not checks.is_random(case.row) or case.row.reference])
def test_forward_equals_reference(case):
    checks.check_forward(case)


@_over(WITH_GRADIENT)
def test_gradient_equals_jax(case):
    checks.check_gradient(case)


@_over(MASKS)
def test_each_gradient_alone(case):
    checks.check_masks(case)


@_over(SECOND)
def test_second_order_equals_jax(case):
    checks.check_second_order(case)


@_over(VERSIONS)
def test_exactly_the_saved_tensors_are_checked(case):
    checks.check_versions(case)


@pytest.mark.parametrize("row", INPLACE, ids=[row.name for row in INPLACE])
def test_inplace_twin(row):
    fitting = [case for case in cases_of(row) if case.dtype == row.dtypes[0]]
    case = next(filter(_fits_in_place, fitting), None)
    assert case is not None, f"no sample of {row.name} has a result that fits into its operand"
    checks.check_inplace(case)


@pytest.mark.parametrize(
    "row", [row for row in ROW_LIST if row.vjp is not NONDIFF], ids=lambda row: row.name
)
def test_gradient_is_tested(row):
    assert any(case.row is row for case in WITH_GRADIENT), f"no sample of {row.name} has a gradient"


@pytest.mark.parametrize(
    "row", [row for row in ROW_LIST if row.vjp is not NONDIFF], ids=lambda row: row.name
)
def test_complex_is_tested_or_refused(row):
    checks.check_complex(row)


@_over([next(cases_of(row)) for row in ROW_LIST if row.operands and row.samples])
def test_an_operand_of_another_kind_is_refused(case):
    checks.check_wrong_kind(case)


@pytest.mark.parametrize("row", RANDOM, ids=[row.name for row in RANDOM])
def test_numbers_come_from_the_key(row):
    checks.check_random(row)


@pytest.mark.parametrize(
    ("row", "bad"),
    BAD,
    ids=[f"{row.name}-{i}" for i, (row, _) in enumerate(BAD)],
)
def test_bad_input_gives_the_named_error(row, bad):
    checks.check_bad_input(row, bad)
